"""Small widgets used all over the window. Labels are plain text: nothing a person or a model wrote is ever markup."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.text import plural_source
from app.ui import theme
from app.ui.labels import plain_tip

FIELD_HEIGHT = theme.CONTROL


class Note(QLabel):
    """A line below a field that is there only while it has something to say."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "warn")
        self.setFont(theme.font(theme.SMALL))
        self.setWordWrap(True)
        self.hide()

    def say(self, text: str) -> None:
        """Shows the text, or goes when it is empty."""
        self.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))


class Fold(QWidget):
    """A heading that shows and hides what is below it."""

    toggled = Signal(bool)

    def __init__(self, title: str, content: QWidget, *, opened: bool = False) -> None:
        super().__init__()
        self._content = content
        self._button = QToolButton()
        self._button.setProperty("role", "fold")
        self._button.setText(title)
        self._button.setCheckable(True)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setAccessibleName(title.replace("&", ""))
        layout = column(self, spacing=4)
        layout.addWidget(self._button)
        layout.addWidget(content)
        self._button.toggled.connect(self._show)
        self._button.setChecked(opened)
        self._show(opened)

    @property
    def button(self) -> QToolButton:
        """The heading, for the tab order."""
        return self._button

    @property
    def opened(self) -> bool:
        """Whether the content shows."""
        return self._button.isChecked()

    def set_opened(self, opened: bool) -> None:
        """Shows or hides the content."""
        self._button.setChecked(opened)

    def _show(self, opened: bool) -> None:
        self._content.setVisible(opened)
        self._button.setIcon(theme.icon("caret-down" if opened else "caret-right"))
        self.toggled.emit(opened)


class PressSlider(QSlider):
    """A slider that jumps to where it is pressed; the wheel passes to the panel, so scrolling changes nothing."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Left to the scroll area."""
        event.ignore()


def column(parent: QWidget | None = None, *, margins: int = 0, spacing: int = 8) -> QVBoxLayout:
    """A column of the given inner distance."""
    layout = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    layout.setContentsMargins(margins, margins, margins, margins)
    layout.setSpacing(spacing)
    return layout


def row(parent: QWidget | None = None, *, margins: int = 0, spacing: int = 8) -> QHBoxLayout:
    """A row of the given inner distance."""
    layout = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    layout.setContentsMargins(margins, margins, margins, margins)
    layout.setSpacing(spacing)
    return layout


def tool(
    icon: str, name: str, act: Callable[[], object], *, hint: str = "", checkable: bool = False
) -> QToolButton:
    """A square icon button; its name is read aloud, and shown with ``hint`` (a shortcut) as tooltip."""
    button = QToolButton()
    button.setIcon(theme.icon(icon))
    button.setProperty("role", "tool")
    button.setFixedSize(FIELD_HEIGHT, FIELD_HEIGHT)
    button.setIconSize(QSize(16, 16))
    button.setCheckable(checkable)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setAccessibleName(name)
    button.setToolTip(plain_tip(f"{name} ({hint})" if hint else name))
    button.clicked.connect(lambda _checked=False: act())
    return button


def push(text: str, act: Callable[[], object], *, role: str = "") -> QPushButton:
    """A button with words."""
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.setMinimumHeight(FIELD_HEIGHT)
    if role:
        button.setProperty("role", role)
    button.setAccessibleName(text.replace("&", ""))
    button.clicked.connect(lambda _checked=False: act())
    return button


def counted(said: str, n: int) -> str:
    """A sentence from ``tr`` with a number: English has no translation file, so its plural is chosen here."""
    return plural_source(said, n)


def set_hint(widget: QWidget, name: str, description: str = "") -> None:
    """The accessible name and, if given, the one sentence that explains the control."""
    widget.setAccessibleName(name)
    if description:
        widget.setAccessibleDescription(description)
        widget.setToolTip(plain_tip(description))

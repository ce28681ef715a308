"""Labels of the window's few kinds: section head, body, soft explanation, one elided line. Always plain text.

Their looks are roles of the style sheet; nothing a person or a model wrote is ever markup.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget


def head(text: str, parent: QWidget | None = None) -> QLabel:
    """A section's heading."""
    return _plain(text, "head", parent, wrap=False)


def body(text: str = "", parent: QWidget | None = None, wrap: bool = False) -> QLabel:
    """Ordinary text."""
    return _plain(text, "body", parent, wrap)


def soft(text: str = "", parent: QWidget | None = None, wrap: bool = True) -> QLabel:
    """Secondary text: explanations, prices, figures."""
    return _plain(text, "soft", parent, wrap)


def line(parent: QWidget | None = None) -> QFrame:
    """A hairline between sections."""
    made = QFrame(parent)
    made.setProperty("role", "line")
    return made


def set_role(widget: QWidget, role: str) -> None:
    """Gives a widget another look (``soft``, ``good``, ``warn``, ``bad`` …) if it has not got it."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class Wrapped(QLabel):
    """Text over several lines that a crowded layout cannot cut: a label alone lets itself be squeezed."""

    def setText(self, text: str) -> None:
        """Other text may need another height at once."""
        super().setText(text)
        self._keep_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width needs another height."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._keep_height()

    def changeEvent(self, event: QEvent) -> None:
        """So does another font, which a style sheet may bring when the text stands long since."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._keep_height()

    def _keep_height(self) -> None:
        # Qt counts the least height into what a width needs, so it must go before it is asked.
        self.setMinimumHeight(0)
        if self.text():
            self.setMinimumHeight(max(0, self.heightForWidth(self.width())))


class Elided(QLabel):
    """One line that is cut with … where it does not fit; the whole text is then its tooltip."""

    def __init__(self, text: str = "", parent: QWidget | None = None, middle: bool = False) -> None:
        super().__init__(parent)
        self._mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "body")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def setText(self, text: str) -> None:
        """One line: line ends become spaces."""
        super().setText(" ".join(text.split()))
        self.setToolTip(plain_tip(self.text()))

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text, cut to the width."""
        painter = QPainter(self)
        area = self.contentsRect()
        cut = self.fontMetrics().elidedText(self.text(), self._mode, area.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, cut)
        painter.end()


def plain_tip(text: str) -> str:
    """``text`` for a tooltip, shown literally and wrapped: Qt would take ``<b>`` for formatting and load images."""
    if len(text) <= 60 and not set(text) & set("<&\n"):
        return text
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    return f"<span>{escaped}</span>"


def short_device(name: str) -> str:
    """A card's name without its maker, which fills the room and says nothing new."""
    for maker in ("NVIDIA GeForce ", "NVIDIA ", "AMD Radeon ", "AMD ", "Intel(R) ", "Intel "):
        if name.startswith(maker):
            return name.removeprefix(maker)
    return name


def _plain(text: str, role: str, parent: QWidget | None, wrap: bool) -> QLabel:
    made = Wrapped(parent) if wrap else QLabel(parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("role", role)
    made.setWordWrap(wrap)
    made.setText(text)
    return made

"""Everything by keyboard, with names for those who hear the window, and no markup anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.core.errors import AppError, ErrorKind
from app.ui.shortcuts import HelpDialog

if TYPE_CHECKING:
    from conftest import Studio
else:
    Studio = Any


# ---------------------------------------------------------------- keyboard and accessibility

INTERACTIVE = (
    QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QAbstractItemView,
)  # fmt: skip


def interactive(window: QWidget) -> list[QWidget]:
    """Controls of ours: not the parts that Qt makes inside a spin box, a combo box or a scroll area."""
    found = []
    for widget in window.findChildren(QWidget):
        inner = isinstance(widget.parent(), QAbstractSpinBox | QComboBox) or widget.objectName().startswith(
            "qt_"
        )
        popup = any(isinstance(parent, QComboBox) for parent in parents(widget))
        if isinstance(widget, INTERACTIVE) and not isinstance(widget, QScrollBar) and not inner and not popup:
            found.append(widget)
    return found


def parents(widget: QWidget) -> list[Any]:
    chain: list[Any] = []
    up = widget.parent()
    while up is not None:
        chain.append(up)
        up = up.parent()
    return chain


def test_every_control_has_an_accessible_name(studio: Studio) -> None:
    window = studio.open().window
    window.memory.fold.set_opened(True)
    nameless = [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}"
        for widget in interactive(window)
        if not widget.accessibleName().strip() and not getattr(widget, "text", str)()
    ]
    assert not nameless


def test_every_control_can_have_the_focus_and_stands_in_the_ring(studio: Studio) -> None:
    window = studio.open().window
    window.prompt.set_negative_open(True)
    window.memory.fold.set_opened(True)
    ring, widget = set(), window.prompt.controls()[0]
    for _ in range(400):
        ring.add(widget)
        widget = widget.nextInFocusChain()
    deaf = [
        f"{type(w).__name__} {w.accessibleName()}"
        for w in interactive(window)
        if w.isVisible()
        and w.isEnabled()
        and (not w.focusPolicy() & Qt.FocusPolicy.TabFocus or w not in ring)
    ]
    assert not deaf


def test_tab_goes_from_the_prompt_to_generate(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    window.activateWindow()
    window.prompt.focus_prompt()
    seen = []
    for _ in range(30):
        focus = QApplication.focusWidget()
        seen.append(focus)
        if focus is window.prompt.button:
            break
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert window.prompt.button in seen
    assert [w for w in seen if w in window.prompt.controls()] == [
        w for w in window.prompt.controls() if w in seen
    ]


def test_all_labels_are_plain_text(studio: Studio) -> None:
    window = studio.open().window
    rich = [
        label.text() for label in window.findChildren(QLabel) if label.textFormat() != Qt.TextFormat.PlainText
    ]
    assert not [text for text in rich if text]


def test_ctrl_enter_generates_from_the_prompt(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    window.activateWindow()
    window.prompt.set_prompt("by keyboard")
    window.prompt.focus_prompt()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.prompt.controls()[0])
    qtbot.keyClick(window.prompt.controls()[0], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert [run.request.prompt for run in studio.link.runs] == ["by keyboard"]


def test_shortcuts_are_unique_and_shown_by_f1(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    keys = [key for shortcut in studio.program._commands for key in shortcut.keys]
    assert len(keys) == len(set(keys))
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    dialog = window.findChild(HelpDialog)
    shown = {label.text() for label in dialog.findChildren(QLabel)}
    assert {shortcut.words for shortcut in studio.program._commands} <= shown
    dialog.close()


def test_escape_closes_messages(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    window.notices.add("a notice")
    studio.program.show_problem(AppError(ErrorKind.UNEXPECTED).problem)
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.errors.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.notices.isVisible()

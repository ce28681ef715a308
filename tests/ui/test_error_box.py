"""The one place for errors: three sentences, bounded plain details, copy, actions."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorKind, Problem
from app.ui.error_box import DETAIL_MAX, OPEN_LOG, RESTART, ErrorBox, bounded


@pytest.fixture
def box(qtbot: QtBot) -> ErrorBox:
    made = ErrorBox()
    qtbot.addWidget(made)
    return made


def texts(box: ErrorBox) -> list[str]:
    return [label.text() for label in box.findChildren(QLabel) if label.text()]


def details(box: ErrorBox) -> QPlainTextEdit:
    return box.findChildren(QPlainTextEdit)[0]


def test_what_why_and_what_to_do_in_that_order(box: ErrorBox) -> None:
    box.show_problem(Problem(ErrorKind.DEVICE_MISSING, (("device", "cuda:7"), ("devices", "cpu"))))
    what, why, do = texts(box)
    assert (what, "cpu" in why, do.startswith("Choose")) == ("The device “cuda:7” is not there.", True, True)
    assert box.accessibleName() == what
    assert why in box.accessibleDescription()
    assert box.isVisible()
    assert not details(box).isVisible()


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_every_kind_of_error_can_be_shown(box: ErrorBox, kind: ErrorKind) -> None:
    box.show_problem(Problem(kind, (), "detail"))
    assert texts(box)


def test_c200_five_thousand_lines_a_line_of_100_kb_and_markup(box: ErrorBox, qtbot: QtBot) -> None:
    lines = [f"line {number} <b>bold</b> <img src=file:///etc/hostname>" for number in range(5000)]
    lines[10] = "x" * 100_000
    box.show_problem(Problem(ErrorKind.UNEXPECTED, (("error", "<h1>" + "y" * 100_000),), "\n".join(lines)))
    box.resize(400, box.heightForWidth(400))
    qtbot.waitExposed(box)
    shown = details(box).toPlainText()
    assert len(shown) <= DETAIL_MAX
    assert shown.endswith("line 4999 <b>bold</b> <img src=file:///etc/hostname>")
    assert max(map(len, shown.splitlines())) <= 400
    assert box.minimumSizeHint().width() <= 420
    assert box.heightForWidth(400) < 700
    assert all(
        label.textFormat() == Qt.TextFormat.PlainText for label in box.findChildren(QLabel) if label.text()
    )


def test_short_details_stay_whole() -> None:
    assert bounded("a\nb\x00") == "a\nb"


def test_copy_takes_everything(box: ErrorBox, qtbot: QtBot) -> None:
    problem = Problem(ErrorKind.ENGINE_KEEPS_DYING, (("log", "/tmp/engine.log"),), "Traceback")
    box.show_problem(problem, Path("/tmp/engine.log"))
    copy = next(button for button in box.findChildren(QToolButton) if button.text() == "Copy")
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert texts(box)[0].replace("\u200b", "") in copied
    assert "Traceback" in copied
    assert str(Path("/tmp/engine.log")) in copied


def test_details_unfold_by_keyboard(box: ErrorBox, qtbot: QtBot) -> None:
    box.show_problem(Problem(ErrorKind.UNEXPECTED, (), "the detail"))
    fold = next(button for button in box.findChildren(QToolButton) if button.isCheckable())
    fold.setFocus()
    qtbot.keyClick(fold, Qt.Key.Key_Space)
    assert details(box).isVisible()


def test_actions_are_the_problem_s_own_and_the_caller_s(box: ErrorBox, qtbot: QtBot) -> None:
    box.show_problem(Problem(ErrorKind.ENGINE_KEEPS_DYING), Path("/x.log"), [("wait", "Wait")])
    names = [button.text() for button in box.findChildren(QPushButton)]
    assert names == ["Wait", "Restart engine", "Open log"]
    got: list[str] = []
    box.action.connect(got.append)
    for button in box.findChildren(QPushButton):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert got == ["wait", RESTART, OPEN_LOG]


def test_the_next_problem_takes_the_place_of_the_last(box: ErrorBox, qtbot: QtBot) -> None:
    box.show_problem(Problem(ErrorKind.ENGINE_KEEPS_DYING), Path("/x.log"))
    box.show_problem(Problem(ErrorKind.PROMPT_EMPTY))
    qtbot.waitUntil(lambda: not box.findChildren(QPushButton))
    assert "engine" not in texts(box)[0]


def test_escape_closes(box: ErrorBox, qtbot: QtBot) -> None:
    box.show_problem(Problem(ErrorKind.PROMPT_EMPTY))
    with qtbot.waitSignal(box.closed):
        qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert not box.isVisible()
    assert box.problem is None

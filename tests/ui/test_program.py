"""What surrounds the window: models, drops, results on disk, what is remembered, a second start, the last border."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.core.errors import AppError, ErrorKind
from app.media.open import open_picture
from app.store.lock import InstanceLock
from app.store.settings import SettingsStore
from app.ui import app as window_app
from app.ui import result_actions, theme
from app.ui.drops import Kind, dropped_path, kind_of
from app.ui.instance import FirstWindow, call_first, server_name
from app.ui.shortcuts import HelpDialog
from app.ui.trouble import Trouble

if TYPE_CHECKING:
    from conftest import Studio
else:
    Studio = Any


def drop(window: QWidget, *urls: QUrl) -> bool:
    data = QMimeData()
    data.setUrls(list(urls))
    action, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPointF(9, 9).toPoint(), action, data, left, none)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), action, data, left, none))
    return enter.isAccepted()


# ---------------------------------------------------------------- models


def test_a_model_that_is_opened_brings_its_own_values(
    studio: Studio, qtbot: QtBot, tmp_path: Path, make_model: Any
) -> None:
    window = studio.open().window
    other = make_model(tmp_path / "models" / "Other", side=256)
    with qtbot.waitSignal(studio.program.session.model_changed):
        window.header.models.chosen.emit(other)
    assert window.prompt.values().width == 256
    assert window.header.models.current_path() == other
    studio.generate()
    assert studio.link.runs[0].request.model == str(other)


def test_a_model_that_cannot_be_opened_leaves_the_chosen_one(
    studio: Studio, qtbot: QtBot, tmp_path: Path
) -> None:
    window = studio.open().window
    (tmp_path / "empty").mkdir()
    with qtbot.waitSignal(studio.program.session.model_changed):
        window.header.models.chosen.emit(tmp_path / "empty")
    assert window.errors.problem.kind is ErrorKind.MODEL_EMPTY
    assert window.header.models.current_path() == studio.model
    studio.generate()
    assert studio.link.runs


def test_found_models_are_listed_with_a_verdict(studio: Studio, qtbot: QtBot, tmp_path: Path) -> None:
    bad = tmp_path / "models" / "Bad"
    bad.mkdir()
    (bad / "model_index.json").write_text("{")
    window = studio.open(model_folders=(str(tmp_path / "models"),)).window
    box = next(found for found in window.findChildren(QComboBox) if found.accessibleName() == "Model")
    qtbot.waitUntil(lambda: box.findText("Light") >= 0 and box.findText("Bad") >= 0)
    verdicts = {entry.name: studio.program._verdict(entry) for entry in studio.program._entries}
    assert verdicts["Light"].startswith("Fits")
    assert verdicts["Bad"]
    assert not verdicts["Bad"].startswith("Fits")


# ---------------------------------------------------------------- drops


def test_c122_a_dropped_picture_with_hash_and_percent_is_found(
    studio: Studio, qtbot: QtBot, tmp_path: Path
) -> None:
    window = studio.open().window
    path = studio.picture("a#b%20 c.png")
    assert drop(window, QUrl.fromLocalFile(str(path)))
    qtbot.waitUntil(lambda: window.viewer.path == path)
    qtbot.waitUntil(lambda: window.notices.text == "There are no settings in this picture.")


def test_c122_web_addresses_and_other_files_are_passed_over(studio: Studio, tmp_path: Path) -> None:
    window = studio.open().window
    assert not drop(window, QUrl("https://example.org/a.png"))
    (tmp_path / "a.lnk").write_bytes(b"x")
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "a.lnk")))
    assert "neither a model nor a picture" in window.notices.text
    assert not window.errors.isVisible()


def test_c122_of_500_files_one_is_taken(tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls(
        [QUrl("https://a.b/c"), *(QUrl.fromLocalFile(str(tmp_path / f"{n}.png")) for n in range(500))]
    )
    assert dropped_path(data) == tmp_path / "0.png"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.PNG", Kind.PICTURE),
        ("m.safetensors", Kind.MODEL),
        ("m.ckpt", Kind.MODEL),
        ("a.txt", Kind.OTHER),
        (".", Kind.MODEL),
    ],
)
def test_what_a_path_is_for(tmp_path: Path, name: str, kind: Kind) -> None:
    assert kind_of(tmp_path / name) is kind


def test_a_dropped_model_is_opened(studio: Studio, qtbot: QtBot, tmp_path: Path, make_model: Any) -> None:
    window = studio.open().window
    other = make_model(tmp_path / "models" / "a # b%20")
    with qtbot.waitSignal(studio.program.session.model_changed):
        drop(window, QUrl.fromLocalFile(str(other)))
    assert studio.program.session.model.path == other


# ---------------------------------------------------------------- results on disk


def finished(studio: Studio, qtbot: QtBot) -> Path:
    studio.generate()
    path = studio.finish()
    qtbot.waitUntil(lambda: studio.window.viewer.path == path)
    return path


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp"])
def test_save_as_writes_another_file(studio: Studio, qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    path = finished(studio.open(), qtbot)
    target = tmp_path / f"copy.{suffix}"
    studio.program.results.actions.save_to(path, target)
    qtbot.waitUntil(lambda: studio.window.notices.text == f"Saved as {target}")
    assert open_picture(target).size == open_picture(path).size


def test_save_as_into_nowhere_says_why(studio: Studio, qtbot: QtBot, tmp_path: Path) -> None:
    path = finished(studio.open(), qtbot)
    studio.program.results.actions.save_to(path, tmp_path / "missing" / "copy.png")
    qtbot.waitUntil(studio.window.errors.isVisible)
    assert studio.window.errors.problem.kind is ErrorKind.FOLDER_MISSING


@pytest.mark.parametrize("gone", [True, False])
def test_delete_asks_and_uses_the_trash(
    studio: Studio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    path = finished(studio.open(), qtbot)
    trashed: list[Path] = []

    def trash(asked: Path) -> bool:
        trashed.append(asked)
        return gone

    monkeypatch.setattr(result_actions, "to_trash", trash)
    studio.window.gallery.setFocus()
    studio.window.viewer.delete_asked.emit()
    box = studio.window.findChild(QMessageBox)
    assert path.name in box.text()
    assert box.textFormat() == Qt.TextFormat.PlainText
    next(button for button in box.findChildren(QPushButton) if button.text() == "Move to trash").click()
    if gone:
        qtbot.waitUntil(studio.window.viewer.empty.isVisible)
        assert studio.window.gallery.results.rowCount() == 0
    else:
        qtbot.waitUntil(lambda: "left where it is" in studio.window.notices.text)
    assert trashed == [path]


def test_the_settings_of_a_picture_are_taken_again(studio: Studio, qtbot: QtBot) -> None:
    from app.core.plan import Dtype, Plan
    from app.core.request import GenerationRequest
    from app.media.metadata import PictureInfo
    from app.media.png import write_png

    window = studio.open().window
    request = GenerationRequest(
        model=str(studio.model), prompt="a <b>red</b> circle", negative="blue", width=192, height=64, steps=7,
        guidance=3.5, seed=2**64 - 1, count=3,
    )  # fmt: skip
    info = PictureInfo(
        request=request, plan=Plan(family="f", device="cpu", dtype=Dtype.FLOAT32), seed=1, index=2
    )
    import numpy as np

    pixels = np.zeros((64, 192, 3), np.uint8)
    path = write_png(pixels, studio.paths.pictures / "a.png", info)
    window.viewer.open(path)
    qtbot.waitUntil(lambda: window.viewer.path == path)
    window.viewer.reuse_asked.emit()
    values = window.prompt.values()
    assert (values.prompt, values.negative, values.width, values.height) == (request.prompt, "blue", 192, 64)
    assert (values.steps, values.guidance, values.seed, values.seed_locked, values.count) == (
        7,
        3.5,
        1,
        True,
        1,
    )


def test_results_of_earlier_runs_come_back_without_those_that_are_gone(studio: Studio, qtbot: QtBot) -> None:
    finished(studio.open(), qtbot)
    studio.generate()
    second = studio.finish("b.png")
    (studio.paths.pictures / "a.png").unlink()
    studio.close()
    window = studio.open().window
    qtbot.waitUntil(lambda: [result.path for result in window.gallery.results.results()] == [second])
    qtbot.waitUntil(lambda: window.viewer.path == second)
    assert window.prompt._pace.text() == "about 2 s"


# ---------------------------------------------------------------- what is remembered


def test_values_and_window_come_back(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    window.resize(1024, 720)  # the offscreen screen is no larger
    window.header.left.setChecked(False)
    values = replace(
        window.prompt.values(), prompt="kept", negative="n", seed=2**64 - 1, seed_locked=True, steps=33
    )
    window.prompt.set_values(values)
    window.close()
    studio.close()
    studio.settings, notices = SettingsStore(studio.paths.settings).load()
    assert not notices
    window = studio.open().window
    assert window.prompt.values() == values
    assert not window.header.left.isChecked()
    assert (window.width(), window.height()) == (1024, 720)


def test_nonsense_for_a_window_state_gives_a_first_size(studio: Studio) -> None:
    window = studio.open(window={"geometry": "???", "left": 7, "queue": []}).window
    assert window.width() >= 1024


def test_the_theme_is_changed_and_kept(studio: Studio) -> None:
    studio.open()
    studio.program.toggle_theme()
    assert theme.tokens() == theme.tokens(dark=True)
    studio.program.stop()
    assert json.loads(studio.paths.settings.read_text())["theme"] == "dark"


def test_settings_that_cannot_be_saved_are_said_once(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    window = studio.open().window

    def full(_settings: object) -> None:
        raise AppError(ErrorKind.DISK_FULL, path="settings.json")

    monkeypatch.setattr(studio.store, "save", full)
    studio.program._save()
    assert window.errors.problem.kind is ErrorKind.DISK_FULL
    window.errors.close_box()
    studio.program._save()
    assert not window.errors.isVisible()


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


# ---------------------------------------------------------------- one window, and the last border


def test_a_second_start_calls_the_first_window_and_touches_nothing(
    studio: Studio, qtbot: QtBot, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    studio.open()
    name = server_name(studio.paths.lock)
    first = FirstWindow(name)
    assert first.listening
    with InstanceLock(studio.paths.lock):
        before = studio.paths.history.stat().st_mtime_ns
        heard: list[bool] = []
        caller = threading.Thread(target=lambda: heard.append(call_first(name)), name="second start")
        with qtbot.waitSignal(first.called):
            caller.start()
        caller.join()
        assert heard == [True]
        with pytest.raises(AppError) as caught:
            InstanceLock(studio.paths.lock).acquire()
        assert caught.value.kind is ErrorKind.ALREADY_RUNNING
        assert window_app._refuse(caught.value.problem, heard=True) == 3
        assert "already" in capsys.readouterr().err
        assert studio.paths.history.stat().st_mtime_ns == before
    first.close()
    assert not call_first(name)


def test_c199_an_exception_in_a_slot_is_shown_and_logged(
    studio: Studio, qtbot: QtBot, monkeypatch: Any
) -> None:
    window = studio.open().window
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    level = logging.getLogger().level
    trouble = Trouble(studio.paths.logs)
    trouble.happened.connect(studio.program.show_problem)
    trouble.install()
    try:
        sys.excepthook(ZeroDivisionError, ZeroDivisionError("<b>x</b>"), None)
        assert window.errors.problem.kind is ErrorKind.UNEXPECTED
        thread = threading.Thread(target=lambda: 1 / 0, name="broken")
        window.errors.close_box()
        thread.start()
        thread.join()
        qtbot.waitUntil(window.errors.isVisible)
    finally:
        trouble.remove()
        logging.getLogger().setLevel(level)
    assert "ZeroDivisionError" in trouble.log_path.read_text(encoding="utf-8")


def test_nothing_of_the_window_runs_on_after_its_end(
    studio: Studio, make_picture: Callable[..., Path]
) -> None:
    studio.open()
    studio.generate()
    before = {thread.name for thread in threading.enumerate()}
    assert "keep-awake" in before
    studio.close()
    assert "keep-awake" not in {thread.name for thread in threading.enumerate()}

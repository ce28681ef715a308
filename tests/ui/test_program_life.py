"""What is remembered between starts, a second start, the last border, and a clean end."""

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
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.errors import AppError, ErrorKind
from app.store.lock import InstanceLock
from app.store.settings import SettingsStore
from app.ui import app as window_app
from app.ui import theme
from app.ui.instance import FirstWindow, call_first, server_name
from app.ui.settings_dialog import SettingsDialog
from app.ui.shortcuts import HelpDialog
from app.ui.trouble import Trouble

if TYPE_CHECKING:
    from conftest import Studio
else:
    Studio = Any


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


def test_settings_and_help_open_once(studio: Studio) -> None:
    window = studio.open().window
    for _ in range(2):
        studio.program.show_settings()
        studio.program.show_help()
    assert len(window.findChildren(SettingsDialog)) == len(window.findChildren(HelpDialog)) == 1


def test_open_settings_follow_the_theme_button(studio: Studio) -> None:
    """Else the next change in the dialog puts the old theme back."""
    window = studio.open().window
    studio.program.show_settings()
    studio.program.toggle_theme()
    dialog = window.findChildren(SettingsDialog)[0]
    dialog.set_output(str(studio.paths.pictures / "elsewhere"))
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


# ---------------------------------------------------------------- one window, and the last border


def test_a_second_start_calls_the_first_window_and_touches_nothing(
    studio: Studio, qapp: QApplication, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    studio.open()
    name = server_name(studio.paths.lock)
    first = FirstWindow(name)
    with InstanceLock(studio.paths.lock):
        before = studio.paths.history.stat().st_mtime_ns
        heard: list[bool] = []
        caller = threading.Thread(target=lambda: heard.append(call_first(name)), name="second start")
        with qtbot.waitSignal(first.called):
            caller.start()  # both were started at once: the first listens a little later
            assert first.listen()
        caller.join()
        assert heard == [True]
        with pytest.raises(AppError) as caught:
            InstanceLock(studio.paths.lock).acquire()
        assert caught.value.kind is ErrorKind.ALREADY_RUNNING
        assert window_app._refuse(qapp, caught.value.problem, heard=True) == 3
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


def test_a_model_that_is_read_after_the_first_save_still_brings_its_defaults(studio: Studio) -> None:
    studio.open()
    program: Any = studio.program
    program._save()
    model, program._first_model = program.session.model, True
    program.window.prompt.set_values(replace(program.window.prompt.values(), width=1024, height=1024))
    program._model_changed(model)
    assert program.window.prompt.values().width == 128

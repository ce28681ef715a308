"""The window with its real engine and the built-in model, by keyboard alone: from a prompt to the right picture."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PySide6.QtCore import Qt, QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.host.link import EngineLink
from app.host.telemetry import Telemetry
from app.media.metadata import read_settings
from app.media.open import open_picture
from app.store.history import History, JobState
from app.store.paths import default_paths
from app.store.settings import Settings, SettingsStore
from app.ui import theme
from app.ui.program import Program
from app.ui.status_bar import Engine

PATIENCE = 180_000


@pytest.fixture
def program(qapp: QApplication, home: Path, demo_model: Path) -> Iterator[Program]:
    """Everything real, ended after the test."""
    theme.apply(qapp, "light")
    paths = default_paths()
    paths.ensure()
    history = History(paths.history)
    settings = Settings(model=str(demo_model))
    made = Program(
        paths, SettingsStore(paths.settings), settings, history, EngineLink(paths.logs), Telemetry()
    )
    made.start()
    yield made
    made.stop()
    history.close()
    assert not [thread for thread in made.findChildren(QThread) if thread.isRunning()]
    assert not [timer for timer in made.findChildren(QTimer) if timer.isActive()]
    made.window.deleteLater()


@pytest.fixture(scope="module")
def checker(root: Path) -> ModuleType:
    """The demo model's checker: what a picture shows, by its pixels."""
    path = root / "packaging" / "demo-models" / "checker.py"
    spec = importlib.util.spec_from_file_location("shapes_checker", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def type_prompt(program: Program, qtbot: QtBot, prompt: str) -> None:
    program.window.activateWindow()
    qtbot.keyClick(program.window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    edit = program.window.prompt.controls()[0]
    qtbot.waitUntil(lambda: QApplication.focusWidget() is edit)
    qtbot.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(edit, prompt)
    qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.slow
def test_a_newcomer_writes_a_prompt_and_gets_that_picture(
    program: Program, qtbot: QtBot, checker: ModuleType, demo_model: Path
) -> None:
    window = program.window
    assert window.isVisible()
    assert "starting" in window.status.text, "the window is there before the engine"
    qtbot.waitUntil(lambda: program.session.model is not None)
    previews: list[object] = []
    program.jobs.preview.connect(previews.append)
    with qtbot.waitSignal(program.jobs.ended, timeout=PATIENCE):
        type_prompt(program, qtbot, "a red circle on a blue background")
    [record] = program.jobs._history.recent()
    assert record.state is JobState.DONE
    [path] = record.files
    qtbot.waitUntil(lambda: window.viewer.path == path)
    assert previews
    picture = open_picture(path)
    assert picture.size == (128, 128)
    settings = read_settings(path)
    assert settings is not None
    assert settings.prompt == "a red circle on a blue background"
    assert settings.seed == window.prompt.values().seed
    found = checker.check(np.asarray(picture))
    seen = (found.shape, found.colour, found.background)
    assert seen == ("circle", "red", "blue")


@pytest.mark.slow
def test_cancel_by_keyboard_then_another_job_on_the_same_engine(program: Program, qtbot: QtBot) -> None:
    window = program.window
    qtbot.waitUntil(lambda: window.status.engine is Engine.READY, timeout=PATIENCE)
    qtbot.waitUntil(lambda: program.session.decision is not None)
    with qtbot.waitSignal(program.jobs.progress, timeout=PATIENCE):
        type_prompt(program, qtbot, "a green star on a white background")
    with qtbot.waitSignal(program.jobs.ended, timeout=PATIENCE):
        qtbot.keyClick(window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(program.jobs.ended, timeout=PATIENCE):
        type_prompt(program, qtbot, "a green star on a white background")
    states = [record.state for record in program.jobs._history.recent()]
    assert states == [JobState.DONE, JobState.CANCELLED]

"""No text escapes translation: with a language that marks each sentence, what a person sees or hears is marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)

from app.core.errors import ErrorKind, Problem
from app.core.messages import Phase, Progress
from app.store.settings import Settings
from app.ui.settings_dialog import SettingsDialog

OPEN, SHUT = "⟦", "⟧"
# What is data, not words of ours: models, devices, prompts, sizes, names of languages, paths, keys.
DATA = (
    "Light",
    "Card",
    "CPU",
    "a red circle",
    "a blue star",
    "a green ring",
    "Shapes.",
    "English",
    "Español",
)
DATA += (
    "Português (Brasil)",
    "Headroom 0.1.0",
    "a.png",
    "PySide6",
    "Ctrl+",
    "Shift+",
    "Escape",
    "Delete",
    "F1",
    "F9",
    "Alt+",
)


class Marking(QTranslator):
    """Translates everything into itself between brackets."""

    def translate(self, context: str, source: str, comment: str | None = None, n: int = -1) -> str:
        counted = source.replace("%n", str(n)) if n >= 0 else source
        return f"{OPEN}{counted}{SHUT}"

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def marking(qapp: QApplication) -> Iterator[None]:
    translator = Marking()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


def texts_of(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.statusTip())
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    if isinstance(widget, QLineEdit | QPlainTextEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(index) for index in range(widget.count()))
    if isinstance(widget, QMenu):
        yield from (action.text() for action in widget.actions())


def unmarked(root: QWidget) -> list[str]:
    found = {text.strip() for widget in [root, *root.findChildren(QWidget)] for text in texts_of(widget)}
    words = {text for text in found if sum(map(str.isalpha, text)) > 2}
    return sorted(
        text for text in words if OPEN not in text and not text.startswith(DATA) and not is_size(text)
    )


def is_size(text: str) -> bool:
    return text.replace("1:1", "").strip()[:1].isdigit()


def test_every_word_of_the_window_is_translated(marking: None, studio: Any, qtbot: Any) -> None:
    studio.open()
    window = studio.window
    assert unmarked(window) == []
    studio.generate()
    studio.say(Progress(studio.job, Phase.DENOISE, 2, 8, eta=3.0))
    window.errors.show_problem(Problem(ErrorKind.ENGINE_DIED, (("code", 1),)), studio.link.log_path)
    studio.generate("another")
    assert unmarked(window) == []
    studio.finish()
    qtbot.waitUntil(lambda: window.viewer.path is not None)
    assert unmarked(window) == []


def test_every_word_of_the_dialogs_is_translated(marking: None, studio: Any, qtbot: Any) -> None:
    studio.open()
    dialog = SettingsDialog(Settings(), studio.paths.pictures)
    qtbot.addWidget(dialog)
    studio.program.show_help()
    dialogs = [dialog, *(widget for widget in QApplication.topLevelWidgets() if widget is not studio.window)]
    assert [
        text for each in dialogs for text in unmarked(each) if str(studio.paths.pictures) not in text
    ] == []

"""The settings dialog: not modal, tells each change once, says that the language waits for the next start."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from app.store.settings import Settings
from app.ui.settings_dialog import SettingsDialog, licence_lines


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    made = SettingsDialog(Settings(), Path("/home/me/Pictures/Headroom"))
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def told(dialog: SettingsDialog) -> list[Settings]:
    seen: list[Settings] = []
    dialog.changed.connect(seen.append)
    return seen


def box(dialog: SettingsDialog, name: str) -> QComboBox:
    return next(found for found in dialog.findChildren(QComboBox) if found.accessibleName() == name)


def shown(dialog: SettingsDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]


def test_it_blocks_nothing(dialog: SettingsDialog) -> None:
    assert not dialog.isModal()


def test_language_and_theme(dialog: SettingsDialog, told: list[Settings]) -> None:
    note = "The language changes at the next start of Headroom."
    assert note not in shown(dialog)
    box(dialog, "Language").setCurrentIndex(box(dialog, "Language").findData("pt_BR"))
    box(dialog, "Theme").setCurrentIndex(box(dialog, "Theme").findData("dark"))
    assert told == [Settings(language="pt_BR"), Settings(language="pt_BR", theme="dark")]
    assert note in shown(dialog)


def test_the_output_folder_and_its_default(dialog: SettingsDialog, told: list[Settings]) -> None:
    assert str(Path("/home/me/Pictures/Headroom")) in shown(dialog)
    dialog.set_output("/data/pictures")
    assert "/data/pictures" in shown(dialog)
    dialog.set_output("")
    assert told == [Settings(output_folder="/data/pictures"), Settings()]


def test_model_folders_are_added_once_and_removed(dialog: SettingsDialog, told: list[Settings]) -> None:
    for folder in ("/a", "/b", "/a", ""):
        dialog.add_folder(folder)
    assert told[-1].model_folders == ("/a", "/b")
    assert len(told) == 2
    remove = next(button for button in dialog.findChildren(QPushButton) if button.text() == "Remove")
    assert not remove.isEnabled()
    dialog.findChildren(QListWidget)[0].setCurrentRow(0)
    remove.click()
    assert told[-1].model_folders == ("/b",)


def test_showing_settings_tells_nothing(dialog: SettingsDialog, told: list[Settings]) -> None:
    dialog.set_settings(Settings(language="es", theme="light", model_folders=("/x",), output_folder="/y"))
    assert told == []
    assert box(dialog, "Language").currentText() == "Español"


def test_the_libraries_and_their_licences_are_named() -> None:
    lines = licence_lines()
    assert "PySide6-Essentials" in lines
    assert "LGPL" in lines


def test_it_can_be_closed_by_a_button(qtbot: QtBot) -> None:
    dialog = SettingsDialog(Settings(), Path("/home/me/Pictures/Headroom"))
    dialog.show()
    close = next(found for found in dialog.findChildren(QPushButton) if found.text() == "Close")
    with qtbot.waitSignal(dialog.destroyed):
        close.click()

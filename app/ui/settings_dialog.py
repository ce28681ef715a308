"""The program's own settings: language, theme, folders, and what it is made of. Not modal; emits new Settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app import __version__
from app.store.settings import Settings
from app.ui import labels
from app.ui.combo import Combo
from app.ui.translate import LANGUAGES
from app.ui.widgets import Fold

LIBRARIES = (
    "PySide6-Essentials", "shiboken6", "torch", "diffusers", "transformers", "accelerate", "safetensors", "numpy",
    "pillow", "qtawesome", "psutil", "platformdirs", "filelock", "nvidia-ml-py", "tqdm", "wakepy",
)  # fmt: skip


class SettingsDialog(QDialog):
    """Shows Settings and tells each change; the caller stores them."""

    changed = Signal(object)
    """The new Settings."""

    def __init__(self, settings: Settings, default_folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings, self._default = settings, default_folder
        self._started_in = settings.language
        self.setWindowTitle(self.tr("Settings"))
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(500)
        self._language = _box({"": self.tr("As the system"), **LANGUAGES})
        modes = {"system": self.tr("As the system"), "light": self.tr("Light"), "dark": self.tr("Dark")}
        self._theme = _box(modes)
        self._restart = labels.soft(self.tr("The language changes at the next start of Headroom."))
        self._folder = labels.Elided(middle=True)
        self._folders = QListWidget()
        self._folders.setMinimumHeight(84)
        self._folders.setMaximumHeight(120)
        self._remove = _button(self.tr("Remove"), self._remove_folder)
        self._lay_out()
        self._language.currentIndexChanged.connect(
            lambda _: self._give(language=self._language.currentData())
        )
        self._theme.currentIndexChanged.connect(lambda _: self._give(theme=self._theme.currentData()))
        self._folders.currentRowChanged.connect(lambda row: self._remove.setEnabled(row >= 0))
        self._show()

    def set_settings(self, settings: Settings) -> None:
        """Shows other settings, without a signal."""
        if settings != self._settings:
            self._settings = settings
            self._show()

    # ------------------------------------------------------------------ changes

    def _give(self, **values: object) -> None:
        changed = replace(self._settings, **values)  # type: ignore[arg-type]
        if changed != self._settings:
            self._settings = changed
            self._show()
            self.changed.emit(changed)

    def _choose(self, title: str, then: Callable[[str], None]) -> None:
        dialog = QFileDialog(self, title)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(then)
        dialog.open()

    def _choose_output(self) -> None:
        self._choose(self.tr("Where pictures go"), self.set_output)

    def set_output(self, folder: str) -> None:
        """Pictures go to this folder from now on; empty: the default."""
        self._give(output_folder=folder)

    def _choose_model_folder(self) -> None:
        self._choose(self.tr("A folder with models"), self.add_folder)

    def add_folder(self, folder: str) -> None:
        """Models are looked for there too."""
        if folder and folder not in self._settings.model_folders:
            self._give(model_folders=(*self._settings.model_folders, folder))

    def _remove_folder(self) -> None:
        row = self._folders.currentRow()
        folders = self._settings.model_folders
        if 0 <= row < len(folders):
            self._give(model_folders=(*folders[:row], *folders[row + 1 :]))

    # ------------------------------------------------------------------ drawing

    def _show(self) -> None:
        self._language.select(self._settings.language)
        self._theme.select(self._settings.theme)
        self._restart.setVisible(self._settings.language != self._started_in)
        self._folder.setText(self._settings.output_folder or str(self._default))
        shown = [self._folders.item(row).text() for row in range(self._folders.count())]
        if shown != list(self._settings.model_folders):
            self._folders.clear()
            self._folders.addItems(list(self._settings.model_folders))
        self._remove.setEnabled(self._folders.currentRow() >= 0)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(labels.head(self.tr("Appearance")))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for row, text, field in (
            (0, self.tr("Language"), self._language),
            (2, self.tr("Theme"), self._theme),
        ):
            grid.addWidget(_label(text, field), row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self._restart, 1, 1)
        column.addLayout(grid)
        for title, part in (
            (self.tr("Pictures go to"), self._output_row()),
            (self.tr("Model folders"), self._folders_block()),
            (self.tr("About"), self._about_block()),
        ):
            column.addWidget(labels.line())
            column.addWidget(labels.head(title))
            column.addWidget(part)
        column.addStretch(1)
        column.addWidget(_button(self.tr("Close"), self.close), 0, Qt.AlignmentFlag.AlignRight)

    def _output_row(self) -> QWidget:
        block = QWidget()
        row = QHBoxLayout(block)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._folder, 1)
        row.addWidget(_button(self.tr("Change…"), self._choose_output))
        row.addWidget(_button(self.tr("Default"), lambda: self.set_output("")))
        return block

    def _folders_block(self) -> QWidget:
        block = QWidget()
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(
            labels.soft(self.tr("Headroom lists the models in these folders; nothing is copied."))
        )
        self._folders.setAccessibleName(self.tr("Model folders"))
        column.addWidget(self._folders)
        row = QHBoxLayout()
        row.addWidget(_button(self.tr("Add…"), self._choose_model_folder))
        row.addWidget(self._remove)
        row.addStretch(1)
        column.addLayout(row)
        return block

    def _about_block(self) -> QWidget:
        block = QWidget()
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(labels.body(f"Headroom {__version__}"))
        column.addWidget(
            labels.soft(self.tr("Free software under the Apache License 2.0. Qt is used under the LGPL."))
        )
        licences = QPlainTextEdit(licence_lines())
        licences.setReadOnly(True)
        licences.setTabChangesFocus(True)
        licences.setFixedHeight(140)
        licences.setAccessibleName(self.tr("Licences"))
        column.addWidget(Fold(self.tr("Licences"), licences))
        return block


def licence_lines() -> str:
    """The libraries at work with their versions and licences, as their own metadata say."""
    lines = []
    for name in LIBRARIES:
        version = _field(name, "Version")
        licence = _field(name, "License-Expression") or _field(name, "License")
        if version:
            lines.append(f"{name} {version}   {licence.splitlines()[0][:60] if licence else ''}".rstrip())
    return "\n".join(lines)


def _field(package: str, name: str) -> str:
    try:
        found = metadata(package)
        return str(found[name]) if name in found else ""
    except PackageNotFoundError:
        return ""


def _box(choices: Mapping[str, str]) -> Combo:
    box = Combo()
    for value, label in choices.items():
        box.addItem(label, value)
    return box


def _label(text: str, field: QWidget) -> QLabel:
    made = labels.body(text)
    made.setBuddy(field)
    field.setAccessibleName(text)
    return made


def _button(text: str, act: Callable[[], object]) -> QPushButton:
    made = QPushButton(text)
    made.setAutoDefault(False)
    made.clicked.connect(lambda _checked=False: act())
    return made

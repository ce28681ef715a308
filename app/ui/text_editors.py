"""Editors of knobs that are written: lists of patterns, folders, addresses. What is wrong is said, never emitted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QWidget

from app.core.errors import AppError
from app.core.knobs import Knob, KnobKind, check
from app.ui.knob_editors import Editor
from app.ui.widgets import FIELD_HEIGHT, tool


class TextEditor(Editor):
    """One line of text in the form that its knob takes."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._value = ""
        self._field = QLineEdit()
        self._field.setFixedHeight(FIELD_HEIGHT)
        self._field.setMinimumWidth(56)
        self._field.setPlaceholderText(self._placeholder())
        self._field.editingFinished.connect(self._typed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self._row.addWidget(self._field, 1)

    def set_value(self, value: object) -> None:
        self._value = str(value)
        self._field.setText(self._value)
        self._field.setCursorPosition(0)

    def focus_widget(self) -> QWidget:
        return self._field

    def _typed(self) -> None:
        text = self._field.text().strip()
        if text == self._value:
            self.complained.emit("")
            return
        try:
            value = check(self._name, self._knob, text)
        except AppError:
            self.complained.emit(self._complaint(text[:40]))
            return
        self.complained.emit("")
        self.set_value(value)
        self.edited.emit(value)

    def _placeholder(self) -> str:
        return {
            KnobKind.LIST: self.tr("none"),
            KnobKind.ADDRESS: self.tr("none: decode here"),
            KnobKind.FOLDER: self.tr("Auto"),
        }.get(self._knob.kind, "")

    def _complaint(self, text: str) -> str:
        if self._knob.kind is KnobKind.ADDRESS:
            line = self.tr("“{text}” is not an address: it begins with https:// or http://.")
        elif self._knob.kind is KnobKind.FOLDER:
            line = self.tr("“{text}” is not the name of a folder.")
        else:
            line = self.tr(
                "“{text}” is not a list of patterns: separate them by commas, close every bracket."
            )
        return line.format(text=text)


class FolderEditor(TextEditor):
    """A folder's name and a button that browses."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._browse = tool("folder-open", self.tr("Choose a folder"), self._choose)
        self._row.addWidget(self._browse)

    def set_folder(self, folder: str) -> None:
        """A folder that was chosen."""
        self._field.setText(folder)
        self._typed()

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose a folder"), self._value)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.set_folder)
        dialog.open()

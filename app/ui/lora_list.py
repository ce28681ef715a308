"""The LoRA files of a request: a row for each with its weight, and a button that adds one. Opens and judges no file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from app.core.request import LORA_WEIGHT_MAX, LORAS_MAX, Lora
from app.ui.fields import QuietDoubleSpinBox, caption
from app.ui.labels import Elided, plain_tip
from app.ui.widgets import column, push, row, set_hint, tool


class LoraRow(QWidget):
    """One file: its name, how strongly it acts, and a button that takes it out."""

    changed = Signal()
    removed = Signal()

    def __init__(self, lora: Lora) -> None:
        super().__init__()
        self._path, name = lora.path, Path(lora.path).stem
        label = Elided(name, middle=True)
        label.setToolTip(plain_tip(lora.path))
        self.weight = QuietDoubleSpinBox()
        self.weight.setRange(-LORA_WEIGHT_MAX, LORA_WEIGHT_MAX)
        self.weight.setDecimals(2)
        self.weight.setSingleStep(0.05)
        self.weight.setFixedWidth(76)
        self.weight.setValue(lora.weight)
        set_hint(
            self.weight,
            self.tr("Weight of {name}").format(name=name),
            self.tr("How strongly the LoRA acts: 1 as it was trained, 0 not at all."),
        )
        self.remove = tool("x", self.tr("Remove {name}").format(name=name), self.removed.emit)
        line = row(self)
        line.addWidget(label, 1)
        line.addWidget(self.weight)
        line.addWidget(self.remove)
        self.weight.valueChanged.connect(self.changed)

    def value(self) -> Lora:
        """The file with its weight."""
        return Lora(self._path, round(self.weight.value(), 2))


class LoraList(QWidget):
    """Every file may stand here once or more; their effects add up."""

    changed = Signal()
    rows_changed = Signal()
    """Rows came or went: the tab order is another."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[LoraRow] = []
        self._add = push(self.tr("Add…"), self.ask)
        set_hint(
            self._add,
            self.tr("Add a LoRA file"),
            self.tr("A small file that teaches the model a style or a thing. It must fit the chosen model."),
        )
        head = row()
        head.addWidget(caption(self.tr("&LoRA"), self._add))
        head.addStretch(1)
        head.addWidget(self._add)
        layout = column(self, spacing=4)
        layout.addLayout(head)
        self._list: QVBoxLayout = column(spacing=4)
        layout.addLayout(self._list)

    def values(self) -> tuple[Lora, ...]:
        """The files in their order."""
        return tuple(line.value() for line in self._rows)

    def set_values(self, loras: tuple[Lora, ...]) -> None:
        """Shows files and tells nobody of the change."""
        if loras == self.values():
            return
        for line in self._rows:
            line.setParent(None)
            line.deleteLater()
        self._rows = [self._row(lora) for lora in loras]
        self._add.setEnabled(len(self._rows) < LORAS_MAX)
        self.rows_changed.emit()

    def ask(self) -> QFileDialog:
        """Asks for a file; the window goes on behind the dialog."""
        dialog = QFileDialog(self.window(), self.tr("Add a LoRA file"))
        dialog.setNameFilters([self.tr("LoRA files (*.safetensors)"), self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.add)
        dialog.setModal(False)
        dialog.show()
        return dialog

    def add(self, path: str) -> None:
        """Puts a file at the end, as strong as it was trained."""
        self._tell((*self.values(), Lora(path)))

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._add, *(widget for line in self._rows for widget in (line.weight, line.remove))]

    def _row(self, lora: Lora) -> LoraRow:
        line = LoraRow(lora)
        line.changed.connect(self.changed)
        line.removed.connect(lambda: self._remove(line))
        self._list.addWidget(line)
        line.setVisible(self.isVisible())  # at once: what is not shown yet cannot be reached
        return line

    def _remove(self, line: LoraRow) -> None:
        self._tell(tuple(other.value() for other in self._rows if other is not line))
        self._add.setFocus(Qt.FocusReason.OtherFocusReason)  # not into the void with the row

    def _tell(self, loras: tuple[Lora, ...]) -> None:
        self.set_values(loras)
        self.changed.emit()

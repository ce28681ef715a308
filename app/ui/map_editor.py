"""The editor of a device map: a table of parts and places, in a window of its own, and its files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QToolButton, QWidget

from app.core.errors import AppError
from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import Knob, check
from app.core.model_file import ComponentInfo
from app.ui import labels
from app.ui.combo import Combo
from app.ui.knob_editors import Editor
from app.ui.table_window import TableWindow, device_items
from app.ui.translate import words
from app.ui.widgets import column, push, tool

FILE_MAX = 1024**2


class MapEditor(Editor):
    """What the map holds, in one line, and a button that opens it."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._value = ""
        self._hardware: Hardware | None = None
        self._parts: Sequence[ComponentInfo] = ()
        self._window: MapWindow | None = None
        self._button = push(self.tr("Edit…"), self.open)
        self._summary = labels.soft()
        column(self).addWidget(self._button, 0, Qt.AlignmentFlag.AlignRight)
        self._show()

    def set_value(self, value: object) -> None:
        if value != self._value:
            self._value = str(value)
            self._show()

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        self._hardware = hardware
        self._show()

    def set_parts(self, parts: Sequence[ComponentInfo]) -> None:
        self._parts = parts
        self._show()

    def focus_widget(self) -> QWidget:
        return self._button

    def below(self) -> QWidget:
        return self._summary

    def open(self) -> MapWindow:
        """The table, beside the main window."""
        if self._window is None:
            self._window = MapWindow(self._name, self._knob, self)
            self._window.edited.connect(self._edited)
            self._show()
        self._window.bring_up()
        return self._window

    def _edited(self, value: str) -> None:
        if value != self._value:
            self._value = value
            self._show()
            self.edited.emit(value)

    def _show(self) -> None:
        places = list(read_map(self._value).values())
        lines = [f"{place}: {places.count(place)}" for place in dict.fromkeys(places)]
        self._summary.setText(" · ".join(lines))
        self._summary.setVisible(bool(lines))
        if self._window is not None:
            self._window.show_map(self._value, self._hardware, self._parts)


class MapWindow(TableWindow):
    """One row for each part or module that has a place of its own."""

    edited = Signal(str)
    """The map as JSON, when it holds no contradiction."""

    def __init__(self, name: str, knob: Knob, parent: QWidget) -> None:
        super().__init__(
            words(knob.label),
            self.tr(
                "Parts without a row lie on the chosen GPU. A dot names a module inside a part, such as "
                "unet.mid_block; the rest of the part lies where its own row says."
            ),
            (self.tr("Part or module"), self.tr("Place")),
            parent,
        )
        self._name, self._knob = name, knob
        self._rows: list[tuple[QComboBox, Combo, QToolButton]] = []
        self._places: list[tuple[str, str]] = []
        self._parts: Sequence[ComponentInfo] = ()
        self._add = push(self.tr("Add a row"), self.add_row)
        self._load = push(self.tr("From a file…"), self._ask_load)
        self._save = push(self.tr("To a file…"), self._ask_save)
        for place, button in enumerate((self._add, self._load, self._save)):
            self.buttons.insertWidget(place, button)
        self.grid.setColumnStretch(0, 1)
        self.grid.setColumnStretch(1, 1)
        self.resize(560, 400)

    def show_map(self, value: str, hardware: Hardware | None, parts: Sequence[ComponentInfo]) -> None:
        """Shows a map; rows that hold the same already stay, with the keyboard where it is."""
        places = device_items(hardware, "cpu", "disk")
        same = (places, tuple(parts)) == (self._places, tuple(self._parts))
        self._places, self._parts = places, parts
        if not same or read_map(value) != dict(self.pairs()):
            self._fill(list(read_map(value).items()))

    def pairs(self) -> list[tuple[str, str]]:
        """(part, place) of the rows that name a part."""
        found = [(part.currentText().strip(), place.currentData()) for part, place, _ in self._rows]
        return [pair for pair in found if pair[0]]

    def focus_first(self) -> None:
        """The keyboard goes to the first row."""
        first = self._rows[0][0] if self._rows else self._add
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def row_fields(self, number: int) -> tuple[QComboBox, Combo, QToolButton]:
        """Part, place and remove button of one row."""
        return self._rows[number]

    def add_row(self) -> None:
        """A row for the first part that has none yet."""
        taken = {name for name, _ in self.pairs()}
        free = next((part.name for part in self._parts if part.name not in taken), "")
        self._fill([*self.pairs(), (free, self._places[0][1])])
        self._rows[-1][0].setFocus(Qt.FocusReason.OtherFocusReason)
        self._told()

    def load(self, path: Path) -> None:
        """The map of a JSON file, or a sentence on why it holds none."""
        try:
            if path.stat().st_size > FILE_MAX:
                raise ValueError
            value = check(self._name, self._knob, path.read_text(encoding="utf-8-sig"))
            if not value:
                raise ValueError
        except (AppError, ValueError, OSError):
            line = self.tr("“{file}” holds no map: it must be JSON such as {example}.")
            example = '{"unet": "cuda:0", "vae": "cpu"}'
            self.note.say(line.format(file=path.name, example=example))
            return
        self._fill(list(read_map(value).items()))
        self._told()

    def save(self, path: Path) -> None:
        """Writes the map as JSON."""
        try:
            path.write_text(json.dumps(dict(self.pairs()), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            line = self.tr("“{file}” could not be written: {reason}")
            self.note.say(line.format(file=path.name, reason=error.strerror or ""))

    # ------------------------------------------------------------------ inside

    def _ask_load(self) -> None:
        dialog = QFileDialog(self, self.tr("A device map"), "", "JSON (*.json)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.load(Path(name)))
        dialog.open()

    def _ask_save(self) -> None:
        dialog = QFileDialog(self, self.tr("A device map"), "device-map.json", "JSON (*.json)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.save(Path(name)))
        dialog.open()

    def _fill(self, pairs: list[tuple[str, str]]) -> None:
        for old in (field for fields in self._rows for field in fields):
            self.grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._rows = []
        before: QWidget | None = None
        for number, (name, place) in enumerate(pairs, 1):
            made = self._row(name, place)
            for where, field in enumerate(made):
                self.grid.addWidget(field, number, where)
                field.show()
                if before is not None:
                    QWidget.setTabOrder(before, field)
                before = field
            self._rows.append(made)
        if before is not None:
            QWidget.setTabOrder(before, self._add)
        for head in self.heads:
            head.setVisible(bool(pairs))

    def _row(self, name: str, place: str) -> tuple[QComboBox, Combo, QToolButton]:
        part = Combo()
        typed = QLineEdit()
        part.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        part.setAccessibleName(self.tr("Part or module"))
        device = Combo()
        for text, value in self._places:
            device.addItem(text, value)
        if device.findData(place) < 0:
            device.addItem(self.tr("{device} (not found)").format(device=place), place)
        device.select(place)
        device.setAccessibleName(self.tr("Place of {part}").format(part=name))
        remove = tool("trash", self.tr("Remove this row"), lambda: self._remove(part))
        part.setLineEdit(typed)
        for known in self._parts:
            part.addItem(known.name)
            part.addItems([f"{known.name}.{module}" for module in known.modules])
        part.setCurrentText(name)
        typed.editingFinished.connect(self._told)
        part.activated.connect(self._told)
        device.currentIndexChanged.connect(self._told)
        return part, device, remove

    def _remove(self, part: QComboBox) -> None:
        left = [fields for fields in self._rows if fields[0] is not part]
        self._fill([(name.currentText(), place.currentData()) for name, place, _ in left])
        self._add.setFocus(Qt.FocusReason.OtherFocusReason)
        self._told()

    def _told(self) -> None:
        pairs = self.pairs()
        self.note.say(self._fault(pairs))
        names = [name for name, _ in pairs]
        if len(set(names)) == len(names):
            self.edited.emit(json.dumps(dict(pairs)) if pairs else "")

    def _fault(self, pairs: list[tuple[str, str]]) -> str:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                return self.tr("“{part}” stands twice: remove one of its rows.").format(part=name)
        known = [part.name for part in self._parts]
        for name in names:
            if known and name.partition(".")[0] not in known:
                line = self.tr("This model has no “{part}”. Its parts are: {known}.")
                return line.format(part=name, known=", ".join(known))
        if len(pairs) < len(self._rows):
            return self.tr("A row without a part has no effect.")
        return ""


def read_map(value: str) -> dict[str, str]:
    """A checked map as what it means."""
    return dict(json.loads(value)) if value else {}

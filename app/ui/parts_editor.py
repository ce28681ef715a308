"""The editor of single parts: a table of the model's parts and the values that each may have of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import Knob, KnobKind
from app.core.model_file import ComponentInfo
from app.core.text import Text
from app.ui import labels
from app.ui.combo import Combo
from app.ui.knob_editors import Editor
from app.ui.table_window import TableWindow, device_items
from app.ui.translate import words
from app.ui.widgets import column, push

AS_MODEL = ""
Values = tuple[tuple[str, str], ...]


class PartsEditor(Editor):
    """The values that are set, in short, and a button that opens the table."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._value: Values = ()
        self._hardware: Hardware | None = None
        self._parts: Sequence[ComponentInfo] = ()
        self._refused: Mapping[str, Text] = {}
        self._window: PartsWindow | None = None
        self._button = push(self.tr("Edit…"), self.open)
        self._summary = labels.soft()
        column(self).addWidget(self._button, 0, Qt.AlignmentFlag.AlignRight)
        self._show()

    def set_value(self, value: object) -> None:
        if value != self._value:
            self._value = tuple(value)  # type: ignore[arg-type]
            self._show()

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        self._hardware = hardware
        self._show()

    def set_parts(self, parts: Sequence[ComponentInfo]) -> None:
        self._parts = parts
        self._show()

    def set_refused(self, refused: Mapping[str, Text]) -> None:
        self._refused = refused
        self._show()

    def focus_widget(self) -> QWidget:
        return self._button

    def below(self) -> QWidget:
        return self._summary

    def open(self) -> PartsWindow:
        """The table, beside the main window."""
        if self._window is None:
            self._window = PartsWindow(self._knob, self)
            self._window.edited.connect(self._edited)
            self._show()
        self._window.bring_up()
        return self._window

    def _edited(self, value: Values) -> None:
        if value != self._value:
            self._value = value
            self._show()
            self.edited.emit(value)

    def _show(self) -> None:
        self._summary.setText("\n".join(f"{name}: {value}" for name, value in self._value))
        self._summary.setVisible(bool(self._value))
        if self._window is not None:
            self._window.show_values(self._value, self._hardware, self._parts)
            self._window.show_refused(self._refused)


class PartsWindow(TableWindow):
    """Part × field; every cell begins as “As the model”."""

    edited = Signal(object)
    """The values that differ, as sorted pairs of ``part.field`` and value."""

    def __init__(self, knob: Knob, parent: QWidget) -> None:
        super().__init__(
            words(knob.label),
            words(knob.price),
            (self.tr("Part"), *(words(field.label) for field in knob.parts.values())),
            parent,
        )
        self._fields: Mapping[str, Knob] = knob.parts
        self._boxes: dict[str, Combo] = {}
        self._names: list[QWidget] = []
        self._shown: object = None
        self._clear = push(self.tr("All as the model"), lambda: self._give(()))
        self.buttons.insertWidget(0, self._clear)
        for place in range(1, len(self._fields) + 1):
            self.grid.setColumnStretch(place, 1)
        self.resize(960, 320)

    def show_values(self, values: Values, hardware: Hardware | None, parts: Sequence[ComponentInfo]) -> None:
        """Shows values; the table is built anew only for another model or machine."""
        strangers = [name.rpartition(".")[0] for name, _ in values]
        names = list(dict.fromkeys([*(part.name for part in parts), *strangers]))
        devices = device_items(hardware, "cpu")
        shape = (names, devices, [part.name for part in parts])
        if shape != self._shown:
            self._shown = shape
            self._build(names, {part.name: words(part.label) for part in parts}, devices)
        set_now = dict(values)
        for key, box in self._boxes.items():
            wanted = set_now.get(key, AS_MODEL)
            if box.findData(wanted) < 0:
                box.addItem(self.tr("{device} (not found)").format(device=wanted), wanted)
            box.select(wanted)
        self._clear.setEnabled(bool(values))

    def show_refused(self, refused: Mapping[str, Text]) -> None:
        """``part.field=value`` → why it cannot apply."""
        for key, box in self._boxes.items():
            for place in range(1, box.count()):
                value = box.itemData(place)
                reason = refused.get(f"{key}={value}")
                box.refuse(value, words(reason) if reason is not None else "")

    def focus_first(self) -> None:
        """The keyboard goes to the first cell."""
        next(iter(self._boxes.values()), self._clear).setFocus(Qt.FocusReason.OtherFocusReason)

    def box(self, key: str) -> Combo:
        """The cell of ``part.field``."""
        return self._boxes[key]

    def _build(
        self, names: Sequence[str], known: Mapping[str, str], devices: Sequence[tuple[str, str]]
    ) -> None:
        for widget in (*self._names, *self._boxes.values()):
            self.grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._names, self._boxes = [], {}
        for row, name in enumerate(names, 1):
            said = f"{known[name]} ({name})" if name in known else self.tr("{part} (not in this model)")
            label = labels.body(said.format(part=name))
            self._names.append(label)
            self.grid.addWidget(label, row, 0)
            for place, (field, knob) in enumerate(self._fields.items(), 1):
                box = self._cell(name, knob, devices)
                self.grid.addWidget(box, row, place)
                box.show()
                self._boxes[f"{name}.{field}"] = box
        for before, after in pairwise([*self._boxes.values(), self._clear]):
            QWidget.setTabOrder(before, after)
        for head in self.heads:
            head.setVisible(bool(names))
        self.note.say("" if names else self.tr("Choose a model to see its parts."))

    def _cell(self, name: str, knob: Knob, devices: Sequence[tuple[str, str]]) -> Combo:
        box = Combo()
        box.addItem(self.tr("As the model"), AS_MODEL)
        choices = [(words(label), value) for value, label in knob.choices]
        for text, value in devices if knob.kind is KnobKind.DEVICE else choices:
            box.addItem(text, value)
        box.setMinimumWidth(146)
        box.setAccessibleName(f"{name}, {words(knob.label)}")
        box.currentIndexChanged.connect(self._told)
        return box

    def _told(self) -> None:
        found = ((key, box.currentData()) for key, box in self._boxes.items())
        self._give(tuple(sorted((key, value) for key, value in found if value != AS_MODEL)))

    def _give(self, values: Values) -> None:
        self.edited.emit(values)

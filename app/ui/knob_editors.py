"""What all editors of knobs have in common, and those of choices, devices and numbers. They emit only what changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QWidget

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import Knob, KnobKind, check
from app.core.model_file import ComponentInfo
from app.core.text import Text
from app.ui.combo import Combo
from app.ui.labels import plain_tip, short_device
from app.ui.translate import size_words, words

FIELD_WIDTH = 120
MANY = 8
"""Choices up to so many are named one by one in explanations."""


class Editor(QWidget):
    """What all editors have in common."""

    edited = Signal(object)
    """A checked value that a person gave."""
    complained = Signal(str)
    """What is wrong with what was typed; empty when it is mended."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__()
        self._name, self._knob = name, knob

    def set_value(self, value: object) -> None:
        """Shows a value without emitting."""
        raise NotImplementedError

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        """The machine, and the device that the settings mean."""

    def set_parts(self, parts: Sequence[ComponentInfo]) -> None:
        """The parts of the chosen model that have weights."""

    def set_refused(self, refused: Mapping[str, Text]) -> None:
        """Choice → why it cannot apply."""

    def focus_widget(self) -> QWidget:
        """The widget that takes the keyboard, for labels and accessible names."""
        raise NotImplementedError

    def below(self) -> QWidget | None:
        """What of it needs the whole width, below label and control."""
        return None


class ChoiceEditor(Editor):
    """A box with the knob's choices."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._combo = Combo()
        for value, label in knob.choices:
            self._combo.addItem(words(label), value)
            self._combo.setItemData(
                self._combo.count() - 1, plain_tip(words(label)), Qt.ItemDataRole.ToolTipRole
            )
        self._combo.setMinimumWidth(FIELD_WIDTH)
        self._combo.currentIndexChanged.connect(lambda _: self.edited.emit(self._combo.currentData()))
        alone(self, self._combo)

    def set_value(self, value: object) -> None:
        self._combo.select(str(value))

    def set_refused(self, refused: Mapping[str, Text]) -> None:
        for index, (value, label) in enumerate(self._knob.choices):
            reason = words(refused[value]) if value in refused else ""
            self._combo.refuse(value, reason)
            if len(self._knob.choices) > MANY:
                # Too many to name below the box: each says its reason where it stands.
                self._combo.setItemText(index, f"{words(label)}: {reason}" if reason else words(label))

    def focus_widget(self) -> QWidget:
        return self._combo


class DeviceEditor(Editor):
    """Auto, every device there is, and a saved one that is not there now."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._combo = Combo()
        self._hardware: Hardware | None = None
        self._value = "auto"
        self._fill()
        self._combo.currentIndexChanged.connect(self._chosen)
        alone(self, self._combo)

    def set_value(self, value: object) -> None:
        if value != self._value:
            self._value = str(value)
            self._fill()

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        if hardware != self._hardware:
            self._hardware = hardware
            self._fill()

    def focus_widget(self) -> QWidget:
        return self._combo

    def _fill(self) -> None:
        devices = self._hardware.devices if self._hardware is not None else ()
        best = self._hardware.best if self._hardware is not None else None
        with QSignalBlocker(self._combo):
            self._combo.clear()
            auto = (
                self.tr("Auto ({name})").format(name=short_device(best.name))
                if best is not None
                else self.tr("Auto")
            )
            self._combo.addItem(auto, "auto")
            for sheet in devices:
                self._combo.addItem(f"{sheet.name} · {size_words(sheet.total)}", sheet.id)
            chosen = self._combo.findData(self._id_of(self._value))
            if chosen < 0:
                # While the engine starts nobody knows; afterwards it is missing (another machine, a card taken out).
                label = self.tr("{device} (not found)") if self._hardware is not None else "{device}"
                self._combo.addItem(label.format(device=self._value), self._value)
                chosen = self._combo.count() - 1
            self._combo.setCurrentIndex(chosen)
        for index in range(self._combo.count()):
            tip = plain_tip(self._combo.itemText(index))
            self._combo.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)

    def _id_of(self, value: str) -> str:
        sheet = self._hardware.device(value) if self._hardware is not None else None
        return sheet.id if sheet is not None else value

    def _chosen(self) -> None:
        value = self._combo.currentData()
        if value is not None and value != self._value:
            self._value = value
            self.edited.emit(value)


class NumberEditor(Editor):
    """A spin box within the knob's bounds."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._spin = _Spin()
        self._spin.setRange(knob.low, min(knob.high, 1e9))
        self._spin.setKeyboardTracking(False)
        self._spin.lineEdit().setTextMargins(6, 0, 0, 0)
        if knob.unit is not None:
            self._spin.setSuffix(f" {words(knob.unit)}")
        self._spin.setFixedWidth(100)
        self._spin.valueChanged.connect(lambda value: self.edited.emit(check(self._name, self._knob, value)))
        if knob.kind is KnobKind.WHOLE:
            self._spin.setDecimals(0)
        elif knob.high <= 1:
            self._spin.setSingleStep(0.05)
        row = alone(self, self._spin)
        row.insertStretch(0, 1)

    def set_value(self, value: object) -> None:
        with QSignalBlocker(self._spin):
            self._spin.setValue(float(cast(float, value)))

    def focus_widget(self) -> QWidget:
        return self._spin


class _Spin(QDoubleSpinBox):
    """Shows whole numbers without a fraction; leaves the wheel to the panel."""

    def textFromValue(self, value: float) -> str:
        return self.locale().toString(value, "g", 6)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def alone(parent: QWidget, child: QWidget) -> QHBoxLayout:
    """A row that begins with ``child``, which takes the room there is."""
    row = QHBoxLayout(parent)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(child, 1)
    return row

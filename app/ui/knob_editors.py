"""One editor for each kind of knob: choice, device, size, number. They emit only what a person changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QHBoxLayout, QLineEdit, QStyleOptionComboBox, QWidget

from app.core.errors import AppError
from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import Knob, KnobKind, check, size_in_bytes
from app.core.text import Text
from app.core.units import GIB, MIB, gib
from app.ui.labels import plain_tip, short_device
from app.ui.translate import words
from app.ui.widgets import PressSlider

FIELD_WIDTH = 120
STEPS = 64
"""At most so many stops has a size's slider."""
UNITS = (64 * MIB, 128 * MIB, 256 * MIB, 512 * MIB, GIB, 2 * GIB, 4 * GIB)


class Combo(QComboBox):
    """A box that leaves the wheel to the panel it stands in, and shows a long entry whole as its tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling a panel must not change its settings."""
        event.ignore()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Closed, it shows as much of the entry as fits: all, the part before the colon, or its start and …"""
        super().initStyleOption(option)
        room = self.width() - 36
        text = option.currentText
        if self.fontMetrics().horizontalAdvance(text) > room:
            text = text.split(": ")[0]
        option.currentText = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)

    def showPopup(self) -> None:
        """Opened, it is as wide as its longest entry."""
        widest = max(
            (self.fontMetrics().horizontalAdvance(self.itemText(i)) for i in range(self.count())), default=0
        )
        self.view().setMinimumWidth(max(self.width(), widest + 40))
        super().showPopup()

    def select(self, value: str) -> None:
        """Chooses the entry with this value, without a signal."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(value))

    def refuse(self, value: str, reason: str) -> None:
        """Makes one entry unavailable, with the reason as its tooltip; an empty reason makes it available."""
        item = cast(QStandardItemModel, self.model()).item(self.findData(value))
        if item is not None:
            item.setEnabled(not reason)
            item.setToolTip(plain_tip(reason))


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

    def set_refused(self, refused: Mapping[str, Text]) -> None:
        """Choice → why it cannot apply."""

    def focus_widget(self) -> QWidget:
        """The widget that takes the keyboard, for labels and accessible names."""
        raise NotImplementedError


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
        _alone(self, self._combo)

    def set_value(self, value: object) -> None:
        self._combo.select(str(value))

    def set_refused(self, refused: Mapping[str, Text]) -> None:
        for index in range(self._combo.count()):
            value = self._combo.itemData(index)
            self._combo.refuse(value, words(refused[value]) if value in refused else "")

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
        _alone(self, self._combo)

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
                self._combo.addItem(f"{sheet.name} · {gib(sheet.total)}", sheet.id)
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


class SizeEditor(Editor):
    """A slider over the device's memory and a field for any size, share or Auto.

    Auto stands where the setting has no effect: at the upper end of a limit, at the lower end of anything else.
    """

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._limit = knob.low > 0
        self._value, self._total, self._unit = "auto", 0, GIB
        self._slider, self._field = PressSlider(), QLineEdit()
        self._slider.setMinimumWidth(56)
        self._field.setFixedWidth(76)
        self._field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._slider.valueChanged.connect(self._slid)
        self._field.editingFinished.connect(self._typed)
        row = _alone(self, self._slider)
        row.addWidget(self._field)
        self._show()

    def set_value(self, value: object) -> None:
        if value != self._value:
            self._value = str(value)
            self._show()

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        total = device.total if device is not None else 0
        if total != self._total:
            self._total = total
            # A reserve of more than half the device would be a mistake; it can still be typed.
            reach = total if self._limit else total // 2
            self._unit = next((unit for unit in UNITS if reach <= unit * STEPS), UNITS[-1])
            self._show()

    def focus_widget(self) -> QWidget:
        return self._field

    def slider(self) -> PressSlider:
        """The slider, for names and the tab order."""
        return self._slider

    def _show(self) -> None:
        self._field.setText(self._words(self._value))
        with QSignalBlocker(self._slider):
            self._slider.setEnabled(self._total > 0)
            reach = (self._total if self._limit else self._total // 2) // self._unit
            # One stop more than there are sizes: Auto.
            self._slider.setRange(1 if self._limit else 0, reach + 1 if self._limit else max(reach, 1))
            self._slider.setPageStep(max(1, reach // 8))
            size = size_in_bytes(self._value, self._total)
            auto = self._slider.maximum() if self._limit else self._slider.minimum()
            self._slider.setValue(auto if size is None else round(size / self._unit))

    def _slid(self, stop: int) -> None:
        auto = self._slider.maximum() if self._limit else self._slider.minimum()
        self._give("auto" if stop == auto else _size_text(stop * self._unit))
        self._field.setText(self._words(self._value))

    def _typed(self) -> None:
        text = self._field.text().strip()
        if text == self._words(self._value):
            return
        try:
            value = (
                "auto"
                if text.lower() in ("", "auto", self.tr("Auto").lower())
                else _checked(self._name, self._knob, text)
            )
        except AppError:
            self.complained.emit(
                self.tr("“{text}” is not a size: write 10 GiB, 80 % or Auto.").format(text=text[:40])
            )
            self._field.setText(self._words(self._value))
            return
        self._give(value)
        self._show()

    def _give(self, value: str) -> None:
        self.complained.emit("")
        if value != self._value:
            self._value = value
            self.edited.emit(value)

    def _words(self, value: str) -> str:
        if value == "auto":
            return self.tr("Auto")
        if value.endswith("%"):
            return f"{value[:-1]} %"
        size = size_in_bytes(value, self._total) or 0
        return gib(size).replace(".0 GiB", " GiB")


class NumberEditor(Editor):
    """A spin box within the knob's bounds."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._spin = _Spin()
        self._spin.setRange(knob.low, min(knob.high, 1e9))
        self._spin.setKeyboardTracking(False)
        if knob.unit is not None:
            self._spin.setSuffix(f" {words(knob.unit)}")
        self._spin.setFixedWidth(100)
        self._spin.valueChanged.connect(lambda value: self.edited.emit(check(self._name, self._knob, value)))
        if knob.kind is KnobKind.WHOLE:
            self._spin.setDecimals(0)
        elif knob.high <= 1:
            self._spin.setSingleStep(0.05)
        row = _alone(self, self._spin)
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


def _alone(parent: QWidget, child: QWidget) -> QHBoxLayout:
    row = QHBoxLayout(parent)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(child, 1)
    return row


def _checked(name: str, knob: Knob, text: str) -> str:
    value = str(check(name, knob, text.replace(" ", "")))
    if value.endswith("%") or not value.replace(".", "").replace(",", "").isdigit():
        return value
    return f"{value}GiB"  # a plain number is GiB: written out, it cannot be misread


def _size_text(size: int) -> str:
    return f"{size / GIB:g}GiB" if size % (GIB // 4) == 0 else f"{size // MIB}MiB"

"""One size of a device's memory: a slider and a field. Emits checked text; what is no size is said instead."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.errors import AppError
from app.core.knobs import Knob, check, size_in_bytes
from app.core.units import GIB, MIB, gib
from app.ui.knob_editors import alone
from app.ui.translate import local
from app.ui.widgets import PressSlider

STEPS = 64
"""At most so many stops has a size's slider."""
UNITS = (64 * MIB, 128 * MIB, 256 * MIB, 512 * MIB, GIB, 2 * GIB, 4 * GIB)
ALL, UNUSED = "100%", ""


class SizeField(QWidget):
    """A slider over a device's memory, and a field for any size or share.

    ``low`` and ``high`` are the values that the slider's ends stand for, None where an end is a size like any other.
    """

    edited = Signal(str)
    complained = Signal(str)

    def __init__(self, name: str, knob: Knob, *, low: str | None = None, high: str | None = None) -> None:
        super().__init__()
        self._name, self._knob, self._low, self._high = name, knob, low, high
        self._value, self._total, self._unit = low if high is None else high, 0, GIB
        self._slider, self._field = PressSlider(), QLineEdit()
        self._slider.setMinimumWidth(56)
        self._field.setFixedWidth(76)
        self._field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._slider.valueChanged.connect(self._slid)
        self._field.editingFinished.connect(self._typed)
        alone(self, self._slider).addWidget(self._field)
        self._show()

    @property
    def value(self) -> str:
        """What it shows, as checked text."""
        return self._value or ""

    @property
    def slider(self) -> PressSlider:
        """The slider."""
        return self._slider

    @property
    def field(self) -> QLineEdit:
        """The field."""
        return self._field

    def set_value(self, value: str) -> None:
        """Shows a value without telling."""
        if value != self._value:
            self._value = value
            self._show()

    def set_total(self, total: int) -> None:
        """The device's memory in bytes; 0 while it is not known."""
        if total != self._total:
            self._total = total
            self._unit = next((unit for unit in UNITS if self._reach() <= unit * STEPS), UNITS[-1])
            self._show()

    def set_names(self, name: str) -> None:
        """What is said of both parts."""
        self._slider.setAccessibleName(name)
        self._field.setAccessibleName(name)

    def _reach(self) -> int:
        # A reserve of more than half the device would be a mistake; it can still be typed.
        return self._total if self._high is not None else self._total // 2

    def _show(self) -> None:
        self._field.setText(self._words(self.value))
        with QSignalBlocker(self._slider):
            self._slider.setEnabled(self._total > 0)
            reach = max(self._reach() // self._unit, 1)
            # Beyond the sizes, one stop for each end that stands for something else.
            self._slider.setRange(0 if self._low is not None else 1, reach + (self._high is not None))
            self._slider.setPageStep(max(1, reach // 8))
            if self.value in (self._low, self._high):
                ends = {self._low: self._slider.minimum(), self._high: self._slider.maximum()}
                self._slider.setValue(ends[self.value])
            else:
                self._slider.setValue(round((size_in_bytes(self.value, self._total) or 0) / self._unit))

    def _slid(self, stop: int) -> None:
        if self._high is not None and stop == self._slider.maximum():
            self._give(self._high)
        elif self._low is not None and stop == self._slider.minimum():
            self._give(self._low)
        else:
            self._give(_size_text(stop * self._unit))
        self._field.setText(self._words(self.value))

    def _typed(self) -> None:
        text = self._field.text().strip()
        if text == self._words(self.value):
            return
        value = self._meant(text)
        if value is None:
            line = self.tr("“{text}” is not a size: write 10 GiB, 80 % or Auto.")
            self.complained.emit(line.format(text=text[:40]))
        else:
            self._give(value)
        self._show()

    def _meant(self, text: str) -> str | None:
        """The value that was typed; None for what is none."""
        said = text.lower()
        if self._low == UNUSED and said in ("", "0", self.tr("not used").lower()):
            return UNUSED
        if said in ("", "auto", self.tr("Auto").lower()):
            return self._low if self._high is None else self._high
        try:
            return _checked(self._name, self._knob, text)
        except AppError:
            return None

    def _give(self, value: str) -> None:
        self.complained.emit("")
        if value != self._value:
            self._value = value
            self.edited.emit(value)

    def _words(self, value: str) -> str:
        if value == "auto":
            return self.tr("Auto")
        if value == UNUSED:
            return self.tr("not used")
        if value.endswith("%"):
            return f"{value[:-1]} %"
        return local(gib(size_in_bytes(value, self._total) or 0).replace(".0 GiB", " GiB"))


def _checked(name: str, knob: Knob, text: str) -> str:
    one = replace(knob, per_device=False)  # a list is what the other rows are for
    value = str(check(name, one, text.replace(" ", "")))
    if value.endswith("%") or not value.replace(".", "").replace(",", "").isdigit():
        return value
    return f"{value}GiB"  # a plain number is GiB: written out, it cannot be misread


def _size_text(size: int) -> str:
    return f"{size / GIB:g}GiB" if size % (GIB // 4) == 0 else f"{size // MIB}MiB"

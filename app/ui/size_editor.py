"""The editor of a size: one for the device that the settings mean, or, with several GPUs, one for each device."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QWidget

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import Knob
from app.ui import labels
from app.ui.knob_editors import Editor
from app.ui.size_field import ALL, UNUSED, SizeField
from app.ui.translate import words
from app.ui.widgets import PressSlider, column, row


class SizeEditor(Editor):
    """One size for the chosen device; where the knob allows it and there are several GPUs, one for each device.

    Auto stands where the setting has no effect: at the upper end of a limit, at the lower end of anything else.
    """

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__(name, knob)
        self._value = "auto"
        self._hardware: Hardware | None = None
        self._device: DeviceSheet | None = None
        self._one = SizeField(name, knob, high="auto") if knob.low > 0 else SizeField(name, knob, low="auto")
        self._each = QCheckBox(self.tr("Per device"))
        self._fields: dict[str, SizeField] = {}
        self._one.edited.connect(self._give)
        self._one.complained.connect(self.complained)
        self._each.toggled.connect(self._switched)
        self._below = QWidget()
        self._list = column(self._below, spacing=4)
        layout = column(self, spacing=0)
        for part in (self._one, self._each):
            layout.addWidget(part)
        self._arrange()

    def set_value(self, value: object) -> None:
        if value != self._value:
            self._value = str(value)
            self._arrange()

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        if (hardware, device) != (self._hardware, self._device):
            self._hardware, self._device = hardware, device
            self._one.set_total(device.total if device is not None else 0)
            self._arrange()

    def focus_widget(self) -> QWidget:
        return self._each if "=" in self._value else self._one.field

    def below(self) -> QWidget:
        return self._below

    def slider(self) -> PressSlider:
        """The one size's slider."""
        return self._one.slider

    def each(self) -> QCheckBox:
        """The switch between one size and one for each device."""
        return self._each

    def field_of(self, device: str) -> SizeField:
        """One device's field."""
        return self._fields[device]

    # ------------------------------------------------------------------ inside

    def _devices(self) -> dict[str, int]:
        """Device → its memory, with devices that only the value names."""
        sheets = self._hardware.devices if self._hardware is not None else ()
        found = {sheet.id: sheet.total for sheet in sheets}
        return found | {name: 0 for name in self._sizes() if name not in found}

    def _sizes(self) -> dict[str, str]:
        if "=" not in self._value:
            return {}
        pairs = (pair.partition("=") for pair in self._value.split(","))
        return {self._id_of(name): size for name, _, size in pairs}

    def _id_of(self, name: str) -> str:
        sheet = self._hardware.device(name) if self._hardware is not None else None
        return sheet.id if sheet is not None else name

    def _arrange(self) -> None:
        several = "=" in self._value
        gpus = [name for name in self._devices() if name != "cpu"]
        with QSignalBlocker(self._each):
            self._each.setChecked(several)
        self._each.setEnabled(self._knob.per_device)
        self._each.setVisible(self._knob.per_device and (several or len(gpus) > 1))
        self._one.setVisible(not several)
        if not several:
            self._one.set_value(self._value)
        wanted = self._devices() if several else {}
        if list(wanted) != list(self._fields):
            self._build(list(wanted))
        sizes = self._sizes()
        # A list that bounds main memory alone shuts no GPU out.
        others = ALL if list(sizes) == ["cpu"] else UNUSED
        for name, field in self._fields.items():
            field.set_total(wanted[name])
            field.set_value(sizes.get(name, UNUSED if name == "cpu" else others))

    def _build(self, devices: list[str]) -> None:
        while (item := self._list.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.hide()
                old.deleteLater()
        self._fields = {name: self._field(name) for name in devices}
        self._below.setVisible(bool(devices))
        before: QWidget = self._each
        for field in self._fields.values():
            for control in (field.slider, field.field):
                QWidget.setTabOrder(before, control)
                before = control

    def _field(self, name: str) -> SizeField:
        field = SizeField(self._name, self._knob, low=UNUSED, high=ALL)
        field.set_names(f"{words(self._knob.label)}, {name}")
        field.edited.connect(self._give_each)
        field.complained.connect(self.complained)
        label = labels.soft(name, wrap=False)
        label.setBuddy(field.field)
        label.setFixedWidth(56)
        holder = QWidget()
        line = row(holder)
        line.addWidget(label)
        line.addWidget(field, 1)
        self._list.addWidget(holder)
        return field

    def _switched(self, several: bool) -> None:
        if not self._knob.per_device:  # such a value would be a list where one size is meant
            return
        chosen = self._device.id if self._device is not None else ""
        if several:
            gpus = [name for name in self._devices() if name != "cpu"]
            own = self._value if self._value != "auto" else ALL
            sizes = {name: own if name == chosen else ALL for name in gpus or [chosen]}
            self._give(",".join(f"{name}={size}" for name, size in sizes.items()))
        else:
            self._give(self._sizes().get(chosen, "auto"))

    def _give_each(self) -> None:
        sizes = {name: field.value for name, field in self._fields.items() if field.value != UNUSED}
        if list(sizes) == ["cpu"] and len(self._fields) > 1:
            self._arrange()
            line = self.tr("One GPU at least is used: to work without any, choose the processor under “GPU”.")
            self.complained.emit(line)
            return
        self._give(",".join(f"{name}={size}" for name, size in sizes.items()) or "auto")

    def _give(self, value: str) -> None:
        if value != self._value:
            self._value = value
            self._arrange()
            self.edited.emit(value)

"""A form derived from a dataclass of knobs: label and control, what it costs, and why a choice cannot apply here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import Knob, KnobKind, knobs_of
from app.core.text import Text
from app.ui import labels
from app.ui.knob_editors import ChoiceEditor, DeviceEditor, Editor, NumberEditor, SizeEditor
from app.ui.text_editors import FolderEditor, TextEditor
from app.ui.translate import words

EDITORS: Mapping[KnobKind, type[Editor]] = {
    KnobKind.CHOICE: ChoiceEditor,
    KnobKind.DEVICE: DeviceEditor,
    KnobKind.SIZE: SizeEditor,
    KnobKind.NUMBER: NumberEditor,
    KnobKind.WHOLE: NumberEditor,
    KnobKind.LIST: TextEditor,
    KnobKind.FOLDER: FolderEditor,
    KnobKind.ADDRESS: TextEditor,
    KnobKind.MAP: TextEditor,
    KnobKind.PARTS: TextEditor,
}
Refusals = Mapping[tuple[str, str], Text]
"""(field, choice) → why it cannot apply; the choice ``*`` means the whole field."""


class KnobForm(QWidget):
    """The knobs of ``values``' class, either those that stand open or the advanced ones."""

    changed = Signal(object)
    """The new values, after a person changed one."""

    def __init__(self, values: Any, *, advanced: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = values
        self._rows = {
            name: KnobRow(name, knob)
            for name, knob in knobs_of(type(values)).items()
            if (knob.group is not None) == advanced
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for name, row in self._rows.items():
            column.addWidget(row)
            row.editor.edited.connect(lambda value, field=name: self._edited(field, value))
        self.set_label_width(self.label_width())
        self.set_values(values)

    @property
    def values(self) -> Any:
        """What the form shows."""
        return self._values

    def row(self, name: str) -> KnobRow:
        """One knob's row."""
        return self._rows[name]

    def label_width(self) -> int:
        """Pixels that the widest label needs."""
        return max((row.label_width() for row in self._rows.values()), default=0)

    def set_label_width(self, width: int) -> None:
        """Pixels that all labels get: one left edge for all controls."""
        for row in self._rows.values():
            row.set_label_width(width)

    def set_values(self, values: Any) -> None:
        """Shows other values, without a signal."""
        self._values = values
        for name, row in self._rows.items():
            row.set_value(getattr(values, name))

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        """The machine, and the device that the settings mean."""
        for row in self._rows.values():
            row.editor.set_hardware(hardware, device)

    def set_refusals(self, refusals: Refusals) -> None:
        """What cannot apply here and why."""
        for name, row in self._rows.items():
            row.set_refused({choice: reason for (field, choice), reason in refusals.items() if field == name})

    def _edited(self, name: str, value: object) -> None:
        if getattr(self._values, name) != value:
            self._values = replace(self._values, **{name: value})
            self._rows[name].set_value(value)
            self.changed.emit(self._values)


class KnobRow(QWidget):
    """Label and mark on the left, control on the right, the explanation below."""

    def __init__(self, name: str, knob: Knob) -> None:
        super().__init__()
        self._knob = knob
        self._refused: Mapping[str, Text] = {}
        self._value: object = None
        self.editor = EDITORS[knob.kind](name, knob)
        self._label = labels.body(words(knob.label))
        self._mark = labels.soft(self._mark_words(), wrap=False)
        self._price = labels.soft(words(knob.price))
        self._reason = labels.soft()
        self._reason.hide()
        self._lay_out()
        self.editor.complained.connect(self._complain)
        if isinstance(self.editor, SizeEditor):
            self.editor.slider().setAccessibleName(words(knob.label))
        target = self.editor.focus_widget()
        self._label.setBuddy(target)
        target.setAccessibleName(words(knob.label))
        self._describe()

    def set_value(self, value: object) -> None:
        """Shows a value."""
        self._value = value
        self.editor.set_value(value)
        self._show_refusal()

    def set_refused(self, refused: Mapping[str, Text]) -> None:
        """Choice → why it cannot apply; ``*``: none of them can."""
        if refused != self._refused:
            self._refused = refused
            self.editor.set_refused(refused)
            self._show_refusal()

    def label_width(self) -> int:
        """Pixels that label and mark need."""
        return max(self._label.sizeHint().width(), self._mark.sizeHint().width())

    def set_label_width(self, width: int) -> None:
        """Pixels that label and mark get."""
        self._label.setFixedWidth(width)

    def reason(self) -> str:
        """Why something cannot apply, as shown; empty if all can."""
        return self._reason.text()

    def _show_refusal(self) -> None:
        choices = dict(self._knob.choices)
        left = [choice for choice in choices if choice not in self._refused and choice != "auto"]
        stuck = "*" in self._refused or (bool(choices) and len(left) <= 1 and bool(self._refused))
        # A value that cannot apply must stay changeable.
        self.editor.setEnabled(not stuck or self._value in self._refused)
        self._reason.setText("\n".join(self._reason_lines(choices, stuck)))
        self._reason.setVisible(bool(self._reason.text()))
        self._price.setVisible(not stuck)
        labels.set_role(self._reason, "warn" if self._value in self._refused else "soft")
        self._describe()

    def _reason_lines(self, choices: Mapping[str, Text], stuck: bool) -> list[str]:
        by_reason: dict[str, list[str]] = {}
        for choice, reason in self._refused.items():
            by_reason.setdefault(words(reason), []).append(choice)
        if stuck:
            return list(by_reason)
        return [
            self.tr("Not here: {choices}. {reason}").format(
                choices=", ".join(words(choices[name]).split(":")[0] for name in names if name in choices),
                reason=reason,
            )
            for reason, names in by_reason.items()
        ]

    def _complain(self, sentence: str) -> None:
        self._reason.setText(sentence)
        self._reason.setVisible(bool(sentence))
        labels.set_role(self._reason, "warn")

    def _mark_words(self) -> str:
        return self.tr("picture may differ") if self._knob.lossy else self.tr("same picture")

    def _describe(self) -> None:
        parts = (words(self._knob.price), f"{self._mark_words()}.", self._reason.text())
        said = " ".join(part for part in parts if part)
        self.editor.focus_widget().setAccessibleDescription(said)
        self._label.setToolTip(labels.plain_tip(said))

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addWidget(self._label)
        left.addWidget(self._mark)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addLayout(left)
        row.addWidget(self.editor, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        for below in (self._price, self._reason):
            _allow_height(below)
            column.addWidget(below)


def _allow_height(label: QLabel) -> None:
    """Wrapped text takes the height it needs, whatever the width."""
    policy = label.sizePolicy()
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)

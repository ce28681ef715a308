"""A form derived from a dataclass of knobs: label and control, what it costs, and why a choice cannot apply here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import Knob, KnobKind, knobs_of
from app.core.model_file import ComponentInfo
from app.core.refusals import is_way_out
from app.core.text import Text
from app.ui import labels, theme
from app.ui.knob_editors import MANY, ChoiceEditor, DeviceEditor, Editor, NumberEditor
from app.ui.size_editor import SizeEditor
from app.ui.translate import words

Refusals = Mapping[tuple[str, str], Text]
"""(field, choice) → why it cannot apply; the choice ``*`` means the whole field."""


LABEL_WIDTH = 116
"""The most that labels take of a narrow panel; a longer one goes over two lines."""


class KnobForm(QWidget):
    """The knobs of ``values``' class: those that stand open, or (``grouped``) the rest below their headings."""

    changed = Signal(object)
    """The new values, after a person changed one."""

    def __init__(self, values: Any, *, grouped: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values = values
        defaults = {field.name: field.default for field in fields(values)}
        self._rows = {
            name: KnobRow(name, knob, defaults[name])
            for name, knob in knobs_of(type(values)).items()
            if (knob.group is not None) == grouped
        }
        self._notes: dict[Text, QLabel] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self._lay_out()
        for name, row in self._rows.items():
            row.editor.edited.connect(lambda value, field=name: self._edited(field, value))
        width = label_width(type(values))
        for row in self._rows.values():
            row.set_label_width(width)
        self.set_values(values)

    @property
    def values(self) -> Any:
        """What the form shows."""
        return self._values

    def has(self, name: str) -> bool:
        """Whether this form shows that knob."""
        return name in self._rows

    def row(self, name: str) -> KnobRow:
        """One knob's row."""
        return self._rows[name]

    def controls(self) -> list[QWidget]:
        """What takes the keyboard, in tab order."""
        return [
            widget
            for widget in self.findChildren(QWidget)
            # The lists that boxes open are windows of their own.
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.window() is self.window()
        ]

    def set_parts(self, parts: Sequence[ComponentInfo]) -> None:
        """The parts of the chosen model that have weights."""
        for row in self._rows.values():
            row.editor.set_parts(parts)

    def set_values(self, values: Any) -> None:
        """Shows other values, without a signal."""
        self._values = values
        for name, row in self._rows.items():
            row.set_value(getattr(values, name))
        self._show_notes()

    def set_hardware(self, hardware: Hardware | None, device: DeviceSheet | None) -> None:
        """The machine, and the device that the settings mean."""
        for row in self._rows.values():
            row.editor.set_hardware(hardware, device)

    def set_refusals(self, refusals: Refusals) -> None:
        """What cannot apply here and why."""
        by_field: dict[str, dict[str, Text]] = {}
        for (field, choice), reason in refusals.items():
            name, dot, cell = field.partition(".")
            by_field.setdefault(name, {})[f"{cell}={choice}" if dot else choice] = reason
        for name, row in self._rows.items():
            row.set_refused(by_field.get(name, {}))
        self._show_notes()

    def _lay_out(self) -> None:
        """Rows in their order; a heading where a group begins."""
        for row in self._rows.values():
            group = row.group
            if group is not None and group not in self._notes:
                if self._notes:
                    self._column.addSpacing(4)
                    self._column.addWidget(labels.line())
                self._column.addWidget(labels.head(words(group)))
                self._notes[group] = labels.soft()
                self._column.addWidget(self._notes[group])
            self._column.addWidget(row)

    def _show_notes(self) -> None:
        """A reason that most rows of a group share is said once, below its heading."""
        for group, note in self._notes.items():
            rows = [row for row in self._rows.values() if row.group == group]
            reasons = [row.whole_reason for row in rows if row.whole_reason]
            most = max(reasons, key=reasons.count, default="")
            shared = most if reasons.count(most) > len(rows) // 2 else ""
            note.setText(shared)
            note.setVisible(bool(shared))
            for row in rows:
                row.set_said_above(shared)

    def _edited(self, name: str, value: object) -> None:
        if getattr(self._values, name) != value:
            self._values = replace(self._values, **{name: value})
            self._rows[name].set_value(value)
            self._show_notes()
            self.changed.emit(self._values)


class KnobRow(QWidget):
    """Label and mark on the left, control on the right, the explanation below."""

    def __init__(self, name: str, knob: Knob, default: object) -> None:
        super().__init__()
        self._knob, self._default = knob, default
        self._refused: Mapping[str, Text] = {}
        self._value: object = None
        self.editor = editor_for(name, knob)
        self._label = labels.body(words(knob.label), wrap=True)
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

    @property
    def group(self) -> Text | None:
        """The heading it stands below."""
        return self._knob.group

    def set_label_width(self, width: int) -> None:
        """Pixels that label and mark get."""
        self._label.setFixedWidth(width)

    @property
    def whole_reason(self) -> str:
        """Why the whole setting makes no difference; empty if it does, or if a value stands in vain."""
        return "" if self.editor.isEnabled() else self.reason()

    def set_said_above(self, reason: str) -> None:
        """A reason that the heading says for all its rows; it is still told to those who hear the row."""
        self._reason.setVisible(bool(self.reason()) and self.reason() != reason)

    def reason(self) -> str:
        """Why something cannot apply, as shown; empty if all can."""
        return self._reason.text()

    def _show_refusal(self) -> None:
        choices = dict(self._knob.choices)
        left = [name for name in choices if not is_way_out(name, self._default) and name not in self._refused]
        stuck = "*" in self._refused or (bool(choices) and not left and bool(self._refused))
        # A value that cannot apply must stay changeable.
        in_vain = self._value in self._refused or ("*" in self._refused and self._value != self._default)
        self.editor.setEnabled(not stuck or in_vain)
        self._reason.setText("\n".join(self._reason_lines(choices, stuck)))
        self._reason.setVisible(bool(self._reason.text()))
        self._price.setVisible(not stuck)
        labels.set_role(self._reason, "warn" if in_vain else "soft")
        self._describe()

    def _reason_lines(self, choices: Mapping[str, Text], stuck: bool) -> list[str]:
        by_reason: dict[str, list[str]] = {}
        for choice, reason in self._refused.items():
            by_reason.setdefault(words(reason), []).append(choice)
        if stuck:
            return list(by_reason)
        if not choices or len(choices) > MANY:
            # Too many to name here: each entry of the box, or of the table's boxes, says its own.
            own = self._refused.get(str(self._value)) if choices else None
            return [words(own)] if own is not None else []
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
        return mark_words()[self._knob.lossy]

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
        left.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addLayout(left)
        row.addWidget(self.editor, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        whole = self.editor.below()
        if whole is not None:
            column.addWidget(whole)
        for below in (self._price, self._reason):
            _allow_height(below)
            column.addWidget(below)


def editor_for(name: str, knob: Knob) -> Editor:
    """The editor of a knob's kind. Those that only stand below More are imported when it is opened."""
    match knob.kind:
        case KnobKind.CHOICE:
            return ChoiceEditor(name, knob)
        case KnobKind.DEVICE:
            return DeviceEditor(name, knob)
        case KnobKind.SIZE:
            return SizeEditor(name, knob)
        case KnobKind.NUMBER | KnobKind.WHOLE:
            return NumberEditor(name, knob)
        case KnobKind.MAP:
            from app.ui.map_editor import MapEditor

            return MapEditor(name, knob)
        case KnobKind.PARTS:
            from app.ui.parts_editor import PartsEditor

            return PartsEditor(name, knob)
        case KnobKind.FOLDER:
            from app.ui.text_editors import FolderEditor

            return FolderEditor(name, knob)
    from app.ui.text_editors import TextEditor

    return TextEditor(name, knob)


def label_width(kind: type) -> int:
    """Pixels that the widest label of a class of knobs needs, so that all its forms have one left edge."""
    wide, small = QFontMetrics(theme.font()), QFontMetrics(theme.font(theme.SMALL))
    marks = [small.horizontalAdvance(mark) for mark in mark_words()]
    needed = [wide.horizontalAdvance(words(knob.label)) for knob in knobs_of(kind).values()]
    return min(LABEL_WIDTH, max(*marks, *needed) + 2)


def mark_words() -> tuple[str, str]:
    """What is said of a lossless setting and of a lossy one."""
    return (
        QCoreApplication.translate("KnobRow", "same picture"),
        QCoreApplication.translate("KnobRow", "picture may differ"),
    )


def _allow_height(label: QLabel) -> None:
    """Wrapped text takes the height it needs, whatever the width."""
    policy = label.sizePolicy()
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)

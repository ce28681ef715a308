"""The memory panel: preset, plan and verdict, the five main controls, the rest under More. Shows and emits values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.core.error_words import sentence
from app.core.hardware import DeviceSheet, Hardware
from app.core.memory import MemorySettings
from app.core.model_file import ComponentInfo, ModelInfo
from app.core.planner import Decision, Rejection, chosen_device, explain
from app.core.preset import WORDS, Preset, apply
from app.core.text import Text
from app.ui import labels
from app.ui.combo import Combo
from app.ui.knob_form import KnobForm, Refusals
from app.ui.places_view import PlacesView
from app.ui.plan_bar import PlanBar
from app.ui.translate import words
from app.ui.widgets import Fold, column

CUSTOM = "custom"


class MemoryPanel(QWidget):
    """Settings and what becomes of them. ``set_…`` shows, ``changed`` tells what a person did."""

    changed = Signal(object)
    """(MemorySettings, preset id)."""

    def __init__(self, presets: Mapping[str, Preset], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._presets = presets
        self._settings, self._preset = MemorySettings(), next(iter(presets), "")
        self._hardware: Hardware | None = None
        self._decision: Decision | None = None
        self._box = Combo()
        self._box.setAccessibleName(self.tr("Preset"))
        self._about = labels.soft()
        self._bar = PlanBar()
        self._verdict, self._more = labels.body(wrap=True), labels.soft()
        self._refusals: Refusals = {}
        self._parts: Sequence[ComponentInfo] = ()
        self._main = KnobForm(self._settings)
        # Built when it is first opened: two dozen rows would make each start of the program longer.
        self._rest: KnobForm | None = None
        self._rest_place = QWidget()
        self._fold = Fold(self.tr("More"), self._rest_place)
        self._places = PlacesView()
        self._places_fold = Fold(self.tr("Where things lie"), self._places)
        self._lay_out()
        self._box.currentIndexChanged.connect(self._preset_chosen)
        self._main.changed.connect(self._knob_changed)
        self._fold.toggled.connect(lambda opened: self._build_rest() if opened else None)
        self._show_settings()
        self._show_decision()

    # ------------------------------------------------------------------ what it shows

    def set_state(self, settings: MemorySettings, preset_id: str) -> None:
        """The settings, and the preset they began from."""
        if (settings, preset_id) != (self._settings, self._preset):
            self._settings, self._preset = settings, preset_id
            self._show_settings()

    def set_hardware(self, hardware: Hardware | None) -> None:
        """The machine; None while the engine starts."""
        if hardware != self._hardware:
            self._hardware = hardware
            self._show_settings()
            self._show_decision()

    def set_decision(self, decision: Decision | None) -> None:
        """The planner's answer; None while model or machine are not known."""
        if decision != self._decision:
            self._decision = decision
            self._show_decision()

    def set_refusals(self, refusals: Refusals) -> None:
        """What cannot apply here: (field, choice) → reason."""
        self._refusals = refusals
        for form in self._built():
            form.set_refusals(refusals)

    def set_model(self, model: ModelInfo | None) -> None:
        """The chosen model, for what concerns its single parts."""
        self._parts = () if model is None else tuple(part for part in model.components if part.numbers)
        self._places.set_parts(self._parts)
        self._tell_places()
        for form in self._built():
            form.set_parts(self._parts)

    def set_placed(self, pairs: tuple[tuple[str, str], ...]) -> None:
        """Where the engine says that a job's model lies; empty: it has none any more."""
        self._places.set_placed(pairs)
        self._tell_places()

    @property
    def fold(self) -> Fold:
        """The advanced part, whose state the window remembers."""
        return self._fold

    @property
    def forms(self) -> tuple[KnobForm, KnobForm]:
        """The open form and the one below More."""
        return self._main, self._build_rest()

    @property
    def places_fold(self) -> Fold:
        """The heading above where things lie."""
        return self._places_fold

    @property
    def places(self) -> PlacesView:
        """Where the parts of the model lie."""
        return self._places

    @property
    def verdict(self) -> str:
        """The verdict's sentence, as shown."""
        return self._verdict.text()

    @property
    def said(self) -> str:
        """The verdict and all that follows it, as shown."""
        return "\n".join(label.text() for label in (self._verdict, self._more))

    # ------------------------------------------------------------------ what a person does

    def _preset_chosen(self) -> None:
        preset = self._presets.get(self._box.currentData())
        if preset is not None:
            # Values that a preset sets and this one does not go back to their defaults: it is a fresh start.
            fresh = replace(
                self._settings, **{name: getattr(MemorySettings(), name) for name in self._preset_fields()}
            )
            self._give(apply(preset, fresh), preset.id)

    def _knob_changed(self, settings: MemorySettings) -> None:
        self._give(settings, self._preset)

    def _give(self, settings: MemorySettings, preset_id: str) -> None:
        self._settings, self._preset = settings, preset_id
        self._show_settings()
        self.changed.emit((settings, preset_id))

    def _preset_fields(self) -> set[str]:
        return {name for preset in self._presets.values() for name, _ in preset.overrides}

    # ------------------------------------------------------------------ drawing

    def _show_settings(self) -> None:
        device = self._device()
        for form in self._built():
            form.set_hardware(self._hardware, device)
            form.set_values(self._settings)
        self._fill_presets()

    def _built(self) -> tuple[KnobForm, ...]:
        return (self._main,) if self._rest is None else (self._main, self._rest)

    def _build_rest(self) -> KnobForm:
        if self._rest is None:
            self._rest = KnobForm(self._settings, grouped=True)
            column(self._rest_place).addWidget(self._rest)
            self._rest.changed.connect(self._knob_changed)
            self._rest.set_hardware(self._hardware, self._device())
            self._rest.set_parts(self._parts)
            self._rest.set_refusals(self._refusals)
            ring = [self._fold.button, *self._rest.controls()]
            for before, after in pairwise(ring):
                QWidget.setTabOrder(before, after)
        return self._rest

    def _fill_presets(self) -> None:
        preset = self._presets.get(self._preset)
        self._box.blockSignals(True)
        self._box.clear()
        for known in self._presets.values():
            self._box.addItem(words(known.label), known.id)
        if preset is not None and self._is_custom(preset):
            label = self.tr("Custom (from {preset})").format(preset=words(preset.label))
            self._box.insertItem(0, label, CUSTOM)
            self._box.setCurrentIndex(0)
        elif preset is None:
            self._box.insertItem(0, self.tr("Custom"), CUSTOM)
            self._box.setCurrentIndex(0)
        else:
            self._box.setCurrentIndex(self._box.findData(preset.id))
        self._box.blockSignals(False)
        self._about.setText(words(WORDS[preset.id][1]) if preset is not None and preset.id in WORDS else "")
        self._about.setVisible(bool(self._about.text()))

    def _is_custom(self, preset: Preset) -> bool:
        return any(getattr(self._settings, name) != value for name, value in preset.overrides)

    def _show_decision(self) -> None:
        decision = self._decision
        plan = decision.plan if isinstance(decision, Rejection) else decision
        sheet = (
            self._hardware.device(plan.device) if plan is not None and self._hardware is not None else None
        )
        self._bar.set_plan(plan, sheet)
        self._places.set_plan(plan)
        self._tell_places()
        first, *others = self._sentences(decision)
        self._verdict.setText(first)
        labels.set_role(self._verdict, "alarm" if isinstance(decision, Rejection) else "body")
        self._more.setText("\n".join(others))
        self._more.setVisible(bool(others))
        self._bar.setVisible(plan is not None)

    def _sentences(self, decision: Decision | None) -> list[str]:
        if self._hardware is None:
            return [self.tr("The engine is starting: what this machine has is not known yet.")]
        cpu_only = all(sheet.is_cpu for sheet in self._hardware.devices)
        machine = (
            [self.tr("No GPU was found: the processor makes the pictures, in main memory.")]
            if cpu_only
            else []
        )
        if decision is None:
            return machine or [self.tr("Choose a model to see what it needs.")]
        if isinstance(decision, Rejection):
            said = sentence(decision.problem)
            texts: tuple[Text, ...] = (said.what, said.why, said.do, *explain(decision))
        else:
            texts = explain(decision)
        return [*(words(text) for text in texts if text.source), *machine]

    def _tell_places(self) -> None:
        """Whoever hears the window hears them from the heading, also while it is folded."""
        lines = "\n".join(f"{name}: {place}" for name, place in self._places.lines())
        self._places_fold.button.setAccessibleDescription(lines)

    def _device(self) -> DeviceSheet | None:
        if self._hardware is None:
            return None
        return chosen_device(self._settings, self._hardware) or self._hardware.best

    def _lay_out(self) -> None:
        inside = QFrame()
        inside.setProperty("role", "panel")
        layout = column(inside, margins=12)
        layout.addWidget(labels.head(self.tr("Memory")))
        layout.addWidget(self._box)
        layout.addWidget(self._about)
        layout.addSpacing(4)
        layout.addWidget(self._bar)
        layout.addWidget(self._verdict)
        layout.addWidget(self._more)
        layout.addWidget(self._places_fold)
        for part in (labels.line(), self._main, labels.line(), self._fold):
            layout.addSpacing(4)
            layout.addWidget(part)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inside)
        # The panel's own controls take the keyboard; the area itself need not stand in the tab order.
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll)

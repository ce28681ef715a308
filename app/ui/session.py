"""What the window works on: model, settings, machine, and the plan they give. Values in, signals out; no widgets.

It decides nothing: ``core.planner`` does. Reading models happens aside, planning is pure and quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.errors import AppError, ErrorKind, Problem
from app.core.family import Family
from app.core.hardware import Hardware
from app.core.lora_file import LoraFit, fit_loras, with_loras
from app.core.memory import MemorySettings
from app.core.messages import Ready
from app.core.model_file import ModelInfo, read_model
from app.core.plan import Plan
from app.core.planner import Decision, Rejection, make_plan
from app.core.preset import Preset
from app.core.refusals import refusals
from app.core.request import GenerationRequest, Limits, Lora, OutputSpec, mend
from app.core.text import Text
from app.ui.background import Background
from app.ui.values import Values


@dataclass(frozen=True)
class Job:
    """A request and the plan to run it with, fixed at the moment of Generate (C174)."""

    request: GenerationRequest
    plan: Plan
    output: OutputSpec
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True)
class Ask:
    """A wish as it stood when Generate was pressed; it may have to wait for the engine to say what there is."""

    values: Values
    model: ModelInfo
    memory: MemorySettings
    goal: str
    folder: Path


class Session(QObject):
    """The state behind the window. Setters compare before they tell."""

    model_changed = Signal(object)
    """ModelInfo, a Problem, or None while one is being read."""
    memory_changed = Signal()
    hardware_changed = Signal(object)
    decision_changed = Signal(object)
    """Plan, Rejection, or None while model or machine are not known."""
    refusals_changed = Signal(object)
    """(field, choice) → why it cannot apply to this model on this machine, or makes no difference."""

    def __init__(
        self,
        families: Mapping[str, Family],
        presets: Mapping[str, Preset],
        resources: Path,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._families, self._presets = families, presets
        self._resources, self._background = resources, background
        self._values = Values()
        self._wanted: Path | None = None
        self.model: ModelInfo | None = None
        self.memory, self.preset = MemorySettings(), next(iter(presets), "")
        self.hardware: Hardware | None = None
        self.decision: Decision | None = None
        self.folder = Path()
        self._fits: tuple[LoraFit, ...] = ()
        """Of the chosen LoRA files with the chosen model; empty while they are read, or where one does not fit."""
        self._asked: object = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.plan_now)

    # ------------------------------------------------------------------ what changes

    def open_model(self, path: Path) -> None:
        """Reads a model's headers aside; only the last one asked for counts."""
        self._wanted = path
        self._background.run(
            lambda: read_model(path, self._families, self._resources),
            lambda result: self._model_read(path, result),
            priority=2,
        )

    def set_memory(self, memory: MemorySettings, preset: str) -> None:
        """The memory panel's values."""
        if (memory, preset) != (self.memory, self.preset):
            self.memory, self.preset = memory, preset
            self.memory_changed.emit()
            self._timer.start()

    def set_values(self, values: Values) -> None:
        """The prompt panel's values: only the size and the LoRA files have a part in the plan."""
        before, self._values = self._values, values
        if [lora.path for lora in before.loras] != [lora.path for lora in values.loras]:
            self._read_loras()
        if (before.width, before.height, before.count) != (values.width, values.height, values.count):
            self._timer.start()

    def set_ready(self, ready: Ready) -> None:
        """What the engine found in this machine."""
        hardware = ready.hardware
        if hardware != self.hardware:
            self.hardware = hardware
            self.hardware_changed.emit(hardware)
            self._timer.start()

    def _model_read(self, path: Path, result: ModelInfo | Problem) -> None:
        if path != self._wanted:
            return
        self._wanted = None
        if isinstance(result, ModelInfo):
            self.model = result
            self._read_loras()
        self.model_changed.emit(result)
        self._timer.start()

    def _read_loras(self) -> None:
        """Aside, for the plan on screen; what is wrong with a file is said when Generate is pressed."""
        self._fits = ()
        model, loras = self.model, self._values.loras
        if model is None or not loras:
            self._timer.start()
            return
        self._background.run(
            lambda: fit_loras(loras, model, self._families),
            lambda found: self._loras_read(model, loras, found),
            priority=1,
        )

    def _loras_read(
        self, model: ModelInfo, loras: tuple[Lora, ...], found: tuple[LoraFit, ...] | Problem
    ) -> None:
        same = [lora.path for lora in loras] == [lora.path for lora in self._values.loras]
        if model is self.model and same and not isinstance(found, Problem):
            self._fits = found
            self._timer.start()

    # ------------------------------------------------------------------ what follows

    @property
    def limits(self) -> Limits:
        """What the chosen model can be asked for."""
        return self.model.limits if self.model else Limits()

    @property
    def goal(self) -> str:
        """What the preset prefers."""
        preset = self._presets.get(self.preset)
        return preset.goal if preset else "fit"

    @property
    def family(self) -> Family | None:
        """The chosen model's."""
        return self._families.get(self.model.family) if self.model else None

    def plan_now(self) -> None:
        """The decision for what stands in the panels."""
        self._timer.stop()
        request = self._values.request(str(self.model.path) if self.model else "", self.limits)
        model = with_loras(self.model, self._fits) if self.model and self._fits else self.model
        decision = self._decide(model, request, self.memory, self.goal)
        if decision != self.decision:
            self.decision = decision
            self.decision_changed.emit(decision)
        self._find_refusals(model, request)

    def verdict(self, model: ModelInfo) -> Decision | None:
        """Whether another model would run here at its own size; None while the engine is starting."""
        limits = model.limits
        own = replace(self._values, width=limits.width, height=limits.height, frames=0)
        request = own.request(str(model.path), limits)
        return self._decide(model, request, self.memory, self.goal)

    def ask(self, values: Values) -> Ask:
        """What Generate means at this moment. Raises AppError when there is no model."""
        if self.model is None:
            raise AppError(ErrorKind.MODEL_MISSING, path=str(self._wanted or ""))
        return Ask(values, self.model, self.memory, self.goal, self.folder)

    def prepare(self, ask: Ask, *, anyway: bool = False) -> Job:
        """The job to queue. Raises AppError: what was typed cannot run, or will not fit."""
        request, notes = mend(ask.values.request(str(ask.model.path), ask.model.limits), ask.model.limits)
        fits = fit_loras(request.loras, ask.model, self._families)
        decision = self._decide(with_loras(ask.model, fits), request, ask.memory, ask.goal)
        if isinstance(decision, Rejection) and anyway and decision.plan is not None:
            decision = decision.plan
        if isinstance(decision, Rejection):
            raise AppError.from_problem(decision.problem)
        if decision is None:
            raise AppError(ErrorKind.ENGINE_NOT_STARTING)
        said = tuple(fit.note for fit in fits if fit.note is not None)
        return Job(request, decision, OutputSpec(ask.folder), (*notes, *said))

    def can_run_anyway(self, ask: Ask) -> bool:
        """Whether a rejected wish has a plan to try all the same."""
        request = ask.values.request(str(ask.model.path), ask.model.limits)
        decision = self._decide(ask.model, request, ask.memory, ask.goal)
        return isinstance(decision, Rejection) and decision.plan is not None

    def _find_refusals(self, model: ModelInfo | None, request: GenerationRequest) -> None:
        """Aside, since every choice of every setting is planned for; only the last question counts."""
        family, memory, hardware, goal = (
            self.family, self.memory, self.hardware, self.goal,
        )  # fmt: skip
        question = (model, memory, hardware, goal, request.width, request.height, request.frames)
        if model is None or family is None or hardware is None or question == self._asked:
            return
        self._asked = question
        self._background.run(
            lambda: refusals(model, family, request, memory, hardware, goal),
            lambda found: self._refusals_found(question, found),
            priority=1,
        )

    def _refusals_found(self, question: object, found: Any) -> None:
        if question == self._asked and isinstance(found, dict):
            self.refusals_changed.emit(found)

    def _decide(
        self, model: ModelInfo | None, request: GenerationRequest, memory: MemorySettings, goal: str
    ) -> Decision | None:
        family = self._families.get(model.family) if model else None
        if model is None or family is None or self.hardware is None:
            return None
        return make_plan(model, family, request, memory, self.hardware, goal)

"""Which values of which settings cannot apply, or make no difference, beside the others as they are, and why. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.core.family import Family
from app.core.hardware import Hardware
from app.core.idle import idle
from app.core.knobs import KnobKind, knobs_of
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.planner import Rejection, candidates, chosen_device, make_plan
from app.core.request import GenerationRequest
from app.core.resolve import NOTHING_TO_SLICE
from app.core.rules import Conflict
from app.core.spreads import Subject
from app.core.text import Text

_DEFAULTS = MemorySettings()
_ALIKE = ("attention", "channels_last")
"""Fields that are judged alike whatever the offload and the storage: one plan is enough to refuse a value."""


@dataclass(frozen=True)
class _Question:
    model: ModelInfo
    family: Family
    request: GenerationRequest
    hardware: Hardware

    def against(self, settings: MemorySettings, name: str = "") -> tuple[Conflict, ...]:
        """What speaks against the first plan that they allow, when none is legal; ``name`` is the field in question."""
        device = chosen_device(settings, self.hardware)
        if device is None:
            return ()
        subject = Subject(self.model, self.family, self.request, settings, self.hardware, device)
        first: tuple[Conflict, ...] = ()
        for _, against in candidates(subject, "fit"):
            if not against:
                return ()
            first = first or against
            if name in _ALIKE and any(conflict.field == name for conflict in against):
                break
        return first


def refusals(
    model: ModelInfo,
    family: Family,
    request: GenerationRequest,
    settings: MemorySettings,
    hardware: Hardware,
    goal: str = "fit",
) -> dict[tuple[str, str], Text]:
    """(field, choice) → why that choice cannot apply here, beside the other settings as they are.

    The choice ``*``: the field as a whole makes no difference now, whatever its value. A value of a single part has
    the field ``component.NAME.FIELD``.
    """
    question = _Question(model, family, request, hardware)
    sound = not question.against(settings)
    found: dict[tuple[str, str], Text] = {}
    for name, value, changed in _changes(settings, model):
        against = question.against(changed, name)
        reason = next((conflict.reason for conflict in against if conflict.field == name), None)
        if reason is None and sound:
            # The others are sound among themselves, so this value is to blame; but for what is to be filled in next.
            blamed = (conflict for conflict in against if "." in name or _is_set(settings, conflict))
            reason = next((conflict.reason for conflict in blamed), None)
        if reason is not None:
            found[(name, value)] = reason
    decision = make_plan(model, family, request, settings, hardware, goal)
    plan = decision.plan if isinstance(decision, Rejection) else decision
    if plan is not None:
        for name, reason in idle(plan, settings, model.components).items():
            found.setdefault((name, "*"), reason)
    found[("vae_slicing", "on")] = NOTHING_TO_SLICE
    return found


def is_way_out(choice: str, default: object) -> bool:
    """Whether a choice leaves a technique alone, and so can never be refused."""
    return choice == default or choice in ("off", "none")


def _changes(settings: MemorySettings, model: ModelInfo) -> Iterator[tuple[str, str, MemorySettings]]:
    """What to ask about: every choice that is not the way out, also of single parts, and a number of blocks."""
    for name, known in knobs_of(MemorySettings).items():
        if known.kind is KnobKind.CHOICE:
            default = getattr(_DEFAULTS, name)
            choices = [choice for choice, _ in known.choices if not is_way_out(choice, default)]
            yield from ((name, value, replace(settings, **{name: value})) for value in choices)  # type: ignore[arg-type]
    yield "group_blocks", "*", replace(settings, group_blocks=max(2, settings.group_blocks))
    own = dict(settings.component)
    for part in (part.name for part in model.components if part.numbers):
        for field, known in knobs_of(MemorySettings)["component"].parts.items():
            for value in (choice for choice, _ in known.choices if not is_way_out(choice, "")):
                pairs = tuple(sorted((own | {f"{part}.{field}": value}).items()))
                yield f"component.{part}.{field}", value, replace(settings, component=pairs)


def _is_set(settings: MemorySettings, conflict: Conflict) -> bool:
    """Whether the setting that a conflict names has a value of a person's own."""
    name = conflict.field.partition(".")[0]
    return bool(getattr(settings, name, None) != getattr(_DEFAULTS, name, None))

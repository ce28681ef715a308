"""make_plan: settings, model, request and machine to a Plan, or a Rejection with the numbers. Pure: no torch, no disk.

Working memory is not estimated yet: a quarter of the budget is kept for it, and the plan says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.core.errors import ErrorKind, Problem
from app.core.family import Family
from app.core.hardware import DeviceSheet, Hardware
from app.core.idle import idle
from app.core.knobs import KnobKind, knobs_of
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.plan import OffloadMode, Plan, Storage
from app.core.request import GenerationRequest
from app.core.resolve import Subject, plan_for
from app.core.rules import Case, Conflict, conflicts
from app.core.text import Text, facts_of, say
from app.core.units import gib

WORK_SHARE = 0.25
"""Part of the budget that plans keep for working memory until it is estimated."""
_WAYS_OUT = ("auto", "off", "none", "single")
"""Choices that turn a technique off, and so can never be refused."""


@dataclass(frozen=True)
class Rejection:
    """Why nothing runs as asked; ``plan`` is what would run all the same ("Run anyway"), None if nothing could."""

    problem: Problem
    plan: Plan | None = None


Decision = Plan | Rejection


def make_plan(
    model: ModelInfo,
    family: Family,
    request: GenerationRequest,
    settings: MemorySettings,
    hardware: Hardware,
    goal: str = "fit",
) -> Decision:
    """The best plan for a mended request. ``goal`` (``fit``, ``speed``, ``memory``) decides among ``auto`` values.

    Lossless ways come before lossy ones, fast before slow. A named device that is missing gives DEVICE_MISSING with
    a plan for the best device there is.
    """
    device = chosen_device(settings, hardware)
    if device is None:
        return _without_device(model, family, request, settings, hardware, goal)
    subject = Subject(model, family, request, settings, hardware, device)
    share = {"fit": 1 - WORK_SHARE, "memory": 1 - WORK_SHARE, "speed": 0.9}[goal]
    plans, against = _candidates(subject, goal)
    if not plans:
        facts = facts_of({"name": against[0].field, "value": against[0].value, "reason": against[0].reason})
        return Rejection(Problem(ErrorKind.COMBINATION_REFUSED, facts))
    for plan in plans:
        if plan.estimate.resident <= share * plan.estimate.budget:
            return plan
    smallest = min(plans, key=lambda plan: plan.estimate.resident)
    if settings.offload != "auto" and smallest.estimate.resident <= smallest.estimate.budget:
        return smallest  # asked for by name and not impossible: it may work, so it is not refused
    return Rejection(_will_not_fit(smallest, device), smallest)


def chosen_device(settings: MemorySettings, hardware: Hardware) -> DeviceSheet | None:
    """The device that does the work: the named one, else the best of those that a list of limits names, else the best.

    None when the named one is missing.
    """
    if settings.device != "auto":
        return hardware.device(settings.device)
    pairs = settings.max_memory.split(",") if "=" in settings.max_memory else []
    listed = [hardware.device(pair.partition("=")[0]) for pair in pairs]
    able = tuple(sheet for sheet in listed if sheet is not None)
    return Hardware(devices=able).best or hardware.best


def _candidates(subject: Subject, goal: str) -> tuple[list[Plan], tuple[Conflict, ...]]:
    """The legal plans, best first; when there is none, what speaks against the first."""
    plans: list[Plan] = []
    first: tuple[Conflict, ...] = ()
    for offload, storage, why in _choices(subject.settings, subject.device, goal):
        plan = plan_for(subject, offload, storage, why)
        against = judge(plan, subject.model, subject.family, subject.hardware)
        if not against:
            plans.append(plan)
        first = first or against
    return plans, first


def judge(plan: Plan, model: ModelInfo, family: Family, hardware: Hardware | None) -> tuple[Conflict, ...]:
    """What speaks against a plan for a model."""
    present = tuple(part.name for part in model.components if part.numbers)
    return conflicts(Case(plan, family, present, hardware))


def refusals(
    model: ModelInfo,
    family: Family,
    request: GenerationRequest,
    settings: MemorySettings,
    hardware: Hardware,
    goal: str = "fit",
) -> dict[tuple[str, str], Text]:
    """(field, choice) → why that choice cannot apply here, beside the other settings as they are.

    The choice ``*``: the field as a whole makes no difference now, whatever its value.
    """
    found: dict[tuple[str, str], Text] = {}
    for name, value in _questions(settings):
        changed: MemorySettings = replace(settings, **{name: value})  # type: ignore[arg-type]
        reason = _refusal(model, family, request, changed, hardware, name)
        if reason is not None:
            found[(name, value if isinstance(value, str) else "*")] = reason
    decision = make_plan(model, family, request, settings, hardware, goal)
    plan = decision.plan if isinstance(decision, Rejection) else decision
    if plan is not None:
        for name, reason in idle(plan, settings, model.components).items():
            found.setdefault((name, "*"), reason)
    found[("vae_slicing", "on")] = say(
        "core", "Pictures are made one by one here, so there is nothing to slice."
    )
    return found


def _questions(settings: MemorySettings) -> Iterator[tuple[str, str | int]]:
    """The values to ask about: every choice that is not the way out, and a number other than the default."""
    for name, known in knobs_of(MemorySettings).items():
        if known.kind is KnobKind.CHOICE:
            yield from ((name, choice) for choice, _ in known.choices if choice not in _WAYS_OUT)
    yield "group_blocks", max(2, settings.group_blocks)


def _refusal(
    model: ModelInfo,
    family: Family,
    request: GenerationRequest,
    settings: MemorySettings,
    hardware: Hardware,
    name: str,
) -> Text | None:
    """Why a field's value is refused in these settings; None where it is not, or where others are to blame."""
    device = chosen_device(settings, hardware)
    if device is None:
        return None
    first: tuple[Conflict, ...] = ()
    for offload, storage, why in _choices(settings, device, "fit"):
        subject = Subject(model, family, request, settings, hardware, device)
        against = judge(plan_for(subject, offload, storage, why), model, family, hardware)
        if not against:
            return None
        first = first or against
    return next((conflict.reason for conflict in first if conflict.field == name), None)


def explain(decision: Decision) -> tuple[Text, ...]:
    """The sentences that say what will run and why: the verdict first."""
    if isinstance(decision, Rejection):
        return () if decision.plan is None else decision.plan.reasons
    estimate = decision.estimate
    verdict = _VERDICTS[decision.offload].of(
        need=gib(estimate.resident), budget=gib(estimate.budget), streamed=gib(estimate.streamed)
    )
    unknown = say("core", "Working memory is not estimated yet; a quarter of the room is kept for it.")
    return (verdict, unknown, *decision.reasons)


_VERDICTS = {
    OffloadMode.NONE: say("core", "Fits: weights take {need} of {budget} and stay there."),
    OffloadMode.MODEL: say(
        "core",
        "Fits part by part: at most {need} of weights in {budget}, {streamed} wait in main memory; a little slower.",
    ),
    OffloadMode.SEQUENTIAL: say(
        "core",
        "Fits layer by layer: {need} of weights at a time in {budget}, {streamed} wait in main memory; far slower.",
    ),
    OffloadMode.GROUP_BLOCK: say(
        "core",
        "Fits block by block: {need} of weights at a time in {budget}, {streamed} wait in main memory; slower.",
    ),
    OffloadMode.GROUP_LEAF: say(
        "core",
        "Fits in groups of a layer: {need} of weights at a time in {budget}, {streamed} wait in main memory; slower.",
    ),
    OffloadMode.PARTIAL: say(
        "core", "Fits in part: {need} of weights stay in {budget}, {streamed} come in turn."
    ),
}


# ------------------------------------------------------------------ choosing


def _choices(
    settings: MemorySettings, device: DeviceSheet, goal: str
) -> Iterator[tuple[OffloadMode, Storage, tuple[Text, ...]]]:
    """The ways to try, best first, as the settings and the device allow."""
    none, model, sequential = OffloadMode.NONE, OffloadMode.MODEL, OffloadMode.SEQUENTIAL
    fp8, off = Storage.FP8_E4M3, Storage.NONE
    order = {
        "fit": [(none, off), (model, off), (model, fp8), (sequential, off)],
        "speed": [(none, off), (model, off), (sequential, off)],
        "memory": [(sequential, off), (model, fp8), (model, off)],
    }[goal]
    if device.is_cpu:
        order = [(none, off), (none, fp8)] if goal != "speed" else [(none, off)]
    if device.type == "mps":
        order = [choice for choice in order if choice[1] is off]
    offload = None if settings.offload == "auto" else OffloadMode(settings.offload)
    storage = None if settings.storage == "auto" else Storage(settings.storage)
    seen = set()
    for mode, kind in order:
        choice = (offload or mode, storage or kind)
        if choice not in seen:
            seen.add(choice)
            yield (*choice, _why(choice, settings))


def _why(choice: tuple[OffloadMode, Storage], settings: MemorySettings) -> tuple[Text, ...]:
    if choice[1] is not Storage.NONE and settings.storage == "auto":
        return (
            say(
                "core",
                "8-bit storage is on because the weights would not fit otherwise; it changes the picture slightly.",
            ),
        )
    return ()


def _will_not_fit(plan: Plan, device: DeviceSheet) -> Problem:
    facts = {
        "device": device.name,
        "need": gib(plan.estimate.resident),
        "budget": gib(plan.estimate.budget),
        "free": gib(device.free + device.held),
        "need_bytes": plan.estimate.resident,
        "budget_bytes": plan.estimate.budget,
    }
    return Problem(ErrorKind.WILL_NOT_FIT, facts_of(facts))


def _without_device(
    model: ModelInfo,
    family: Family,
    request: GenerationRequest,
    settings: MemorySettings,
    hardware: Hardware,
    goal: str,
) -> Rejection:
    names = ", ".join(sheet.id for sheet in hardware.devices)
    problem = Problem(ErrorKind.DEVICE_MISSING, facts_of({"device": settings.device, "devices": names}))
    if hardware.best is None:
        return Rejection(problem)
    other = make_plan(model, family, request, replace(settings, device="auto"), hardware, goal)
    return Rejection(problem, other if isinstance(other, Plan) else other.plan)

"""make_plan: settings, model, request and machine to a Plan, or a Rejection with the numbers. Pure: no torch, no disk.

Working memory is not estimated yet: a quarter of the budget is kept for it, and the plan says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.core.errors import ErrorKind, Problem
from app.core.estimate import Need
from app.core.family import Family
from app.core.hardware import DeviceSheet, Hardware
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.plan import Estimate, OffloadMode, Plan, Storage
from app.core.request import GenerationRequest
from app.core.resolve import plan_for
from app.core.rules import Case, Conflict, conflicts
from app.core.spreads import Subject, listed
from app.core.text import Text, facts_of, say
from app.core.units import gib

WORK_SHARE = 0.25
"""Part of the budget that plans keep for working memory until it is estimated."""


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
    judged = list(candidates(subject, goal))
    plans = [plan for plan, against in judged if not against]
    if not plans:
        first = judged[0][1][0]
        facts = {"name": first.field, "value": first.value, "reason": first.reason}
        facts |= {"case": first.case} if first.case else {}
        return Rejection(Problem(ErrorKind.COMBINATION_REFUSED, facts_of(facts)))
    for plan in plans:
        if plan.estimate.resident <= share * plan.estimate.budget:
            return plan
    smallest = min(plans, key=lambda plan: plan.estimate.resident)
    by_name = settings.offload != "auto" or settings.spread == "custom"
    if by_name and smallest.estimate.resident <= smallest.estimate.budget:
        return smallest  # asked for by name and not impossible: it may work, so it is not refused
    return Rejection(_will_not_fit(smallest, hardware.device(smallest.estimate.device) or device), smallest)


def chosen_device(settings: MemorySettings, hardware: Hardware) -> DeviceSheet | None:
    """The device that does the work: the named one, else the best of those that a list of limits names, else the best.

    None when the named one is missing.
    """
    if settings.device != "auto":
        return hardware.device(settings.device)
    named = [hardware.device(name) for name in listed(settings)]
    able = tuple(sheet for sheet in named if sheet is not None)
    return Hardware(devices=able).best or hardware.best


def candidates(subject: Subject, goal: str) -> Iterator[tuple[Plan, tuple[Conflict, ...]]]:
    """The plans that the settings allow, best first, each with what speaks against it."""
    for offload, storage, why in _choices(subject.settings, subject.device, goal):
        plan = plan_for(subject, offload, storage, why)
        yield plan, judge(plan, subject.model, subject.family, subject.hardware)


def judge(plan: Plan, model: ModelInfo, family: Family, hardware: Hardware | None) -> tuple[Conflict, ...]:
    """What speaks against a plan for a model."""
    present = tuple(part.name for part in model.components if part.numbers)
    return conflicts(Case(plan, family, present, hardware))


def explain(decision: Decision) -> tuple[Text, ...]:
    """The sentences that say what will run and why: the verdict first."""
    if isinstance(decision, Rejection):
        return () if decision.plan is None else decision.plan.reasons
    estimate = decision.estimate
    verdict = _VERDICTS[decision.offload].of(
        need=gib(estimate.resident), budget=gib(estimate.budget), streamed=gib(estimate.streamed)
    )
    return (verdict, _working(estimate), *decision.reasons)


def with_need(plan: Plan, need: Need) -> Plan:
    """The plan with its working memory as it was measured."""
    work = max(0, need.peak(plan.device) - plan.estimate.resident)
    return replace(plan, estimate=replace(plan.estimate, work=work))


def _working(estimate: Estimate) -> Text:
    """What is known of the working memory."""
    if estimate.work is None:
        return say("core", "Working memory is not estimated yet; a quarter of the room is kept for it.")
    peak = estimate.resident + estimate.work
    if peak <= estimate.budget:
        line = say("core", "At work it needs at most {need} of {budget}.")
    else:
        line = say("core", "At work it needs {need}, more than the {budget} that it may take: it may fail.")
    return line.of(need=gib(peak), budget=gib(estimate.budget))


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

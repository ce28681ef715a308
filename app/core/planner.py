"""make_plan: settings, model, request and machine to a Plan, or a Rejection with the numbers. Pure: no torch, no disk.

Working memory is not estimated yet: a quarter of the budget is kept for it, and the plan says so.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace

from app.core.errors import ErrorKind, Problem
from app.core.family import Family
from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import size_in_bytes, to_json
from app.core.memory import MemorySettings
from app.core.model_file import ComponentInfo, ModelInfo
from app.core.plan import Dtype, Estimate, OffloadMode, Plan, Storage
from app.core.request import GenerationRequest
from app.core.text import Text, facts_of, say
from app.core.units import GIB, MIB, gib

WORK_SHARE = 0.25
"""Part of the budget that plans keep for working memory until it is estimated."""
DECODE_BYTES = 1200
"""Bytes per pixel and byte of number that decoding in one piece takes: 2.4 GiB at 1024² in 16 bits, as published."""
TILE = 512
SMALLEST_TILE = 64


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
    device = hardware.best if settings.device == "auto" else hardware.device(settings.device)
    if device is None:
        return _without_device(model, family, request, settings, hardware, goal)
    refused = refusals(model, family, settings, hardware)
    for name in ("offload", "storage"):
        reason = refused.get((name, getattr(settings, name)))
        if reason is not None:
            facts = facts_of({"name": name, "value": getattr(settings, name), "reason": reason})
            return Rejection(Problem(ErrorKind.COMBINATION_REFUSED, facts))
    share = {"fit": 1 - WORK_SHARE, "memory": 1 - WORK_SHARE, "speed": 0.9}[goal]
    plans = [
        _plan(model, family, request, settings, device, *choice)
        for choice in _choices(settings, device, goal)
    ]
    for plan in plans:
        if plan.estimate.resident <= share * plan.estimate.budget:
            return plan
    smallest = min(plans, key=lambda plan: plan.estimate.resident)
    if settings.offload != "auto" and smallest.estimate.resident <= smallest.estimate.budget:
        return smallest  # asked for by name and not impossible: it may work, so it is not refused
    return Rejection(_will_not_fit(smallest, device), smallest)


def refusals(
    model: ModelInfo, family: Family, settings: MemorySettings, hardware: Hardware
) -> dict[tuple[str, str], Text]:
    """(field, choice) → why that choice cannot apply here; a choice ``*`` means the whole field."""
    device = hardware.best if settings.device == "auto" else hardware.device(settings.device)
    found: dict[tuple[str, str], Text] = {}
    if device is not None and device.is_cpu:
        reason = say(
            "core", "Everything is in main memory already: there is no GPU memory to save on this device."
        )
        found |= {("offload", mode): reason for mode in ("model", "sequential")}
    if device is not None and device.type == "mps":
        reason = say("core", "Apple's GPUs have no 8-bit float format.")
        found |= {("storage", kind): reason for kind in ("fp8_e4m3", "fp8_e5m2")}
    if not any(part.fp8_numbers for part in model.components):
        reason = say("core", "No part of this model works with 8-bit storage.")
        found |= {("storage", kind): reason for kind in ("fp8_e4m3", "fp8_e5m2")}
    for mode in set(OffloadMode) - set(family.offloads):
        found[("offload", mode.value)] = say("core", "This kind of model does not work with it.")
    found[("vae_slicing", "on")] = say(
        "core", "Pictures are made one by one here, so there is nothing to slice."
    )
    return found


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


def _plan(
    model: ModelInfo,
    family: Family,
    request: GenerationRequest,
    settings: MemorySettings,
    device: DeviceSheet,
    offload: OffloadMode,
    storage: Storage,
    why: tuple[Text, ...],
) -> Plan:
    dtype = Dtype(device.dtypes[0] if settings.dtype == "auto" else settings.dtype)
    parts = [part for part in model.components if part.numbers]
    estimate = _estimate(parts, dtype, offload, storage, settings, device)
    tile, reasons = _tile(request, model, dtype, settings, estimate, parts)
    if settings.max_memory != "auto" and device.is_cpu:
        reasons += (say("core", "On the processor the limit is checked beforehand but cannot be enforced."),)
    return Plan(
        family=family.id,
        device=device.id,
        dtype=dtype,
        offload=offload,
        storage=storage,
        storage_components=() if storage is Storage.NONE else tuple(p.name for p in parts if p.fp8_numbers),
        vae_tiling=tile > 0,
        vae_tile_size=tile,
        channels_last=settings.channels_last == "on",
        keep_loaded=settings.keep_loaded,
        memory_limit=None if device.is_cpu else size_in_bytes(settings.max_memory, device.total),
        reserve=estimate.reserve,
        estimate=estimate,
        reasons=why + reasons,
        settings_json=json.dumps(to_json(settings), sort_keys=True),
    )


def _estimate(
    parts: list[ComponentInfo],
    dtype: Dtype,
    offload: OffloadMode,
    storage: Storage,
    settings: MemorySettings,
    device: DeviceSheet,
) -> Estimate:
    sizes = [weight_bytes(part, dtype, storage) for part in parts]
    total = sum(sizes)
    resident = {
        OffloadMode.NONE: total,
        OffloadMode.MODEL: max(sizes, default=0),
        OffloadMode.SEQUENTIAL: max((part.largest_leaf for part in parts), default=0) * dtype.size,
    }[offload]
    reserve = size_in_bytes(settings.reserve, device.total)
    if reserve is None:
        reserve = default_reserve(device)
    free = device.free + device.held - reserve
    limit = size_in_bytes(settings.max_memory, device.total)
    budget = max(0, free if limit is None else min(limit, free))
    host = 0 if offload is OffloadMode.NONE else total
    return Estimate(resident=resident, streamed=total - resident, reserve=reserve, budget=budget, host=host)


def weight_bytes(part: ComponentInfo, dtype: Dtype, storage: Storage) -> int:
    """Bytes of a component's weights on a device in the given formats."""
    covered = part.fp8_numbers if storage is not Storage.NONE else 0
    return (part.numbers - covered) * dtype.size + covered


def default_reserve(device: DeviceSheet) -> int:
    """What is left free without being asked: room for the screen, or for the system in main memory."""
    if device.is_cpu or device.shared:
        return min(2 * GIB, device.total // 10)
    return min((600 if platform.system() == "Windows" else 400) * MIB, device.total // 20)


# ------------------------------------------------------------------ tiles and refusals


def _tile(
    request: GenerationRequest,
    model: ModelInfo,
    dtype: Dtype,
    settings: MemorySettings,
    estimate: Estimate,
    parts: list[ComponentInfo],
) -> tuple[int, tuple[Text, ...]]:
    """Pixels a side of one tile, 0 for none, and what to say of it."""
    side = max(request.width, request.height)
    if settings.vae_tiling == "off":
        return 0, ()
    vae = sum(weight_bytes(part, dtype, Storage.NONE) for part in parts if part.role == "vae")
    room = estimate.budget - (estimate.resident if estimate.streamed == 0 else vae)
    if settings.vae_tiling == "auto" and request.width * request.height * DECODE_BYTES * dtype.size <= room:
        return 0, ()
    tile = tile_size(side, model.limits.factor)
    if tile == 0:
        if settings.vae_tiling == "auto":
            return 0, ()
        return 0, (say("core", "VAE tiling is off: at this size one tile would cover the whole picture."),)
    if settings.vae_tiling == "auto":
        line = say(
            "core",
            "VAE tiling is on ({tile} px) because decoding in one piece may not fit; faint seams are possible.",
        )
        return tile, (line.of(tile=tile),)
    return tile, ()


def tile_size(side: int, factor: int) -> int:
    """A tile that really divides a picture whose longer side is ``side`` pixels: 512, or half of a smaller one.

    The class's own default tile would often cover the whole picture and save nothing. 0: too small to divide.
    """
    step = max(factor, 8)
    tile = TILE if side > TILE else -(-side // (2 * step)) * step
    tile = max(tile, SMALLEST_TILE)
    return tile if tile < side else 0


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

"""From settings and one choice of offload and storage to a Plan with every value resolved. Judges and chooses nothing.

Working memory is not estimated yet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.core.family import Can
from app.core.knobs import to_json
from app.core.model_file import ComponentInfo
from app.core.plan import (
    AUTO_FOLDER,
    Dtype,
    Estimate,
    GroupOptions,
    OffloadMode,
    Placement,
    Plan,
    Quantization,
    Spread,
    Storage,
)
from app.core.spreads import (
    Subject,
    budget_of,
    device_map_of,
    devices_of,
    fullest,
    held_by,
    limits_of,
    listed,
    reserve_of,
    used_by,
)
from app.core.text import Text, say
from app.core.units import gib

DECODE_BYTES = 1200
"""Bytes per pixel and byte of number that decoding in one piece takes: 2.4 GiB at 1024² in 16 bits, as published."""
_BITS = {
    Quantization.BNB_8BIT: 8, Quantization.BNB_NF4: 4, Quantization.TORCHAO_INT8: 8, Quantization.TORCHAO_FP8: 8,
}  # fmt: skip
TILE = 512
SMALLEST_TILE = 64
NOTHING_TO_SLICE = say("core", "Pictures are made one by one here, so there is nothing to slice.")
PINNED_FACTOR = 1.8
"""Most that rounding to powers of two adds to pinned host memory, as measured for published models."""


def plan_for(subject: Subject, offload: OffloadMode, storage: Storage, why: tuple[Text, ...] = ()) -> Plan:
    """The plan that these settings mean with this offload and storage."""
    settings, device, parts = subject.settings, subject.device, subject.parts
    dtype = dtype_for(subject)
    estimate = _estimate(subject, dtype, offload, storage)
    tile, reasons = _tile(subject, dtype, estimate)
    if settings.max_memory != "auto" and device.is_cpu:
        reasons += (say("core", "On the processor the limit is checked beforehand but cannot be enforced."),)
    limits = limits_of(subject)
    if settings.spread != "single":  # a device that is not named would not be used
        limits = {sheet.id: sheet.total - reserve_of(subject, sheet) for sheet in used_by(subject)} | limits
    plan = Plan(
        family=subject.family.id,
        device=device.id,
        dtype=dtype,
        offload=offload,
        storage=storage,
        storage_components=() if storage is Storage.NONE else tuple(p.name for p in parts if p.fp8_numbers),
        skip_modules=_words(settings.skip_modules),
        skip_classes=_words(settings.skip_classes),
        quantization=Quantization(settings.quantization),
        quantized_components=_quantized(subject),
        adapted_components=tuple(part.name for part in parts if part.lora_numbers),
        group=_group(subject, dtype, offload),
        spread=Spread(settings.spread),
        device_map=device_map_of(subject) if settings.spread == "custom" else (),
        limits=tuple(limits.items()) if listed(settings) or settings.spread != "single" else (),
        vae_tiling=tile > 0,
        vae_tile_size=tile,
        vae_tile_overlap=settings.vae_tile_overlap,
        vae_endpoint=settings.vae_endpoint,
        attention="default" if settings.attention == "auto" else settings.attention,
        channels_last=settings.channels_last == "on",
        compile=settings.compile == "on",
        keep_loaded=settings.keep_loaded,
        memory_limit=None if device.is_cpu else limits_of(subject).get(device.id),
        reserve=estimate.reserve,
        estimate=estimate,
        settings_json=json.dumps(to_json(settings), sort_keys=True),
    )
    sizes = _sizes(subject, dtype, storage)
    overrides, more = _overrides(subject, plan, sizes)
    plan = replace(plan, overrides=overrides)
    return replace(plan, reasons=why + reasons + more + _prices(subject, plan, sizes))


def dtype_for(subject: Subject) -> Dtype:
    """The asked format, else the first that both the model and the device are made for."""
    if subject.settings.dtype != "auto":
        return Dtype(subject.settings.dtype)
    wanted = [name for name in subject.model.limits.dtypes if name in subject.device.dtypes]
    return Dtype(next(iter((*wanted, *subject.device.dtypes))))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def _quantized(subject: Subject) -> tuple[str, ...]:
    if subject.settings.quantization == "none":
        return ()
    return tuple(part.name for part in subject.parts if part.role == "denoiser")


# ------------------------------------------------------------------ groups and single parts


def _group(subject: Subject, dtype: Dtype, offload: OffloadMode) -> GroupOptions:
    """How groups move. What was asked for by name stands, also where it cannot act: the rules say so."""
    settings, used = subject.settings, _uses_groups(subject, offload)
    disk = settings.disk_offload == "on"
    blocks = settings.group_blocks
    possible = used and subject.device.streams and blocks == 1
    stream = _on(settings.stream, auto=possible)
    pinned = sum(weight_bytes(part, dtype, Storage.NONE) for part in subject.parts) * PINNED_FACTOR
    tight = 0 < subject.hardware.ram_free < pinned
    return GroupOptions(
        blocks=blocks,
        stream=stream,
        record_stream=_on(settings.record_stream, auto=used and stream and disk),
        low_cpu_mem=_on(settings.low_cpu_mem, auto=used and stream and tight),
        non_blocking=_on(settings.non_blocking, auto=used and stream),
        disk_folder=(settings.disk_folder or AUTO_FOLDER) if disk else "",
    )


def _prices(subject: Subject, plan: Plan, sizes: Mapping[str, int]) -> tuple[Text, ...]:
    """What the asked ways cost beside what their names say."""
    group, found = plan.group, []
    modes = {name: plan.placement(name).offload for name in sizes}
    grouped = [name for name, mode in modes.items() if mode.is_group]
    if grouped and not group.stream and not group.disk_folder:
        found.append(
            say(
                "core",
                "Without “Stream ahead” each group is also copied back to main memory: twice the traffic.",
            )
        )
    outside = sum(
        part.outside_blocks * plan.dtype.size
        for part in subject.parts
        if modes[part.name] is OffloadMode.GROUP_BLOCK
    )
    if group.stream and outside:
        line = say(
            "core",
            "{size} of the weights stand in no block: for a whole pass they lie there and are not copied ahead.",
        )
        found.append(line.of(size=gib(outside)))
    waiting = sum(size for name, size in sizes.items() if modes[name] is not OffloadMode.NONE)
    if group.disk_folder:
        waiting -= sum(sizes[name] for name in grouped)
    elif group.stream and not group.low_cpu_mem:
        waiting += int(sum(sizes[name] for name in grouped) * (PINNED_FACTOR - 1))
    free = sum(sheet.free + sheet.held for sheet in subject.hardware.devices if sheet.is_cpu)
    limit = limits_of(subject).get("cpu", 0)
    if waiting > limit > 0 and not subject.device.is_cpu:
        line = say(
            "core",
            "Up to {need} of main memory are needed, more than its limit of {limit}. Offload to disk needs less.",
        )
        found.append(line.of(need=gib(waiting), limit=gib(limit)))
    if waiting > free > 0:
        line = say(
            "core",
            "Up to {need} of main memory are needed and {free} are free: the system may stop the program. Offload to "
            "disk needs less.",
        )
        found.append(line.of(need=gib(waiting), free=gib(free)))
    if subject.settings.vae_slicing == "on":
        found.append(NOTHING_TO_SLICE)
    return tuple(found)


def _on(choice: str, *, auto: bool) -> bool:
    return auto if choice == "auto" else choice == "on"


def _uses_groups(subject: Subject, offload: OffloadMode) -> bool:
    single = {value for name, value in subject.settings.component if name.endswith(".offload")}
    return offload.is_group or any(OffloadMode(value).is_group for value in single)


def _overrides(
    subject: Subject, plan: Plan, sizes: Mapping[str, int]
) -> tuple[tuple[Placement, ...], tuple[Text, ...]]:
    """The parts with values of their own, those that block-level groups would leave in one piece, and those that a
    balanced spread puts on other devices."""
    wanted: dict[str, dict[str, Any]] = {}
    for key, value in subject.settings.component:
        name, _, field = key.rpartition(".")
        wanted.setdefault(name, {})[field] = value
    packed = {part.name for part in subject.parts if part.packed}
    balanced = devices_of(subject, sizes) if plan.spread is Spread.BALANCED else {}
    found, reasons = [], []
    for name in dict.fromkeys([*wanted, *(part.name for part in subject.parts)]):
        place = replace(plan.placement(name), device=balanced.get(name, plan.device))
        place = _with_values(place, wanted.get(name, {}))
        if name in packed:
            if place.quantization is not Quantization.NONE:
                reasons.append(say("core", "{part} is packed in its file already.").of(part=name))
            place = replace(place, quantization=Quantization.GGUF)
        declared = subject.family.component(name)
        whole = (
            place.offload is OffloadMode.GROUP_BLOCK
            and declared is not None
            and Can.BLOCKS not in declared.can
        )
        if whole and "offload" not in wanted.get(name, {}):
            place = replace(place, offload=OffloadMode.GROUP_LEAF)
            line = say("core", "{part} has no list of blocks, so it moves layer by layer.")
            reasons.append(line.of(part=name))
        on_disk = plan.group.disk_folder and place.offload is OffloadMode.GROUP_LEAF and declared is not None
        if on_disk and declared is not None and Can.LEAF_DISK not in declared.can:
            line = say(
                "core",
                "{part} waits in main memory: two of its layers share weights, which files would part.",
            )
            reasons.append(line.of(part=name))
        if place != plan.placement(name) or declared is None:  # of a part that is not there the rules tell
            found.append(place)
    return tuple(found), tuple(reasons)


def _with_values(place: Placement, values: Mapping[str, Any]) -> Placement:
    kinds = {"offload": OffloadMode, "storage": Storage, "quantization": Quantization, "device": str}
    return replace(place, **{field: kinds[field](value) for field, value in values.items()})


# ------------------------------------------------------------------ bytes


def _estimate(subject: Subject, dtype: Dtype, offload: OffloadMode, storage: Storage) -> Estimate:
    parts, sizes = subject.parts, _sizes(subject, dtype, storage)
    total = sum(sizes.values())
    leaf = max((part.largest_leaf for part in parts), default=0) * dtype.size
    device, resident, streamed = subject.device, 0, 0
    if offload is OffloadMode.NONE:
        held = held_by(subject, sizes)
        rooms = {
            sheet.id: budget_of(subject, sheet)
            for sheet in subject.hardware.devices
            if sheet == device or not sheet.is_cpu
        }
        there = {place: size for place, size in held.items() if place in rooms and size}
        streamed = sum(held.values()) - sum(there.values())
        device = subject.hardware.device(fullest(there, rooms, device.id)) or device
        resident = held.get(device.id, 0)
    else:
        resident = {
            OffloadMode.MODEL: max(sizes.values(), default=0),
            OffloadMode.SEQUENTIAL: leaf,
            OffloadMode.GROUP_LEAF: 2 * leaf,
            OffloadMode.GROUP_BLOCK: max((_two_blocks(part) for part in parts), default=0) * dtype.size,
            OffloadMode.PARTIAL: total,
        }[offload]
        streamed = max(0, total - resident)
    return Estimate(
        device=device.id,
        resident=resident,
        streamed=streamed,
        reserve=reserve_of(subject, device),
        budget=budget_of(subject, device),
        host=0 if offload is OffloadMode.NONE else total,
    )


def _sizes(subject: Subject, dtype: Dtype, storage: Storage) -> dict[str, int]:
    """Part → bytes of its weights."""
    packed = dict.fromkeys(_quantized(subject), Quantization(subject.settings.quantization))
    return {
        part.name: weight_bytes(part, dtype, storage, packed.get(part.name, Quantization.NONE))
        for part in subject.parts
    }


def _two_blocks(part: ComponentInfo) -> int:
    """Numbers of one block, the next one, and what is in none."""
    return (
        min(part.numbers, part.outside_blocks + 2 * part.largest_block)
        if part.largest_block
        else part.numbers
    )


def weight_bytes(
    part: ComponentInfo, dtype: Dtype, storage: Storage, packing: Quantization = Quantization.NONE
) -> int:
    """Bytes of a component's weights on a device in the given formats."""
    if part.lora_numbers:
        return part.lora_numbers * dtype.size + weight_bytes(
            replace(part, lora_numbers=0), dtype, storage, packing
        )
    if part.packed:
        return part.disk
    covered = part.fp8_numbers if storage is not Storage.NONE else 0
    size = Dtype.FLOAT32.size if part.precise else dtype.size
    if packing in _BITS:
        return (part.numbers - part.linear_numbers) * size + part.linear_numbers * _BITS[packing] // 8
    return (part.numbers - covered) * size + covered


# ------------------------------------------------------------------ tiles


def _tile(subject: Subject, dtype: Dtype, estimate: Estimate) -> tuple[int, tuple[Text, ...]]:
    """Pixels a side of one tile, 0 for none, and what to say of it."""
    request, settings, limits = subject.request, subject.settings, subject.model.limits
    side = max(request.width, request.height)
    if settings.vae_tiling == "off" or settings.vae_endpoint:
        return 0, ()
    if settings.vae_tiling == "auto" and (
        not _can_tile(subject) or not _decode_is_tight(subject, dtype, estimate)
    ):
        return 0, ()
    tile = _asked_tile(settings.vae_tile_size, side, limits.factor) or tile_size(side, limits.factor)
    if tile == 0:
        if settings.vae_tiling == "auto":
            return 0, ()
        return 0, (say("core", "VAE tiling is off: at this size one tile would cover the whole picture."),)
    reasons: tuple[Text, ...] = ()
    if settings.vae_tiling == "auto":
        line = say(
            "core",
            "VAE tiling is on ({tile} px) because decoding in one piece may not fit; faint seams are possible.",
        )
        reasons = (line.of(tile=tile),)
    if settings.vae_tile_size not in (0, tile):
        line = say("core", "Tiles of {asked} px cannot be had here: they are of {tile} px.")
        reasons += (line.of(asked=settings.vae_tile_size, tile=tile),)
    return tile, reasons


def _can_tile(subject: Subject) -> bool:
    return any(Can.TILE in part.can for part in subject.family.components if part.role == "vae")


def _decode_is_tight(subject: Subject, dtype: Dtype, estimate: Estimate) -> bool:
    request = subject.request
    vae = sum(weight_bytes(part, dtype, Storage.NONE) for part in subject.parts if part.role == "vae")
    room = estimate.budget - (estimate.resident if estimate.streamed == 0 else vae)
    return request.width * request.height * DECODE_BYTES * dtype.size > room


def _asked_tile(size: int, side: int, factor: int) -> int:
    """The tile asked for, in whole latents; 0 where none was, or where it would cover the whole picture."""
    tile = size // factor * factor
    return tile if 0 < tile < side else 0


def tile_size(side: int, factor: int) -> int:
    """A tile that really divides a picture whose longer side is ``side`` pixels: 512, or half of a smaller one.

    The class's own default tile would often cover the whole picture and save nothing. 0: too small to divide.
    """
    step = max(factor, 8)
    tile = TILE if side > TILE else -(-side // (2 * step)) * step
    tile = max(tile, SMALLEST_TILE)
    return tile if tile < side else 0

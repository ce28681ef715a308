"""Every memory technique as changes of a plan, and how near its result must be: for tests and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import combinations
from typing import Any

from app.core.plan import GroupOptions, OffloadMode, Placement, Plan, Quantization, Spread, Storage

BLOCK, LEAF = OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF
STREAM = GroupOptions(stream=True, non_blocking=True)
RECORD = replace(STREAM, record_stream=True)
DISK = GroupOptions(disk_folder="auto")
ROOM = 5_000_000


class Waits(Enum):
    """Where the denoiser's weights are between its passes, which says what a step moves and main memory holds."""

    NOWHERE = "on the devices"
    BY_PART = "on the device while it works, all other parts in main memory"
    READ_ONLY = "in main memory; what comes to the device is thrown away there"
    TO_AND_FRO = "in main memory; what comes to the device goes back (D23)"
    PINNED = "pinned; what comes to the device is thrown away there"
    PINNED_BLOCKS = "pinned, save what is in no block (D24)"
    PINNED_LATE = "in main memory, pinned as it is copied"
    PINNED_LATE_BLOCKS = "the same, save what is in no block"
    FILES = "in files"


@dataclass(frozen=True)
class Technique:
    """One row of the matrix."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    worst: int = 0
    """Largest difference from the CPU's result that it may make, in steps of 255; 0: equal to the bit."""
    mean: float = 0.5
    """Mean difference that it may make."""
    saves: bool = False
    """Whether the peak must be below that of everything on the device."""
    empties: bool = False
    """Whether no weights may be left on the device after the job."""
    waits: Waits = Waits.NOWHERE
    whole: bool = True
    """Whether what waits is the whole model, not the denoiser alone."""


def techniques(family: Any, present: tuple[str, ...], room: int = ROOM) -> Iterator[Technique]:
    """The rows for a family; where one does not apply the rules must say so. ``room``: bytes of the first card that a
    split may use."""
    covered = tuple(part.name for part in family.components if part.fp8 and part.name in present)
    yield Technique("offload none")
    model = {"offload": OffloadMode.MODEL}
    yield Technique("offload model", model, saves=True, empties=True, waits=Waits.BY_PART)
    sequential = {"offload": OffloadMode.SEQUENTIAL}
    yield Technique("offload sequential", sequential, saves=True, empties=True, waits=Waits.READ_ONLY)
    yield from _groups(family, present)
    for kind, worst, mean in ((Storage.FP8_E4M3, 30, 2.5), (Storage.FP8_E5M2, 50, 5.0)):
        changes = {"storage": kind, "storage_components": covered}
        yield Technique(kind.value, changes, worst=worst, mean=mean, saves=True)
    skipping = {"storage": Storage.FP8_E4M3, "storage_components": covered, "skip_classes": ("Linear",)}
    yield Technique("fp8_e4m3, Linear kept", skipping, worst=30, mean=2.5)
    denoisers = tuple(
        part.name for part in family.components if part.role == "denoiser" and part.name in present
    )
    for packed, worst, mean in ((Quantization.TORCHAO_INT8, 5, 0.5), (Quantization.TORCHAO_FP8, 60, 1.5)):
        packing = {"quantization": packed, "quantized_components": denoisers}
        yield Technique(packed.value, packing, worst=worst, mean=mean, saves=True)
    # weights at random make seams that trained ones do not
    yield Technique("tiles of 64 px", {"vae_tiling": True, "vae_tile_size": 64}, worst=255, mean=16)
    yield Technique("slices", {"vae_slicing": True})
    yield Technique("attention _native_math", {"attention": "_native_math"}, worst=2)
    yield Technique("channels_last", {"channels_last": True}, worst=2)
    yield Technique("compile", {"compile": True}, worst=2)
    yield from _spreads(family, present, room)


def _groups(family: Any, present: tuple[str, ...]) -> Iterator[Technique]:
    late, files = replace(STREAM, low_cpu_mem=True), replace(RECORD, disk_folder="auto")
    for mode in (BLOCK, LEAF):
        pinned, pinned_late = (
            (Waits.PINNED_BLOCKS, Waits.PINNED_LATE_BLOCKS)
            if mode is BLOCK
            else (Waits.PINNED, Waits.PINNED_LATE)
        )
        for name, group, waits in (
            ("", GroupOptions(), Waits.TO_AND_FRO), ("stream", STREAM, pinned),
            ("stream, record_stream", RECORD, pinned), ("stream, low_cpu_mem", late, pinned_late),
            ("disk", DISK, Waits.FILES), ("disk, stream", files, Waits.FILES),
        ):  # fmt: skip
            options = {"offload": mode, "group": group, "overrides": leaves(family, present, mode)}
            label = f"{mode.value}{', ' if name else ''}{name}"
            yield Technique(label, options, saves=True, empties="stream" not in name, waits=waits)
    two = {"offload": BLOCK, "group": GroupOptions(blocks=2), "overrides": leaves(family, present, BLOCK)}
    yield Technique("group_block, two blocks", two, saves=True, empties=True, waits=Waits.TO_AND_FRO)


def leaves(family: Any, present: tuple[str, ...], mode: OffloadMode) -> tuple[Placement, ...]:
    """What the planner does: components without a list of blocks move layer by layer."""
    if mode is not BLOCK:
        return ()
    parts = [part for part in family.components if part.name in present and "blocks" not in part.can]
    return tuple(Placement(component=part.name, device="vgpu:0", offload=LEAF) for part in parts)


def laid_out(engine: Any, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """A plan's changes with what the planner adds to them for the engine's model (D3, D26)."""
    mode = changes.get("offload")
    if mode is None or not mode.is_group:
        return changes
    present = tuple(part.name for part in engine.info.components if part.numbers)
    return {**changes, "overrides": leaves(engine.family, present, mode)}


def _spreads(family: Any, present: tuple[str, ...], room: int) -> Iterator[Technique]:
    denoisers = {part.name for part in family.components if part.role == "denoiser"}
    others = [name for name in present if name not in denoisers]
    away = tuple((name, "vgpu:1") for name in others)
    yield Technique("balanced", {"spread": Spread.BALANCED, "device_map": away}, saves=True)
    limits = (("vgpu:0", room), ("vgpu:1", 1 << 30))
    yield Technique("split", {"spread": Spread.AUTO, "device_map": away, "limits": limits}, saves=True)
    first = next(name for name in present if name in denoisers)
    for place, waits in (("cpu", Waits.READ_ONLY), ("disk", Waits.FILES)):
        changes = {"spread": Spread.CUSTOM, "device_map": (*away, (first, place))}
        yield Technique(f"map with {place}", changes, saves=True, waits=waits, whole=False)
    single = Placement(component=others[0], device="vgpu:1", offload=OffloadMode.NONE)
    yield Technique("one part on the second GPU", {"overrides": (single,)}, saves=True)


def pairs(rows: list[Technique]) -> Iterator[Technique]:
    """Every two rows that change different fields."""
    for one, other in combinations(rows, 2):
        if one.changes and other.changes and not set(one.changes) & set(other.changes):
            yield Technique(
                f"{one.name} + {other.name}",
                {**one.changes, **other.changes},
                worst=one.worst + other.worst,
                mean=one.mean + other.mean,
            )


def swapped(plan: Plan) -> Plan:
    """The same plan with the two cards in each other's place."""
    other = {"vgpu:0": "vgpu:1", "vgpu:1": "vgpu:0"}
    return replace(
        plan,
        device=other[plan.device],
        overrides=tuple(replace(place, device=other[place.device]) for place in plan.overrides),
        device_map=tuple((name, other.get(place, place)) for name, place in plan.device_map),
        limits=tuple((other[device], size) for device, size in plan.limits),
    )


def others_away(plan: Plan, family: Any, present: tuple[str, ...]) -> Plan:
    """The same plan with encoders and decoder on the second card, whole; the denoiser stays as it was."""
    parts = [part.name for part in family.components if part.name in present and part.role != "denoiser"]
    whole = {"device": "vgpu:1", "offload": OffloadMode.NONE}
    kept = [place for place in plan.overrides if place.component not in parts]
    return replace(plan, overrides=(*kept, *(replace(plan.placement(name), **whole) for name in parts)))


def plan_of(technique: Technique, plan: Plan) -> Plan:
    """The plan with a technique's changes."""
    return replace(plan, **technique.changes)

"""What a plan makes of a footprint: bytes on each device in each phase, and bytes moved. Pure: no torch, no disk.

What stands on a device while a module runs follows from the component's offload mode, as the libraries carry it out;
the working memory of that moment comes on top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from app.core.family import Family
from app.core.footprint import Footprint, Moment, Part, Phase, Weights, stepped
from app.core.hardware import DeviceSheet, Hardware
from app.core.plan import OffloadMode, Placement, Plan, Quantization, Spread, Storage


@dataclass(frozen=True, kw_only=True)
class Need:
    """Bytes, as allocated (not what an allocator keeps beside)."""

    peaks: Mapping[str, Mapping[str, int]]
    """Device → phase → the most at once."""
    loaded: Mapping[str, int]
    """Device → weights that stay there between the phases."""
    moved: int = 0
    """Weights that one step of denoising copies to devices, once streams know their order."""

    def peak(self, device: str) -> int:
        """The most at once over all phases."""
        return max(self.peaks.get(device, {}).values(), default=0)


def estimate(footprint: Footprint, plan: Plan, family: Family, hardware: Hardware) -> Need | None:
    """The need of a plan on the devices that ``hardware`` has sheets of.

    None where it is not known yet: packed weights, components cut over several devices, LoRA layers, compiled blocks,
    attention kernels other than the usual ones, a server that decodes.
    """
    if _unknown(plan):
        return None
    lies = [
        _Lies(part, _place(part.name, plan), plan, _skips(family, part.name, plan))
        for part in footprint.parts
    ]
    devices = dict.fromkeys(one.place.device for one in lies)
    peaks = {
        device: {
            phase.name: _peak(hardware.device(device), device, phase, lies, plan)
            for phase in footprint.phases
        }
        for device in devices
    }
    loaded = {
        device: sum(
            one.bytes for one in lies if one.place.device == device and one.place.offload is OffloadMode.NONE
        )
        for device in devices
    }
    denoise = next((phase for phase in footprint.phases if phase.name == "denoise"), None)
    passes = denoise.passes if denoise else {}
    moved = sum(one.moved * passes.get(one.part.name, 0) for one in lies) // max(1, footprint.steps)
    return Need(peaks=peaks, loaded=loaded, moved=moved)


def _unknown(plan: Plan) -> bool:
    places = [place for name, place in plan.device_map if "." in name or place in ("cpu", "disk")]
    packed = [place for place in plan.overrides if place.quantization is not Quantization.NONE]
    return (
        plan.spread is Spread.AUTO
        or bool(places or packed or plan.adapted_components or plan.quantized_components)
        or plan.compile
        or plan.attention != "default"
        or bool(plan.vae_endpoint)
    )


def _place(name: str, plan: Plan) -> Placement:
    """Where a component lies, whole."""
    return replace(plan.placement(name), device=dict(plan.device_map).get(name, plan.placement(name).device))


def _skips(family: Family, name: str, plan: Plan) -> tuple[re.Pattern[str], ...]:
    part = family.component(name)
    words = (*(part.fp8_skip if part else ()), *plan.skip_modules)
    return tuple(re.compile(word) for word in words)


def _peak(sheet: DeviceSheet | None, device: str, phase: Phase, lies: list[_Lies], plan: Plan) -> int:
    copies = sheet is not None and sheet.workspace
    rest = min((moment.live for moment in phase.moments), default=0)
    most = max((_held(device, moment, lies, plan, copies, rest) for moment in phase.moments), default=0)
    return most + (sheet.libraries if sheet is not None else 0)


def _held(device: str, moment: Moment, lies: list[_Lies], plan: Plan, copies: bool, rest: int) -> int:
    """Weights and working memory on a device at a moment.

    ``rest``: what is in use all through the phase, and so lies on the main device whatever works.
    """
    total = sum(one.at(moment) for one in lies if one.place.device == device)
    running = next((one for one in lies if one.part.name == moment.part), None)
    works_on = running.place.device if running else plan.device
    live = moment.workspace if copies else moment.live
    if works_on == plan.device:
        return total + (live if device == plan.device else 0)
    return total + {works_on: live - rest, plan.device: rest}.get(device, 0)


@dataclass(frozen=True)
class _Lies:
    """One component where its plan puts it."""

    part: Part
    place: Placement
    plan: Plan
    skips: tuple[re.Pattern[str], ...]
    """Modules whose names match are never cast."""

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Module's path → bytes of its own weights as they are stored."""
        return {own.path: self._stored(own) for own in self.part.weights}

    @cached_property
    def bytes(self) -> int:
        """All weights as they are stored."""
        return sum(self.sizes.values())

    @cached_property
    def extra(self) -> dict[str, int]:
        """Module's path → what its computing copy takes beside its stored weights."""
        return {own.path: max(own.sizes) for own in self.part.weights if self._is_cast(own)}

    def _is_cast(self, own: Weights) -> bool:
        if self.place.storage is Storage.NONE or not own.layer or own.kind in self.plan.skip_classes:
            return False
        return not any(pattern.search(own.path) for pattern in self.skips)

    def _stored(self, own: Weights) -> int:
        if self._is_cast(own):
            return sum(stepped(numbers) for numbers, _ in own.tensors)
        return own.bytes

    def at(self, moment: Moment) -> int:
        """Bytes on the component's device at a moment."""
        runs = moment.part == self.part.name
        cast = self.extra.get(moment.path, 0) if runs else 0
        match self.place.offload:
            case OffloadMode.NONE:
                return self.bytes + cast
            case OffloadMode.MODEL:
                return self.bytes + cast if moment.last == self.part.name else 0
            case OffloadMode.GROUP_BLOCK:
                return self._in_blocks(moment.path) + cast if runs else 0
        return self._in_layers(moment.path) + cast if runs else 0

    def _in_layers(self, path: str) -> int:
        """The module's own weights and those of all around it, and the next layer's where streams fetch it ahead."""
        here = sum(self.sizes.get(above, 0) for above in _chain(path))
        return here + (self._after.get(path, 0) if self._streams else 0)

    def _in_blocks(self, path: str) -> int:
        """What is in no block of the modules around, the group of blocks at work, and the next one where streams fetch
        it ahead."""
        outside = sum(size for room, size in self._outside.items() if _inside(path, (room,)))
        at = next((number for number, group in enumerate(self._groups) if _inside(path, group)), None)
        if at is None:
            return outside + (self._group_bytes[0] if self._streams and self._groups else 0)
        ahead = self._group_bytes[at + 1 : at + 2] if self._streams else []
        return outside + self._group_bytes[at] + sum(ahead)

    @property
    def _streams(self) -> bool:
        return self.plan.group.stream and self.place.offload.is_group

    @cached_property
    def _order(self) -> list[str]:
        """Modules with weights of their own, as they run in a pass."""
        return [path for path in self.part.order if path in self.sizes]

    @cached_property
    def _after(self) -> dict[str, int]:
        """Path → bytes of the layer that runs next in a pass."""
        return {path: self.sizes[following] for path, following in pairwise(self._order)}

    @cached_property
    def _groups(self) -> list[tuple[str, ...]]:
        size = 1 if self._streams else self.plan.group.blocks
        lists = [blocks for room in self.part.rooms for blocks in room.lists]
        return [blocks[first : first + size] for blocks in lists for first in range(0, len(blocks), size)]

    @cached_property
    def _group_bytes(self) -> list[int]:
        return [self._within(group) for group in self._groups]

    @cached_property
    def _outside(self) -> dict[str, int]:
        """Module that is taken apart → bytes in it that are in no block and in no other such module."""
        rooms = {room.path for room in self.part.rooms}
        apart = (*rooms, *(block for group in self._groups for block in group))
        return {
            room: self._within((room,))
            - self._within(tuple(path for path in apart if path != room and _inside(path, (room,))))
            for room in rooms
        }

    def _within(self, modules: tuple[str, ...]) -> int:
        return sum(size for path, size in self.sizes.items() if _inside(path, modules))

    @cached_property
    def moved(self) -> int:
        """Bytes that one pass copies to the device."""
        mode = self.place.offload
        if mode is OffloadMode.GROUP_LEAF and self._streams:
            return self._streamed_in_layers
        return 0 if mode in (OffloadMode.NONE, OffloadMode.MODEL) else self.bytes

    @property
    def _streamed_in_layers(self) -> int:
        """Every layer fetches the one that came after its last run in the first pass: what follows a layer that runs
        twice in a row comes twice, and the layer itself too."""
        order = self._order
        after = {path: following for path, following in pairwise(order) if path}
        there, moved = set(order[:1]), sum(self.sizes[path] for path in order[:1])
        for path in order:
            if path not in there:
                moved += self.sizes[path]
            if path in after:
                there.add(after[path])
                moved += self.sizes[after[path]]
            there.discard(path)
        return moved


def _chain(path: str) -> Iterator[str]:
    """A module's path and those of all modules around it."""
    while path:
        yield path
        path = path.rpartition(".")[0]
    yield ""


def _inside(path: str, modules: tuple[str, ...]) -> bool:
    """Whether a module is one of these or in one of them; the empty path is the whole component."""
    return any(not module or path == module or path.startswith(f"{module}.") for module in modules)

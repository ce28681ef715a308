"""What a plan is asked for, how much room each device has, and which part of a model lies where. Pure.

Chooses no mode and refuses nothing: ``resolve`` makes plans of it, the planner judges.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.core.family import Family
from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import size_in_bytes, sizes_in_bytes
from app.core.memory import MemorySettings
from app.core.model_file import ComponentInfo, ModelInfo
from app.core.plan import SPLIT_SHARE, Spread
from app.core.request import GenerationRequest
from app.core.units import GIB, MIB


@dataclass(frozen=True)
class Subject:
    """What every plan of one question has in common."""

    model: ModelInfo
    family: Family
    request: GenerationRequest
    settings: MemorySettings
    hardware: Hardware
    device: DeviceSheet

    @property
    def parts(self) -> tuple[ComponentInfo, ...]:
        """The components with weights here: a server's are not."""
        remote = "vae" if self.settings.vae_endpoint else ""
        return tuple(part for part in self.model.components if part.numbers and part.role != remote)


def limits_of(subject: Subject) -> dict[str, int]:
    """Device → bytes that this program may hold there, as the settings say."""
    hardware, settings = subject.hardware, subject.settings
    totals = {sheet.id: sheet.total for sheet in hardware.devices} | {"cpu": hardware.ram_total}
    text = settings.max_memory
    if "=" in text:
        pairs = (pair.partition("=") for pair in text.split(","))
        text = ",".join(f"{_device_id(subject, name)}={size}" for name, _, size in pairs)
    return sizes_in_bytes(text, totals, subject.device.id)


def listed(settings: MemorySettings) -> tuple[str, ...]:
    """The devices that a list of limits names, so that others are not used; none where it bounds main memory alone."""
    pairs = settings.max_memory.split(",") if "=" in settings.max_memory else []
    names = tuple(pair.partition("=")[0] for pair in pairs)
    return () if names == ("cpu",) else names


def device_map_of(subject: Subject) -> tuple[tuple[str, str], ...]:
    """The map with devices by their ids; a bare number counts GPUs, as in the libraries' own maps."""
    if not subject.settings.device_map:
        return ()
    named = json.loads(subject.settings.device_map)
    return tuple((part, _device_id(subject, place)) for part, place in named.items())


def _device_id(subject: Subject, name: str) -> str:
    """A device as its sheet calls it; a name that no sheet has stays, for the rules to refuse."""
    if name.isdigit():
        name = f"{subject.device.type}:{name}"
    sheet = subject.hardware.device(name)
    return name if sheet is None else sheet.id


# ------------------------------------------------------------------ room


def default_reserve(device: DeviceSheet) -> int:
    """What is left free without being asked: room for the screen, or for the system in main memory."""
    if device.is_cpu or device.shared:
        return min(2 * GIB, device.total // 10)
    return min((600 if platform.system() == "Windows" else 400) * MIB, device.total // 20)


def reserve_of(subject: Subject, sheet: DeviceSheet) -> int:
    """What is to stay free on a device: as asked, or the usual."""
    asked = size_in_bytes(subject.settings.reserve, sheet.total)
    return default_reserve(sheet) if asked is None else asked


def budget_of(subject: Subject, sheet: DeviceSheet) -> int:
    """What this program may hold on a device: min(limit, free − reserve)."""
    free = sheet.free + sheet.held - reserve_of(subject, sheet)
    return max(0, min(limits_of(subject).get(sheet.id, free), free))


def used_by(subject: Subject) -> tuple[DeviceSheet, ...]:
    """The devices of the main one's kind that a spread model may lie on, the main one first."""
    main, named = subject.device, limits_of(subject) if listed(subject.settings) else None
    same = [sheet for sheet in subject.hardware.devices if sheet.type == main.type and sheet != main]
    return (main, *(sheet for sheet in same if named is None or sheet.id in named))


def devices_of(subject: Subject, sizes: Mapping[str, int]) -> dict[str, str]:
    """Part → the device that it lies on when nothing is offloaded."""
    settings, main = subject.settings, subject.device.id
    own = {key.rpartition(".")[0]: value for key, value in settings.component if key.endswith(".device")}
    if settings.spread == Spread.BALANCED:
        rooms = {sheet.id: budget_of(subject, sheet) for sheet in used_by(subject)}
        for name in own:
            if own[name] in rooms:
                rooms[own[name]] -= sizes.get(name, 0)
        free = {name: size for name, size in sizes.items() if name not in own}
        denoisers = [part.name for part in subject.parts if part.role == "denoiser"]
        own = share_out(free, rooms, main, denoisers) | own
    elif settings.spread == Spread.CUSTOM:
        own |= {name: place for name, place in device_map_of(subject) if "." not in name}
    return {name: own.get(name, main) for name in sizes}


def held_by(subject: Subject, sizes: Mapping[str, int]) -> dict[str, int]:
    """Place → bytes of weights there when nothing is offloaded. Of parts that a map cuts it is not known."""
    cut = {name.partition(".")[0] for name, _ in device_map_of(subject) if "." in name}
    places, spread = devices_of(subject, sizes), subject.settings.spread
    held: dict[str, int] = {subject.device.id: 0}
    poured = 0  # of denoisers that are split as there is room, the main device first
    for name, size in sizes.items():
        if spread == Spread.AUTO and any(p.name == name and p.role == "denoiser" for p in subject.parts):
            poured += size
        elif spread != Spread.CUSTOM or name not in cut:
            held[places[name]] = held.get(places[name], 0) + size
    for sheet in used_by(subject):
        taken = min(poured, max(0, int(SPLIT_SHARE * budget_of(subject, sheet)) - held.get(sheet.id, 0)))
        held[sheet.id] = held.get(sheet.id, 0) + taken
        poured -= taken
    return held | {"cpu": held.get("cpu", 0) + poured} if poured else held


def share_out(
    sizes: Mapping[str, int], rooms: Mapping[str, int], main: str, heavy: Iterable[str]
) -> dict[str, str]:
    """Part → device, so that all get about equally full of their room; the ``heavy`` ones, which do most of the work,
    on the main device while they fit.

    Every part has a place, also one that is too large for all: how full its device gets then says so. (The libraries'
    own ``balanced`` forgets such parts without a word.)
    """
    filled: Counter[str] = Counter()
    found = {}
    first = [name for name in heavy if name in sizes]
    rest = sorted((name for name in sizes if name not in first), key=lambda name: -sizes[name])
    for name in (*first, *rest):
        after = {device: (filled[device] + sizes[name]) / max(1, room) for device, room in rooms.items()}
        there = (
            main
            if name in first and after.get(main, 2) <= 1
            else min(after, key=lambda device: after[device])
        )
        found[name] = there
        filled[there] += sizes[name]
    return found


def fullest(held: Mapping[str, int], rooms: Mapping[str, int], main: str) -> str:
    """The device whose room these bytes fill most; the main one where nothing is held."""
    shares = {device: size / max(1, rooms.get(device, 0)) for device, size in held.items()}
    return max(shares, key=lambda device: (shares[device], device == main), default=main)

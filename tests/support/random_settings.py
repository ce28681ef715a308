"""Memory settings at random, from their own declarations: every control with values that its check takes. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from app.core.knobs import Knob, KnobKind, check, knobs_of
from app.core.memory import MemorySettings

KNOBS = knobs_of(MemorySettings)


def draw(
    random: Random, parts: Sequence[str], devices: Sequence[str], leave: Sequence[str] = ()
) -> MemorySettings:
    """Two to seven controls set to something; those in ``leave`` stay as they are. A custom map comes with its
    spread."""
    names = [name for name in KNOBS if name not in leave]
    chosen = random.sample(names, random.randint(2, 7))
    if "device_map" in chosen and "spread" in names and random.random() < 0.8:
        chosen = [*dict.fromkeys([*chosen, "spread"])]
    values: dict[str, Any] = {name: _value(random, name, KNOBS[name], parts, devices) for name in chosen}
    if "device_map" in values and "spread" in values:
        values["spread"] = "custom"
    return MemorySettings(**{name: check(name, KNOBS[name], value) for name, value in values.items()})


def _value(random: Random, name: str, known: Knob, parts: Sequence[str], devices: Sequence[str]) -> Any:
    places = [*devices, "cpu", "disk", "cuda:9"]
    match known.kind:
        case KnobKind.CHOICE:
            return random.choice([choice for choice, _ in known.choices])
        case KnobKind.DEVICE:
            return random.choice(["auto", *devices, "cpu"])
        case KnobKind.SIZE:
            return _size(random, known, devices)
        case KnobKind.WHOLE:
            return (
                random.choice([1, 2, 3, 40, 64])
                if name == "group_blocks"
                else random.choice([0, 8, 44, 64, 512])
            )
        case KnobKind.NUMBER:
            return known.low + random.random() * (min(known.high, 100) - known.low)
        case KnobKind.LIST:
            return random.choice(["norm", "Linear", "norm,attn", "nowhere"])
        case KnobKind.MAP:
            named = random.sample(list(parts), random.randint(1, len(parts)))
            return json.dumps({part: random.choice(places) for part in named})
        case KnobKind.PARTS:
            part, field = random.choice([*parts, "nobody"]), random.choice(list(known.parts))
            return {f"{part}.{field}": _value(random, field, known.parts[field], parts, devices)}
    return ""


def _size(random: Random, known: Knob, devices: Sequence[str]) -> str:
    if known.per_device and random.random() < 0.4:
        named = random.sample([*devices, "cpu"], random.randint(1, len(devices) + 1))
        return ",".join(f"{device}={random.choice(['1GiB', '6GiB', '40GiB'])}" for device in named)
    return random.choice(["auto", "500MiB", "8GiB", "50%", "90%"])

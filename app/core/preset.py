"""A preset is a name and overrides of MemorySettings, in JSON, shipped or the person's, read by the same loader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.core.errors import AppError, ErrorKind
from app.core.knobs import check, knobs_of
from app.core.memory import MemorySettings
from app.core.text import Text, say

GOALS = ("fit", "speed", "memory")
# The shipped presets' words stand here so that lupdate finds them; their JSON holds the same sources (tested).
WORDS: Mapping[str, tuple[Text, Text]] = {
    "fits": (
        say("core", "Fits my GPU"),
        say("core", "The fastest way that fits and keeps the picture exact, before ways that change it."),
    ),
    "fastest": (say("core", "Fastest"), say("core", "All on the GPU if the weights fit there at all.")),
    "lowest": (
        say("core", "Lowest VRAM"),
        say("core", "As little GPU memory as possible, however slow; tiles may leave faint seams."),
    ),
}


@dataclass(frozen=True)
class Preset:
    """``goal`` says what the planner prefers among ``auto`` values; ``overrides`` are fixed values."""

    id: str
    name: str
    goal: str = "fit"
    overrides: tuple[tuple[str, Any], ...] = ()

    @property
    def label(self) -> Text:
        """Its name, translatable for the shipped ones."""
        return WORDS[self.id][0] if self.id in WORDS else Text(self.name)


def preset_from_json(identity: str, data: Mapping[str, Any]) -> Preset:
    """A checked preset. Raises SETTING_INVALID or SETTING_UNKNOWN naming what is wrong."""
    name, goal, memory = data.get("name"), data.get("goal", "fit"), data.get("memory", {})
    if not isinstance(name, str) or not name.strip():
        raise AppError(ErrorKind.SETTING_INVALID, name="name", value=str(name)[:80], allowed="")
    if goal not in GOALS:
        raise AppError(ErrorKind.SETTING_INVALID, name="goal", value=str(goal)[:80], allowed=", ".join(GOALS))
    if not isinstance(memory, dict):
        raise AppError(ErrorKind.SETTING_INVALID, name="memory", value=str(memory)[:80], allowed="")
    known = knobs_of(MemorySettings)
    for key in memory:
        if key not in known:
            raise AppError(ErrorKind.SETTING_UNKNOWN, name=str(key)[:80], known=", ".join(known))
    overrides = tuple(sorted((key, check(key, known[key], value)) for key, value in memory.items()))
    return Preset(identity, name, goal, overrides)


def apply(preset: Preset, settings: MemorySettings) -> MemorySettings:
    """The settings with the preset's values put over them; device and limits stay the person's."""
    return replace(settings, **dict(preset.overrides))

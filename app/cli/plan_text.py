"""A plan as lines of text: its values by the names of the settings, and where each part of the model lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.core.model_file import ModelInfo
from app.core.places import places
from app.core.plan import Plan, plan_to_json
from app.core.units import gib

_GROUP_NAMES = {"blocks": "group_blocks", "disk_folder": "disk_folder"}
_NOT_SHOWN = ("estimate", "reasons", "settings_json", "overrides", "device_map", "group")
_BYTES = ("memory_limit", "reserve")


def plan_lines(plan: Plan, model: ModelInfo) -> Iterator[str]:
    """Name and value, one a line; then the parts."""
    data = plan_to_json(plan)
    values = {name: value for name, value in data.items() if name not in _NOT_SHOWN}
    values |= {_GROUP_NAMES.get(name, name): value for name, value in data["group"].items()}
    for name, value in values.items():
        yield f"{name:20} {_words(name, value)}"
    yield "Where things lie:"
    for name, place in places(plan, model.components):
        yield f"  {name:18} {place}"


def _words(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if name in _BYTES and value is not None:
        return gib(value)
    if name == "limits":
        return ", ".join(f"{device}={gib(size)}" for device, size in value) or "none"
    if name == "keep_loaded":
        return f"{value:g} min"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value) or "none"
    return "none" if value in (None, "") else str(value)

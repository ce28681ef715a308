"""A plan as lines of text: its values by the labels of the settings, and where each part of the model lies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from app.core.estimate import Need
from app.core.knobs import knobs_of
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.places import places
from app.core.plan import OffloadMode, Plan, plan_to_json
from app.core.units import GIB, gib

_SETTING = {"memory_limit": "max_memory", "blocks": "group_blocks"}
"""Fields of a plan that are called otherwise than their setting."""
_OTHERS = {
    "family": "Family",
    "storage_components": "fp8 storage of",
    "quantized_components": "Quantization of",
    "adapted_components": "LoRA files in",
    "limits": "Limits",
    "sequence_length": "Tokens of the prompt",
}
"""Labels of what is no setting of its own."""
_NOT_SHOWN = ("estimate", "reasons", "settings_json", "overrides", "device_map", "group")
_BYTES = ("memory_limit", "reserve")
_GROUPED = (OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF)


def plan_lines(plan: Plan, model: ModelInfo) -> Iterator[str]:
    """Label and value, one a line, of all that acts; then the parts."""
    data = plan_to_json(plan)
    values = {name: value for name, value in data.items() if name not in _NOT_SHOWN}
    if plan.offload in _GROUPED or any(part.offload in _GROUPED for part in plan.overrides):
        values |= data["group"]
    if not plan.vae_tiling:
        del values["vae_tile_size"], values["vae_tile_overlap"]
    for name, value in values.items():
        if value not in (None, "", 0, (), []) or isinstance(value, bool):
            yield f"{_label(name):20} {_words(name, value)}"
    yield "Where things lie:"
    for name, place in places(plan, model.components):
        yield f"  {name:18} {place}"


def need_lines(need: Need | None) -> Iterator[str]:
    """Each device's most in each phase."""
    if need is not None:
        yield "At most, phase by phase:"
        for device, phases in need.peaks.items():
            words = ", ".join(f"{phase} {gib(size)}" for phase, size in phases.items())
            yield f"  {device:18} {words}"


def need_json(need: Need | None) -> dict[str, Any]:
    """The same as numbers, in GiB; null where it is not known."""
    if need is None:
        return dict.fromkeys(("peak_gib", "loaded_gib", "moved_gib_per_step"))
    return {
        "peak_gib": {
            device: {phase: _in_gib(size) for phase, size in {**phases, "all": need.peak(device)}.items()}
            for device, phases in need.peaks.items()
        },
        "loaded_gib": {device: _in_gib(size) for device, size in need.loaded.items()},
        "moved_gib_per_step": _in_gib(need.moved),
    }


def _in_gib(size: int) -> float:
    return round(size / GIB, 6)


def _label(name: str) -> str:
    found = knobs_of(MemorySettings).get(_SETTING.get(name, name))
    return str(found.label) if found is not None else _OTHERS[name]


def _words(name: str, value: Any) -> str:
    knob = knobs_of(MemorySettings).get(_SETTING.get(name, name))
    if isinstance(value, bool):
        return "on" if value else "off"
    if name in _BYTES:
        return gib(value)
    if name == "limits":
        return ", ".join(f"{device}={gib(size)}" for device, size in value)
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    if knob is not None and value in dict(knob.choices):
        return str(dict(knob.choices)[value]).split(":")[0]
    unit = f" {knob.unit}" if knob is not None and knob.unit is not None else ""
    return f"{value:g}{unit}" if isinstance(value, int | float) else str(value)

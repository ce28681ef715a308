"""Which settings have no effect under a plan, and why. Nothing is refused here: that is what ``rules`` are for."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.memory import MemorySettings
from app.core.model_file import ComponentInfo
from app.core.plan import Plan, Spread, Storage
from app.core.text import Text, say

_NEEDS_GROUP = say("core", "It acts only while groups are offloaded.")


def idle(plan: Plan, settings: MemorySettings, parts: Iterable[ComponentInfo]) -> dict[str, Text]:
    """Field → why its value makes no difference now, whatever it is."""
    places = [plan.placement(part.name) for part in parts if part.numbers]
    found: dict[str, Text] = {}
    if not any(place.offload.is_group for place in places):
        found["non_blocking"] = _NEEDS_GROUP
        found["group_blocks"] = _NEEDS_GROUP
    if settings.disk_offload != "on":
        found["disk_folder"] = say("core", "It acts only with offload to disk.")
    if not any(place.storage is not Storage.NONE for place in places):
        for name in ("skip_modules", "skip_classes"):
            found[name] = say("core", "It acts only with fp8 storage.")
    if plan.vae_endpoint:
        line = say("core", "A server decodes: nothing is decoded here.")
        for name in ("vae_tiling", "vae_slicing", "vae_tile_size", "vae_tile_overlap"):
            found[name] = line
    elif not plan.vae_tiling:
        for name in ("vae_tile_size", "vae_tile_overlap"):
            found[name] = say("core", "It acts only while the VAE works in tiles.")
    if plan.spread is not Spread.CUSTOM:
        found["device_map"] = say("core", "It acts only with the custom map.")
    return found

"""What the prompt panel holds, as one frozen value that is remembered between starts; no widgets here."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from app.core.errors import AppError
from app.core.request import (
    COUNT_MAX,
    FPS_MAX,
    FRAMES_MAX,
    LORA_WEIGHT_MAX,
    PROMPT_MAX,
    SEED_MAX,
    GenerationRequest,
    Limits,
    Lora,
    Size,
    loras_from_json,
    snap,
)

ASPECTS: tuple[tuple[int, int], ...] = ((1, 1), (4, 3), (3, 4), (16, 9), (9, 16), (3, 2), (2, 3))


@dataclass(frozen=True, kw_only=True)
class Values:
    """The request as it stands in the panel. ``seed`` None: what was typed is no seed."""

    prompt: str = ""
    negative: str = ""
    width: int = 1024
    height: int = 1024
    steps: int = 30
    guidance: float = 5.0
    seed: int | None = 0
    seed_locked: bool = False
    count: int = 1
    frames: int = 0
    """Of a clip, and how many a second: 0 are the model's own."""
    fps: float = 0
    loras: tuple[Lora, ...] = ()

    def request(self, model: str, limits: Limits) -> GenerationRequest:
        """What will be asked of the engine; an invalid seed reads as 0, since the panel refuses it before."""
        return GenerationRequest(
            model=model,
            prompt=self.prompt,
            negative=self.negative,
            width=self.width,
            height=self.height,
            steps=self.steps,
            guidance=self.guidance,
            seed=self.seed or 0,
            count=self.count,
            task=limits.tasks[0],
            frames=(self.frames or limits.frames) if limits.makes_clips else 1,
            fps=(self.fps or limits.fps) if limits.makes_clips else 0,
            strength=limits.strength,
            loras=self.loras,
        )


def values_of(request: GenerationRequest) -> Values:
    """A finished job's request as panel values; its seed is locked, so that Generate makes the same picture."""
    return Values(
        prompt=request.prompt,
        negative=request.negative,
        width=request.width,
        height=request.height,
        steps=request.steps,
        guidance=request.guidance,
        seed=request.seed,
        seed_locked=True,
        count=request.count,
        frames=request.frames if request.frames > 1 else 0,
        fps=request.fps,
        loras=request.loras,
    )


def draw_seed() -> int:
    """A fresh seed. Below 2³² since other programs that read our files may keep no more."""
    return secrets.randbelow(2**32)


def values_to_json(values: Values) -> dict[str, Any]:
    """For the settings file. A seed above 2⁵³ survives: Python's JSON keeps whole numbers exact.

    Frames and their rate are left out where they are the model's own: a request has no such value.
    """
    data = asdict(values) | {"loras": [asdict(lora) for lora in values.loras]}
    return {name: value for name, value in data.items() if value or name not in ("frames", "fps", "loras")}


def values_from_json(data: Mapping[str, Any], start: Values) -> Values:
    """Values from the settings file; what is missing, of a wrong type or out of range comes from ``start``."""
    merged = {field.name: getattr(start, field.name) for field in fields(Values)}
    for field in fields(Values):
        if field.name in data and _fits(field.name, data[field.name]):
            merged[field.name] = data[field.name]
    if not isinstance(merged["loras"], tuple):
        merged["loras"] = loras_from_json(merged["loras"])
    return Values(**merged)


def _fits(name: str, value: Any) -> bool:
    if name in ("prompt", "negative"):
        return isinstance(value, str) and len(value) <= PROMPT_MAX
    if name == "loras":
        return isinstance(value, list | tuple) and all(_is_lora(item) for item in value)
    if name == "seed_locked":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    high = {
        "width": 2**16,
        "height": 2**16,
        "steps": 10_000,
        "guidance": 1000,
        "seed": SEED_MAX,
        "count": COUNT_MAX,
        "frames": FRAMES_MAX,
        "fps": FPS_MAX,
    }
    low = 0 if name in ("seed", "guidance", "frames", "fps") else 1
    return low <= value <= high[name] and (name in ("guidance", "fps") or isinstance(value, int))


def _is_lora(item: Any) -> bool:
    try:
        return abs(loras_from_json([item])[0].weight) <= LORA_WEIGHT_MAX
    except AppError:
        return False


def aspect_size(aspect: tuple[int, int], limits: Limits) -> Size:
    """The size of that shape with the model's native area, in steps of the model's factor."""
    across, down = aspect
    scale = math.sqrt(limits.width * limits.height / (across * down))
    return Size(snap(round(across * scale), limits), snap(round(down * scale), limits))


def aspect_of(size: Size, limits: Limits) -> tuple[int, int] | None:
    """The named shape that gives exactly this size, if one does."""
    return next((aspect for aspect in ASPECTS if aspect_size(aspect, limits) == size), None)

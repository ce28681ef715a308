"""From a decoded picture to a file, through media: checked, named, written, read back. Knows no torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.messages import Run
from app.media.check import to_pixels
from app.media.clip import write_clip
from app.media.metadata import PictureInfo
from app.media.names import target_of
from app.media.png import write_png


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What made a picture, besides its request and plan."""

    model: str
    sampler: str
    versions: tuple[tuple[str, str], ...]


def write_result(run: Run, index: int, picture: Any, origin: Origin) -> Path:
    """Writes picture or clip ``index`` of a job, float RGB in 0 … 1; raises AppError and leaves nothing otherwise."""
    info = PictureInfo(
        request=run.request,
        plan=run.plan,
        seed=run.request.seed_of(index),
        index=index,
        model=origin.model,
        sampler=origin.sampler,
        versions=origin.versions,
    )
    pixels, target = to_pixels(picture), target_of(run.output, run.request, index)
    return (
        write_clip(pixels, run.request.fps, target, info)
        if pixels.ndim == 4
        else write_png(pixels, target, info)
    )

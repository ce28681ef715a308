"""The pictures and clips that a request begins from, opened as the viewer opens them. Knows no torch."""

from __future__ import annotations

from pathlib import Path

from app.core.family import Media
from app.core.request import GenerationRequest
from app.core.text import Text, say
from app.media.clip import read_clip
from app.media.open import open_picture


def open_media(request: GenerationRequest) -> Media:
    """Everything that the request names; raises AppError for what is no picture or clip."""
    return Media(
        image=open_picture(Path(request.image)) if request.image else None,
        mask=open_picture(Path(request.mask)).convert("L") if request.mask else None,
        video=read_clip(Path(request.video), request.frames).frames if request.video else (),
    )


def shorter_than_asked(request: GenerationRequest, media: Media) -> Text | None:
    """What is said when the given clip ends before the one that is made of it."""
    if not request.video or len(media.video) >= request.frames:
        return None
    line = say(
        "core",
        "The given clip has {given} frames and {asked} are made: its last one stands still for the rest.",
    )
    return line.of(given=len(media.video), asked=request.frames)

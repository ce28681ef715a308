"""The pictures and clips that a request begins from, opened as the viewer opens them. Knows no torch."""

from __future__ import annotations

from pathlib import Path

from app.core.family import Media
from app.core.request import GenerationRequest
from app.media.clip import read_clip
from app.media.open import open_picture


def open_media(request: GenerationRequest) -> Media:
    """Everything that the request names; raises AppError for what is no picture or clip."""
    return Media(
        image=open_picture(Path(request.image)) if request.image else None,
        mask=open_picture(Path(request.mask)).convert("L") if request.mask else None,
        video=read_clip(Path(request.video), request.frames).frames if request.video else (),
    )

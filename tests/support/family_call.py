"""Runs a pipeline as the engine does: encode, denoise and decode of its family, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from app.core.family import Family, Media
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest


@dataclass
class Call:
    """What came out, and what was told on the way."""

    picture: Any = None
    latents: Any = None
    steps: list[int] = field(default_factory=list)
    shown: list[torch.Tensor] = field(default_factory=list)


def call(
    family: Family,
    pipe: Any,
    request: GenerationRequest,
    media: Media | None = None,
    *,
    picture: int = 0,
    sequence_length: int = 0,
) -> Call:
    """One picture or clip of ``request`` on the CPU."""
    plan = Plan(family=family.id, device="cpu", dtype=Dtype.FLOAT32, sequence_length=sequence_length)
    media, made = media or Media(), Call()

    def report(step: int, latents: Any) -> None:
        made.steps.append(step)
        made.shown.append(latents)

    with torch.no_grad():
        embeds = family.encode(pipe, request, plan, media)
        made.latents = family.denoise(pipe, request, picture, embeds, media, report)
        made.picture = family.decode(pipe, request, made.latents)
    return made

"""Runs a clip family's split call in memory beside the bare pipeline called whole; holds no expectations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from PIL import Image

from app.core.family import Family, Media
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest

REQUEST = GenerationRequest(
    model="m", prompt="a red cat", width=48, height=32, steps=2, guidance=4.0, seed=7, frames=9,
    task="text-to-video", strength=0.6,
)  # fmt: skip


def noisy_picture(seed: int = 0, size: tuple[int, int] = (48, 32)) -> Image.Image:
    """A picture of noise."""
    width, height = size
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def noisy_clip(frames: int, size: tuple[int, int] = (48, 32)) -> tuple[Image.Image, ...]:
    """Frames of noise, all different."""
    return tuple(noisy_picture(number, size) for number in range(frames))


class Split:
    """encode, denoise, decode of a family, as the engine calls them, with what ``report`` was told."""

    def __init__(self, family: Family, parts: Mapping[str, Any], task: str) -> None:
        self.family, self.pipe = family, family.build(parts, task)
        self.told: list[tuple[int, torch.Tensor]] = []

    def __call__(
        self, request: GenerationRequest, media: Media | None = None, picture: int = 0, **plan: Any
    ) -> Any:
        """The frames of one clip as an array (frames, height, width, 3)."""
        self.told.clear()
        media = media or Media()
        how = Plan(**({"family": self.family.id, "device": "cpu", "dtype": Dtype.FLOAT32} | plan))
        with torch.no_grad():
            embeds = self.family.encode(self.pipe, request, how, media)
            latents = self.family.denoise(
                self.pipe,
                request,
                picture,
                embeds,
                media,
                lambda step, shown: self.told.append((step, shown)),
            )
            return self.family.decode(self.pipe, request, latents)


def whole(pipe: Any, request: GenerationRequest, picture: int = 0, **changes: Any) -> Any:
    """The same from the bare pipeline."""
    arguments = {
        "prompt": request.prompt, "negative_prompt": request.negative or None, "width": request.width,
        "height": request.height, "num_frames": request.frames, "num_inference_steps": request.steps,
        "guidance_scale": request.guidance, "output_type": "np",
        "generator": torch.Generator("cpu").manual_seed(request.seed_of(picture)),
    }  # fmt: skip
    chosen = {name: value for name, value in (arguments | changes).items() if value is not None}
    pipe.set_progress_bar_config(disable=True)
    return pipe(**chosen).frames[0]

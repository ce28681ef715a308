"""One small model in this process with LoRA files put into it as the engine does, and what comes out as numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from app.core.family import Media
from app.core.lora_file import fit_loras
from app.core.model_file import read_model
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, Lora
from app.engine.keeper import Keeper
from app.engine.scratch import Scratch
from app.families import all_families


class LoraBench:
    """Keeps what is loaded between runs; ``loaded`` names what the last one read."""

    def __init__(self, model: Path, scratch: Path, device: str = "cpu") -> None:
        self.families = all_families()
        self.info = read_model(model, self.families)
        self.family = self.families[self.info.family]
        self.plan = Plan(family=self.family.id, device=device, dtype=Dtype.FLOAT32)
        self.keeper = Keeper(Scratch(scratch))
        self.loaded: tuple[str, ...] = ()
        self.present = tuple(part.name for part in self.info.components if part.numbers)

    def request(self, *loras: Lora | Path, side: int = 64) -> GenerationRequest:
        """A picture, or a clip of a few frames, in one step."""
        limits = self.info.limits
        return GenerationRequest(
            model=str(self.info.path), prompt="a red cat", width=side, height=side, steps=1, guidance=4.0, seed=7,
            task=limits.tasks[0], frames=min(5, limits.frames_max), fps=limits.fps,
            loras=tuple(lora if isinstance(lora, Lora) else Lora(str(lora)) for lora in loras),
        )  # fmt: skip

    def run(self, *loras: Lora | Path, **changes: Any) -> np.ndarray:
        """What the model makes with these files under a plan with these changes."""
        request, plan = self.request(*loras), replace(self.plan, **changes)
        fits = fit_loras(request.loras, self.info, self.families)
        with torch.no_grad():
            pipe, self.loaded = self.keeper.obtain(
                self.info, plan, self.family, request.task, lambda *_: None, lambda: None, fits
            )
            embeds = self.family.encode(pipe, request, plan, Media())
            latents = self.family.denoise(pipe, request, 0, embeds, Media(), lambda *_: None)
            return self.family.decode(pipe, request, latents)

    def lora_layers(self) -> set[int]:
        """The identities of the LoRA layers' weights in what is loaded."""
        return {id(weight) for weight in self._lora_weights()}

    def lora_formats(self) -> set[torch.dtype]:
        """Their formats."""
        return {weight.dtype for weight in self._lora_weights()}

    def _lora_weights(self) -> Iterator[torch.nn.Parameter]:
        kept = self.keeper._kept
        for model in kept.parts.values() if kept is not None else ():
            if isinstance(model, torch.nn.Module):
                yield from (weight for name, weight in model.named_parameters() if "lora_" in name)


@contextmanager
def lora_bench(model: Path, device: str = "cpu") -> Iterator[LoraBench]:
    """A bench that gives back all it holds at the end."""
    with tempfile.TemporaryDirectory(prefix="loras-") as scratch:
        bench = LoraBench(model, Path(scratch), device)
        yield bench
        bench.keeper.drop()

"""Trains the demo model's text encoders alone, before the denoiser: each attribute of a caption must be readable.

Small linear heads, thrown away afterwards, read shape, colours, size and place from what the UNet will be given. A
UNet that starts with encoders of random weights spends most of its time on finding out what the words mean.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import model
import scenes
import tokens
from schedule import Log

if TYPE_CHECKING:
    import torch

PEAK_RATE = 1e-3
BATCH = 48
WARM_UP = 50
LOG_EVERY = 50
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "shape": tuple(scenes.SHAPES),
    "colour": tuple(scenes.COLOURS),
    "background": tuple(scenes.COLOURS),
    "size": tuple(scenes.SIZES),
    "position": tuple(scenes.POSITIONS),
}


def train(parts: model.Parts, steps: int, seed: int, folder: Path) -> None:
    """So many steps on captions of random scenes; the encoders are changed in place."""
    import torch

    torch.manual_seed(seed)
    sampler = scenes.Sampler(random.Random(seed), scenes.held_out_triples())
    rng, log = random.Random(seed), Log(folder / "text.log")
    heads = _heads()
    encoders = [parts.text_encoder.train(), parts.text_encoder_2.train()]
    parameters = [weight for module in (*encoders, heads) for weight in module.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=PEAK_RATE, weight_decay=1e-4)
    for step in range(steps):
        rate = PEAK_RATE * min(1.0, (step + 1) / WARM_UP) * (1 - 0.95 * step / steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        batch = [sampler.scene() for _ in range(BATCH)]
        loss, right = _loss(parts, heads, batch, [scenes.caption(scene, rng) for scene in batch])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if step % LOG_EVERY == 0 or step == steps - 1:
            log.write(step=step, loss=loss.item(), **right)


def _heads() -> torch.nn.ModuleDict:
    """Two for each attribute: one reads the pooled vector, one the sequence at and behind the caption's end."""
    from torch import nn

    widths = {"pooled": model.WIDTH, "sequence": 2 * model.WIDTH}
    return nn.ModuleDict(
        {
            f"{place}_{name}": nn.Linear(width, len(values))
            for name, values in ATTRIBUTES.items()
            for place, width in widths.items()
        }
    )


def _loss(
    parts: model.Parts, heads: torch.nn.ModuleDict, batch: list[scenes.Scene], texts: list[str]
) -> tuple[torch.Tensor, dict[str, float]]:
    """The heads' summed cross entropy, and the share of each attribute that the pooled vector tells."""
    import torch
    import torch.nn.functional as F

    sequence, pooled = model.embed(parts, texts)
    lengths = [len(ids) for ids in parts.tokenizer(texts).input_ids]
    rows = torch.arange(len(texts))
    ends = torch.tensor([min(length, tokens.LENGTH) - 1 for length in lengths])
    read = (
        ("pooled", pooled),
        ("sequence", sequence[rows, ends]),
        ("sequence", sequence[:, tokens.LENGTH // 2]),
    )
    total, right = torch.zeros(()), {}
    for name, values in ATTRIBUTES.items():
        wanted = torch.tensor([values.index(getattr(scene, name)) for scene in batch])
        for place, vector in read:
            told = heads[f"{place}_{name}"](vector)
            total = total + F.cross_entropy(told, wanted)
            if place == "pooled":
                right[name] = (told.argmax(1) == wanted).float().mean().item()
    return total, right

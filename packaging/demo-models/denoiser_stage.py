"""Trains the demo model's UNet and both text encoders together on cached latents.

The UNet is conditioned exactly as the pipeline conditions it. Of the captions a few are taken away: most of
those become the zeros that the pipeline feeds for an empty negative prompt, the rest an encoded empty or
meaningless text, so that a negative prompt that is given works too.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import model
import scenes
import vae_stage
from muon import Muon
from schedule import Average, Clock, Log, set_learning_rate

if TYPE_CHECKING:
    import torch
    from diffusers import AutoencoderKL

PEAK_RATE = 1e-3
BATCH = 24
ENCODE_BATCH = 8
LOG_EVERY = 100
ZEROED = 0.08  # share of captions whose embeddings become zeros
EMPTIED = 0.02  # share that become the embedding of an empty text
MEANINGLESS = 0.02  # share that become random letters
CLUTTERED = 0.05  # share that get random words before or after
BARE = 0.03  # share that name no background
OTHER_SIZES = 0.1  # share with other numbers of size and crop, so that other sizes do no harm
SNR_LIMIT = 5.0  # signal-to-noise above which a step counts less: it only polishes
LETTERS = "abcdefghijklmnopqrstuvwxyzäéñøçжшλ日本,.-1234"

Score = Callable[[model.Parts], dict[str, float]]


@dataclass
class Cache:
    """What the denoiser learns from: scenes and the means of their latents, scaled as the UNet sees them."""

    scenes: list[scenes.Scene]
    latents: torch.Tensor
    pictures: torch.Tensor  # box-averaged to the latents' size, -1..1


def build_cache(vae: AutoencoderKL, count: int, seed: int) -> Cache:
    """Draw and encode so many scenes."""
    import torch
    import torch.nn.functional as F

    sampler = scenes.Sampler(random.Random(seed), scenes.held_out_triples())
    drawn: list[scenes.Scene] = []
    latents, small = [], []
    with torch.inference_mode():
        while len(drawn) < count:
            pairs = list(sampler.examples(ENCODE_BATCH))
            pictures = torch.cat([vae_stage.to_tensor(picture[None]) for _, picture in pairs])
            mean = vae.encode(pictures).latent_dist.mean * vae.config.scaling_factor
            drawn += [scene for scene, _ in pairs]
            latents.append(mean.half())
            small.append(F.avg_pool2d(pictures, 8).half())
    return Cache(drawn, torch.cat(latents), torch.cat(small))


def cached(vae: AutoencoderKL, count: int, seed: int, file: Path) -> Cache:
    """The cache of an earlier run with this autoencoder, or a new one, which is kept in the file."""
    import torch

    weights = vae.state_dict()
    mark = [count, seed, float(sum(tensor.double().abs().sum() for tensor in weights.values()))]
    if file.is_file():
        kept = torch.load(file, weights_only=True)
        if kept["mark"] == mark:
            return Cache(
                [scenes.Scene(*words) for words in kept["scenes"]], kept["latents"], kept["pictures"]
            )
    cache = build_cache(vae, count, seed)
    words = [(s.shape, s.colour, s.background, s.size, s.position) for s in cache.scenes]
    torch.save({"mark": mark, "scenes": words, "latents": cache.latents, "pictures": cache.pictures}, file)
    return cache


def captions(batch: list[scenes.Scene], rng: random.Random) -> list[str]:
    """A new caption of every scene, some of them bare, cluttered, meaningless or empty."""
    return [_caption(scene, rng) for scene in batch]


def _caption(scene: scenes.Scene, rng: random.Random) -> str:
    kind = rng.random()
    if kind < EMPTIED:
        return ""
    kind -= EMPTIED
    if kind < MEANINGLESS:
        return _clutter(rng)
    kind -= MEANINGLESS
    if kind < BARE:
        return scenes.caption(scene, rng, "{a} {size} {colour} {shape} {position}")
    text = scenes.caption(scene, rng)
    if kind - BARE < CLUTTERED:
        return f"{_clutter(rng)}, {text}" if rng.random() < 0.5 else f"{text}, {_clutter(rng)}"
    return text


def _clutter(rng: random.Random) -> str:
    """One to four words of random letters."""
    return " ".join("".join(rng.choices(LETTERS, k=rng.randint(2, 8))) for _ in range(rng.randint(1, 4)))


def time_ids(count: int, rng: random.Random) -> torch.Tensor:
    """The six numbers of size and crop: nearly always those of a plain 128 px picture."""
    import torch

    rows = [list(model.TIME_IDS) for _ in range(count)]
    for row in rows:
        if rng.random() < OTHER_SIZES:
            row[:] = [rng.randrange(64, 1025, 8) for _ in range(2)] + [0, 0] + row[4:]
            row[4:] = [rng.randrange(64, 257, 8) for _ in range(2)]
    return torch.tensor(rows, dtype=torch.float32)


class Trainer:
    """One run of the second stage."""

    def __init__(self, parts: model.Parts, vae: AutoencoderKL, cache: Cache, seed: int) -> None:
        import torch

        self.parts, self.cache = parts, cache
        self.rng = random.Random(seed)
        self.noise_std = vae_stage.POSTERIOR_STD * vae.config.scaling_factor
        self.signal = model.scheduler().alphas_cumprod.sqrt()
        self.parameters = [p for module in parts.modules().values() for p in module.parameters()]
        self.optimizers = optimizers(parts)
        self.average = Average(parts.modules(), 0.998)
        torch.manual_seed(seed)

    def run(self, minutes: float, score_minutes: float, score: Score, log: Log) -> None:
        """Train until the time is up; score the averaged weights every so often and at the end."""
        clock, losses, scored = Clock(minutes), [], 0
        while clock.running():
            for optimizer in self.optimizers:
                set_learning_rate(optimizer, clock.learning_rate(PEAK_RATE))
            losses.append(self.step())
            self.average.update()
            if clock.step % LOG_EVERY == 0:
                log.write(step=clock.step, seconds=round(clock.elapsed), loss=sum(losses) / len(losses))
                losses.clear()
            if clock.elapsed > (scored + 1) * score_minutes * 60:
                scored += 1
                self._score(score, log, clock)
        self._score(score, log, clock)
        self.average.swap()

    def _score(self, score: Score, log: Log, clock: Clock) -> None:
        self.average.swap()
        log.write(step=clock.step, seconds=round(clock.elapsed), **score(self.parts))
        self.average.swap()

    def step(self) -> float:
        """One step of the optimizers; the loss."""
        import torch

        loss = self.loss()
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
        return loss.item()

    def loss(self) -> torch.Tensor:
        """The error of the predicted velocity over one batch of random noise levels."""
        import torch

        chosen = torch.randint(0, len(self.cache.scenes), (BATCH,))
        clean = self.cache.latents[chosen].float()
        clean = clean + self.noise_std * torch.randn_like(clean)
        # one noise level from each of BATCH equal stretches: every batch sees all of them
        levels = ((torch.arange(BATCH) + torch.rand(BATCH)) * (1000 / BATCH)).long()
        signal = self.signal[levels][:, None, None, None]
        spread = (1 - signal.square()).sqrt()
        noise = torch.randn_like(clean)
        predicted = self._predict(signal * clean + spread * noise, levels, chosen.tolist())
        error = (predicted - (signal * noise - spread * clean)).square().mean((1, 2, 3))
        ratio = (signal / spread).square().flatten()
        return (error * (SNR_LIMIT / (ratio + 1)).clamp(max=1)).mean()

    def _predict(self, noisy: torch.Tensor, levels: torch.Tensor, chosen: list[int]) -> torch.Tensor:
        import torch

        texts = captions([self.cache.scenes[index] for index in chosen], self.rng)
        sequence, pooled = model.embed(self.parts, texts)
        kept = (torch.rand(BATCH) >= ZEROED).float()
        added = {"text_embeds": pooled * kept[:, None], "time_ids": time_ids(BATCH, self.rng)}
        return self.parts.unet(
            noisy,
            levels,
            encoder_hidden_states=sequence * kept[:, None, None],
            added_cond_kwargs=added,
        ).sample


def optimizers(parts: model.Parts) -> list[torch.optim.Optimizer]:
    """Muon for the UNet's inner matrices and convolutions; Adam for its rims, all vectors and the text encoders."""
    import torch

    inner, others = [], []
    for name, parameter in parts.unet.named_parameters():
        rim = name.startswith(("conv_in", "conv_out"))
        (inner if parameter.ndim > 1 and not rim else others).append(parameter)
    for encoder in (parts.text_encoder, parts.text_encoder_2):
        others += encoder.parameters()
    adam = torch.optim.AdamW(others, lr=PEAK_RATE, betas=(0.9, 0.99), weight_decay=1e-4)
    return [Muon(inner, PEAK_RATE, 0.01), adam]


def preview_map(cache: Cache) -> dict[str, list]:
    """The least-squares linear map from latents to colours, for previews of unfinished pictures."""
    import torch

    latents = cache.latents[:2048].float().permute(0, 2, 3, 1).reshape(-1, vae_stage.CHANNELS)
    colours = cache.pictures[:2048].float().permute(0, 2, 3, 1).reshape(-1, 3)
    ones = torch.ones(len(latents), 1)
    solution = torch.linalg.lstsq(torch.cat([latents, ones], dim=1), colours).solution
    rounded = [[round(value, 4) for value in row] for row in solution.tolist()]
    return {"weight": rounded[:-1], "bias": rounded[-1]}


def train(
    parts: model.Parts,
    vae: AutoencoderKL,
    cache: Cache,
    score: Score,
    *,
    minutes: float,
    score_minutes: float,
    seed: int,
    folder: Path,
) -> None:
    """The whole stage; leaves the averaged weights in `parts`."""
    log = Log(folder / "denoiser.log")
    Trainer(parts, vae, cache, seed).run(minutes, score_minutes, score, log)

"""Trains the demo model's AutoencoderKL: 128 px pictures to 16 x 16 x 4 latents and back.

The posterior's variance is fixed, not learned: the rows of `quant_conv` that give it hold no weight, only a
bias. So `sample()` stays next to `mode()`, which image-to-image and inpainting rely on.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scenes
from schedule import Average, Clock, Log, set_learning_rate

if TYPE_CHECKING:
    import torch
    from diffusers import AutoencoderKL

CHANNELS = 4
POSTERIOR_STD = 0.04
EXTRA_NOISE = 0.08  # makes the decoder forgive what the denoiser gets slightly wrong
PEAK_RATE = 5e-4  # 2e-3 does not train
REFINING_RATE = 4e-4
CROP = 64
CROP_BATCH = 8
WHOLE_BATCH = 4
CROPS_UNTIL = 0.75  # of the time; then whole pictures, whose borders and middles crops do not show
EDGE_WEIGHT = 4.0
LOG_EVERY = 100


def build() -> AutoencoderKL:
    """The untrained autoencoder with its variance already fixed."""
    from diffusers import AutoencoderKL

    vae = AutoencoderKL(
        in_channels=3,
        out_channels=3,
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        block_out_channels=(16, 32, 48, 64),
        layers_per_block=1,
        latent_channels=CHANNELS,
        norm_num_groups=8,
        sample_size=scenes.SIDE,
        scaling_factor=1.0,
        force_upcast=False,
    )
    fix_variance(vae)
    return vae


def fix_variance(vae: AutoencoderKL) -> None:
    """Make the posterior's standard deviation POSTERIOR_STD everywhere, and keep it so in training."""
    import torch

    assert vae.quant_conv is not None
    weight, bias = vae.quant_conv.weight, vae.quant_conv.bias
    with torch.no_grad():
        weight[CHANNELS:] = 0
        bias[CHANNELS:] = 2 * math.log(POSTERIOR_STD)
    for parameter in (weight, bias):
        mask = torch.ones_like(parameter)
        mask[CHANNELS:] = 0
        parameter.register_hook(lambda gradient, mask=mask: gradient * mask)


def to_tensor(pictures: np.ndarray) -> torch.Tensor:
    """uint8 pictures (n, height, width, 3) as floats -1..1, channels first."""
    import torch

    return torch.tensor(pictures).permute(0, 3, 1, 2).float() / 127.5 - 1


def draw(sampler: scenes.Sampler, count: int) -> torch.Tensor:
    """A batch of drawn pictures."""
    return to_tensor(np.stack([picture for _, picture in sampler.examples(count)]))


def train(vae: AutoencoderKL, minutes: float, seed: int, folder: Path) -> None:
    """Train for so many minutes, leave the averaged weights in `vae` and equalise its latents."""
    import torch

    rng = random.Random(seed)
    torch.manual_seed(seed)
    sampler = scenes.Sampler(rng, scenes.held_out_triples())
    optimizer = torch.optim.AdamW(vae.parameters(), lr=PEAK_RATE, weight_decay=0)
    average, clock, log = Average({"vae": vae}, 0.995), Clock(minutes), Log(folder / "vae.log")
    while clock.running():
        set_learning_rate(optimizer, clock.learning_rate(PEAK_RATE))
        error = _step(vae, optimizer, _batch(sampler, rng, clock.progress))
        average.update()
        if clock.step % LOG_EVERY == 0:
            log.write(step=clock.step, seconds=round(clock.elapsed), mse=error)
    average.swap()
    equalise(vae, draw(sampler, 128))
    log.write(step=clock.step, seconds=round(clock.elapsed), **measure(vae, draw(sampler, 64)))


def refine_decoder(vae: AutoencoderKL, minutes: float, seed: int, folder: Path) -> None:
    """Train the decoder alone, so that a denoiser that knows the latents stays right."""
    import torch

    rng = random.Random(seed)
    torch.manual_seed(seed)
    sampler = scenes.Sampler(rng, scenes.held_out_triples())
    for module in (vae.encoder, vae.quant_conv):
        module.requires_grad_(False)
    parameters = [p for p in vae.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=REFINING_RATE, weight_decay=0)
    average, clock, log = Average({"vae": vae}, 0.995), Clock(minutes), Log(folder / "decoder.log")
    while clock.running():
        set_learning_rate(optimizer, clock.learning_rate(REFINING_RATE))
        error = _step(vae, optimizer, draw(sampler, WHOLE_BATCH))
        average.update()
        if clock.step % LOG_EVERY == 0:
            log.write(step=clock.step, seconds=round(clock.elapsed), mse=error)
    average.swap()
    log.write(step=clock.step, seconds=round(clock.elapsed), **measure(vae, draw(sampler, 64)))


def _batch(sampler: scenes.Sampler, rng: random.Random, progress: float) -> torch.Tensor:
    if progress >= CROPS_UNTIL:
        return draw(sampler, WHOLE_BATCH)
    return to_tensor(np.stack([_crop(picture, rng) for _, picture in sampler.examples(CROP_BATCH)]))


def _crop(picture: np.ndarray, rng: random.Random) -> np.ndarray:
    """A crop on the latents' grid around some point of the shape; crops of background alone teach little."""
    points = np.argwhere((picture != picture[0, 0]).any(-1))
    corner = points[rng.randrange(len(points))] - CROP // 2
    top, left = (min(max(round(int(v) / 8) * 8, 0), scenes.SIDE - CROP) for v in corner)
    return picture[top : top + CROP, left : left + CROP]


def edge_weight(pictures: torch.Tensor) -> torch.Tensor:
    """Weights of mean one that make pixels near an edge count more than flat ones."""
    import torch.nn.functional as F

    highest = F.max_pool2d(pictures, 5, stride=1, padding=2)
    lowest = -F.max_pool2d(-pictures, 5, stride=1, padding=2)
    weight = 1 + EDGE_WEIGHT * ((highest - lowest).amax(1, keepdim=True) > 0.1).float()
    return weight / weight.mean()


def _step(vae: AutoencoderKL, optimizer: torch.optim.Optimizer, pictures: torch.Tensor) -> float:
    """One step; the mean squared error of the reconstruction."""
    import torch

    posterior = vae.encode(pictures).latent_dist
    latents = posterior.sample()
    output = vae.decode(latents + EXTRA_NOISE * torch.randn_like(latents)).sample
    error = output - pictures
    loss = ((error.abs() + error.square()) * edge_weight(pictures)).mean()
    loss = loss + 1e-4 * posterior.mean.square().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(vae.parameters(), 1.0)
    optimizer.step()
    return error.square().mean().item()


def equalise(vae: AutoencoderKL, pictures: torch.Tensor) -> None:
    """Centre the latents' channels and give them one spread, without changing what is decoded.

    The affine map goes into the two 1 x 1 convolutions around the latents; `scaling_factor` takes the spread.
    """
    import torch

    assert vae.quant_conv is not None
    assert vae.post_quant_conv is not None
    with torch.no_grad():
        mean = vae.encode(pictures).latent_dist.mean
        shift, spread = mean.mean((0, 2, 3)), mean.std((0, 2, 3))
        common = spread.max()
        gain = common / spread
        inner, outer = vae.quant_conv, vae.post_quant_conv
        inner.weight[:CHANNELS] *= gain[:, None, None, None]
        inner.bias[:CHANNELS] = (inner.bias[:CHANNELS] - shift) * gain
        outer.bias += outer.weight[:, :, 0, 0] @ shift
        outer.weight /= gain[None, :, None, None]
    vae.register_to_config(scaling_factor=round(1 / float(common), 5))


def measure(vae: AutoencoderKL, pictures: torch.Tensor) -> dict[str, float]:
    """Errors of whole pictures through `mode()` and `sample()`, the posterior's and the latents' spread."""
    import torch
    import torch.nn.functional as F

    with torch.no_grad():
        posterior = vae.encode(pictures).latent_dist
        by_mode = vae.decode(posterior.mode()).sample
        by_sample = vae.decode(posterior.sample(torch.Generator().manual_seed(0))).sample
    return {
        "mse_mode": F.mse_loss(by_mode, pictures).item(),
        "mse_sample": F.mse_loss(by_sample, pictures).item(),
        "posterior_std": posterior.std.max().item(),
        "latent_std": posterior.mean.std().item(),
    }

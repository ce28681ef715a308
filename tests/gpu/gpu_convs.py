"""What channels_last does to one VAE decode and one UNet pass: time, and work memory above the weights."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import torch
from gpu_models import DTYPE, Model

from app.engine import devices, tuning

NAME = "channels_last"
TIMED = 3
PREDICTED = {"VAE decode": 0.9, "UNet pass": 0.005}
"""GiB that it should save at 1024 px in 16 bits: without it a convolution holds a copy of what it reads and writes."""
_LAYOUTS = {"contiguous": torch.contiguous_format, NAME: torch.channels_last}


def calls(model: Model, device: str) -> dict[str, tuple[torch.nn.Module, Callable[[], Any]]]:
    """What is called, with the network whose weights are laid in another order. Inputs are not, as in the program."""
    vae, unet = model.of_role("vae"), model.of_role("denoiser")
    side = model.info.limits.width // tuning.factor_of(vae)

    def made(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=torch.Generator().manual_seed(1)).to(device, DTYPE)

    latents, noise = (
        made(1, vae.config.latent_channels, side, side),
        made(2, unet.config.in_channels, side, side),
    )
    pooled = unet.config.projection_class_embeddings_input_dim - 6 * unet.config.addition_time_embed_dim
    words, step = made(2, 77, unet.config.cross_attention_dim), torch.tensor(500, device=device)
    added = {"text_embeds": made(2, pooled), "time_ids": made(2, 6)}
    return {
        "VAE decode": (vae, lambda: vae.decode(latents)),
        "UNet pass": (unet, lambda: unet(noise, step, encoder_hidden_states=words, added_cond_kwargs=added)),
    }


def measure(model: Model, device: str) -> Iterator[dict[str, Any]]:
    """One line of the results for each call in each order."""
    model.renew()
    for name, (network, call) in calls(model, device).items():
        try:
            network.to(device)
            for layout, order in _LAYOUTS.items():
                tuning.arrange({name: network}, order)
                yield {
                    "run": f"{model.info.name} {NAME}", "what": name, "layout": layout, **_tried(call, device),
                    "predicted_saving_gib": PREDICTED[name],
                }  # fmt: skip
        finally:
            tuning.arrange({name: network}, torch.contiguous_format)
            network.to("cpu")
            devices.give_back(device)


def _tried(call: Callable[[], Any], device: str) -> dict[str, Any]:
    try:
        return {"ended": "done", **_timed(call, device)}
    except torch.OutOfMemoryError:
        return {"ended": "out of memory"}


@torch.no_grad()
def _timed(call: Callable[[], Any], device: str) -> dict[str, Any]:
    call()  # the first call chooses kernels
    devices.synchronize(device)
    devices.give_back(device)
    devices.reset_peak(device)
    before, seconds = devices.peak(device), []  # just reset: what is held now
    for _ in range(TIMED):
        begun = time.perf_counter()
        call()
        devices.synchronize(device)
        seconds.append(time.perf_counter() - begun)
    return {"seconds": median(seconds), "work_bytes": devices.peak(device) - before, "weight_bytes": before}

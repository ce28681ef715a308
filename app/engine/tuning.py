"""How a placed pipeline computes: tiles and slices, attention kernels, memory order, compiled blocks; all undone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from diffusers.models.attention_dispatch import AttentionBackendName, _AttentionBackendRegistry

from app.core.plan import Plan

_INDUCTOR = ("cuda", "xpu", "cpu", "mps")


@contextmanager
def decoder_options(vae: Any, plan: Plan) -> Iterator[None]:
    """Tiling and slicing with sizes that really tile; all of it put back afterwards."""
    before = {name: value for name, value in vars(vae).items() if name.startswith(("use_", "tile_"))}
    try:
        if plan.vae_slicing:
            vae.enable_slicing()
        if plan.vae_tiling:
            vae.enable_tiling()
            if plan.vae_tile_size > 0:
                set_tile(vae, plan.vae_tile_size, plan.vae_tile_overlap)
        yield
    finally:
        for name, value in before.items():
            setattr(vae, name, value)


def factor_of(vae: Any) -> int:
    """Pixels of a picture's side per latent."""
    ratio = getattr(vae, "spatial_compression_ratio", None)
    if isinstance(ratio, int):
        return ratio
    scale = vae.config.get("scale_factor_spatial")
    return int(scale) if scale else 2 ** (len(vae.config.block_out_channels) - 1)


def set_tile(vae: Any, size: int, overlap: float) -> None:
    """Tiles of ``size`` pixels a side, of which the share ``overlap`` is the neighbour's too.

    diffusers tiles only above the size that a VAE was trained at, or above a fixed one, so the size is always set. The
    step from tile to tile is at least one latent: less would fail at the very end of a job.
    """
    factor = factor_of(vae)
    latents = max(1, size // factor)
    step = min(latents, max(1, math.floor(latents * (1 - overlap))))
    shared = 1 - step / latents
    values = {
        "tile_sample_min_size": latents * factor, "tile_latent_min_size": latents,
        "tile_sample_min_height": latents * factor, "tile_sample_min_width": latents * factor,
        "tile_latent_min_height": latents, "tile_latent_min_width": latents,
        "tile_sample_stride_height": step * factor, "tile_sample_stride_width": step * factor,
        "tile_overlap_factor": shared, "tile_overlap_factor_height": shared, "tile_overlap_factor_width": shared,
    }  # fmt: skip
    for name, value in values.items():
        if hasattr(vae, name):
            setattr(vae, name, value)


@contextmanager
def attention(models: Mapping[str, Any], backend: str) -> Iterator[None]:
    """These models compute attention with that kernel; the process-wide default stays what it was, also meanwhile."""
    default = _AttentionBackendRegistry._active_backend
    try:
        for model in models.values():
            model.set_attention_backend(backend)
            _AttentionBackendRegistry.set_active_backend(default)
        yield
    finally:
        for model in models.values():
            model.reset_attention_backend()
        _AttentionBackendRegistry.set_active_backend(AttentionBackendName(default))


@contextmanager
def compiled(models: Mapping[str, Any], device: str) -> Iterator[None]:
    """The repeated blocks of these models are compiled, at their first call. In this process: no workers."""
    backend = "inductor" if torch.device(device).type in _INDUCTOR else "aot_eager"
    try:
        for model in models.values():
            model.compile_repeated_blocks(backend=backend)
        yield
    finally:
        for model in models.values():
            for module in model.modules():
                module._compiled_call_impl = None
        torch.compiler.reset()


def arrange(models: Mapping[str, torch.nn.Module], layout: torch.memory_format) -> None:
    """The order of numbers in memory that convolutions like."""
    for model in models.values():
        model.to(memory_format=layout)  # type: ignore[call-overload]

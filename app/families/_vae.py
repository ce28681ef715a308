"""The last stretch from latents to pixels, shared by families with a picture autoencoder. Names no family."""

from __future__ import annotations

from typing import Any


def to_pixels(pipe: Any, latents: Any) -> Any:
    """Unscaled latents (1, C, h, w) through the pipeline's VAE: a float32 array (height, width, 3) in 0 … 1."""
    picture = pipe.vae.decode(latents.to(device_of(pipe.vae)), return_dict=False)[0]
    return pipe.image_processor.postprocess(picture.detach(), output_type="np")[0]


def device_of(module: Any) -> Any:
    """Where a module computes, also while its weights wait elsewhere."""
    from diffusers.utils.torch_utils import get_module_execution_device

    return get_module_execution_device(module)


def factor_of(config: dict[str, Any] | Any) -> int:
    """How many pixels a side one latent stands for, by the VAE's configuration; 8 where it does not say."""
    channels = config.get("block_out_channels")
    return 2 ** (len(channels) - 1) if isinstance(channels, list) and channels else 8


def number(config: Any, key: str, default: int) -> int:
    """A positive whole number of a configuration, or the default."""
    value = config.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default

"""Stands in a pipeline for a VAE that works on a server: no weights here, only its configuration and the way there.

The protocol is that of diffusers' ``remote_decode`` and ``remote_encode``; what goes over is latents or pixels, never
words. Used only where a plan has an address, which only a person can give.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import torch

from app.core.errors import AppError, ErrorKind
from app.engine.remote_call import Answer, Check, Patience, host_of, post

_DTYPES = {"float16": torch.float16, "float32": torch.float32, "bfloat16": torch.bfloat16}


class RemoteVae:
    """Answers to what pipelines ask of a VAE. It is no module: nothing of it is placed, hooked or moved."""

    def __init__(
        self, config: Any, dtype: torch.dtype, device: str, address: str, patience: Patience | None = None
    ) -> None:
        self.config, self.dtype, self.device = config, dtype, torch.device(device)
        self.check: Check = go_on
        """Called while a server is waited for; it may raise to stop."""
        self._address, self._patience = address, patience or Patience()
        self.temperal_downsample = config.get("temperal_downsample")
        self.temporal_compression_ratio = config.get("temporal_compression_ratio")

    def to(self, *_: Any, dtype: torch.dtype | None = None, **__: Any) -> RemoteVae:
        """What is sent is in this format."""
        self.dtype = dtype or self.dtype
        return self

    def modules(self) -> Iterator[torch.nn.Module]:
        """None: pipelines look here for hooks."""
        return iter(())

    def decode(self, z: torch.Tensor, return_dict: bool = True, **_: Any) -> Any:
        """Unscaled latents to pixels in −1 … 1, in the plan's format and in main memory, where they are wanted next."""
        query = [("output_type", "pt"), ("partial_postprocess", "False"), ("image_format", "png")]
        sample = self._ask(z, query, self._pixels(tuple(z.shape)))
        return SimpleNamespace(sample=sample) if return_dict else (sample,)

    def encode(self, x: torch.Tensor, return_dict: bool = True, **_: Any) -> Any:
        """Pixels in −1 … 1 to unscaled latents as the server draws them."""
        latents = self._ask(x, [], self._latents(tuple(x.shape))).to(x.device)
        return SimpleNamespace(latents=latents) if return_dict else (SimpleNamespace(latents=latents),)

    def _ask(self, given: torch.Tensor, query: list[tuple[str, str]], shape: tuple[int, ...]) -> torch.Tensor:
        sent = given.detach().to("cpu").contiguous()
        query = [*query, *(("shape", str(side)) for side in sent.shape)]
        query.append(("dtype", str(sent.dtype).removeprefix("torch.")))
        data = sent.view(torch.uint8).numpy().tobytes()
        answer = post(self._address, query, data, 4 * math.prod(shape), self.check, self._patience)
        return _tensor(answer, shape, host_of(self._address)).to(self.dtype)

    def _pixels(self, latents: tuple[int, ...]) -> tuple[int, ...]:
        height, width = (side * self._factor for side in latents[-2:])
        frames = [(count - 1) * self._frames_factor + 1 for count in latents[2:-2]]
        return (latents[0], 3, *frames, height, width)

    def _latents(self, pixels: tuple[int, ...]) -> tuple[int, ...]:
        height, width = (side // self._factor for side in pixels[-2:])
        frames = [(count - 1) // self._frames_factor + 1 for count in pixels[2:-2]]
        channels = self.config.get("latent_channels") or self.config.get("z_dim")
        return (pixels[0], int(channels), *frames, height, width)

    @property
    def _factor(self) -> int:
        scale = self.config.get("scale_factor_spatial")
        return int(scale) if scale else int(2 ** (len(self.config["block_out_channels"]) - 1))

    @property
    def _frames_factor(self) -> int:
        scale = self.config.get("scale_factor_temporal") or self.temporal_compression_ratio
        return int(scale) if scale else 1


def go_on() -> None:
    """Nobody wants to stop it."""


def stand_in(cls: Any, folder: str, dtype: torch.dtype, device: str, address: str) -> RemoteVae:
    """For the class and the configuration in a model's folder, without reading any weights."""
    options = cls.load_config(folder, local_files_only=True)
    with torch.device("meta"):
        config = cls.from_config(options).config  # with the class's defaults for what the file leaves out
    return RemoteVae(config, dtype, device, address)


def _tensor(answer: Answer, shape: tuple[int, ...], host: str) -> torch.Tensor:
    """The tensor of an answer, which must be what was asked for: a server's word is not trusted."""
    try:
        said = json.loads(answer.headers["shape"])
        dtype = _DTYPES[answer.headers["dtype"]]
    except (KeyError, ValueError) as error:
        raise _nonsense(host, "no_tensor", detail=f"{error!r}, {answer.body[:200]!r}") from error
    if said != list(shape):
        raise _nonsense(host, "shape", detail=f"{said} instead of {list(shape)}")
    if len(answer.body) != math.prod(shape) * dtype.itemsize:
        raise _nonsense(host, "cut", detail=f"{len(answer.body)} bytes of {shape} in {dtype}")
    found = torch.frombuffer(bytearray(answer.body), dtype=dtype).reshape(shape)
    if not bool(torch.isfinite(found).all()):
        raise _nonsense(host, "not_finite")
    return found


def _nonsense(host: str, reason: str, detail: str = "") -> AppError:
    return AppError(ErrorKind.REMOTE_NONSENSE, detail, address=host, reason=reason)

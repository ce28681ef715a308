"""Compares the first pass of a streamed denoiser with one more, which fetches ahead: both must come out alike (C14).

diffusers' first pass waits for every layer, to learn their order; only from the second on weights come beside the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from app.core.errors import AppError, ErrorKind

TOLERANCE = 0.02
"""Part of the largest number by which they may differ: kernels may add in another order."""


@contextmanager
def comparing(denoisers: Mapping[str, torch.nn.Module]) -> Iterator[None]:
    """While inside, the first pass of each is made twice; raises STREAM_DIFFERS where they differ."""
    handles: dict[str, Any] = {}

    def compare(name: str, module: torch.nn.Module, args: Any, kwargs: Any, first: Any) -> None:
        handles.pop(name).remove()
        apart = distance(_tensor(first), _tensor(module(*args, **kwargs)))
        if not apart <= TOLERANCE:
            raise AppError(ErrorKind.STREAM_DIFFERS, part=name, apart=f"{apart:.0%}")

    for name, module in denoisers.items():

        def hook(module: Any, args: Any, kwargs: Any, output: Any, name: str = name) -> None:
            compare(name, module, args, kwargs, output)

        handles[name] = module.register_forward_hook(hook, with_kwargs=True)
    try:
        yield
    finally:
        for handle in handles.values():
            handle.remove()


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """The largest difference as a part of the largest number; 1 where only one of them is made of numbers."""
    finite = torch.isfinite(one), torch.isfinite(other)
    if not bool(torch.equal(*finite)):
        return 1.0
    largest = float(one[finite[0]].abs().max()) if bool(finite[0].any()) else 0.0
    apart = torch.where(finite[0], (one - other).abs(), torch.zeros_like(one))
    return float(apart.max()) / largest if largest else float(apart.max())


def _tensor(output: Any) -> torch.Tensor:
    """The prediction in what a denoiser returns."""
    found = output if isinstance(output, torch.Tensor) else output[0]
    assert isinstance(found, torch.Tensor)
    return found

"""Places where a running job looks whether it was cancelled: every block of every model, and while weights are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from app.engine.remote_vae import RemoteVae, go_on

Check = Callable[[], None]


@contextmanager
def stoppable(pipe: Any, check: Check) -> Iterator[None]:
    """While inside, ``check`` is called before each block of the pipeline's models runs, and while a server is waited
    for."""

    def look(_module: torch.nn.Module, _arguments: Any) -> None:
        check()

    servers = [part for part in pipe.components.values() if isinstance(part, RemoteVae)]
    for server in servers:
        server.check = check
    handles = [block.register_forward_pre_hook(look) for block in blocks(pipe)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
        for server in servers:
            server.check = go_on


def blocks(pipe: Any) -> list[torch.nn.Module]:
    """The models themselves and every layer that stands in a list: blocks, attention layers, a VAE's stages."""
    found: dict[int, torch.nn.Module] = {}
    for model in pipe.components.values():
        if not isinstance(model, torch.nn.Module):
            continue
        found[id(model)] = model
        for part in model.modules():
            if isinstance(part, torch.nn.ModuleList):
                found.update((id(block), block) for block in part)
    return list(found.values())


class StoppableLoading(TorchFunctionMode):
    """While active, ``check`` is called at each operation on a tensor of this thread: once or more per weight."""

    def __init__(self, check: Check) -> None:
        super().__init__()
        self._check = check

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._check()
        return func(*args, **(kwargs or {}))

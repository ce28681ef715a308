"""Counts what a run on the meta device would have in use, tensor by tensor, as a GPU's allocator would.

Attention is counted as the kernels that run do it: the result, not its matrix (on meta it would take another path).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from app.core.footprint import stepped

_ANSWERS: dict[str, Callable[[torch.Tensor], Any]] = {
    "cpu": torch.empty_like,
    "numpy": lambda tensor: np.zeros(tuple(tensor.shape), dtype=np.float32),
    "item": lambda tensor: 1,
    "__bool__": lambda tensor: False,
    "tolist": lambda tensor: np.ones(tuple(tensor.shape)).tolist(),
}
"""What questions after values get where there are none; "is all of the mask set?" is answered with no: prompts are
shorter than what encoders read."""


@dataclass(frozen=True)
class Scene:
    """What runs: component and module (both empty: neither), and the component that ran most lately."""

    part: str = ""
    path: str = ""
    last: str = ""


class WithoutValues(TorchFunctionMode):
    """Lets code that asks meta tensors for values go on."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if function is torch.nn.functional.scaled_dot_product_attention:
            query = args[0] if args else kwargs["query"]
            value = args[2] if len(args) > 2 else kwargs["value"]
            if query.is_meta:
                shape = (*query.shape[:-1], value.shape[-1])
                return torch.empty(shape, dtype=query.dtype, device=query.device)
        first = args[0] if args else None
        answer = _ANSWERS.get(getattr(function, "__name__", ""))
        if answer is not None and isinstance(first, torch.Tensor) and first.is_meta:
            return answer(first)
        return function(*args, **kwargs)


class LiveBytes(TorchDispatchMode):
    """Storages on meta as they are made and freed; the most in each scene, above the weights."""

    def __init__(self, weights: Iterable[torch.Tensor]) -> None:
        super().__init__()
        self._sizes: dict[int, int] = {}
        self.live = 0
        self.scene = Scene()
        self.most: dict[Scene, tuple[int, int]] = {}
        for tensor in weights:
            self._track(tensor.untyped_storage())
        self._resting = self.live

    def enter(self, scene: Scene) -> None:
        """What is in use now belongs to this scene."""
        self.scene = scene
        self._note(0)

    def _note(self, workspace: int) -> None:
        above = self.live - self._resting
        live, most = self.most.get(self.scene, (0, 0))
        self.most[self.scene] = (max(live, above), max(most, above + workspace))

    def _track(self, storage: torch.UntypedStorage) -> None:
        key = storage._cdata
        if key in self._sizes:
            return
        self._sizes[key] = stepped(storage.nbytes())
        self.live += self._sizes[key]
        weakref.finalize(storage, self._freed, key)

    def _freed(self, key: int) -> None:
        self.live -= self._sizes.pop(key, 0)

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = operator(*args, **kwargs)
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor) and leaf.is_meta:
                self._track(leaf.untyped_storage())
        workspace = 0
        if operator is torch.ops.aten.convolution.default and args[0].element_size() == 2:
            workspace = args[0].nbytes + result.nbytes
        self._note(workspace)
        return result


@contextmanager
def counting(weights: Iterable[torch.Tensor]) -> Iterator[LiveBytes]:
    """Inside, all that runs on meta is counted."""
    count = LiveBytes(weights)
    with torch.no_grad(), WithoutValues(), count:
        yield count

"""The traps run bare diffusers, and the program's placement, in this process: nothing of one test left for the next."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import headroom_vgpu as vgpu
import pytest
import torch


@pytest.fixture(scope="module", autouse=True)
def quick_collections() -> Iterator[None]:
    """The libraries' own objects are left out of the collections below, which take seconds with them."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    """Two virtual GPUs without bounds, counters at zero, no gradients."""
    gc.collect()  # hooked models are cycles, and their memory counts
    vgpu.reset()
    with torch.no_grad():
        yield
    for index in range(2):
        vgpu.set_total(0, index)
        vgpu.set_cap(None, index)
    vgpu.set_delayed(False)


@pytest.fixture(scope="session")
def plain() -> Callable[..., Any]:
    """What a kind of pipeline makes with everything on the first card, by changes of the plan and of the request."""
    import in_process as here

    made: dict[str, Any] = {}

    def make(kind: str, plan: Mapping[str, Any] | None = None, **request: Any) -> Any:
        key = repr((kind, plan, request))
        if key not in made:
            made[key] = here.run(kind, here.plan_for(kind, **(plan or {})), **request)
        return made[key]

    return make

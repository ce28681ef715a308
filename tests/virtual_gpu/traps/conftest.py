"""The traps run bare diffusers in this process: its known warnings, and nothing of one test left for the next."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import headroom_vgpu as vgpu
import pytest
import torch


def pytest_configure(config: pytest.Config) -> None:
    """diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet."""
    line = r"ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
    config.addinivalue_line("filterwarnings", line)


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

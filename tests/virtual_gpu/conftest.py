"""The virtual GPU in this process and on the path of the processes that tests spawn; nothing is skipped silently.

These tests run in a pytest process of their own (``pytest tests/virtual_gpu``): one device type per process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from vgpu_engine import Picture, VirtualEngine

# Spawned children take over sys.path, so this is also how an engine finds the device.
sys.path[:0] = [str(Path(__file__).parent / folder) for folder in ("plugin", "support")]


def pytest_configure() -> None:
    """Build the device and register it here; without a compiler the run ends with the reason in one sentence."""
    try:
        from headroom_vgpu import install

        install(devices=2)
    except RuntimeError as error:
        raise pytest.UsageError(str(error.__cause__ or error)) from error


@pytest.fixture(scope="session")
def one_engine(demo_model: Path) -> Iterator[VirtualEngine]:
    """The engine process that most tests share, with two cards of 1 GiB."""
    from vgpu_engine import VirtualEngine

    with VirtualEngine(demo_model) as engine:
        yield engine


@pytest.fixture
def engine(one_engine: VirtualEngine) -> Iterator[VirtualEngine]:
    """The engine with nothing loaded and no bounds, before and after."""
    one_engine.unload()
    yield one_engine
    for index in range(2):
        one_engine.remote("set_total", "1GiB", index)
        one_engine.remote("set_cap", None, index)
        one_engine.remote("fail_nth", 0, index)
    one_engine.unload()


@pytest.fixture(scope="session")
def reference(one_engine: VirtualEngine) -> Picture:
    """The picture that the CPU makes, which those of the virtual GPU are held against."""
    return one_engine.run(one_engine.plan("cpu")).picture

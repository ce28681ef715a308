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


pytest.register_assert_rewrite("bench", "expected")  # what fails there is shown as in a test

# Third parties' warnings in runs of diffusers in this process, by their text, with what would end them.
_KNOWN = (
    # diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet
    r"ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning",
    # hooks of compiled blocks look whether the job was cancelled (time.monotonic), casts say who called them
    # (sys._getframe): a graph ends there, as it must
    r"ignore:Dynamo does not know how to trace the builtin `(time.monotonic|sys._getframe).`:UserWarning",
    # accelerate looks for the map's keys among modules only; weights that are in none have entries of their own
    r"ignore:The following device_map keys do not match any submodules in the model:UserWarning",
)


def pytest_configure(config: pytest.Config) -> None:
    """Build the device and register it here; without a compiler the run ends with the reason in one sentence."""
    for line in _KNOWN:
        config.addinivalue_line("filterwarnings", line)
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

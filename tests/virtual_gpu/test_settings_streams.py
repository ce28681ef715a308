"""The engine's use of streams under late copies: the same picture, and no memory given away too early."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from vgpu_engine import Picture, VirtualEngine

from app.core.plan import GroupOptions, OffloadMode, Placement

STREAMS = {
    "": GroupOptions(stream=True, non_blocking=True),
    "record_stream": GroupOptions(stream=True, non_blocking=True, record_stream=True),
    "low_cpu_mem": GroupOptions(stream=True, non_blocking=True, low_cpu_mem=True),
    "disk, record_stream": GroupOptions(
        stream=True, non_blocking=True, record_stream=True, disk_folder="auto"
    ),
}


@pytest.fixture
def late(engine: VirtualEngine) -> Iterator[VirtualEngine]:
    """The engine with copies on side streams that arrive when waited for."""
    engine.remote("set_delayed", True)
    yield engine
    engine.remote("set_delayed", False)


@pytest.mark.parametrize("group", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("mode", [OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF])
def test_streams_are_waited_for(
    late: VirtualEngine, reference: Picture, mode: OffloadMode, group: GroupOptions
) -> None:
    encoders = [part.name for part in late.info.components if part.name.startswith("text")]
    leaves = tuple(
        Placement(component=name, device="vgpu:0", offload=OffloadMode.GROUP_LEAF) for name in encoders
    )
    done = late.run(late.plan(offload=mode, group=group, overrides=leaves))
    assert np.array_equal(done.picture, reference)
    assert done.devices[0]["late"] > 100
    assert done.devices[0]["early_frees"] == 0

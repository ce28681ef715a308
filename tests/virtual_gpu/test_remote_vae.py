"""A server in the VAE's place: the same picture, and none of the VAE's bytes on the device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from diffusers import AutoencoderKL
from vae_server import VaeServer, serving
from vgpu_engine import Picture, VirtualEngine, difference

from app.core.messages import Finished
from app.core.plan import GroupOptions, OffloadMode

MODES: dict[str, dict[str, Any]] = {
    "none": {},
    "model": {"offload": OffloadMode.MODEL},
    "sequential": {"offload": OffloadMode.SEQUENTIAL},
    "group_leaf, stream": {"offload": OffloadMode.GROUP_LEAF, "group": GroupOptions(stream=True)},
}


@pytest.fixture(scope="module")
def server(demo_model: Path) -> Iterator[VaeServer]:
    """With the model's own VAE."""
    with serving(AutoencoderKL.from_pretrained(demo_model / "vae").eval()) as found:
        yield found


@pytest.mark.parametrize("mode", MODES)
def test_a_servers_vae_leaves_its_bytes_off_the_device(
    engine: VirtualEngine, reference: Picture, server: VaeServer, mode: str
) -> None:
    here = engine.run(engine.plan(**MODES[mode]))
    engine.unload()
    asked = len(server.asked)
    there = engine.run(engine.plan(vae_endpoint=server.address, **MODES[mode]))
    assert isinstance(there.end, Finished), there.end
    assert difference(there.picture, reference)[0] <= 1  # the server's weights lie elsewhere in memory
    assert len(server.asked) == asked + 1
    assert "vae" not in there.end.loaded
    vae = 4 * next(part.numbers for part in engine.info.components if part.name == "vae")
    saved = here.devices[0]["h2d_bytes"] - there.devices[0]["h2d_bytes"]
    if mode in ("none", "model"):
        assert saved == vae
    else:
        assert saved > 0

"""fp8 storage and VAE tiling act as they say, in the real engine process: less memory, a picture within a bound."""

from __future__ import annotations

import numpy as np
import pytest
from vgpu_engine import Picture, VirtualEngine, difference

from app.core.plan import OffloadMode, Storage
from app.core.planner import tile_size

KINDS = [Storage.FP8_E4M3, Storage.FP8_E5M2]
WORST_MEAN = {Storage.FP8_E4M3: 6.0, Storage.FP8_E5M2: 12.0}
"""Steps of 255 by which a picture may differ on average: e5m2 has one bit less of the fraction."""
TILED = 10.0
"""The same for tiling: a tile knows nothing of the rest of the picture."""
SEAM = 4.0
"""Steps of 255 by which neighbouring pixels may differ more where tiles meet."""


def covered(engine: VirtualEngine) -> tuple[str, ...]:
    """The components that fp8 storage works on."""
    return tuple(part.name for part in engine.info.components if part.fp8_numbers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", [OffloadMode.NONE, OffloadMode.MODEL])
def test_fp8_storage_saves_what_it_covers(
    engine: VirtualEngine, reference: Picture, kind: Storage, mode: OffloadMode
) -> None:
    plain = engine.run(engine.plan(offload=mode))
    stored = engine.run(engine.plan(offload=mode, storage=kind, storage_components=covered(engine)))
    saved = 3 * sum(part.fp8_numbers for part in engine.info.components)
    before, after = plain.devices[0], stored.devices[0]
    assert after["peak"] < before["peak"]
    assert before["h2d_bytes"] - after["h2d_bytes"] == saved
    if mode is OffloadMode.NONE:
        layers = 512 * 200  # each tensor is rounded up to a block of 512 bytes
        assert abs(before["live"] - after["live"] - saved) < layers
        assert before["peak"] - after["peak"] > 0.75 * saved
    worst, mean = difference(stored.picture, reference)
    assert 0 < mean <= WORST_MEAN[kind], (worst, mean)


@pytest.mark.parametrize("kind", KINDS)
def test_fp8_storage_is_the_same_on_the_card_as_on_the_processor(
    engine: VirtualEngine, kind: Storage
) -> None:
    storage = {"storage": kind, "storage_components": covered(engine)}
    here, there = engine.run(engine.plan("vgpu:0", **storage)), engine.run(engine.plan("cpu", **storage))
    assert np.array_equal(here.picture, there.picture)


def test_switching_fp8_off_gives_the_exact_picture_again(engine: VirtualEngine, reference: Picture) -> None:
    for kind in KINDS:
        engine.run(engine.plan(storage=kind, storage_components=covered(engine)))
        assert np.array_equal(engine.run(engine.plan()).picture, reference), kind


def jumps(picture: Picture, borders: range) -> float:
    """The mean step of brightness across the lines where tiles meet, both ways."""
    levels = picture.astype(np.int16)
    across = [np.abs(levels[:, at] - levels[:, at - 1]).mean() for at in borders]
    down = [np.abs(levels[at] - levels[at - 1]).mean() for at in borders]
    return float(np.mean(across + down))


def test_tiling_really_tiles_at_the_models_own_size(engine: VirtualEngine, reference: Picture) -> None:
    """128 px is the size that the VAE was trained at: diffusers' own tiles would cover it all and save nothing."""
    tile = tile_size(128, engine.info.limits.factor)
    assert tile == 64
    plain = engine.run(engine.plan(offload=OffloadMode.MODEL))
    tiled = engine.run(engine.plan(offload=OffloadMode.MODEL, vae_tiling=True, vae_tile_size=tile))
    assert tiled.devices[0]["allocs"] > plain.devices[0]["allocs"]
    worst, mean = difference(tiled.picture, reference)
    assert 0 < mean <= TILED, (worst, mean)
    borders = range(48, 128, 48)  # a quarter of each tile lies under the next one
    assert jumps(tiled.picture, borders) <= jumps(reference, borders) + SEAM
    assert np.array_equal(engine.run(engine.plan()).picture, reference)


def test_tiling_lowers_the_peak_of_a_large_picture(engine: VirtualEngine) -> None:
    request = engine.request(width=512, height=512, steps=1)
    tile = tile_size(512, engine.info.limits.factor)
    plain = engine.run(engine.plan(), request)
    tiled = engine.run(engine.plan(vae_tiling=True, vae_tile_size=tile), request)
    work = [outcome.devices[0]["peak"] - outcome.devices[0]["live"] for outcome in (plain, tiled)]
    assert work[1] < 0.45 * work[0]
    worst, mean = difference(tiled.picture, plain.picture)
    assert mean <= TILED, (worst, mean)

"""fp8 storage and VAE tiling act as they say, in the real engine process: less memory, a picture within a bound."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from vgpu_engine import Picture, VirtualEngine, difference

from app.core.headers import Tensor, read_header
from app.core.plan import OffloadMode, Storage
from app.core.resolve import tile_size

KINDS = [Storage.FP8_E4M3, Storage.FP8_E5M2]
STEPS = 12
"""The model's own number: a half-made picture would show how noise differs, not how pictures do."""
WORST_MEAN = {Storage.FP8_E4M3: 6.0, Storage.FP8_E5M2: 9.0}
"""Steps of 255 by which a picture may differ on average: e5m2 has one bit less of the fraction."""
TILED = 12.0
"""The same for tiling: a tile knows nothing of the rest of the picture."""
SEAM = 4.0
"""Steps of 255 by which neighbouring pixels may differ more where tiles meet."""


@pytest.fixture(scope="module")
def finished(one_engine: VirtualEngine) -> Picture:
    """A whole picture as the CPU makes it."""
    return one_engine.run(one_engine.plan("cpu"), one_engine.request(steps=STEPS)).picture


def covered(engine: VirtualEngine) -> tuple[str, ...]:
    """The components that fp8 storage works on."""
    return tuple(part.name for part in engine.info.components if part.fp8_numbers)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", [OffloadMode.NONE, OffloadMode.MODEL])
def test_fp8_storage_saves_what_it_covers(engine: VirtualEngine, kind: Storage, mode: OffloadMode) -> None:
    before = engine.run(engine.plan(offload=mode)).devices[0]
    stored = engine.plan(offload=mode, storage=kind, storage_components=covered(engine))
    engine.unload()
    after = engine.run(stored).devices[0]
    saved = 3 * sum(part.fp8_numbers for part in engine.info.components)
    assert after["peak"] < before["peak"]
    assert before["h2d_bytes"] - after["h2d_bytes"] == saved
    if mode is OffloadMode.NONE:
        layers = 512 * 200  # each tensor is rounded up to a block of 512 bytes
        assert abs(before["live"] - after["live"] - saved) < layers
        assert before["peak"] - after["peak"] > 0.75 * saved


def numbers_of(engine: VirtualEngine, chosen: Callable[[str, Tensor], bool]) -> int:
    """How many numbers of the denoiser stand in chosen layers that fp8 storage would cover."""
    part = next(part for part in engine.family.components if part.role == "denoiser")
    (file,) = next(found for found in engine.info.components if found.name == part.name).files
    tensors = read_header(file)
    names = {name.rpartition(".")[0] for name, weight in tensors.items() if len(weight.shape) >= 2}
    names = {name for name in names if not any(re.search(word, name) for word in part.fp8_skip)}
    return sum(
        tensor.numbers
        for name, tensor in tensors.items()
        if (layer := name.rpartition(".")[0]) in names and chosen(layer, tensors[f"{layer}.weight"])
    )


LATE = "^up_blocks|time_"
SKIPPED: dict[str, tuple[dict[str, tuple[str, ...]], Callable[[str, Tensor], bool]]] = {
    "classes": ({"skip_classes": ("Conv2d",)}, lambda _name, weight: len(weight.shape) == 4),
    "patterns": ({"skip_modules": (LATE,)}, lambda name, _weight: re.search(LATE, name) is not None),
}


@pytest.mark.parametrize("what", SKIPPED)
def test_what_is_kept_out_of_fp8_storage_moves_in_full(engine: VirtualEngine, what: str) -> None:
    changes, chosen = SKIPPED[what]
    stored = {"storage": Storage.FP8_E4M3, "storage_components": ("unet",)}
    all_stored = engine.run(engine.plan(**stored)).devices[0]
    engine.unload()
    kept = engine.run(engine.plan(**stored, **changes)).devices[0]
    numbers = numbers_of(engine, chosen)
    assert numbers > 0
    assert kept["h2d_bytes"] - all_stored["h2d_bytes"] == 3 * numbers


@pytest.mark.parametrize("kind", KINDS)
def test_fp8_storage_changes_the_picture_a_little(
    engine: VirtualEngine, finished: Picture, kind: Storage
) -> None:
    plan = engine.plan(storage=kind, storage_components=covered(engine))
    worst, mean = difference(engine.run(plan, engine.request(steps=STEPS)).picture, finished)
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


def test_tiling_really_tiles_at_the_models_own_size(
    engine: VirtualEngine, finished: Picture, reference: Picture
) -> None:
    """128 px is the size that the VAE was trained at: diffusers' own tiles would cover it all and save nothing."""
    tile = tile_size(128, engine.info.limits.factor)
    assert tile == 64
    request, work = engine.request(steps=STEPS), OffloadMode.SEQUENTIAL  # where decoding is what needs most
    plain = engine.run(engine.plan(offload=work), request)
    tiled = engine.run(engine.plan(offload=work, vae_tiling=True, vae_tile_size=tile), request)
    assert tiled.devices[0]["peak"] < 0.5 * plain.devices[0]["peak"]
    worst, mean = difference(tiled.picture, finished)
    assert 0 < mean <= TILED, (worst, mean)
    borders = range(48, 128, 48)  # a quarter of each tile lies under the next one
    assert jumps(tiled.picture, borders) <= jumps(finished, borders) + SEAM
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

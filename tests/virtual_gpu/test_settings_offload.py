"""Device and offload act as they say, in the real engine process: same picture, less memory, the bytes that move."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from vgpu_engine import Outcome, Picture, VirtualEngine, difference

from app.core.messages import Finished
from app.core.plan import OffloadMode

NONE, MODEL, SEQUENTIAL = MODES = OffloadMode.NONE, OffloadMode.MODEL, OffloadMode.SEQUENTIAL
SMALL = 256 * 1024
"""Bytes: more than the embeddings, latents and pictures of a job, far less than any component's weights."""
TRACES = 4096
"""Bytes: the scheduler's times and the text encoders' position numbers, which no mode offloads."""


def weights(engine: VirtualEngine, name: str = "") -> int:
    """Bytes of one component's weights in float32, or of all."""
    return 4 * sum(part.numbers for part in engine.info.components if name in ("", part.name))


@pytest.mark.parametrize("used", [0, 1])
def test_the_chosen_device_does_all_the_work(engine: VirtualEngine, reference: Picture, used: int) -> None:
    outcome = engine.run(engine.plan(f"vgpu:{used}"))
    assert np.array_equal(outcome.picture, reference)
    here, other = outcome.devices[used], outcome.devices[1 - used]
    assert here["h2d_bytes"] > weights(engine)
    assert here["peak"] > weights(engine)
    assert (other["peak"], other["h2d_n"], other["d2h_n"], other["p2p_n"]) == (0, 0, 0, 0)


def test_the_cpu_leaves_the_cards_alone(engine: VirtualEngine, reference: Picture) -> None:
    outcome = engine.run(engine.plan("cpu"))
    assert np.array_equal(outcome.picture, reference)
    assert [(device["allocs"], device["h2d_n"]) for device in outcome.devices] == [(0, 0), (0, 0)]


def test_changing_the_device_leaves_nothing_behind(engine: VirtualEngine, reference: Picture) -> None:
    for device in ("vgpu:0", "vgpu:1", "cpu", "vgpu:1", "vgpu:0"):
        outcome = engine.run(engine.plan(device))
        assert np.array_equal(outcome.picture, reference), device
        used = [f"vgpu:{index}" for index, stats in enumerate(outcome.devices) if stats["live"] > TRACES]
        assert used == ([] if device == "cpu" else [device])


@pytest.fixture(scope="module")
def offloaded(one_engine: VirtualEngine) -> Mapping[OffloadMode, Outcome]:
    """One job per mode, each with nothing loaded before."""
    outcomes = {}
    for mode in (NONE, MODEL, SEQUENTIAL):
        one_engine.unload()
        outcomes[mode] = one_engine.run(one_engine.plan(offload=mode))
    return outcomes


@pytest.mark.parametrize("mode", MODES)
def test_offload_gives_the_same_picture(
    offloaded: Mapping[OffloadMode, Outcome], reference: Picture, mode: OffloadMode
) -> None:
    assert np.array_equal(offloaded[mode].picture, reference)


def test_each_offload_needs_less_memory_than_the_one_before(
    engine: VirtualEngine, offloaded: Mapping[OffloadMode, Outcome]
) -> None:
    peaks = [offloaded[mode].devices[0]["peak"] for mode in (NONE, MODEL, SEQUENTIAL)]
    assert peaks == sorted(peaks, reverse=True)
    assert len(set(peaks)) == 3
    assert peaks[0] > weights(engine) > peaks[1] - weights(engine, "unet")
    assert peaks[0] - peaks[1] > 0.9 * (weights(engine) - weights(engine, "unet"))


@pytest.mark.parametrize("mode", MODES)
def test_the_measured_peak_is_the_devices(
    offloaded: Mapping[OffloadMode, Outcome], mode: OffloadMode
) -> None:
    outcome = offloaded[mode]
    assert isinstance(outcome.end, Finished)
    assert dict(outcome.end.peaks)["vgpu:0"] == outcome.devices[0]["peak"]
    assert dict(outcome.end.peaks)["ram"] > 0


def test_without_offload_weights_move_once_and_stay(
    engine: VirtualEngine, offloaded: Mapping[OffloadMode, Outcome]
) -> None:
    stats = offloaded[NONE].devices[0]
    assert weights(engine) <= stats["h2d_bytes"] <= weights(engine) + SMALL
    assert stats["d2h_bytes"] <= SMALL
    assert stats["live"] >= weights(engine)


def test_model_offload_moves_each_part_there_and_back_once(
    engine: VirtualEngine, offloaded: Mapping[OffloadMode, Outcome]
) -> None:
    stats = offloaded[MODEL].devices[0]
    assert weights(engine) <= stats["h2d_bytes"] <= weights(engine) + SMALL
    assert weights(engine) <= stats["d2h_bytes"] <= weights(engine) + SMALL
    assert stats["live"] <= TRACES


def test_sequential_offload_moves_the_denoiser_in_every_step(
    engine: VirtualEngine, offloaded: Mapping[OffloadMode, Outcome]
) -> None:
    stats, steps = offloaded[SEQUENTIAL].devices[0], engine.request().steps
    assert stats["h2d_bytes"] >= steps * weights(engine, "unet")
    assert stats["d2h_bytes"] <= SMALL
    assert stats["live"] <= TRACES


def test_c8_every_walk_through_the_modes_gives_the_same_picture(
    engine: VirtualEngine, reference: Picture, offloaded: Mapping[OffloadMode, Outcome]
) -> None:
    """Hooks of one mode that stayed in the next would show in the bytes moved, in what stays, or in an error."""
    for place, mode in enumerate((NONE, MODEL, SEQUENTIAL, MODEL, NONE, SEQUENTIAL, NONE)):
        outcome = engine.run(engine.plan(offload=mode))
        assert np.array_equal(outcome.picture, reference), (place, mode)
        fresh, walked = offloaded[mode].devices[0], outcome.devices[0]
        assert (walked["live"], walked["h2d_bytes"]) == (fresh["live"], fresh["h2d_bytes"]), (place, mode)
        if place:
            assert isinstance(outcome.end, Finished)
            assert outcome.end.loaded == ()


def test_a_second_job_moves_no_weights(engine: VirtualEngine) -> None:
    engine.run(engine.plan())
    outcome = engine.run(engine.plan(), engine.request(prompt="a red circle on a white background", seed=8))
    assert isinstance(outcome.end, Finished)
    assert outcome.end.loaded == ()
    assert outcome.devices[0]["h2d_bytes"] < SMALL


@pytest.mark.parametrize("mode", MODES)
def test_unloading_gives_everything_back(engine: VirtualEngine, mode: OffloadMode) -> None:
    engine.run(engine.plan(offload=mode))
    engine.unload()
    assert [stats["live"] for stats in engine.stats()] == [0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_channels_last_leaves_nothing_behind(
    engine: VirtualEngine, reference: Picture, mode: OffloadMode
) -> None:
    """Another order of the numbers may round the last bit otherwise; afterwards the picture is the exact one."""
    arranged = engine.run(engine.plan(offload=mode, channels_last=True)).picture
    assert difference(arranged, reference)[0] <= 2
    assert np.array_equal(engine.run(engine.plan()).picture, reference)

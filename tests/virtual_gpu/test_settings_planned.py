"""From a person's settings through the planner to the engine: ``auto`` fits the card, and what is asked for acts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vgpu_engine import Outcome, VirtualEngine, difference

from app.core.errors import ErrorKind
from app.core.memory import MemorySettings
from app.core.messages import Finished
from app.core.plan import Dtype, OffloadMode, Plan, Storage
from app.core.planner import Decision, Rejection, make_plan
from app.core.resolve import weight_bytes

SIDE = 64
"""Pixels: the weights must weigh more than the work, as they do in models of full size."""


def decide(engine: VirtualEngine, *, side: int = SIDE, goal: str = "fit", **settings: Any) -> Decision:
    """The planner's answer for the machine as the engine measures it now; float32 is the CPU's fast format."""
    request, wanted = engine.request(width=side, height=side), {"dtype": "float32", **settings}
    hardware = engine.measure()
    return make_plan(engine.info, engine.family, request, MemorySettings(**wanted), hardware, goal)


def carry_out(engine: VirtualEngine, plan: Decision, side: int = SIDE) -> Outcome:
    """The plan, run as it is."""
    assert isinstance(plan, Plan), plan
    return engine.run(plan, engine.request(width=side, height=side))


def card_for(resident: int) -> int:
    """The total of a card on which ``resident`` bytes of weights just pass the planner's share."""
    return int(resident / 0.75 / 0.95) + 4096


def sizes(engine: VirtualEngine) -> list[int]:
    """Bytes of each component's weights."""
    return [weight_bytes(part, Dtype.FLOAT32, Storage.NONE) for part in engine.info.components]


def test_auto_goes_to_the_larger_card(engine: VirtualEngine) -> None:
    engine.remote("set_total", "64MiB", 0)
    plan = decide(engine)
    assert isinstance(plan, Plan)
    assert (plan.device, plan.offload) == ("vgpu:1", OffloadMode.NONE)
    outcome = carry_out(engine, plan)
    assert outcome.devices[0]["allocs"] == 0
    assert outcome.devices[1]["live"] >= sum(sizes(engine))


@pytest.mark.parametrize("mode", [OffloadMode.NONE, OffloadMode.MODEL, OffloadMode.SEQUENTIAL])
def test_auto_offload_fits_the_card(engine: VirtualEngine, mode: OffloadMode) -> None:
    """Each card is just large enough for its mode, or too small for the mode before: it is chosen, and runs."""
    expected = engine.run(engine.plan("cpu"), engine.request(width=SIDE, height=SIDE))
    engine.unload()
    total = {
        OffloadMode.NONE: card_for(sum(sizes(engine))),
        OffloadMode.MODEL: card_for(max(sizes(engine))),
        OffloadMode.SEQUENTIAL: card_for(max(sizes(engine))) - 65536,
    }[mode]
    engine.remote("set_total", total, 0)
    plan = decide(engine, device="vgpu:0", storage="none", vae_tiling="off")
    assert isinstance(plan, Plan)
    assert plan.offload is mode
    outcome = carry_out(engine, plan)
    assert outcome.devices[0]["peak"] <= total
    assert np.array_equal(outcome.picture, expected.picture)


def test_auto_counts_what_other_programs_hold(engine: VirtualEngine) -> None:
    """A large card that others fill is a small one: measured free memory decides, not the card's size."""
    reserve = 2**30 // 20
    engine.remote("set_cap", reserve + card_for(max(sizes(engine))), 0)
    plan = decide(engine, device="vgpu:0", storage="none", vae_tiling="off")
    assert isinstance(plan, Plan)
    assert plan.offload is OffloadMode.MODEL
    assert isinstance(carry_out(engine, plan).end, Finished)


def test_auto_storage_helps_where_offload_is_not_enough(engine: VirtualEngine) -> None:
    total = card_for(max(sizes(engine))) - 65536
    engine.remote("set_total", total, 0)
    plan = decide(engine, device="vgpu:0", vae_tiling="off")
    assert isinstance(plan, Plan)
    assert (plan.offload, plan.storage) == (OffloadMode.MODEL, Storage.FP8_E4M3)
    outcome = carry_out(engine, plan)
    assert isinstance(outcome.end, Finished)
    assert outcome.devices[0]["peak"] <= total
    assert outcome.devices[0]["h2d_bytes"] < 0.6 * sum(sizes(engine))


def test_a_card_too_small_for_anything_is_refused_with_numbers(engine: VirtualEngine) -> None:
    engine.remote("set_total", 16384, 0)
    decision = decide(engine, device="vgpu:0")
    assert isinstance(decision, Rejection)
    assert decision.problem.kind is ErrorKind.WILL_NOT_FIT
    assert decision.problem.fact("need_bytes") > decision.problem.fact("budget_bytes")
    assert decision.plan is not None
    anyway = carry_out(engine, decision.plan)
    assert anyway.problem.kind is ErrorKind.OUT_OF_MEMORY


@pytest.mark.parametrize("name", ["none", "model", "sequential"])
def test_offload_asked_for_by_name_is_what_runs(engine: VirtualEngine, name: str) -> None:
    plan = decide(engine, device="vgpu:1", offload=name, storage="none")
    assert isinstance(plan, Plan)
    assert (plan.device, plan.offload.value) == ("vgpu:1", name)
    stats = carry_out(engine, plan).devices[1]
    assert (stats["live"] > 4096) is (name == "none")  # less: the scheduler's times, position numbers


def test_maximum_memory_is_enforced(engine: VirtualEngine) -> None:
    limit = card_for(max(sizes(engine)))
    plan = decide(engine, device="vgpu:0", max_memory=f"{limit}B", storage="none")
    assert isinstance(plan, Plan)
    assert (plan.offload, plan.memory_limit) == (OffloadMode.MODEL, limit)
    outcome = carry_out(engine, plan)
    assert isinstance(outcome.end, Finished)
    assert engine.remote("limit", 0) == pytest.approx(limit, abs=1)
    assert outcome.devices[0]["peak"] <= limit


def test_maximum_memory_as_a_share_of_the_card(engine: VirtualEngine) -> None:
    plan = decide(engine, device="vgpu:0", max_memory="50%")
    assert isinstance(plan, Plan)
    carry_out(engine, plan)
    assert engine.remote("limit", 0) == 512 * 2**20


@pytest.mark.parametrize("kind", ["fp8_e4m3", "fp8_e5m2"])
def test_storage_asked_for_saves_what_the_plan_says(engine: VirtualEngine, kind: str) -> None:
    plain = carry_out(engine, decide(engine, device="vgpu:0", storage="none", offload="none"))
    plan = decide(engine, device="vgpu:0", storage=kind, offload="none")
    stored = carry_out(engine, plan)
    assert isinstance(plan, Plan)
    saved = sum(sizes(engine)) - plan.estimate.resident
    assert saved > 0
    assert plain.devices[0]["live"] - stored.devices[0]["live"] == pytest.approx(saved, abs=512 * 200)


@pytest.mark.parametrize(("asked", "tile"), [("on", 64), ("off", 0), ("auto", 0)])
def test_tiling_asked_for_acts(engine: VirtualEngine, asked: str, tile: int) -> None:
    plan = decide(engine, side=128, device="vgpu:0", vae_tiling=asked)
    assert isinstance(plan, Plan)
    assert (plan.vae_tiling, plan.vae_tile_size) == (tile > 0, tile)
    whole = carry_out(engine, decide(engine, side=128, device="vgpu:0", vae_tiling="off"), 128)
    outcome = carry_out(engine, plan, 128)
    assert (difference(outcome.picture, whole.picture)[1] > 0) is (tile > 0)


def test_auto_tiles_when_the_card_is_short_of_room(engine: VirtualEngine) -> None:
    engine.remote("set_total", "64MiB", 0)
    plan = decide(engine, side=128, device="vgpu:0")
    assert isinstance(plan, Plan)
    assert plan.vae_tile_size == 64
    assert isinstance(carry_out(engine, plan, 128).end, Finished)


def test_auto_precision_is_the_cards_first(engine: VirtualEngine) -> None:
    plan = decide(engine, device="vgpu:0", dtype="auto")
    assert isinstance(plan, Plan)
    assert plan.dtype is Dtype.BFLOAT16
    outcome = carry_out(engine, plan)
    assert outcome.devices[0]["live"] < 0.6 * sum(sizes(engine))
    expected = engine.run(engine.plan("cpu", dtype=Dtype.BFLOAT16), engine.request(width=SIDE, height=SIDE))
    assert np.array_equal(outcome.picture, expected.picture)


@pytest.mark.parametrize("goal", ["fit", "speed", "memory"])
def test_each_preset_runs(engine: VirtualEngine, goal: str) -> None:
    expected = {"fit": OffloadMode.NONE, "speed": OffloadMode.NONE, "memory": OffloadMode.SEQUENTIAL}[goal]
    plan = decide(engine, goal=goal)
    assert isinstance(plan, Plan)
    assert plan.offload is expected
    assert isinstance(carry_out(engine, plan).end, Finished)

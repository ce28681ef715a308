"""Traps and cases of memory settings that the planner keeps people out of, or tells the price of. No torch."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from app.core.errors import ErrorKind
from app.core.family import Can
from app.core.memory import MemorySettings
from app.core.plan import OffloadMode, Plan
from app.core.planner import Decision, Rejection, make_plan
from app.core.refusals import refusals
from app.core.spreads import share_out
from app.core.units import GIB
from app.families import all_families

FAMILIES = all_families()
SDXL = FAMILIES["sdxl"]


def decide(
    given: ModuleType, settings: MemorySettings, *cards: Any, free: float = 20, **numbers: int
) -> Decision:
    model = given.model(numbers or given.SDXL_NUMBERS)
    machine = given.machine(*cards)
    devices = (*machine.devices[:-1], replace(machine.devices[-1], free=int(free * GIB)))
    machine = replace(machine, devices=devices, ram_free=int(free * GIB))
    return make_plan(model, SDXL, given.request(), settings, machine)


def plan(given: ModuleType, settings: MemorySettings, *cards: Any, **numbers: Any) -> Plan:
    decision = decide(given, settings, *cards, **numbers)
    assert isinstance(decision, Plan), decision
    return decision


def words(found: Plan) -> str:
    return " ".join(str(reason) for reason in found.reasons)


BALANCED = MemorySettings(spread="balanced", dtype="float16", storage="none")


def test_balanced_lays_whole_parts_on_both_cards(given: ModuleType) -> None:
    cards = (given.card(24), given.card(12, index=1))
    found = plan(given, BALANCED, *cards)
    lying = {name: found.placement(name).device for name in given.SDXL_NUMBERS}
    assert lying["unet"] == found.device == "cuda:0"
    assert set(lying.values()) == {"cuda:0", "cuda:1"}
    own = plan(given, replace(BALANCED, component=(("vae.device", "cuda:0"),)), *cards)
    assert own.placement("vae").device == "cuda:0"
    listed = replace(BALANCED, max_memory="cuda:0=20GiB,cuda:1=1GiB")
    assert plan(given, listed, *cards).placement("text_encoder_2").device == "cuda:0"


def test_balanced_over_one_card_is_refused(given: ModuleType) -> None:
    refused = decide(given, BALANCED, given.card(24))
    assert isinstance(refused, Rejection)
    assert refused.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert "cuda:0" in str(refused.problem.fact("reason"))
    left_out = decide(
        given, replace(BALANCED, max_memory="cuda:0=20GiB"), given.card(24), given.card(24, index=1)
    )
    assert isinstance(left_out, Rejection)


def test_d6_parts_that_fit_on_no_card_are_refused_with_figures_and_not_forgotten(given: ModuleType) -> None:
    """Two parts, each too large for either card."""
    numbers = {"text_encoder": 5 * GIB, "text_encoder_2": 10**8, "unet": 6 * GIB, "vae": 10**8}
    refused = decide(given, BALANCED, given.card(6), given.card(6, index=1), **numbers)
    assert isinstance(refused, Rejection)
    assert refused.problem.kind is ErrorKind.WILL_NOT_FIT
    assert refused.problem.fact("need_bytes") >= 12 * GIB
    assert refused.plan is not None
    assert {refused.plan.placement(name).device for name in ("unet", "text_encoder")} == {"cuda:0", "cuda:1"}


def test_d6_every_part_has_a_place() -> None:
    sizes = {"a": 24, "b": 10, "c": 1}
    assert set(share_out(sizes, {"x": 8, "y": 8}, "x", ["a"])) == set(sizes)
    assert share_out(sizes, {"x": 40, "y": 40}, "x", ["a"]) == {"a": "x", "b": "y", "c": "y"}
    assert share_out(sizes, {"x": 12, "y": 40}, "x", ["a"])["a"] == "y"


@pytest.mark.parametrize(("room", "fits"), [(1.0, False), (0.9, False), (1.4, True)])
def test_d7_every_card_keeps_room_to_work(given: ModuleType, room: float, fits: bool) -> None:
    """The first card is large; the second just holds the weights that come to it, or that and a quarter more."""
    numbers = {"text_encoder": 4 * GIB, "unet": 4 * GIB, "vae": 10**6}
    second = replace(given.card(24, index=1), free=int(8 * GIB * room) + 400 * 2**20)
    first = replace(given.card(40), free=int(8 * GIB * room) + 410 * 2**20)
    decision = decide(given, BALANCED, first, second, **numbers)
    assert isinstance(decision, Plan) is fits, decision


def test_d10_slicing_is_never_on_and_says_why(given: ModuleType) -> None:
    settings = MemorySettings(vae_slicing="on")
    found = plan(given, settings, given.card(24))
    assert not found.vae_slicing
    assert "nothing to slice" in words(found)
    machine = given.machine(given.card(24))
    told = refusals(given.model(given.SDXL_NUMBERS), SDXL, given.request(), settings, machine)
    assert "nothing to slice" in str(told[("vae_slicing", "on")])
    assert "slice" not in words(plan(given, MemorySettings(), given.card(24)))


def groups(given: ModuleType, *, streams: bool = True, free: float = 20, **settings: Any) -> Plan:
    """A plan with group offload on a card that has streams."""
    card = replace(given.card(24), streams=streams)
    return plan(given, MemorySettings(**{"offload": "group_leaf", **settings}), card, free=free)


def test_d23_streams_are_taken_where_there_are_any_and_their_lack_is_told(given: ModuleType) -> None:
    assert groups(given).group.stream
    assert "copied back" not in words(groups(given))
    for without in (groups(given, stream="off"), groups(given, streams=False)):
        assert not without.group.stream
        assert "copied back" in words(without)
    assert "copied back" not in words(groups(given, stream="off", disk_offload="on"))


def test_d24_what_is_in_no_block_counts_and_is_told(given: ModuleType) -> None:
    model = given.model(given.SDXL_NUMBERS)
    parts = tuple(
        replace(part, largest_block=10**8, outside_blocks=10**9) if part.name == "unet" else part
        for part in model.components
    )
    card, model = replace(given.card(24), streams=True), replace(model, components=parts)
    settings = MemorySettings(offload="group_block", dtype="float16")
    found = make_plan(model, SDXL, given.request(), settings, given.machine(card))
    assert isinstance(found, Plan)
    assert found.group.stream
    assert found.estimate.resident >= 2 * (10**9 + 2 * 10**8)
    assert "1.9 GiB of the weights stand in no block" in words(found)


@pytest.mark.parametrize("level", ["group_leaf", "group_block"])
def test_c4_record_stream_is_on_with_disk_and_streams_and_may_be_switched_off(
    given: ModuleType, level: str
) -> None:
    """Off is slower and as right: diffusers waits then (tests/virtual_gpu/traps)."""
    found = groups(given, offload=level, disk_offload="on")
    assert (found.group.stream, found.group.record_stream) == (True, True)
    off = groups(given, offload=level, disk_offload="on", record_stream="off")
    assert (off.group.stream, off.group.record_stream) == (True, False)


def test_c15_more_main_memory_than_is_free_is_told_before_loading(given: ModuleType) -> None:
    """6.5 GiB of weights; streams pin a copy of all, rounded up."""
    assert "main memory are needed" not in words(groups(given, free=20))
    asked = {"low_cpu_mem": "off", "stream": "on"}
    told = words(groups(given, free=10, **asked))
    assert "Up to 11.6 GiB of main memory are needed and 10.0 GiB are free" in told
    assert groups(given, free=10).group.low_cpu_mem
    assert "main memory are needed" not in words(groups(given, free=10))
    assert "main memory are needed" in words(groups(given, free=5))
    assert "main memory are needed" not in words(groups(given, free=5, disk_offload="on"))
    model = words(plan(given, MemorySettings(offload="model", storage="none"), given.card(24), free=5))
    assert "Up to 6.5 GiB" in model


@pytest.mark.parametrize("size", [0, 1, 4, 7, 8, 16, 40, 8192])
@pytest.mark.parametrize("overlap", [0.0, 0.25, 0.75])
def test_c21_tile_sizes_are_whole_latents_before_the_first_step(
    given: ModuleType, size: int, overlap: float
) -> None:
    settings = MemorySettings(vae_tiling="on", vae_tile_size=size, vae_tile_overlap=overlap)
    found = plan(given, settings, given.card(24))
    assert found.vae_tile_size % 8 == 0
    assert 8 <= found.vae_tile_size < 1024
    assert ("cannot be had" in words(found)) is (size not in (0, found.vae_tile_size))


def test_c37_both_denoisers_are_treated_alike(given: ModuleType) -> None:
    family = FAMILIES["wan"]
    model = given.model({"text_encoder": 10**9, "transformer": 10**9, "transformer_2": 10**9, "vae": 10**8})
    parts = tuple(
        replace(part, role="denoiser", fp8_numbers=9 * 10**8, linear_numbers=9 * 10**8)
        if part.name.startswith("transformer")
        else part
        for part in model.components
    )
    model = replace(model, family="wan", components=parts)
    card = replace(given.card(24), streams=True)
    machine = replace(given.machine(card), packages=("torchao",))
    for changes in (
        {"storage": "fp8_e4m3"}, {"quantization": "torchao_int8"}, {"offload": "model"}, {"offload": "sequential"},
        {"offload": "group_block"}, {"offload": "group_leaf"}, {"offload": "group_leaf", "disk_offload": "on"},
    ):  # fmt: skip
        found = make_plan(model, family, given.request(), MemorySettings(**changes), machine)
        assert isinstance(found, Plan)
        first, second = (found.placement(name) for name in ("transformer", "transformer_2"))
        assert replace(first, component="") == replace(second, component=""), changes
        in_force = (first.storage, first.quantization, first.offload)
        assert any(value != "none" for value in in_force), changes


def test_c37_every_ability_of_one_denoiser_is_the_others_too() -> None:
    for family in FAMILIES.values():
        denoisers = [part for part in family.components if part.role == "denoiser"]
        assert len({(part.can, part.fp8, part.fp8_skip) for part in denoisers}) == 1, family.id


def test_d3_a_single_part_without_blocks_cannot_be_asked_to_move_by_them(given: ModuleType) -> None:
    part = next(part for part in SDXL.components if part.role == "text_encoder")
    assert Can.BLOCKS not in part.can
    settings = MemorySettings(offload="group_block", component=((f"{part.name}.offload", "group_block"),))
    refused = decide(given, settings, given.card(24))
    assert isinstance(refused, Rejection)
    assert "layer by layer" in str(refused.problem.fact("reason"))
    general = plan(given, replace(settings, component=()), given.card(24))
    assert general.placement(part.name).offload is OffloadMode.GROUP_LEAF

"""What cannot apply and what makes no difference, each with its reason; pairs are refused whichever comes second."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from app.core.errors import ErrorKind
from app.core.family import Can, Family
from app.core.memory import MemorySettings
from app.core.plan import Dtype, OffloadMode, Plan
from app.core.planner import Rejection, make_plan
from app.core.refusals import refusals
from app.core.rules import Case, conflicts
from app.core.text import Text
from app.families import all_families

FAMILIES = all_families()
Found = dict[tuple[str, str], Text]


def ask(
    given: ModuleType, settings: MemorySettings, *cards: object, family: Family = FAMILIES["sdxl"]
) -> Found:
    machine = given.machine(*(cards or (given.card(24),)))
    return refusals(given.model(given.SDXL_NUMBERS), family, given.request(), settings, machine)


def without(family: Family, ability: Can) -> Family:
    """The family as if none of its classes were able to do it."""
    parts = tuple(replace(part, can=part.can - {ability}) for part in family.components)
    return replace(family, components=parts)


def test_c12_modes_without_meaning_have_a_reason(given: ModuleType) -> None:
    machine = given.machine()
    found = refusals(
        given.model(given.SDXL_NUMBERS), FAMILIES["sdxl"], given.request(), MemorySettings(), machine
    )
    modes = ("model", "sequential", "group_block", "group_leaf", "partial")
    assert {("offload", mode) for mode in modes} <= set(found)
    assert {("spread", mode) for mode in ("balanced", "auto")} <= set(found)
    assert all(str(reason) for reason in found.values())


def test_c12_a_setting_that_makes_no_difference_says_why(given: ModuleType) -> None:
    acting = {"group_blocks", "non_blocking", "disk_folder", "skip_modules", "skip_classes", "device_map",
              "vae_tile_size", "vae_tile_overlap"}  # fmt: skip
    assert acting == {name for name, choice in ask(given, MemorySettings()) if choice == "*"}
    used = MemorySettings(
        offload="group_block", disk_offload="on", storage="fp8_e4m3", vae_tiling="on", stream="off"
    )
    assert {"device_map"} == {name for name, choice in ask(given, used) if choice == "*"}
    assert ("group_blocks", "*") in ask(given, MemorySettings(offload="group_leaf", stream="off"))
    assert ("group_blocks", "*") in ask(given, MemorySettings(offload="group_block", stream="on"))
    assert ("device_map", "*") not in ask(given, MemorySettings(spread="custom"))
    remote = ask(given, MemorySettings(vae_endpoint="https://host/vae", vae_tiling="on"))
    assert "server" in str(remote[("vae_tile_size", "*")])


def test_c10_a_map_and_an_offload_mode_refuse_each_other(given: ModuleType) -> None:
    cards = (given.card(24), given.card(12, index=1))
    for mode in ("model", "sequential", "group_block", "group_leaf"):
        assert ("spread", "balanced") in ask(given, MemorySettings(offload=mode), *cards)
        found = ask(given, MemorySettings(spread="balanced"), *cards)
        assert "spread model" in str(found[("offload", mode)])


def test_a_map_that_is_still_to_be_made_does_not_refuse_the_custom_spread(given: ModuleType) -> None:
    cards = (given.card(24), given.card(12, index=1))
    assert ("spread", "custom") not in ask(given, MemorySettings(), *cards)


def test_c22_tiling_and_slicing_are_for_decoders_that_can(given: ModuleType) -> None:
    assert ("vae_tiling", "on") not in ask(given, MemorySettings())
    found = ask(given, MemorySettings(), family=without(FAMILIES["sdxl"], Can.TILE))
    assert "tiles" in str(found[("vae_tiling", "on")])


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_c27_channels_last_is_for_two_dimensional_convolutions(name: str) -> None:
    family = FAMILIES[name]
    plan = Plan(family=name, device="cuda:0", dtype=Dtype.BFLOAT16, channels_last=True)
    present = tuple(part.name for part in family.components if part.weights)
    able = any(Can.CONV2D in part.can for part in family.components)
    refused = [conflict.field for conflict in conflicts(Case(plan, family, present))]
    assert ("channels_last" in refused) != able
    bare = conflicts(Case(plan, without(family, Can.CONV2D), present))
    assert "channels_last" in [conflict.field for conflict in bare]


def test_c28_only_the_maps_that_a_model_takes_are_offered(given: ModuleType) -> None:
    cards = (given.card(24), given.card(12, index=1))
    assert ("spread", "auto") not in ask(given, MemorySettings(), *cards)
    found = ask(given, MemorySettings(), *cards, family=without(FAMILIES["sdxl"], Can.SPLIT))
    assert "cut" in str(found[("spread", "auto")])
    assert ("spread", "balanced") not in found


def test_values_of_single_parts_are_refused_with_their_reasons(given: ModuleType) -> None:
    found = ask(given, MemorySettings())
    assert "8-bit" in str(found[("component.text_encoder.storage", "fp8_e4m3")])
    assert ("component.unet.storage", "fp8_e4m3") not in found
    assert "not installed" in str(found[("component.unet.quantization", "torchao_int8")])
    whole = ask(given, MemorySettings(offload="sequential"))
    assert "sequential" in str(whole[("component.vae.offload", "group_leaf")])


def test_d26_a_video_decoder_without_blocks_is_never_moved_by_blocks(given: ModuleType) -> None:
    family = without(FAMILIES["sdxl"], Can.BLOCKS)
    asked = MemorySettings(offload="group_block", component=(("vae.offload", "group_block"),))
    machine, model = given.machine(given.card(24)), given.model(given.SDXL_NUMBERS)
    refused = make_plan(model, family, given.request(), asked, machine)
    assert isinstance(refused, Rejection)
    assert refused.problem.kind is ErrorKind.COMBINATION_REFUSED
    whole = make_plan(model, family, given.request(), replace(asked, component=()), machine)
    assert isinstance(whole, Plan)
    assert whole.placement("vae").offload is OffloadMode.GROUP_LEAF

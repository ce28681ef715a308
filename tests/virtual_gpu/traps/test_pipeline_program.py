"""The program cannot fall into the traps of whole pipelines, one plan after another: D6 D7 D14 D15 D17 D20 D27.

The engine's keeper changes from plan to plan, as between jobs. What the planner makes of ``balanced`` is in tests/core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import headroom_vgpu as vgpu
import in_process as here
import numpy as np
import pytest
import tiny_models
import torch
from in_process import FAMILIES

from app.core.errors import AppError, ErrorKind
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo, read_model
from app.core.plan import OffloadMode, Placement, Plan, Spread
from app.core.planner import make_plan
from app.core.request import Task
from app.core.rules import Case, conflicts
from app.engine import probe, spreading
from app.engine.keeper import Keeper
from app.engine.placement import models_of
from app.engine.scratch import Scratch

BLOCK, LEAF = OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF
MODEL, SEQUENTIAL, NONE = OffloadMode.MODEL, OffloadMode.SEQUENTIAL, OffloadMode.NONE
Obtain = Callable[..., Any]


@pytest.fixture(scope="module")
def info(tmp_path_factory: pytest.TempPathFactory) -> ModelInfo:
    """A tiny SDXL model's folder."""
    return read_model(tiny_models.save("sdxl", tmp_path_factory.mktemp("model") / "sdxl"), FAMILIES)


@pytest.fixture
def obtain(info: ModelInfo) -> Iterator[Obtain]:
    """The keeper's pipeline under a plan with these changes, after whatever was there before."""
    keeper = Keeper(Scratch(None))

    def get(**changes: Any) -> Any:
        plan = here.plan_for("sdxl", **changes)
        task = Task.TEXT_TO_IMAGE
        return keeper.obtain(info, plan, FAMILIES["sdxl"], task, lambda *_: None, lambda: None)[0]

    yield get
    keeper.drop()
    assert [vgpu.stats(index)["live"] for index in range(2)] == [0, 0]


def picture(pipe: Any) -> Any:
    """What it makes now."""
    return here.make("sdxl", pipe, here.plan_for("sdxl"))


def by_blocks() -> dict[str, Any]:
    """Block level, with the encoders layer by layer as the planner has it."""
    encoders = ("text_encoder", "text_encoder_2")
    return {
        "offload": BLOCK,
        "overrides": tuple(Placement(component=name, device="vgpu:0", offload=LEAF) for name in encoders),
    }


def test_d14_another_kind_of_groups_takes_the_place_of_the_first(obtain: Obtain) -> None:
    expected = picture(obtain())
    for kind, changes in (("block", by_blocks()), ("leaf", {"offload": LEAF}), ("block", by_blocks())):
        pipe = obtain(**changes)
        assert here.group_kinds(pipe.unet) == {f"{kind}_level"}
        assert np.array_equal(picture(pipe), expected)
    assert here.hooks_of(obtain().unet) == []


def test_d15_what_a_spread_model_cannot_have_leaves_it_whole(obtain: Obtain) -> None:
    away = {"spread": Spread.CUSTOM, "device_map": (("text_encoder_2", "vgpu:1"), ("unet", "cpu"))}
    pipe = obtain(**away)
    expected, hooks = picture(pipe), here.hooks_of(pipe.unet)
    assert hooks
    for mode in (SEQUENTIAL, MODEL, LEAF):
        with pytest.raises(AppError) as refused:
            obtain(**away, offload=mode)
        assert refused.value.kind is ErrorKind.COMBINATION_REFUSED
        assert here.hooks_of(pipe.unet) == hooks
        assert np.array_equal(picture(pipe), expected)
    assert np.array_equal(picture(obtain(offload=SEQUENTIAL)), expected)


def test_d17_one_mode_at_a_time(obtain: Obtain) -> None:
    expected = picture(obtain())
    for mode, kinds in ((SEQUENTIAL, {"AlignDevicesHook"}), (MODEL, {"_OneAtATime"})) * 2:
        pipe = obtain(offload=mode)
        assert all(set(here.hooks_of(model)) == kinds for model in models_of(pipe).values()), mode
        assert np.array_equal(picture(pipe), expected)


def refused(plan: Plan, info: ModelInfo) -> str:
    """Why the rules refuse a plan."""
    present = tuple(part.name for part in info.components if part.numbers)
    return " ".join(
        f"{found.field} {found.reason}" for found in conflicts(Case(plan, FAMILIES["sdxl"], present))
    )


def test_d20_a_part_that_is_not_there_is_named_with_those_that_are(info: ModelInfo) -> None:
    typo = Placement(component="text_encodr", device="vgpu:0", offload=NONE)
    for plan in (
        here.plan_for("sdxl", offload=LEAF, overrides=(typo,)),
        here.plan_for("sdxl", spread=Spread.CUSTOM, device_map=(("text_encodr", "vgpu:1"),)),
        here.plan_for("sdxl", spread=Spread.CUSTOM, device_map=(("text_encodr.text_model", "vgpu:1"),)),
    ):
        assert "text_encoder_2, unet" in refused(plan, info)


def test_d20_a_layer_that_is_not_there_is_named_with_those_that_are(obtain: Obtain) -> None:
    with pytest.raises(AppError) as error:
        obtain(spread=Spread.CUSTOM, device_map=(("unet.mid_blok", "vgpu:1"),))
    assert error.value.kind is ErrorKind.COMBINATION_REFUSED
    assert "unet.mid_blok" in str(error.value.problem.fact("value"))
    assert "unet.mid_block" in str(error.value.problem.fact("reason"))
    pipe = obtain(spread=Spread.CUSTOM, device_map=(("unet.mid_block", "vgpu:1"),))
    assert {weight.device.index for weight in pipe.unet.mid_block.parameters()} == {1}


def test_d7_a_split_denoiser_leaves_room_to_work(obtain: Obtain, info: ModelInfo) -> None:
    """Beside the parts that lie whole on the main device, which are not split."""
    numbers = {part.name: 4 * part.numbers for part in info.components}
    others = sum(size for name, size in numbers.items() if name != "unet")
    for share in (0.2, 0.6):
        limit = others + int(share * numbers["unet"])
        limits = (("vgpu:0", limit), ("vgpu:1", 2**30))
        pipe = obtain(spread=Spread.AUTO, limits=limits)
        lying = sum(weight.nbytes for weight in pipe.unet.parameters() if weight.device.index == 0)
        assert lying <= 0.75 * (limit - others) + 65536
        assert any(weight.device.index == 1 for weight in pipe.unet.parameters())
        picture(pipe)


def test_d6_and_d7_a_model_too_large_for_one_card_is_shared_out_and_has_room_to_work(
    obtain: Obtain, info: ModelInfo, plain: Any
) -> None:
    """The planner's own plan for two cards of which neither could hold it all."""
    right = plain("sdxl")
    numbers = {part.name: 4 * part.numbers for part in info.components if part.numbers}
    larger = max(numbers["unet"], sum(numbers.values()) - numbers["unet"])
    for index in range(2):
        vgpu.set_total(int(1.1 * larger / 0.75 / 0.95), index)
    hardware = probe.ready(0).hardware
    settings = MemorySettings(spread="balanced", dtype="float32", storage="none", vae_tiling="off")
    request = here.request_for("sdxl")
    found = make_plan(info, FAMILIES["sdxl"], request, settings, hardware)
    assert isinstance(found, Plan)
    alone = make_plan(info, FAMILIES["sdxl"], request, replace(settings, spread="single"), hardware)
    assert isinstance(alone, Plan)
    assert alone.offload is not NONE
    pipe = obtain(spread=found.spread, overrides=found.overrides, limits=found.limits, device=found.device)
    assert np.array_equal(picture(pipe), right)
    assert all(vgpu.stats(index)["live"] > 0 for index in range(2))


def test_d7_a_quarter_of_each_cards_limit_stays_free() -> None:
    model = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(60)))
    each = here.weight_bytes(model[0])
    limits = {"vgpu:0": 40 * each, "vgpu:1": 20 * each}
    found = list(spreading.fitting_map(model, limits, "vgpu:0").values())
    assert 0.6 * 40 < found.count("vgpu:0") <= 0.75 * 40
    assert 0.6 * 20 < found.count("vgpu:1") <= 0.75 * 20
    assert found.count("cpu") == 60 - found.count("vgpu:0") - found.count("vgpu:1")


@pytest.mark.parametrize("first", ["vgpu:0", "vgpu:1"])
def test_d27_encoders_on_two_devices_meet_on_the_main_one(obtain: Obtain, plain: Any, first: str) -> None:
    other = {"vgpu:0": "vgpu:1", "vgpu:1": "vgpu:0"}[first]
    for changes in (
        {"spread": Spread.BALANCED, "overrides": (
            Placement(component="text_encoder", device=first, offload=NONE),
            Placement(component="text_encoder_2", device=other, offload=NONE),
            Placement(component="vae", device="vgpu:1", offload=NONE),
        )},
        {"spread": Spread.CUSTOM, "device_map": (("text_encoder", first), ("text_encoder_2", other))},
    ):  # fmt: skip
        pipe = obtain(**changes)
        assert str(pipe.text_encoder.device) == first
        assert str(pipe.text_encoder_2.device) == other
        assert np.array_equal(picture(pipe), plain("sdxl"))

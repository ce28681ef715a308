"""Where the parts of a model lie, in words: every mode, format and spread says its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.core.model_file import ComponentInfo
from app.core.places import places
from app.core.plan import Dtype, GroupOptions, OffloadMode, Placement, Plan, Quantization, Spread, Storage
from app.core.text import Text

PLAN = Plan(family="f", device="cuda:0", dtype=Dtype.BFLOAT16)
PARTS = tuple(
    ComponentInfo(name=name, role=role, class_name="", label=Text(name), numbers=numbers, precise=name == "vae")
    for name, role, numbers in (
        ("text_encoder", "text_encoder", 5), ("unet", "denoiser", 9), ("vae", "vae", 3), ("tokenizer", "tokenizer", 0)
    )
)  # fmt: skip


def said(plan: Plan) -> Mapping[str, str]:
    return {name: str(text) for name, text in places(plan, PARTS)}


def test_parts_with_weights_are_named_with_their_format() -> None:
    assert said(PLAN) == {
        "text_encoder": "on cuda:0; bfloat16",
        "unet": "on cuda:0; bfloat16",
        "vae": "on cuda:0; float32",
    }


def test_each_mode_says_its_own() -> None:
    lines = {said(replace(PLAN, offload=mode))["unet"] for mode in OffloadMode}
    assert len(lines) == len(OffloadMode)
    assert all("cuda:0" in line for line in lines)


def test_formats_of_packed_and_stored_weights() -> None:
    stored = replace(PLAN, storage=Storage.FP8_E4M3, storage_components=("unet",))
    assert said(stored)["unet"] == "on cuda:0; fp8 e4m3"
    assert said(stored)["text_encoder"] == "on cuda:0; bfloat16"
    packed = replace(PLAN, quantization=Quantization.BNB_NF4, quantized_components=("unet",))
    assert said(packed)["unet"] == "on cuda:0; bitsandbytes nf4"
    lines = {said(replace(packed, quantization=kind))["unet"] for kind in Quantization}
    assert len(lines) == len(Quantization)
    assert len({said(replace(stored, storage=kind))["unet"] for kind in Storage}) == len(Storage)


def test_a_part_of_its_own_and_groups_in_files() -> None:
    own = Placement(component="vae", device="cuda:1", offload=OffloadMode.GROUP_LEAF)
    plan = replace(PLAN, overrides=(own,), group=GroupOptions(disk_folder="auto"))
    assert said(plan)["vae"] == "in files, in groups of a layer on cuda:1; float32"
    assert said(plan)["unet"] == "on cuda:0; bfloat16"


def test_a_split_that_the_libraries_choose_is_not_foretold() -> None:
    assert "cuda:0" not in said(replace(PLAN, spread=Spread.AUTO))["unet"]
    assert said(replace(PLAN, spread=Spread.AUTO))["text_encoder"] == "on cuda:0; bfloat16"


def test_a_custom_map_is_shown_line_by_line() -> None:
    places_ = (("text_encoder", "cpu"), ("unet.down_blocks", "cuda:0"), ("unet.mid_block", "disk"))
    plan = replace(PLAN, spread=Spread.CUSTOM, device_map=places_)
    assert said(plan) == {
        "text_encoder": "in main memory; bfloat16",
        "unet": "on cuda:0; bfloat16",
        "unet.down_blocks": "on cuda:0",
        "unet.mid_block": "in files",
        "vae": "on cuda:0; float32",
    }


def test_a_server_and_the_processor() -> None:
    assert said(replace(PLAN, vae_endpoint="https://host"))["vae"] == "on the server https://host"
    assert said(replace(PLAN, device="cpu"))["unet"] == "in main memory; bfloat16"

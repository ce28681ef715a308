"""The program cannot fall into the traps of group offload: D1 D2 D3 D13 D16 D21 D23 D24 D28."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import headroom_vgpu as vgpu
import in_process as here
import numpy as np
import pytest
import tiny_models
import torch
from in_process import CARD, FAMILIES, OTHER

from app.core.family import Can
from app.core.plan import Dtype, GroupOptions, OffloadMode, Placement, Plan, Spread, Storage
from app.core.rules import Case, conflicts
from app.engine import offloading
from app.engine.loader import load_part
from app.engine.offloading import waits_on_disk
from app.engine.placement import models_of

BLOCK, LEAF, NONE = OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF, OffloadMode.NONE
DISK = GroupOptions(disk_folder="auto")
STREAM = GroupOptions(stream=True, non_blocking=True)
IDS = torch.tensor([[40, 41, 42, 1]])


def leaves(kind: str) -> tuple[Placement, ...]:
    """What the planner does beside block level: parts without a list of blocks move layer by layer."""
    parts = [
        part.name
        for part in FAMILIES[kind].components
        if part.weights and part.required and Can.BLOCKS not in part.can
    ]
    return tuple(Placement(component=name, device="vgpu:0", offload=LEAF) for name in parts)


@pytest.mark.parametrize(
    "changes",
    [
        {"offload": LEAF, "group": DISK},
        {"spread": Spread.CUSTOM, "device_map": (("text_encoder_2", "disk"),)},
    ],
    ids=["groups", "map"],
)
def test_d1_an_encoder_whose_layers_share_a_weight_reads_right_embeddings(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    pipe = tiny_models.flux()
    plan = here.plan_for("flux", **changes)
    expected = {name: getattr(pipe, name)(IDS)[0] for name in ("text_encoder", "text_encoder_2")}
    with here.nan_in_fresh_host_memory(), here.under("flux", pipe, plan, tmp_path):
        for name, right in expected.items():
            assert torch.equal(getattr(pipe, name)(IDS.to(CARD))[0].cpu(), right), name
        folders = [folder.name for folder in tmp_path.iterdir() if folder.is_dir() and list(folder.iterdir())]
    assert any("-text_encoder-" in name for name in folders) is (plan.offload is LEAF)


def test_d1_no_part_with_shared_weights_waits_in_files_of_layers() -> None:
    parts = [(family, part) for family in FAMILIES.values() for part in family.components if part.weights]
    assert not all(Can.LEAF_DISK in part.can for _, part in parts)
    for family, part in parts:
        plan = here.plan_for(family.id, offload=LEAF, group=DISK)
        assert waits_on_disk(plan.placement(part.name), plan, family) is (Can.LEAF_DISK in part.can)


def test_d2_two_experts_on_disk_keep_their_own_weights(tmp_path: Path) -> None:
    options, expected = {"two_transformers": True}, {}
    pipe = tiny_models.wan(**options)
    for name in ("transformer", "transformer_2"):
        expected[name] = getattr(pipe, name)(**tiny_models.wan_inputs())[0]
    with here.under("wan", pipe, here.plan_for("wan", offload=LEAF, group=DISK), tmp_path):
        for name, right in expected.items():
            found = getattr(pipe, name)(**tiny_models.wan_inputs("vgpu"))[0].cpu()
            assert torch.allclose(found, right, atol=1e-6), name
        folders = [folder.name.split("-")[3] for folder in tmp_path.iterdir() if folder.is_dir()]
    assert {"transformer", "transformer_2"} <= set(folders)
    assert len(folders) == len(set(folders))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_d3_parts_without_blocks_are_never_moved_by_blocks(kind: str) -> None:
    parts = [part for part in FAMILIES[kind].components if part.weights]
    plan, present = here.plan_for(kind, offload=BLOCK), tuple(part.name for part in parts)
    refused = {found.field for found in conflicts(Case(plan, FAMILIES[kind], present))}
    whole = {part.name for part in parts if Can.BLOCKS not in part.can}
    assert whole
    assert refused == {f"component.{name}.offload" for name in whole}


def test_d3_an_encoder_beside_block_level_comes_in_parts() -> None:
    pipe = tiny_models.flux()
    with here.under("flux", pipe, here.plan_for("flux", offload=BLOCK, overrides=leaves("flux"))):
        for encoder in (pipe.text_encoder, pipe.text_encoder_2):
            vgpu.reset()
            encoder(IDS.to(CARD))
            assert vgpu.stats()["peak"] < here.weight_bytes(encoder) / 2


def test_d13_fp8_storage_comes_before_streams(tmp_path: Path) -> None:
    from app.core.model_file import read_model

    info, family = read_model(tiny_models.save("wan", tmp_path / "wan"), FAMILIES), FAMILIES["wan"]
    part = family.component("transformer")
    assert part is not None
    inputs = {name: value.to(torch.bfloat16) for name, value in tiny_models.wan_inputs("vgpu").items()}
    moved = {}
    for storage in (Storage.NONE, Storage.FP8_E4M3):
        plan = here.plan_for(
            "wan", dtype=Dtype.BFLOAT16, offload=LEAF, group=STREAM, storage=storage,
            storage_components=(part.name,) if storage is not Storage.NONE else (),
        )  # fmt: skip
        pipe = tiny_models.wan(dtype=torch.bfloat16)
        pipe.transformer = load_part(info, part, plan, family)
        with here.under("wan", pipe, plan):
            pipe.transformer(**inputs)
            vgpu.reset()
            pipe.transformer(**inputs)
            moved[storage] = vgpu.stats()["h2d_bytes"]
    stored = next(found.fp8_numbers for found in info.components if found.name == part.name)
    assert stored > 0
    assert moved[Storage.NONE] - moved[Storage.FP8_E4M3] == pytest.approx(stored, rel=0.01)


def test_d16_a_component_that_fails_leaves_none_hooked(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., None] = offloading.apply_group_offloading
    pipe, count = tiny_models.flux(), itertools.count(1)

    def fail_third(*args: Any, **options: Any) -> None:
        real(*args, **options)
        if next(count) == 3:
            raise ValueError("not this one")

    monkeypatch.setattr(offloading, "apply_group_offloading", fail_third)
    plan = here.plan_for("flux", offload=LEAF, group=STREAM)
    with pytest.raises(ValueError, match="not this one"), here.under("flux", pipe, plan):
        pass
    assert next(count) > 3
    assert here.left_on(pipe) == []
    with here.under("flux", pipe, plan):
        assert all(here.hooks_of(model) for model in models_of(pipe).values())
    assert here.left_on(pipe) == []


WAYS = {
    "memory": GroupOptions(), "disk": DISK, "stream": STREAM,
    "disk, stream": GroupOptions(stream=True, non_blocking=True, record_stream=True, disk_folder="auto"),
}  # fmt: skip


LYING = [*((name, way) for name in ("", "unet") for way in WAYS), ("text_encoder", "disk"), ("vae", "disk")]


@pytest.mark.parametrize(("name", "way"), LYING)
def test_d21_groups_come_to_the_device_that_they_are_for(name: str, way: str, plain: Any) -> None:
    """All parts' main device, or one part's own: the second card is never the current one meanwhile."""
    own, group = (Placement(component=name, device="vgpu:1", offload=LEAF),), WAYS[way]
    plan = (
        here.plan_for("sdxl", overrides=own, group=group)
        if name
        else here.plan_for("sdxl", "vgpu:1", offload=LEAF, group=group)
    )
    vgpu.set_delayed(group.stream)
    vgpu.reset()
    found = here.run("sdxl", plan)
    counters = [vgpu.stats(index) for index in range(2)]
    assert np.array_equal(found, plain("sdxl"))
    assert counters[0]["early_frees"] == counters[1]["early_frees"] == 0
    assert counters[1]["peak"] > 0
    assert bool(counters[0]["peak"]) is bool(name)
    assert torch.accelerator.current_device_index() == CARD.index != OTHER.index


def test_d21_streams_are_of_the_device_that_they_are_for() -> None:
    own = (Placement(component="unet", device="vgpu:1", offload=LEAF),)
    pipe = tiny_models.sdxl()
    with here.under("sdxl", pipe, here.plan_for("sdxl", overrides=own, group=STREAM)):
        hook = pipe.unet.conv_in._diffusers_hook.get_hook("group_offloading")
        assert hook.group.stream.device == OTHER


def pass_of_wan(plan: Plan) -> dict[str, int]:
    """What the device counts in one pass of Wan's transformer under a plan, after a first one."""
    pipe = tiny_models.wan()
    with here.under("wan", pipe, plan):
        pipe.transformer(**tiny_models.wan_inputs("vgpu"))
        vgpu.reset()
        pipe.transformer(**tiny_models.wan_inputs("vgpu"))
        return vgpu.stats()


def test_d23_with_the_planners_streams_no_weights_are_copied_back() -> None:
    """That the planner takes streams where a device has them, and says what it costs without: tests/core."""
    plain = pass_of_wan(here.plan_for("wan", offload=LEAF))
    assert plain["d2h_bytes"] > 0.9 * plain["h2d_bytes"]
    streamed = pass_of_wan(here.plan_for("wan", offload=LEAF, group=STREAM))
    assert streamed["d2h_bytes"] < 0.05 * plain["d2h_bytes"]


def test_d24_what_is_in_no_block_is_all_that_is_copied_back() -> None:
    """The planner counts it as staying there, and says that it has no stream: tests/core."""
    model = tiny_models.wan().transformer
    blocks = [here.weight_bytes(block) for block in model.blocks]
    tables = sum(buffer.nbytes for buffer in model.buffers())
    outside = here.weight_bytes(model) - sum(blocks) + tables
    counters = pass_of_wan(here.plan_for("wan", offload=BLOCK, group=STREAM, overrides=leaves("wan")))
    assert outside <= counters["d2h_bytes"] <= outside + tables  # tables are copied twice
    whole = pass_of_wan(here.plan_for("wan"))
    work = whole["peak"] - here.weight_bytes(model)
    assert counters["peak"] <= outside + 2 * max(blocks) + 1.1 * work


def streams_of(model: torch.nn.Module) -> list[Any]:
    """The stream, or none, of each of a model's groups."""
    registries = [getattr(module, "_diffusers_hook", None) for module in model.modules()]
    hooks = [registry.get_hook("group_offloading") for registry in registries if registry is not None]
    return [hook.group.stream for hook in hooks if hook is not None]


def test_d28_other_sizes_and_tiles_after_the_first_pass_change_nothing(plain: Any) -> None:
    sizes: tuple[dict[str, Any], ...] = ({}, {"width": 128, "height": 96}, {})
    tiles = {"vae_tiling": True, "vae_tile_size": 64}
    expected = [plain("sdxl", tiles, **size) for size in sizes]
    pipe = tiny_models.sdxl()
    plan = here.plan_for("sdxl", offload=LEAF, group=STREAM, **tiles)
    vgpu.set_delayed(True)
    with here.under("sdxl", pipe, plan):
        assert any(stream is not None for stream in streams_of(pipe.unet))
        assert not any(
            stream is not None for stream in streams_of(pipe.vae)
        )  # its tiles would follow no order
        for size, right in zip(sizes, expected, strict=True):
            assert np.array_equal(here.make("sdxl", pipe, plan, **size), right)
            assert {weight.device.type for weight in pipe.vae.parameters()} == {"cpu"}
    assert vgpu.stats()["early_frees"] == 0

"""LoRA files with every technique, in this process: what the CPU makes with them, to the bit, and the base again after.

Where a format is lossy the CPU in the same format is the measure. Files are changed while the base stays loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import gguf_files
import lora_files
import lora_model
import numpy as np
import pytest
import tiny_models
import torch
from lora_bench import LoraBench, lora_bench
from safetensors.torch import load_file

from app.core.lora_file import fit_loras
from app.core.plan import GroupOptions, OffloadMode, Placement, Quantization, Spread, Storage
from app.core.request import Lora
from app.core.rules import Case, conflicts

EVERY = os.environ.get("HEADROOM_NIGHTLY") == "1"
BLOCK, LEAF = OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF
STREAM = GroupOptions(stream=True, non_blocking=True)
DISK = GroupOptions(disk_folder="auto")
FP8 = {"storage": Storage.FP8_E4M3}
INT8 = {"quantization": Quantization.TORCHAO_INT8}
MODES: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "model": {"offload": OffloadMode.MODEL},
    "sequential": {"offload": OffloadMode.SEQUENTIAL},
    "group_block, stream": {"offload": BLOCK, "group": STREAM},
    "group_leaf": {"offload": LEAF},
    "group_leaf, stream": {"offload": LEAF, "group": STREAM},
    "group_leaf, disk": {"offload": LEAF, "group": DISK},
    "group_leaf, disk, stream": {
        "offload": LEAF,
        "group": replace(STREAM, record_stream=True, disk_folder="auto"),
    },
    "fp8": FP8,
    "fp8, group_leaf, stream": {**FP8, "offload": LEAF, "group": STREAM},
    "fp8, sequential": {**FP8, "offload": OffloadMode.SEQUENTIAL},
    "int8": INT8,
    "int8, group_leaf": {**INT8, "offload": LEAF},
    "balanced": {"spread": Spread.BALANCED},
    "split": {"spread": Spread.AUTO, "limits": (("vgpu:0", 1 << 20), ("vgpu:1", 1 << 30))},
    "map with disk": {"spread": Spread.CUSTOM},
    "compile": {"compile": True},
}
ALWAYS = {
    "sdxl": {*MODES} - {"none", "compile"},
    "flux": {"group_leaf, disk", "fp8, group_leaf, stream", "int8"},
    "cogvideox": {"group_leaf, stream", "fp8"},
    "wan": {"sequential", "fp8, group_leaf, stream"},
}
"""What is tried each time; at night all of it with every family."""


@dataclass
class Files:
    """A family's bench on the virtual GPU, with files made for it and what the CPU makes of them."""

    bench: LoraBench
    first: Path
    second: Path
    _references: dict[Any, np.ndarray] = field(default_factory=dict)

    def on_cpu(self, *loras: Lora | Path, **formats: Any) -> np.ndarray:
        """From weights that were on a device before: those in a file's mapping may start anywhere."""
        key = (loras, tuple(sorted(formats.items())))
        if key not in self._references:
            self.bench.run(*loras, **formats)
            self._references[key] = self.bench.run(*loras, **formats, device="cpu")
        return self._references[key]

    @cached_property
    def denoisers(self) -> tuple[str, ...]:
        family = self.bench.family
        return tuple(part.name for part in family.components if part.name in self.bench.present and part.fp8)

    def plan(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """A mode's changes for this family."""
        family, found = self.bench.family, dict(changes)
        if "storage" in found:
            found["storage_components"] = self.denoisers
        if "quantization" in found:
            found["quantized_components"] = ("unet" if family.id == "sdxl" else "transformer",)
        if found.get("offload") is BLOCK:
            whole = [part.name for part in family.components if part.name in self.bench.present]
            whole = [name for name in whole if "blocks" not in family.component(name).can]
            found["overrides"] = tuple(
                Placement(component=name, device="vgpu:0", offload=LEAF) for name in whole
            )
        if "spread" in found:
            others = [name for name in self.bench.present if family.component(name).role != "denoiser"]
            found["device_map"] = tuple((name, "vgpu:1") for name in others)
        if found.get("spread") is Spread.CUSTOM:
            found["device_map"] += ((found_denoiser(self.bench), "disk"),)
        return found


def found_denoiser(bench: LoraBench) -> str:
    return next(part.name for part in bench.family.components if part.role == "denoiser")


@pytest.fixture(scope="module")
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    kind, folder = request.param, tmp_path_factory.mktemp(request.param)
    model = tiny_models.save(kind, folder / kind)
    layers = lora_files.layers_of(kind, tiny_models.BUILDERS[kind]().components)
    few = dict(list(layers.items())[::3])
    with lora_bench(model, "vgpu:0") as bench:
        yield Files(
            bench,
            lora_files.write(folder / "first.safetensors", few),
            lora_files.write(folder / "second.safetensors", dict(list(layers.items())[1::4]), seed=1, rank=3),
        )


PAIRS = [(kind, mode) for kind in ALWAYS for mode in MODES if EVERY or mode in ALWAYS[kind]]


@pytest.mark.parametrize(("files", "mode"), PAIRS, indirect=["files"])
def test_each_mode_carries_a_lora_and_gives_the_base_back(files: Files, mode: str) -> None:
    bench, plan = files.bench, files.plan(MODES[mode])
    if conflicts(Case(replace(bench.plan, **plan), bench.family, bench.present)):
        return  # refused with or without LoRA files, which the matrix shows
    names = ("storage", "storage_components", "quantization", "quantized_components")
    formats = {name: plan[name] for name in names if name in plan}
    bare, changed = files.on_cpu(**formats), files.on_cpu(files.first, **formats)
    assert (bare != changed).any()
    assert np.array_equal(bench.run(files.first, **plan), changed)
    assert bench.lora_formats() == {torch.float32}
    assert np.array_equal(bench.run(**plan), bare)


@pytest.mark.parametrize("files", ALWAYS if EVERY else ["sdxl"], indirect=True)
def test_files_are_swapped_on_the_device_and_the_base_is_not_read_again(files: Files) -> None:
    bench, half = files.bench, Lora(str(files.second), 0.5)
    plan = files.plan({"offload": LEAF, "group": STREAM})
    sets = ((files.first,), (files.first, half), (half,), ())
    wanted = [files.on_cpu(*loras) for loras in sets]
    for loras, right in zip(sets, wanted, strict=True):
        assert np.array_equal(bench.run(*loras, **plan), right)
        assert bench.loaded == ()


@pytest.mark.parametrize("files", ALWAYS if EVERY else ["sdxl"], indirect=True)
def test_a_weight_changes_while_everything_stays_in_place(files: Files) -> None:
    bench, plan = files.bench, files.plan({"offload": LEAF, "group": STREAM})
    weak = Lora(str(files.first), -0.5)
    right = files.on_cpu(weak)
    bench.run(files.first, **plan)
    pipe = bench.keeper._pipe
    assert np.array_equal(bench.run(weak, **plan), right)
    assert bench.keeper._pipe is pipe


@pytest.mark.parametrize("disk", [False, True], ids=["memory", "disk"])
def test_c7_lora_and_group_offload_in_either_order(tmp_path: Path, root: Path, disk: bool) -> None:
    """In the library alone, layers put in after offload to disk give NaN."""
    lora = root / "tests" / "data" / "cases" / "C151-kohya-unet-te1-te2.safetensors"
    plan = {"offload": LEAF, "group": DISK if disk else GroupOptions()}
    with lora_bench(lora_model.save(tmp_path / "model"), "vgpu:0") as bench:
        files = Files(bench, lora, lora)
        bare, changed = files.on_cpu(), files.on_cpu(lora)
        assert np.isfinite(changed).all()
        assert np.array_equal(bench.run(lora, **plan), changed)  # the LoRA was there first
        assert np.array_equal(bench.run(**plan), bare)
        assert np.array_equal(bench.run(lora, **plan), changed)  # offload was there first


def test_both_denoisers_of_a_split_model_carry_it(tmp_path: Path) -> None:
    """Wan 2.2: a file is for both of its denoisers."""
    model = tiny_models.save("wan", tmp_path / "wan", two_transformers=True)
    layers = lora_files.layers_of("wan", tiny_models.wan(two_transformers=True).components)
    lora = lora_files.write(tmp_path / "l.safetensors", dict(list(layers.items())[::3]))
    with lora_bench(model, "vgpu:0") as bench:
        (fit,) = fit_loras([Lora(str(lora))], bench.info, bench.families)
        assert fit.layers["transformer"] == fit.layers["transformer_2"] > 0
        bench.run(lora, **FP8, storage_components=("transformer", "transformer_2"))
        kept = bench.keeper._kept.parts
        for name in ("transformer", "transformer_2"):
            assert sum("lora_A" in key for key, _ in kept[name].named_parameters()) == fit.layers[name]


@pytest.mark.parametrize(("kind", "packing"), [("flux", "Q8_0"), ("wan", "Q4_0")])
def test_a_denoiser_out_of_a_gguf_file_carries_it(kind: str, packing: str, tmp_path: Path) -> None:
    model = tiny_models.save(kind, tmp_path / kind)
    (weights,) = (model / "transformer").glob("*.safetensors")
    tensors = load_file(weights)
    weights.unlink()
    names = gguf_files.wan_names(tensors) if kind == "wan" else tensors
    gguf_files.write(names, model / "transformer" / "packed.gguf", packing)
    layers = lora_files.layers_of(kind, tiny_models.BUILDERS[kind]().components, ("transformer",))
    lora = lora_files.write(tmp_path / "l.safetensors", dict(list(layers.items())[::3]))
    packed = {"quantization": Quantization.GGUF, "quantized_components": ("transformer",)}
    with lora_bench(model, "vgpu:0") as bench:
        bare = bench.run(**packed)
        changed = bench.run(lora, **packed)
        assert bench.loaded == ()
        assert (changed != bare).any()
        assert np.array_equal(bench.run(lora, **packed, offload=LEAF), changed)
        assert np.array_equal(bench.run(lora, **packed, device="cpu"), changed)
        assert np.array_equal(bench.run(**packed), bare)

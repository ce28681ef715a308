"""The program cannot fall into the traps of tiling, formats and attention: D5 D9 D22 D29 (D10: tests/core)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import headroom_vgpu as vgpu
import in_process as here
import pytest
import tiny_models
import torch
from diffusers.models.attention_dispatch import AttentionBackendName, _AttentionBackendRegistry
from in_process import FAMILIES

from app.core.errors import AppError, ErrorKind
from app.core.family import Can
from app.core.model_file import read_model
from app.core.plan import Dtype, Plan, Storage
from app.core.rules import Case, conflicts
from app.engine.loader import load_part, refuse_unknown_classes
from app.engine.tuning import decoder_options

MATH = "_native_math"


def refused(plan: Plan, family: Any) -> set[str]:
    """The fields that the rules refuse of a plan."""
    present = tuple(part.name for part in family.components if part.weights)
    return {found.field for found in conflicts(Case(plan, family, present))}


@pytest.fixture
def default() -> Iterator[AttentionBackendName]:
    """The process-wide attention backend, which must be the same afterwards."""
    before = _AttentionBackendRegistry._active_backend
    yield before
    assert _AttentionBackendRegistry._active_backend is before
    _AttentionBackendRegistry._active_backend = before


def chosen(model: torch.nn.Module) -> set[Any]:
    """The backends that a model's attention layers name."""
    processors = [getattr(module, "processor", None) for module in model.modules()]
    return {getattr(one, "_attention_backend", None) for one in processors if one is not None}


def test_d5_a_kernel_is_for_the_model_that_asked_alone(default: AttentionBackendName) -> None:
    pipe, other = tiny_models.flux(), tiny_models.wan().transformer
    right = other(**tiny_models.wan_inputs())[0]
    with here.under("flux", pipe, here.plan_for("flux", attention=MATH)):
        assert {backend.value for backend in chosen(pipe.transformer)} == {MATH}
        assert _AttentionBackendRegistry._active_backend is default
        assert chosen(other) == {None}
        assert chosen(pipe.vae) <= {None}
        assert chosen(pipe.text_encoder_2) <= {None}
        assert torch.equal(other(**tiny_models.wan_inputs())[0], right)
    assert chosen(pipe.transformer) == {None}
    with here.under("flux", pipe, here.plan_for("flux")):
        assert chosen(pipe.transformer) == {None}


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_d5_a_kernel_is_refused_where_no_layer_listens(kind: str) -> None:
    able = any(Can.ATTENTION in part.can for part in FAMILIES[kind].components)
    assert ("attention" in refused(here.plan_for(kind, attention=MATH), FAMILIES[kind])) is not able


LATENTS = {"sdxl": (1, 4, 8, 8), "flux": (1, 4, 8, 8), "cogvideox": (1, 4, 1, 8, 8), "wan": (1, 16, 2, 8, 8)}


@pytest.mark.parametrize("kind", LATENTS)
def test_d9_a_decoder_that_tiles_reads_its_tiles(kind: str) -> None:
    vae, family = tiny_models.BUILDERS[kind]().vae.to("vgpu"), FAMILIES[kind]
    latents, peaks = torch.zeros(LATENTS[kind], device="vgpu"), []
    for changes in ({}, {"vae_tiling": True, "vae_tile_size": 32}):
        plan = here.plan_for(kind, **changes)
        assert "vae_tiling" not in refused(plan, family)
        with decoder_options(vae, plan):
            vgpu.reset()
            vae.decode(latents)
            peaks.append(vgpu.stats()["peak"])
    assert peaks[1] < peaks[0]


def test_d9_a_decoder_that_never_reads_the_flag_is_refused() -> None:
    """As a family would declare it; that declarations are true is shown in tests/families."""
    family = FAMILIES["wan"]
    parts = tuple(replace(part, can=part.can - {Can.TILE}) for part in family.components)
    assert "vae_tiling" in refused(here.plan_for("wan", vae_tiling=True), replace(family, components=parts))


def test_d22_another_order_in_memory_is_for_two_dimensional_convolutions() -> None:
    pipe = tiny_models.flux()
    before = [weight.stride() for weight in pipe.transformer.parameters()]
    with here.under("flux", pipe, here.plan_for("flux", channels_last=True)):
        assert [weight.stride() for weight in pipe.transformer.parameters()] == before
        filters = [weight for weight in pipe.vae.parameters() if weight.dim() == 4]
        assert filters
        assert all(weight.is_contiguous(memory_format=torch.channels_last) for weight in filters)
    for kind in ("wan", "cogvideox"):
        assert "channels_last" in refused(here.plan_for(kind, channels_last=True), FAMILIES[kind])


def test_d22_the_program_never_slices_attention(root: Path) -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in (root / "app").rglob("*.py"))
    assert "set_attention_backend" in source
    assert "attention_slicing" not in source


def test_d29_classes_by_name_are_kept_out_of_fp8_and_others_refused(tmp_path: Path) -> None:
    family = FAMILIES["wan"]
    info = read_model(tiny_models.save("wan", tmp_path / "wan"), FAMILIES)
    part = family.component("transformer")
    assert part is not None

    def load(*classes: str) -> tuple[torch.nn.Module, Plan]:
        plan = here.plan_for(
            "wan", dtype=Dtype.BFLOAT16, storage=Storage.FP8_E4M3, storage_components=(part.name,),
            skip_classes=classes,
        )  # fmt: skip
        return load_part(info, part, plan, family), plan

    model, plan = load("Linear")
    assert {module.weight.dtype for module in model.modules() if type(module).__name__ == "Linear"} <= {
        torch.bfloat16, torch.float32,
    }  # fmt: skip
    refuse_unknown_classes({part.name: model}, plan)
    model, plan = load("norm")
    with pytest.raises(AppError) as error:
        refuse_unknown_classes({part.name: model}, plan)
    assert error.value.kind is ErrorKind.COMBINATION_REFUSED
    assert "Linear" in str(error.value.problem.fact("reason"))
    model, plan = load()
    with pytest.raises(AppError) as error:
        refuse_unknown_classes({part.name: model}, replace(plan, skip_modules=("nrom",)))
    assert error.value.problem.fact("value") == "nrom"

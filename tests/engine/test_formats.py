"""In what formats components are read: the plan's, the same bytes as were planned, and never undone by another wish."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import tiny_models
import torch

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.family import Component, Family
from app.core.hardware import DeviceSheet, Hardware
from app.core.messages import Finished, Progress, Run
from app.core.model_file import ModelInfo, read_model
from app.core.plan import Dtype, OffloadMode, Placement, Plan, Quantization, Storage
from app.core.rules import Case, conflicts
from app.engine.keeper import Keeper, _is_finite
from app.engine.loader import load_part
from app.engine.scratch import Scratch
from app.families import all_families

FAMILIES = all_families()
PARTS = [(family, part) for family in FAMILIES.values() for part in family.components if part.weights]
FP8 = {Storage.FP8_E4M3: torch.float8_e4m3fn, Storage.FP8_E5M2: torch.float8_e5m2}


def named(parts: list[tuple[Family, Component]]) -> Any:
    """Each component of each family in turn."""
    return pytest.mark.parametrize(("family", "part"), parts, ids=[f"{f.id}-{p.name}" for f, p in parts])


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ModelInfo]:
    """A tiny model of each family, made when it is asked for."""
    home, made = tmp_path_factory.mktemp("models"), {}

    def model(kind: str) -> ModelInfo:
        if kind not in made:
            options = {"two_transformers": True} if kind == "wan" else {}
            made[kind] = read_model(tiny_models.save(kind, home / kind, **options), FAMILIES)
        return made[kind]

    return model


def plan_of(family: Family, **changes: Any) -> Plan:
    """On the CPU, in bfloat16."""
    return Plan(family=family.id, device="cpu", **{"dtype": Dtype.BFLOAT16, **changes})


def stored_numbers(model: torch.nn.Module, kind: Storage) -> int:
    """How many numbers are in fp8."""
    return sum(weight.numel() for weight in model.parameters() if weight.dtype is FP8[kind])


@named([(family, part) for family, part in PARTS if part.fp8])
def test_d11_fp8_covers_as_many_numbers_as_were_planned(
    models: Callable[[str], ModelInfo], family: Family, part: Component
) -> None:
    info = models(family.id)
    found = next((found for found in info.components if found.name == part.name), None)
    if found is None:
        pytest.skip("this kind of the family has no such part")
    for kind in FP8:
        plan = plan_of(family, storage=kind, storage_components=(part.name,))
        model = load_part(info, part, plan, family)
        assert stored_numbers(model, kind) == found.fp8_numbers
        assert found.fp8_numbers > 0.4 * found.numbers


@named(PARTS)
def test_d18_every_component_is_read_in_the_plans_format(
    models: Callable[[str], ModelInfo], family: Family, part: Component
) -> None:
    info = models(family.id)
    if part.name not in [found.name for found in info.components]:
        pytest.skip("this kind of the family has no such part")
    model = load_part(info, part, plan_of(family), family)
    wanted = {torch.float32} if part.precise else {torch.bfloat16}
    precise = tuple(getattr(model, "_keep_in_fp32_modules", None) or ())
    found = {
        weight.dtype
        for name, weight in model.named_parameters()
        if not any(word in name.split(".") for word in precise)
    }
    assert found == wanted


@named([(family, part) for family, part in PARTS if not part.fp8])
def test_c17_a_component_that_fp8_would_break_is_refused_by_name(family: Family, part: Component) -> None:
    for kind in FP8:
        place = Placement(component=part.name, device="cpu", offload=OffloadMode.NONE, storage=kind)
        case = Case(plan_of(family, overrides=(place,)), family, (part.name,))
        assert any(part.name in str(found.reason) for found in conflicts(case))


def test_d12_and_c18_another_precision_is_read_anew_and_asking_twice_is_harmless(
    models: Callable[[str], ModelInfo],
) -> None:
    family, keeper = FAMILIES["flux"], Keeper(Scratch(None))
    stored = {"storage": Storage.FP8_E4M3, "storage_components": ("transformer", "text_encoder_2")}

    def obtain(**changes: Any) -> tuple[torch.nn.Module, tuple[str, ...]]:
        plan = plan_of(family, **changes)
        pipe, read = keeper.obtain(
            models("flux"), plan, family, "text-to-image", lambda *_: None, lambda: None
        )
        return pipe.transformer, read

    covered = stored_numbers(obtain(**stored)[0], Storage.FP8_E4M3)
    assert covered > 0
    model, read = obtain(**stored)
    assert (stored_numbers(model, Storage.FP8_E4M3), read) == (covered, ())
    model, read = obtain(**stored, dtype=Dtype.FLOAT16)
    assert "transformer" in read
    assert stored_numbers(model, Storage.FP8_E4M3) == covered
    assert {weight.dtype for weight in model.parameters()} == {torch.float8_e4m3fn, torch.float16}
    model, read = obtain(dtype=Dtype.FLOAT16)
    assert {weight.dtype for weight in model.parameters()} == {torch.float16}
    keeper.drop()


def test_c18_fp8_twice_then_another_precision_makes_pictures(engine: Any, job: Callable[..., Run]) -> None:
    stored = {"storage": Storage.FP8_E4M3, "storage_components": ("unet",)}
    for number, dtype in enumerate((Dtype.FLOAT32, Dtype.FLOAT32, Dtype.BFLOAT16)):
        assert isinstance(engine.run(job(f"job{number}", {**stored, "dtype": dtype})), Finished)


def test_a_class_that_no_part_has_is_named_with_those_it_has(engine: Any, job: Callable[..., Run]) -> None:
    stored = {"storage": Storage.FP8_E4M3, "storage_components": ("unet",)}
    ending = engine.run(job("job", {**stored, "skip_classes": ("Linaer",)}))
    assert ending.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert "Linaer" in str(sentence(ending.problem))
    assert "Conv2d, " in str(sentence(ending.problem))
    assert isinstance(engine.run(job("next", {**stored, "skip_classes": ("Linear",)})), Finished)


def test_what_cannot_be_is_refused_before_anything_is_read(engine: Any, job: Callable[..., Run]) -> None:
    ending = engine.run(
        job("job", {"offload": OffloadMode.MODEL})
    )  # there is nothing to offload to on the processor
    assert ending.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert not [event for event in engine.events if isinstance(event, Progress) and event.part]


QUANTIZED = [kind for kind in Quantization if kind not in (Quantization.NONE, Quantization.GGUF)]


@pytest.mark.parametrize("kind", QUANTIZED)
def test_c20_a_library_that_is_not_there_is_named_before_anything_is_read(
    models: Callable[[str], ModelInfo], monkeypatch: pytest.MonkeyPatch, kind: Quantization
) -> None:
    family = FAMILIES["flux"]
    plan = plan_of(family, quantization=kind, quantized_components=("transformer",))
    bare = Hardware(devices=(DeviceSheet(id="cpu", name="CPU", total=1, free=1),))
    package = "torchao" if "torchao" in kind.value else "bitsandbytes"
    (found,) = conflicts(Case(plan, family, ("transformer",), bare))
    assert f"pip install {package}" in str(found.reason)
    monkeypatch.setitem(sys.modules, package, None)  # importing it raises ImportError
    part = family.component("transformer")
    assert part is not None
    with pytest.raises(AppError) as caught:
        load_part(models("flux"), part, plan, family)
    assert caught.value.kind is ErrorKind.COMBINATION_REFUSED
    assert f"pip install {package}" in str(sentence(caught.value.problem))


def test_weights_that_are_no_numbers_are_found_in_packed_ones_too(models: Callable[[str], ModelInfo]) -> None:
    family = FAMILIES["flux"]
    part = family.component("transformer")
    assert part is not None
    plan = plan_of(family, quantization=Quantization.TORCHAO_INT8, quantized_components=(part.name,))
    model = load_part(models("flux"), part, plan, family)
    assert _is_finite(model)
    model.proj_out.weight.scale[0] = float("nan")
    assert not _is_finite(model)

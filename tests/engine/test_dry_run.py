"""A dry run's weights are those of the loaded model, tensor by tensor; what runs on meta is what runs."""

from __future__ import annotations

import resource
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import tiny_models
import torch

from app.core.family import Media
from app.core.footprint import Footprint, Part, stepped
from app.core.messages import DryRun, Failed, FootprintTaken
from app.core.model_file import read_model
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest
from app.engine.dry_run import footprint_of, meta_parts, weights_of
from app.engine.loader import load_part
from app.families import all_families

KINDS = tuple(tiny_models.BUILDERS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("models")
    return {kind: tiny_models.save(kind, base / kind) for kind in KINDS}


def taken(folder: Path, dtype: Dtype = Dtype.FLOAT32, **changes: object) -> Footprint:
    families = all_families()
    info = read_model(folder, families)
    family = families[info.family]
    request = GenerationRequest(
        model=str(folder), prompt="a red cat", width=64, height=64, steps=4, guidance=4.0, seed=7,
        task=info.limits.tasks[0], frames=min(5, info.limits.frames_max), fps=info.limits.fps,
    )  # fmt: skip
    plan = Plan(family=family.id, device="cpu", dtype=dtype, sequence_length=16)
    return footprint_of(info, family, replace(request, **changes), plan, Media())


@pytest.mark.parametrize("dtype", list(Dtype))
@pytest.mark.parametrize("kind", KINDS)
def test_its_weights_are_those_that_are_loaded(folders, kind, dtype):
    families = all_families()
    info, family = read_model(folders[kind], families), families[kind]
    plan = Plan(family=kind, device="cpu", dtype=dtype)
    for name, model in meta_parts(info, family, plan).items():
        if isinstance(model, torch.nn.Module):
            loaded = load_part(info, family.component(name), plan, family)
            assert sizes(weights_of(name, model)) == storages(loaded)


def sizes(part: Part) -> Counter[tuple[int, int]]:
    assert part.bytes == sum(stepped(count * each) for own in part.weights for count, each in own.tensors)
    return Counter(size for own in part.weights for size in own.tensors)


def storages(model: torch.nn.Module) -> Counter[tuple[int, int]]:
    """Those that several modules share count once."""
    found = {weight.untyped_storage()._cdata: weight for weight in (*model.parameters(), *model.buffers())}
    return Counter((weight.numel(), weight.element_size()) for weight in found.values())


@pytest.mark.parametrize("kind", KINDS)
def test_the_phases_run_their_components(folders, kind):
    footprint, family = taken(folders[kind]), all_families()[kind]
    roles = {part.name: part.role for part in family.components}
    by_phase = {phase.name: {roles[name] for name in phase.passes} for phase in footprint.phases}
    assert list(by_phase) == ["encode", "denoise", "decode"]
    assert by_phase["encode"] <= {"text_encoder", "image_encoder"}
    assert by_phase["denoise"] == {"denoiser"}
    assert by_phase["decode"] == {"vae"}


def test_guidance_doubles_what_the_denoiser_works_on(folders):
    plain, guided = taken(folders["sdxl"], guidance=1.0), taken(folders["sdxl"], guidance=5.0)
    one, two = (
        max(moment.live for moment in found.phases[1].moments if moment.part == "unet")
        for found in (plain, guided)
    )
    assert 1.7 < two / one < 2.3


def test_the_meta_device_takes_no_memory_for_a_large_model(folders):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    large = taken(folders["sdxl"], width=2048, height=2048)
    needed = max(moment.live for moment in large.phases[2].moments)
    assert needed > 700 * 1024**2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before < needed / 4


def test_the_global_format_is_left_alone(folders):
    taken(folders["flux"], Dtype.BFLOAT16)
    assert torch.get_default_dtype() is torch.float32


def test_an_engine_measures_and_then_works(engine, job):
    run = job()
    engine.conn.send(DryRun("dry", run.request, run.plan))
    answer = engine.until(lambda event: isinstance(event, FootprintTaken | Failed))
    assert isinstance(answer, FootprintTaken)
    assert answer.job == "dry"
    assert {part.name for part in answer.footprint.parts} == {"unet", "vae", "text_encoder", "text_encoder_2"}


def test_a_model_that_is_not_there_ends_it_in_words(engine, job, tmp_path):
    run = job()
    engine.conn.send(DryRun("dry", replace(run.request, model=str(tmp_path / "gone")), run.plan))
    assert isinstance(engine.until(lambda event: isinstance(event, FootprintTaken | Failed)), Failed)

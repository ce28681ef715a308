"""What goes wrong in a job becomes a problem with facts; memory is freed, nothing is saved, and the engine goes on."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
import torch
from diffusers.models.unets import unet_2d_blocks
from safetensors.torch import load_file, save_file

from app.core.error_words import sentence
from app.core.errors import ErrorKind
from app.core.messages import Failed, Finished
from app.core.plan import Dtype, OffloadMode, Plan, Storage
from app.engine.troubles import problem_of

CPU = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32)


def failing_once(monkeypatch, make: Callable[[], BaseException], keep: list[weakref.ref]) -> None:
    """The denoiser's middle block raises an error while it holds a tensor, which ``keep`` watches."""
    real = unet_2d_blocks.UNetMidBlock2DCrossAttn.forward

    def fail(self, *args, **options):
        monkeypatch.setattr(unet_2d_blocks.UNetMidBlock2DCrossAttn, "forward", real)
        held = torch.zeros(1000)
        keep.append(weakref.ref(held))
        raise make()

    monkeypatch.setattr(unet_2d_blocks.UNetMidBlock2DCrossAttn, "forward", fail)


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.OutOfMemoryError("Tried to allocate 3.50 GiB. GPU 0 has a total capacity of …"),
        MemoryError,
        lambda: RuntimeError(
            "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes"
        ),
    ],
    ids=["device", "python", "host allocator"],
)
def test_c35_after_memory_ran_out_the_next_job_works(engine, job, monkeypatch, make):
    watched: list[weakref.ref] = []
    failing_once(monkeypatch, make, watched)
    failed = engine.run(job())
    assert isinstance(failed, Failed)
    assert failed.problem.kind is ErrorKind.OUT_OF_MEMORY
    assert failed.problem.fact("device") == "cpu"
    assert failed.problem.fact("peak") > 0
    assert failed.problem.fact("free") > 0
    words = str(sentence(failed.problem))
    assert all(way in words for way in ("Lowest VRAM", "smaller", "VAE tiling"))
    gc.collect()
    assert watched[0]() is None, "the failed job's tensors are still alive"
    assert isinstance(engine.run(job()), Finished)


def test_the_bytes_that_were_wanted_are_told():
    problem = problem_of(torch.OutOfMemoryError("Tried to allocate 3.50 GiB. GPU 0 has …"), CPU)
    assert problem.fact("needed") == 3.5 * 2**30
    assert problem_of(torch.OutOfMemoryError("out"), CPU).fact("needed", None) is None


def test_a_driver_that_says_it_in_words_is_understood():
    problem = problem_of(RuntimeError("MPS backend out of memory (MPS allocated: 5 GB)"), CPU)
    assert problem.kind is ErrorKind.OUT_OF_MEMORY


def test_the_unforeseen_keeps_its_traceback_for_the_log(engine, job, monkeypatch):
    failing_once(monkeypatch, lambda: ZeroDivisionError("by nought"), [])
    failed = engine.run(job())
    assert failed.problem.kind is ErrorKind.UNEXPECTED
    assert "ZeroDivisionError: by nought" in failed.problem.detail
    assert "Traceback" in failed.problem.detail
    assert isinstance(engine.run(job()), Finished)


def damage(model, component: str, change) -> None:
    """Changes a component's weights in place."""
    file = next((model / component).glob("*.safetensors"))
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file, metadata={"format": "pt"})


@pytest.mark.parametrize("component", ["unet", "vae", "text_encoder_2"])
def test_c135_weights_that_are_no_numbers_are_found_and_named(engine, job, model, component):
    def spoil(tensors):
        next(iter(tensors.values())).fill_(float("nan"))

    damage(model, component, spoil)
    run = job(model=str(model))
    failed = engine.run(run)
    assert isinstance(failed, Failed)
    assert failed.problem.kind is ErrorKind.MODEL_NOT_FINITE
    assert failed.problem.fact("part") == component
    assert not list(run.output.folder.iterdir())
    assert isinstance(engine.run(job()), Finished)


def test_a_picture_of_one_colour_is_not_saved(engine, job, model):
    def empty(tensors):
        tensors["decoder.conv_out.weight"].zero_()
        tensors["decoder.conv_out.bias"].zero_()

    damage(model, "vae", empty)
    run = job(model=str(model))
    failed = engine.run(run)
    assert failed.problem.kind is ErrorKind.PICTURE_BLANK
    assert not list(run.output.folder.iterdir())


def test_numbers_that_overflow_in_sound_weights_are_not_blamed_on_the_model(engine, job, model):
    def inflate(tensors):
        tensors["conv_out.weight"].fill_(1e38)

    damage(model, "unet", inflate)
    failed = engine.run(job(model=str(model)))
    assert failed.problem.kind is ErrorKind.PICTURE_NOT_FINITE


def test_an_output_folder_that_went_away_is_named(engine, job):
    run = job()
    run.output.folder.rmdir()
    failed = engine.run(run)
    assert failed.problem.kind is ErrorKind.FOLDER_MISSING
    assert str(run.output.folder) in failed.problem.fact("path")


def test_a_device_that_is_not_there_is_named(engine, job):
    failed = engine.run(job(plan_changes={"device": "cuda:7"}))
    assert failed.problem.kind is ErrorKind.DEVICE_MISSING
    assert failed.problem.fact("device") == "cuda:7"
    assert "cpu" in failed.problem.fact("devices")


@pytest.mark.parametrize("offload", [OffloadMode.MODEL, OffloadMode.SEQUENTIAL])
def test_c12_offloading_on_the_cpu_is_refused_not_ignored(engine, job, offload):
    failed = engine.run(job(plan_changes={"offload": offload}))
    assert failed.problem.kind is ErrorKind.COMBINATION_REFUSED


@pytest.mark.parametrize("component", ["text_encoder", "text_encoder_2"])
def test_c17_fp8_where_it_cannot_work_is_refused_by_name(engine, job, component):
    plan = {"storage": Storage.FP8_E4M3, "storage_components": (component,)}
    failed = engine.run(job(plan_changes=plan))
    assert failed.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert component in failed.problem.fact("name")


def test_an_attention_that_this_model_does_not_listen_to_is_refused_not_ignored(engine, job):
    failed = engine.run(job(plan_changes={"attention": "_native_math"}))
    assert failed.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert failed.problem.fact("name") == "attention"
    assert isinstance(engine.run(job()), Finished)


def test_a_family_that_this_program_lacks_is_named(engine, job):
    failed = engine.run(job(plan_changes={"family": "from-the-future"}))
    assert failed.problem.kind is ErrorKind.MODEL_UNKNOWN
    assert failed.problem.fact("name") == "from-the-future"

"""Models that are incomplete, damaged, hostile or unknown: each fault is named, and the engine goes on."""

from __future__ import annotations

import json
import shutil

import pytest
from safetensors.torch import load_file, save_file

from app.core.error_words import sentence
from app.core.errors import ErrorKind
from app.core.messages import Failed, Finished

PARTS = ("text_encoder", "text_encoder_2", "unet", "vae", "tokenizer", "tokenizer_2", "scheduler")


def change_index(model, **entries) -> None:
    """Changes entries of model_index.json."""
    file = model / "model_index.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | entries))


def failure(engine, job, model):
    """The problem of a job with a bad model; the engine must still work afterwards."""
    failed = engine.run(job("bad", model=str(model)))
    assert isinstance(failed, Failed), failed
    return failed.problem


@pytest.mark.parametrize("part", PARTS)
def test_c144_a_missing_folder_is_named_at_load(engine, job, model, part):
    shutil.rmtree(model / part)
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_INCOMPLETE
    assert part in problem.fact("missing")


@pytest.mark.parametrize("part", PARTS)
def test_c144_an_empty_folder_is_named_at_load(engine, job, model, part):
    shutil.rmtree(model / part)
    (model / part).mkdir()
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_INCOMPLETE
    assert part in problem.fact("missing")


@pytest.mark.parametrize("part", ["text_encoder_2", "tokenizer", "vae"])
def test_c145_a_part_that_is_null_in_the_index_is_named(engine, job, model, part):
    change_index(model, **{part: [None, None]})
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_INCOMPLETE
    assert part in problem.fact("missing")


def test_c141_a_class_of_a_newer_diffusers_is_said_to_be_newer(engine, job, model):
    change_index(model, unet=["diffusers", "UNetOfTomorrow"], _diffusers_version="9.9.9")
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_TOO_NEW
    assert problem.fact("made") == "9.9.9"


@pytest.mark.parametrize(
    "entry", [["os", "system"], ["diffusers", "FluxPipeline"], ["builtins", "UNet2DConditionModel"]]
)
def test_only_declared_classes_of_the_two_libraries_are_imported(engine, job, model, entry):
    change_index(model, unet=entry)
    assert failure(engine, job, model).kind is ErrorKind.MODEL_UNKNOWN


@pytest.mark.parametrize("part", ["unet", "text_encoder"])
def test_a_cut_file_is_named_with_its_sizes(engine, job, model, part):
    file = next((model / part).glob("*.safetensors"))
    whole = file.stat().st_size
    with file.open("r+b") as stream:
        stream.truncate(whole - 100)
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_DAMAGED
    assert (problem.fact("file"), problem.fact("actual"), problem.fact("expected")) == (
        file.name,
        whole - 100,
        whole,
    )


@pytest.mark.parametrize("part", ["unet", "text_encoder", "vae"])
def test_weights_that_lack_some_are_damage_not_noise(engine, job, model, part):
    file = next((model / part).glob("*.safetensors"))
    tensors = load_file(file)
    tensors.pop(sorted(tensors)[0])
    save_file(tensors, file, metadata={"format": "pt"})
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_DAMAGED
    assert problem.fact("file") == file.name


@pytest.mark.parametrize("part", ["unet", "text_encoder", "vae"])
def test_weights_of_another_shape_are_damage(engine, job, model, part):
    file = next((model / part).glob("*.safetensors"))
    tensors = load_file(file)
    name = sorted(tensors)[0]
    tensors[name] = tensors[name][:-1].contiguous()
    save_file(tensors, file, metadata={"format": "pt"})
    assert failure(engine, job, model).kind is ErrorKind.MODEL_DAMAGED


@pytest.mark.parametrize("part", ["unet", "text_encoder"])
def test_c132_a_pickle_is_never_opened(engine, job, model, part, tmp_path):
    marker = tmp_path / "marker"
    file = next((model / part).glob("*.safetensors"))
    file.unlink()
    name = "pytorch_model.bin" if part == "text_encoder" else "diffusion_pytorch_model.bin"
    (model / part / name).write_bytes(b"cposix\nsystem\n(S'touch %s'\ntR." % str(marker).encode())
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_UNSAFE
    assert not marker.exists()


@pytest.mark.parametrize(
    "file",
    ["scheduler/scheduler_config.json", "unet/config.json", "text_encoder/config.json", "tokenizer/tokenizer.json",
     "tokenizer_2/tokenizer_config.json"],
)  # fmt: skip
def test_a_configuration_that_is_no_json_is_damage(engine, job, model, file):
    if not (model / file).exists():
        pytest.skip(f"this version of the libraries writes no {file}")
    (model / file).write_text("{ this is not JSON")
    assert failure(engine, job, model).kind is ErrorKind.MODEL_DAMAGED


def test_a_tokenizer_that_cannot_be_read_is_damage(engine, job, model):
    for file in (model / "tokenizer").glob("*.json"):
        file.write_text(file.read_text()[:40])
    for file in (model / "tokenizer").glob("*config.json"):
        file.write_text("{}")
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_DAMAGED
    assert "tokenizer" in str(problem.fact("file"))


def test_a_model_that_is_not_there(engine, job, tmp_path):
    assert failure(engine, job, tmp_path / "nowhere").kind is ErrorKind.MODEL_MISSING


def test_c124_a_web_page_for_a_model(engine, job, tmp_path):
    page = tmp_path / "model.safetensors"
    page.write_text("<!DOCTYPE html><html><body>404</body></html>")
    problem = failure(engine, job, page)
    assert (problem.kind, problem.fact("reason")) == (ErrorKind.MODEL_DAMAGED, "web_page")


def test_a_sharded_model_loads_and_c137_a_missing_shard_is_named(engine, job, model):
    from diffusers import UNet2DConditionModel

    unet = UNet2DConditionModel.from_pretrained(str(model / "unet"), local_files_only=True)
    plain = engine.run(job())
    shutil.rmtree(model / "unet")
    unet.save_pretrained(str(model / "unet"), max_shard_size="200KB")
    shards = sorted((model / "unet").glob("*-of-*.safetensors"))
    assert len(shards) > 1
    sharded = engine.run(job(model=str(model)))
    assert isinstance(sharded, Finished), sharded
    assert sharded.files[0].read_bytes()[-500:] == plain.files[0].read_bytes()[-500:]
    shards[0].unlink()
    problem = failure(engine, job, model)
    assert problem.kind is ErrorKind.MODEL_INCOMPLETE
    assert shards[0].name in problem.fact("missing")


def test_files_of_a_variant_are_found(engine, job, model):
    for part in ("unet", "vae", "text_encoder", "text_encoder_2"):
        file = next((model / part).glob("*.safetensors"))
        file.rename(file.with_name(file.name.replace(".safetensors", ".fp16.safetensors")))
    assert isinstance(engine.run(job(model=str(model))), Finished)


def test_a_configuration_of_another_model_is_not_blamed_on_the_weights(engine, job, model):
    file = model / "unet" / "config.json"
    config = json.loads(file.read_text())
    config["block_out_channels"] = [2 * size for size in config["block_out_channels"]]
    file.write_text(json.dumps(config))
    problem = failure(engine, job, model)
    assert (problem.kind, problem.fact("reason")) == (ErrorKind.MODEL_DAMAGED, "misfit")
    assert "configuration" in str(sentence(problem).why)

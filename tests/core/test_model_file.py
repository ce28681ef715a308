"""Models judged by headers: each fault is named before anything is loaded, and no weights are read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.headers import read_header
from app.core.model_file import ModelInfo, read_json, read_model, weight_files
from app.families import all_families


@pytest.fixture
def cases(root: Path) -> Path:
    return root / "tests" / "data" / "cases"


@pytest.fixture
def model(tmp_path: Path, demo_model: Path) -> Path:
    """A copy of the built-in model, to be damaged."""
    folder = tmp_path / "a model"
    shutil.copytree(demo_model, folder)
    return folder


def read(path: Path) -> ModelInfo:
    return read_model(path, all_families())


def refused(path: Path) -> AppError:
    with pytest.raises(AppError) as caught:
        read(path)
    return caught.value


def edit_index(model: Path, change: Callable[[dict[str, object]], object]) -> None:
    index = json.loads((model / "model_index.json").read_text())
    change(index)
    (model / "model_index.json").write_text(json.dumps(index))


def test_the_built_in_model_is_read(demo_model: Path) -> None:
    info = read(demo_model)
    assert (info.limits.width, info.limits.height, info.limits.factor) == (128, 128, 8)
    assert len(info.examples) == 3
    assert info.draws
    parts = {part.name: part for part in info.components}
    on_disk = sum(file.stat().st_size for file in demo_model.rglob("*.safetensors"))
    assert info.disk == on_disk
    assert parts["unet"].numbers * 2 < parts["unet"].disk < parts["unet"].numbers * 2.2
    assert 0 < parts["unet"].fp8_numbers < parts["unet"].numbers
    assert parts["vae"].fp8_numbers == 0
    assert parts["vae"].modules[:2] == ("decoder", "encoder")
    modules = parts["unet"].modules
    assert modules.index("down_blocks") + 1 == modules.index("down_blocks.0")
    assert "conv_in" in modules


def test_a_missing_or_empty_path(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere").kind is ErrorKind.MODEL_MISSING
    assert refused(tmp_path).kind is ErrorKind.MODEL_EMPTY


@pytest.mark.parametrize(
    "part", ["text_encoder", "text_encoder_2", "tokenizer", "tokenizer_2", "unet", "vae", "scheduler"]
)
def test_c144_a_missing_folder_is_named(model: Path, part: str) -> None:
    shutil.rmtree(model / part)
    error = refused(model)
    assert error.kind is ErrorKind.MODEL_INCOMPLETE
    assert error.problem.fact("missing") == f"{part}/"


@pytest.mark.parametrize(
    "file", ["model_index.json", "unet/config.json", "vae/config.json", "scheduler/scheduler_config.json"]
)
def test_a_missing_file_is_named(model: Path, file: str) -> None:
    (model / file).unlink()
    error = refused(model)
    assert error.kind is ErrorKind.MODEL_INCOMPLETE
    assert error.problem.fact("missing") == file


def test_missing_weights_are_named(model: Path) -> None:
    for file in (model / "unet").glob("*.safetensors"):
        file.unlink()
    assert refused(model).problem.fact("missing") == "unet/*.safetensors"


def test_c145_a_part_that_the_index_leaves_out_is_named(model: Path) -> None:
    edit_index(model, lambda index: index.update(text_encoder_2=[None, None]))
    error = refused(model)
    assert (error.kind, error.problem.fact("missing")) == (ErrorKind.MODEL_INCOMPLETE, "text_encoder_2")


def test_c141_an_unknown_pipeline_of_a_newer_library(model: Path) -> None:
    edit_index(model, lambda index: index.update(_class_name="BrandNewPipeline", _diffusers_version="9.9.9"))
    error = refused(model)
    assert error.kind is ErrorKind.MODEL_TOO_NEW
    assert error.problem.fact("made") == "9.9.9"


def test_c141_an_unknown_pipeline_of_a_known_library(model: Path) -> None:
    edit_index(model, lambda index: index.update(_class_name="KandinskyPipeline"))
    error = refused(model)
    assert (error.kind, error.problem.fact("name")) == (ErrorKind.MODEL_UNKNOWN, "KandinskyPipeline")


@pytest.mark.parametrize(
    ("version", "kind"), [("9.9.9", ErrorKind.MODEL_TOO_NEW), ("0.1", ErrorKind.MODEL_UNKNOWN)]
)
def test_c141_an_unknown_component_class(model: Path, version: str, kind: ErrorKind) -> None:
    edit_index(
        model, lambda index: index.update(unet=["diffusers", "BrandNewModel"], _diffusers_version=version)
    )
    error = refused(model)
    assert (error.kind, error.problem.fact("name")) == (kind, "BrandNewModel")


def test_c141_a_newer_version_with_known_classes_is_said(model: Path) -> None:
    edit_index(model, lambda index: index.update(_diffusers_version="9.9.9"))
    assert "9.9.9" in str(read(model).notes[0])


def test_c141_no_class(model: Path) -> None:
    edit_index(model, lambda index: index.pop("_class_name"))
    assert refused(model).problem.fact("reason") == "no_class"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"x"', "[" * 100_000, "\ud800"])
def test_an_index_that_is_no_object(model: Path, text: str) -> None:
    (model / "model_index.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    error = refused(model)
    assert error.kind is ErrorKind.MODEL_DAMAGED
    assert error.problem.fact("file") == "model_index.json"


@pytest.mark.parametrize("keep", [0, 4, 8, 100, -1])
def test_truncated_weights_are_damaged(model: Path, keep: int) -> None:
    (file,) = (model / "unet").glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:keep])
    error = refused(model)
    assert error.kind is ErrorKind.MODEL_DAMAGED
    assert error.problem.fact("file") == file.name


def test_a_truncated_file_says_both_sizes(model: Path) -> None:
    (file,) = (model / "vae").glob("*.safetensors")
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[:-7])
    facts = dict(refused(model).problem.facts)
    assert (facts["actual"], facts["expected"]) == (size - 7, size)


def test_garbage_for_a_header(model: Path) -> None:
    (file,) = (model / "unet").glob("*.safetensors")
    whole = bytearray(file.read_bytes())
    whole[9:60] = b"\xff" * 51
    file.write_bytes(whole)
    assert refused(model).kind is ErrorKind.MODEL_DAMAGED


def test_c132_only_a_pickle_is_there(model: Path) -> None:
    (file,) = (model / "unet").glob("*.safetensors")
    file.rename(file.with_suffix(".bin"))
    assert refused(model).kind is ErrorKind.MODEL_UNSAFE


@pytest.mark.parametrize("name", ["C132-marker.ckpt", "C132-marker-old-style.pt", "C132-honest.ckpt"])
def test_c132_pickles_are_never_opened(cases: Path, name: str) -> None:
    assert refused(cases / name).kind is ErrorKind.MODEL_UNSAFE


@pytest.mark.parametrize(
    ("name", "reason"),
    [("C124-web-page.safetensors", "web_page"), ("C124-lfs-pointer.safetensors", "lfs_pointer")],
)
def test_c124_a_wrong_download_is_said_in_words(cases: Path, name: str, reason: str) -> None:
    error = refused(cases / name)
    assert (error.kind, error.problem.fact("reason")) == (ErrorKind.MODEL_DAMAGED, reason)


@pytest.mark.parametrize(
    "name",
    [
        "C127-sd15-like-stub.safetensors",
        "C128-unknown-keys.safetensors",
    ],
)
def test_c127_c128_other_files_are_not_taken_for_ours(cases: Path, name: str) -> None:
    assert refused(cases / name).kind is ErrorKind.MODEL_UNKNOWN


def test_c130_a_transformer_alone_is_known_and_what_it_lacks_named(cases: Path, root: Path) -> None:
    with pytest.raises(AppError) as caught:
        read_model(cases / "C130-flux-transformer-only-stub.safetensors", all_families(), root / "resources")
    assert caught.value.kind is ErrorKind.MODEL_NEEDS_PARTS
    assert caught.value.problem.fact("parts") == "text_encoder, text_encoder_2, vae"


def test_c131_weights_with_scales_beside_them_are_refused(cases: Path) -> None:
    error = refused(cases / "C131-fp8-both-scale-spellings.safetensors")
    assert (error.kind, error.problem.fact("reason")) == (ErrorKind.MODEL_UNKNOWN, "scaled")
    assert "scales" in str(sentence(error.problem).why)


def test_c128_a_file_without_tensors(cases: Path) -> None:
    assert refused(cases / "C128-no-tensors.safetensors").problem.fact("reason") == "no_tensors"


@pytest.mark.parametrize("name", ["C134-UPPER.SAFETENSORS", "C134-safetensors-inside.bin"])
def test_c134_content_counts_not_the_name(cases: Path, name: str) -> None:
    assert read_header(cases / name)
    assert refused(cases / name).kind is ErrorKind.MODEL_UNKNOWN


def test_c137_a_missing_shard_is_named(cases: Path) -> None:
    folder = cases / "C137-folder-missing-shard"
    with pytest.raises(AppError) as caught:
        weight_files(folder / "transformer", folder)
    assert caught.value.kind is ErrorKind.MODEL_INCOMPLETE
    assert "transformer/diffusion_pytorch_model-0000" in str(caught.value.problem.fact("missing"))
    assert len(weight_files(folder / "text_encoder", folder)) == 5


def test_c138_an_index_that_points_outside_is_refused(cases: Path) -> None:
    folder = cases / "C138-folder-index-points-outside"
    found = []
    for part in ("text_encoder", "vae", "transformer"):
        try:
            weight_files(folder / part, folder)
        except AppError as error:
            found.append(error.problem.fact("reason"))
    assert found == ["outside"]


def test_c140_loose_files_are_listed(tmp_path: Path, cases: Path) -> None:
    shutil.copy(cases / "C127-sdxl-like-stub.safetensors", tmp_path / "x.safetensors")
    error = refused(tmp_path)
    assert (error.problem.fact("reason"), error.problem.fact("files")) == ("loose_files", "x.safetensors")


def test_variants_are_read(model: Path) -> None:
    (file,) = (model / "unet").glob("*.safetensors")
    file.rename(file.with_name("diffusion_pytorch_model.fp16.safetensors"))
    assert read(model).family


def test_model_defaults_that_make_no_sense_are_ignored(model: Path) -> None:
    bad = {"defaults": {"width": -1, "height": "x", "steps": 12, "guidance": None}, "examples": [1]}
    (model / "headroom.json").write_text(json.dumps(bad))
    limits = read(model).limits
    assert (limits.width, limits.height, limits.steps) == (128, 128, 12)


def test_an_index_that_may_not_be_read_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model_index.json"
    file.write_text("{}")

    def forbidden(self: Path, **_how: str) -> str:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_text", forbidden)
    with pytest.raises(AppError) as caught:
        read_json(file)
    assert caught.value.kind is ErrorKind.MODEL_MISSING
    assert str(file) in str(sentence(caught.value.problem).why)

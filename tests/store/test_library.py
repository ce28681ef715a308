"""Which models there are: found by their headers, whatever else lies about."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from app.core.errors import AppError, ErrorKind, Problem
from app.store import library
from app.store.library import builtin_models, candidates, default_model, find_models, named, near, open_model
from app.store.paths import default_paths


def test_the_built_in_model_is_the_default(root: Path) -> None:
    demo = root / "resources" / "demo-models"
    assert all(path.parent == demo for path in builtin_models())
    if not (demo / "shapes-image" / "model_index.json").is_file():
        pytest.skip("the trained model is not there yet")
    assert default_model() == demo / "shapes-image"
    entry = find_models(default_paths())[0]
    assert entry.builtin
    assert entry.usable
    assert named([entry], "SHAPES-image") is entry


def test_c90_what_is_no_model_hides_no_other(
    tmp_path: Path, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "builtin_models", list)
    folder = tmp_path / "models"
    (folder / "empty").mkdir(parents=True)
    (folder / "deep" / "er").mkdir(parents=True)
    for name in ("C128-unknown-keys.safetensors", "C124-web-page.safetensors", "C128-no-tensors.safetensors"):
        shutil.copy(cases / name, folder / "deep" / "er" / name)
    (folder / "broken").mkdir()
    (folder / "broken" / "model_index.json").write_text("{")
    (folder / "odd").mkdir()
    (folder / "odd" / "model_index.json").write_text(json.dumps({"_class_name": "NoSuchPipeline"}))
    (folder / "notes.txt").write_text("x")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.safetensors")
    entries = find_models(default_paths(), [folder, folder / "deep", tmp_path / "gone"])
    assert {entry.path.name for entry in entries} == {
        "C128-unknown-keys.safetensors", "C124-web-page.safetensors", "C128-no-tensors.safetensors", "broken", "odd",
    }  # fmt: skip
    assert not any(entry.usable for entry in entries)
    kinds = {entry.path.name: entry.problem.kind for entry in entries if entry.problem is not None}
    assert kinds["odd"] is ErrorKind.MODEL_UNKNOWN
    assert kinds["broken"] is ErrorKind.MODEL_DAMAGED


def test_c134_weights_are_known_by_content(tmp_path: Path, cases: Path) -> None:
    source = cases / "C128-unknown-keys.safetensors"
    for name in ("UPPER.SAFETENSORS", "inside.bin", "inside.ckpt"):
        shutil.copy(source, tmp_path / name)
    (tmp_path / "pickle.ckpt").write_bytes(b"\x80\x02}q\x00.")
    (tmp_path / "picture.png").write_bytes(source.read_bytes())
    assert {path.name for path in candidates(tmp_path)} == {"UPPER.SAFETENSORS", "inside.bin", "inside.ckpt"}


def test_the_inside_of_a_model_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text("{}")
    (tmp_path / "unet").mkdir()
    (tmp_path / "unet" / "x.safetensors").write_bytes(b"")
    assert list(candidates(tmp_path)) == [tmp_path]


@pytest.mark.parametrize("name", ["gone", "empty"])
def test_a_model_that_is_not_there_is_said(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(AppError) as caught:
        open_model(tmp_path / name)
    assert caught.value.kind in (ErrorKind.MODEL_MISSING, ErrorKind.MODEL_EMPTY)


def test_a_gguf_is_one_model_with_the_folder_beside_it(tmp_path: Path) -> None:
    (tmp_path / "my.gguf").write_bytes(b"GGUF")
    (tmp_path / "my.config").mkdir()
    (tmp_path / "my.config" / "model_index.json").write_text("{}")
    assert list(candidates(tmp_path)) == [tmp_path / "my.gguf"]


def test_names_find_models_whatever_their_case(tmp_path: Path) -> None:
    entry = library.ModelEntry(path=tmp_path / "My.Model.safetensors", name="Shown name")
    assert named([entry], "my.model") is entry
    assert named([entry], "shown NAME") is entry
    assert named([entry], "other") is None


def test_names_that_look_alike_are_found_the_nearest_first(tmp_path: Path) -> None:
    names = ("Shapes Image", "Banana Split", "Fox XL", "Damaged banana")
    entries = [library.ModelEntry(path=tmp_path / name, name=name) for name in names[:-1]]
    bad = Problem(ErrorKind.MODEL_EMPTY)
    entries.append(library.ModelEntry(path=tmp_path / "x", name=names[-1], problem=bad))
    assert near(entries, "shape-image") == ["Shapes Image"]
    assert near(entries, "banana") == ["Banana Split"]
    assert near(entries, "fox") == ["Fox XL"]
    assert near(entries, "") == []
    assert near(entries, "quite another") == []


def test_a_folder_with_an_impossible_name_hides_no_model(tmp_path: Path) -> None:
    paths = default_paths({"HEADROOM_HOME": str(tmp_path / ("x" * 300))})
    found = find_models(paths, ["x" * 300])
    assert [entry.path for entry in found] == builtin_models()

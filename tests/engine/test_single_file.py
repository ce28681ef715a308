"""A single-file checkpoint gives the same picture as the folder that it was made from, without the network."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app.core.errors import ErrorKind
from app.core.messages import Failed, Finished
from app.families import all_families

CONFIGS = ("model_index.json", "unet/config.json", "vae/config.json", "text_encoder/config.json",
           "text_encoder_2/config.json", "scheduler/scheduler_config.json", "tokenizer/tokenizer_config.json",
           "tokenizer_2/tokenizer_config.json")  # fmt: skip


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model as a folder, and as a file with its configuration beside it (``NAME.config``) but no vocabulary."""
    import ldm_layout
    import tiny

    home = tmp_path_factory.mktemp("single")
    pipe = tiny.pipeline(home / "words", seed=3, second=48)
    folder, file = home / "folder", home / "apart" / "model.safetensors"
    pipe.save_pretrained(folder)
    file.parent.mkdir()
    ldm_layout.write(pipe, file)
    for name in CONFIGS:
        target = file.with_suffix(".config") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, target)
    return folder, file


@pytest.fixture
def file(both: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the file and its configuration alone."""
    shutil.copytree(both[1].parent, tmp_path / "single")
    return tmp_path / "single" / "model.safetensors"


def give_words(both: tuple[Path, Path], target: Path) -> None:
    """Puts CLIP's vocabulary where the loader looks."""
    target.mkdir(parents=True, exist_ok=True)
    words = both[0].parent / "words" / "vocabulary"
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(words / name, target / name)


@pytest.mark.parametrize("place", ["tokenizer", "."])
def test_a_file_gives_its_folders_picture(engine, job, both, file, place):
    give_words(both, file.parent / place)
    of_folder = engine.run(job(model=str(both[0])))
    of_file = engine.run(job(model=str(file)))
    assert isinstance(of_file, Finished), of_file
    first, second = (np.asarray(Image.open(end.files[0])) for end in (of_folder, of_file))
    assert np.array_equal(first, second)


def test_the_words_of_a_model_nearby_serve(engine, job, both, file):
    shutil.copytree(both[0], file.parent / "other model")
    give_words(both, file.parent / "other model" / "tokenizer")
    assert isinstance(engine.run(job(model=str(file))), Finished)


def test_missing_words_are_named_with_their_files(engine, job, file):
    failed = engine.run(job(model=str(file)))
    assert isinstance(failed, Failed)
    assert failed.problem.kind is ErrorKind.MODEL_NEEDS_PARTS
    assert "vocab.json" in failed.problem.fact("parts")


def test_words_of_another_size_are_not_taken(engine, job, both, file):
    give_words(both, file.parent)
    (file.parent / "vocab.json").write_text('{"a": 0, "b": 1}')
    failed = engine.run(job(model=str(file)))
    assert failed.problem.kind is ErrorKind.MODEL_NEEDS_PARTS


def test_c68_what_is_built_from_a_configuration_is_in_evaluation_mode(both, file, root):
    from app.core.model_file import read_model
    from app.core.plan import Dtype, Plan
    from app.engine.loader import load_part

    give_words(both, file.parent)
    family = all_families()["sdxl"]
    info = read_model(file, {"sdxl": family}, root / "resources")
    plan = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT16)
    for part in family.components:
        found = load_part(info, part, plan, family)
        if part.weights:
            assert not any(module.training for module in found.modules())
            assert {str(weight.dtype) for weight in found.parameters()} == {"torch.float16"}


def test_weights_that_do_not_fit_the_configuration_are_damage(engine, job, both, file):
    give_words(both, file.parent)
    config = file.with_suffix(".config") / "unet" / "config.json"
    config.write_text(config.read_text().replace('"layers_per_block": 1', '"layers_per_block": 2'))
    failed = engine.run(job(model=str(file)))
    assert isinstance(failed, Failed)
    assert failed.problem.kind is ErrorKind.MODEL_DAMAGED


def test_the_shipped_configuration_is_complete(root):
    from app.core.model_file import read_json

    folder = root / "resources" / all_families()["sdxl"].single_file_config
    assert all((folder / name).is_file() for name in CONFIGS)
    index = read_json(folder / "model_index.json")
    for name, classes in all_families()["sdxl"].classes.items():
        assert index[name][1] in classes
    assert read_json(folder / "vae" / "config.json")["force_upcast"] is True

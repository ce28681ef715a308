"""A model that makes clips in the window: asked for with its own values, its result shown and taken again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import Finished, PictureDone
from app.media.clip import write_clip
from app.media.metadata import PictureInfo

if TYPE_CHECKING:
    from conftest import Studio
else:
    Studio = Any

PARTS = {
    "text_encoder": ("transformers", "UMT5EncoderModel", {}),
    "transformer": ("diffusers", "WanTransformer3DModel", {"in_channels": 16, "patch_size": [1, 2, 2]}),
    "vae": ("diffusers", "AutoencoderKLWan", {"z_dim": 16}),
    "tokenizer": ("transformers", "T5TokenizerFast", None),
    "scheduler": ("diffusers", "UniPCMultistepScheduler", None),
}


@pytest.fixture
def clip_model(light: Path, tmp_path: Path) -> Path:
    """A folder of a model for clips, that can be judged, not run."""
    folder = tmp_path / "models" / "Clips"
    weights = light / "vae" / "model.safetensors"
    index: dict[str, Any] = {"_class_name": "WanPipeline", "_diffusers_version": "0.42.1"}
    for name, (library, kind, config) in PARTS.items():
        index[name] = [library, kind]
        (folder / name).mkdir(parents=True)
        if config is not None:
            (folder / name / "config.json").write_text(json.dumps(config))
            shutil.copy(weights, folder / name)
    (folder / "tokenizer" / "tokenizer.json").write_text("{}")
    (folder / "scheduler" / "scheduler_config.json").write_text("{}")
    (folder / "model_index.json").write_text(json.dumps(index))
    return folder


def test_a_clip_is_asked_for_and_its_result_is_shown(studio: Studio, qtbot: QtBot, clip_model: Path) -> None:
    studio.open(model=str(clip_model))
    window = studio.window
    assert (window.prompt.values().frames, window.prompt.values().fps) == (81, 16)
    window.prompt.set_values(window.prompt.values())
    studio.generate("a fox runs")
    run = studio.link.runs[0]
    request = run.request
    assert (request.task, request.frames, request.fps) == ("text-to-video", 81, 16)
    assert (request.width, request.height) == (832, 480)
    info = PictureInfo(request=request, plan=run.plan, seed=request.seed)
    pixels = np.random.default_rng(0).integers(0, 256, (5, 48, 80, 3), dtype=np.uint8)
    path = write_clip(pixels, request.fps, studio.paths.pictures / "fox.png", info)
    studio.say(PictureDone(run.job, 0, request.seed, path))
    studio.say(Finished(run.job, (path,), (("denoise", 2.0),), ()))
    qtbot.waitUntil(lambda: window.viewer.path == path)
    qtbot.waitUntil(lambda: [result.path for result in window.gallery.results.results()] == [path])
    window.prompt.set_values(type(window.prompt.values())())
    window.viewer.reuse_asked.emit()
    values = window.prompt.values()
    assert (values.prompt, values.frames, values.fps) == ("a fox runs", 81, 16)
    assert window.errors.problem is None


def test_frames_of_another_number_are_snapped(studio: Studio, clip_model: Path) -> None:
    studio.open(model=str(clip_model))
    studio.window.prompt.set_values(replace(studio.window.prompt.values(), frames=80, fps=12))
    studio.generate("a fox runs")
    assert (studio.link.runs[0].request.frames, studio.link.runs[0].request.fps) == (81, 12)


def test_the_fields_go_with_a_model_that_makes_pictures(
    studio: Studio, qtbot: QtBot, light: Path, clip_model: Path
) -> None:
    studio.open(model=str(clip_model))
    assert studio.window.prompt.values().frames == 81
    with qtbot.waitSignal(studio.program.session.model_changed):
        studio.window.header.models.chosen.emit(light)
    assert studio.window.prompt.values().frames == 0
    studio.generate()
    assert (studio.link.runs[0].request.task, studio.link.runs[0].request.frames) == ("text-to-image", 1)

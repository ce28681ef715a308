"""Clips through the engine: files with the asked frames, the same for the same seed, from pictures and clips too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from clips import noisy_clip, noisy_picture

from app.core.errors import ErrorKind
from app.core.messages import Cancel, Cancelled, Failed, Finished, Notice, Phase, PictureDone, Progress, Run
from app.core.model_file import read_model
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec, Task, mend
from app.families import all_families
from app.media.clip import read_clip
from app.media.metadata import read_settings
from app.media.open import open_picture

KINDS = {
    "cogvideox": {}, "cogvideox-image": {"image": True, "second": True}, "wan": {},
    "wan-image": {"image": True}, "wan-two": {"two_transformers": True}, "wan-small": {"dense": True},
}  # fmt: skip


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Folders of tiny clip models, each made once."""
    folder, made = tmp_path_factory.mktemp("clip-models"), {}

    def find(kind: str) -> Path:
        if kind not in made:
            made[kind] = tiny_models.save(kind.split("-")[0], folder / kind, **KINDS[kind])
        return made[kind]

    return find


@pytest.fixture
def clip_job(models, tmp_path: Path) -> Callable[..., Run]:
    """Makes mended Runs of a kind of model; keywords change the request."""
    folder = tmp_path / "clips"
    folder.mkdir()

    def make(kind: str, name: str = "job", **changes: Any) -> Run:
        model = read_model(models(kind), all_families())
        values = {
            "model": str(model.path), "prompt": "a red cat", "width": 32, "height": 32, "steps": 2, "guidance": 5.0,
            "seed": 7, "frames": 9, "task": model.limits.tasks[0],
        }  # fmt: skip
        request, _ = mend(GenerationRequest(**(values | changes)), model.limits)
        request = replace(request, width=32, height=32)  # smaller than any person may ask, for speed
        plan = Plan(family=model.family, device="cpu", dtype=Dtype.FLOAT32, sequence_length=16)
        return Run(name, request, plan, OutputSpec(folder))

    return make


def frames_of(path: Path) -> list[np.ndarray]:
    """The file's frames."""
    return [np.asarray(frame) for frame in read_clip(path).frames]


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    """Whether two clips show the same."""
    return len(one) == len(other) and all(map(np.array_equal, one, other))


@pytest.mark.parametrize("kind", ["cogvideox", "wan", "wan-two", "wan-small"])
def test_a_clip_comes_out_and_the_same_seed_makes_it_again(engine, clip_job, kind):
    finished = engine.run(clip_job(kind, count=2, steps=1))
    assert isinstance(finished, Finished), finished
    one, other = map(frames_of, finished.files)
    assert len(one) == len(other) == 9
    assert all(frame.shape == (32, 32, 3) for frame in one)
    assert not same(one, other)
    assert not np.array_equal(one[0], one[-1])
    again = engine.run(clip_job(kind, seed=8, steps=1))
    assert same(frames_of(again.files[0]), other)


def test_a_file_tells_how_it_was_made_and_opens_as_a_picture(engine, clip_job):
    run = clip_job("wan", fps=5)
    finished = engine.run(run)
    path = finished.files[0]
    assert path.suffix == ".png"
    assert read_clip(path).fps == pytest.approx(5)
    found = read_settings(path)
    assert (found.prompt, found.seed, found.width, found.steps) == ("a red cat", 7, 32, 2)
    assert found.model == "wan"
    assert np.array_equal(np.asarray(open_picture(path)), frames_of(path)[0])
    assert [event.path for event in engine.events if isinstance(event, PictureDone)] == [path]


@pytest.mark.parametrize("kind", ["cogvideox", "wan"])
def test_progress_counts_steps(engine, clip_job, kind):
    engine.run(clip_job(kind, steps=3))
    told = [event for event in engine.events if isinstance(event, Progress)]
    steps = [(event.step, event.steps) for event in told if event.phase is Phase.DENOISE]
    assert steps[0] == (0, 3)
    assert steps[-1] == (3, 3)
    order = list(dict.fromkeys(event.phase for event in told))
    assert order == [Phase.LOAD, Phase.ENCODE, Phase.DENOISE, Phase.DECODE, Phase.WRITE]


@pytest.mark.parametrize("kind", ["cogvideox-image", "wan-image", "wan-small"])
def test_a_picture_is_set_in_motion(engine, clip_job, tmp_path, kind):
    files = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.png"
        noisy_picture(seed, (70, 50)).save(path)
        files.append(path)
    clips = []
    for path in files:
        finished = engine.run(clip_job(kind, task=Task.IMAGE_TO_VIDEO.value, image=str(path), steps=1))
        assert isinstance(finished, Finished), finished
        clips.append(frames_of(finished.files[0]))
    assert len(clips[0]) == (17 if kind == "cogvideox-image" else 9)
    assert not same(*clips)


@pytest.mark.parametrize("kind", ["cogvideox", "wan"])
def test_a_clip_is_made_from_a_clip(engine, clip_job, tmp_path, kind):
    first, *others = noisy_clip(9, (70, 50))
    source = tmp_path / "source.png"
    first.save(source, save_all=True, append_images=others, duration=125, loop=0)
    make = {"task": Task.VIDEO_TO_VIDEO.value, "video": str(source), "steps": 4}
    clips = []
    for strength in (0.25, 1.0):
        finished = engine.run(clip_job(kind, strength=strength, **make))
        assert isinstance(finished, Finished), finished
        clips.append(frames_of(finished.files[0]))
    assert len(clips[0]) == 9
    assert not same(*clips)


def test_a_clip_that_ends_early_is_said(engine, clip_job, tmp_path):
    first, *others = noisy_clip(3, (70, 50))
    source = tmp_path / "source.png"
    first.save(source, save_all=True, append_images=others, duration=125)
    engine.run(clip_job("wan", task=Task.VIDEO_TO_VIDEO.value, video=str(source), steps=1))
    (text,) = [str(event.text) for event in engine.events if isinstance(event, Notice)]
    assert text == "The given clip has 3 frames and 9 are made: its last one stands still for the rest."


def test_a_file_that_is_no_clip_is_said_before_anything_loads(engine, clip_job, tmp_path):
    source = tmp_path / "source.png"
    source.write_text("not one")
    failed = engine.run(clip_job("wan", task=Task.VIDEO_TO_VIDEO.value, video=str(source)))
    assert isinstance(failed, Failed)
    assert failed.problem.kind is ErrorKind.PICTURE_UNREADABLE
    assert not [event for event in engine.events if isinstance(event, Progress)]


@pytest.mark.parametrize(("kind", "made"), [("cogvideox", 9), ("wan", 13)])
def test_frames_are_snapped_and_that_is_said(models, kind, made):
    limits = read_model(models(kind), all_families()).limits
    asked = GenerationRequest(
        model="m", prompt="x", width=64, height=64, steps=2, guidance=5.0, seed=7, frames=12, task=limits.tasks[0]
    )  # fmt: skip
    mended, notes = mend(asked, limits)
    assert mended.frames == made
    assert f"from 12 to {made}" in str(notes[0])


@pytest.mark.parametrize("kind", ["cogvideox", "wan"])
def test_a_clip_is_cancelled_at_a_step_and_the_next_one_is_whole(engine, clip_job, kind):
    run = clip_job(kind, steps=200)
    engine.conn.send(run)
    engine.until(
        lambda event: isinstance(event, Progress) and event.phase is Phase.DENOISE and event.step >= 1
    )
    engine.conn.send(Cancel(run.job))
    cancelled = engine.until(Cancelled)
    assert cancelled.files == ()
    assert list(run.output.folder.iterdir()) == []
    assert isinstance(engine.run(clip_job(kind)), Finished)


def test_words_beyond_the_encoder_are_named(engine, clip_job):
    engine.run(clip_job("cogvideox", prompt="abcde fghijklm and more"))
    (text,) = [str(event.text) for event in engine.events if hasattr(event, "text")]
    assert text.endswith("Not read: and more")


def test_tasks_of_one_model_follow_one_another(engine, clip_job, tmp_path):
    """The components stay loaded; only the pipeline around them changes."""
    path = tmp_path / "given.png"
    noisy_picture().save(path)
    first = engine.run(clip_job("wan-small"))
    moved = engine.run(clip_job("wan-small", task=Task.IMAGE_TO_VIDEO.value, image=str(path)))
    again = engine.run(clip_job("wan-small"))
    assert moved.loaded == again.loaded == ()
    assert same(frames_of(first.files[0]), frames_of(again.files[0]))


def test_the_decoder_works_in_float32_whatever_the_rest_does(engine, clip_job):
    run = clip_job("wan")
    plan = replace(run.plan, dtype=Dtype.BFLOAT16)
    finished = engine.run(replace(run, plan=plan))
    assert isinstance(finished, Finished), finished
    assert len(frames_of(finished.files[0])) == 9

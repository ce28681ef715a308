"""The engine's pictures are the bare pipeline's, bit for bit, and each file can be made again from its own seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from diffusers import StableDiffusionXLPipeline
from PIL import Image

from app.core.messages import Finished, Notice, Phase, PictureDone, Preview, Progress
from app.core.plan import Dtype
from app.media.metadata import read_settings


def bare(model: Path, request, dtype=torch.float32, index: int = 0) -> np.ndarray:
    """What the pipeline makes of a request when it is called whole."""
    pipe = StableDiffusionXLPipeline.from_pretrained(str(model), dtype=dtype, local_files_only=True)
    pipe.set_progress_bar_config(disable=True)
    picture = pipe(
        prompt=request.prompt,
        negative_prompt=request.negative or None,
        width=request.width,
        height=request.height,
        num_inference_steps=request.steps,
        guidance_scale=request.guidance,
        generator=torch.Generator("cpu").manual_seed(request.seed_of(index)),
        output_type="pil",
    ).images[0]
    return np.asarray(picture)


def pixels(path: Path) -> np.ndarray:
    """The file's pixels."""
    with Image.open(path) as picture:
        return np.asarray(picture)


@pytest.mark.parametrize(
    ("dtype", "changes"),
    [
        (Dtype.FLOAT32, {}),
        (Dtype.FLOAT32, {"negative": "blue"}),
        (Dtype.FLOAT32, {"guidance": 1.0}),
        (Dtype.FLOAT32, {"width": 72, "height": 40}),
        (Dtype.FLOAT16, {}),  # the VAE says that it overflows there, so it runs in float32
        (Dtype.BFLOAT16, {}),
    ],
)
# the bare pipeline's own; the engine does not call what is deprecated
@pytest.mark.filterwarnings("ignore:`upcast_vae` is deprecated:FutureWarning")
def test_a_picture_equals_the_bare_pipelines(engine, job, saved_model, dtype, changes):
    run = job(plan_changes={"dtype": dtype}, **changes)
    finished = engine.run(run)
    assert isinstance(finished, Finished), finished
    expected = bare(saved_model, run.request, getattr(torch, dtype.value))
    assert np.array_equal(pixels(finished.files[0]), expected)


def test_c62_each_file_of_a_batch_is_made_again_by_its_own_seed(engine, job):
    together = engine.run(job(count=3))
    for path in together.files:
        seed = read_settings(path).seed
        alone = engine.run(job(seed=seed, count=1))
        assert np.array_equal(pixels(alone.files[0]), pixels(path))
    assert [read_settings(path).seed for path in together.files] == [7, 8, 9]


def test_seeds_at_the_end_of_64_bits_go_round(engine, job):
    finished = engine.run(job(seed=2**64 - 1, count=2))
    assert [read_settings(path).seed for path in finished.files] == [2**64 - 1, 0]
    assert not np.array_equal(pixels(finished.files[0]), pixels(finished.files[1]))


def test_the_same_seed_gives_the_same_picture_after_other_work(engine, job):
    first = engine.run(job())
    engine.run(job(prompt="something else", seed=99, width=40))
    again = engine.run(job())
    assert np.array_equal(pixels(first.files[0]), pixels(again.files[0]))
    assert first.files[0] != again.files[0]


def test_all_phases_are_told_in_their_order(engine, job):
    engine.run(job(count=2))
    told = [event for event in engine.events if isinstance(event, Progress)]
    order = [(event.picture, event.phase) for event in told]
    per_picture = [Phase.DENOISE, Phase.DECODE, Phase.WRITE]
    expected = [(0, Phase.LOAD), (0, Phase.ENCODE), *((p, phase) for p in (0, 1) for phase in per_picture)]
    assert list(dict.fromkeys(order)) == expected
    last_steps = [event for event in told if event.phase is Phase.DENOISE and event.step == event.steps == 2]
    assert len(last_steps) == 2
    assert last_steps[0].eta > 0
    assert all(event.pictures == 2 for event in told)
    assert {event.part for event in told if event.phase is Phase.LOAD} >= {"unet", "vae", "text_encoder"}


def test_the_end_tells_files_times_and_peaks(engine, job):
    finished = engine.run(job(count=2))
    done = [event for event in engine.events if isinstance(event, PictureDone)]
    assert [event.path for event in done] == list(finished.files)
    assert [event.seed for event in done] == [7, 8]
    assert [name for name, _ in finished.seconds] == [phase.value for phase in Phase]
    assert dict(finished.peaks)["ram"] > 2**20
    assert set(finished.loaded) == {
        "text_encoder", "text_encoder_2", "unet", "vae", "tokenizer", "tokenizer_2", "scheduler",
    }  # fmt: skip


def test_previews_are_small_and_can_be_left_out(engine, job):
    engine.run(job())
    previews = [event for event in engine.events if isinstance(event, Preview)]
    assert previews
    assert all((event.width, event.height) == (8, 8) and len(event.rgb) == 8 * 8 * 3 for event in previews)
    engine.events.clear()
    run = job()
    engine.run(type(run)(run.job, run.request, run.plan, run.output, previews=False))
    assert not [event for event in engine.events if isinstance(event, Preview)]


def test_words_beyond_the_encoders_are_named(engine, job):
    prompt = f"{'a' * 60} {'b' * 10} whole {'c' * 20} last"
    engine.run(job(prompt=prompt, negative="fits"))
    notices = [event for event in engine.events if isinstance(event, Notice)]
    assert len(notices) == 1
    # 60 + 10 + "whole" are the 75 characters that fit between the marks
    assert str(notices[0].text).endswith(f"Not read: {'c' * 20} last")
    engine.events.clear()
    engine.run(job(negative="x" * 80))
    notices = [event for event in engine.events if isinstance(event, Notice)]
    assert len(notices) == 1
    assert "negative" in str(notices[0].text)
    engine.events.clear()
    engine.run(job(prompt="z" * 75))
    assert not [event for event in engine.events if isinstance(event, Notice)]

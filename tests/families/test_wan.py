"""Wan: limits from configurations, the split call's bits of 2.1 and 2.2, two transformers, given pictures and clips."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import diffusers
import numpy as np
import pytest
import tiny_models
import torch
from clips import REQUEST as CLIP
from clips import Split as AnySplit
from clips import noisy_clip, noisy_picture
from clips import whole as any_whole
from diffusers.pipelines.wan import pipeline_wan_i2v, pipeline_wan_video2video

from app.core.family import Media
from app.core.plan import Dtype, Plan
from app.engine.reporter import Previews
from app.families.wan import FAMILY

pytestmark = pytest.mark.filterwarnings(
    # diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
VAE = {"z_dim": 16, "scale_factor_temporal": 4, "scale_factor_spatial": 8}
TRANSFORMER = {"in_channels": 16, "patch_size": [1, 2, 2], "rope_max_seq_len": 1024}
SETTINGS = ("boundary_ratio", "expand_timesteps")
LENGTH = 16
"""Tokens that the tests' prompts are padded to, for speed."""
REQUEST = replace(CLIP, frames=5)


@cache
def parts(**options: Any) -> dict[str, Any]:
    """The components and settings of a tiny model."""
    pipe = tiny_models.wan(**options)
    return {**pipe.components, **{name: pipe.config[name] for name in SETTINGS}}


def networks(**options: Any) -> dict[str, Any]:
    """The components that video-to-video has."""
    return {
        name: parts(**options)[name]
        for name in ("tokenizer", "text_encoder", "transformer", "vae", "scheduler")
    }


class Split(AnySplit):
    """The family's split call with short prompts."""

    def __call__(self, *arguments: Any, **plan: Any) -> Any:
        return super().__call__(*arguments, **({"sequence_length": LENGTH} | plan))


def whole(*arguments: Any, **changes: Any) -> Any:
    """The bare pipeline's call with short prompts."""
    return any_whole(*arguments, max_sequence_length=LENGTH, **changes)


@pytest.fixture
def ftfy(monkeypatch):
    """diffusers' own copies call this package although they do not need it installed."""
    plain = SimpleNamespace(fix_text=lambda text: text)
    for module in (pipeline_wan_i2v, pipeline_wan_video2video):
        monkeypatch.setattr(module, "ftfy", plain, raising=False)


def limits(transformer: Any = TRANSFORMER, vae: Any = VAE, **configs: Any) -> Any:
    return FAMILY.limits({"transformer": transformer, "vae": vae, **configs})


def test_limits_of_2_1():
    found = limits()
    assert (found.width, found.height, found.factor, found.largest) == (832, 480, 16, 8192)
    assert (found.frames, found.frames_factor, found.frames_max, found.fps) == (81, 4, 161, 16)
    assert (found.steps, found.guidance, found.tokens) == (50, 5.0, 512)
    assert found.tasks == ("text-to-video", "video-to-video")
    assert limits(scheduler={"flow_shift": 5.0}).width == 1280
    seeing = limits(TRANSFORMER | {"in_channels": 36})
    assert seeing.tasks == ("image-to-video",)
    assert seeing.guidance == 5.0


def test_limits_of_2_2():
    two = {"transformer_2": TRANSFORMER, "model_index": {"boundary_ratio": 0.875, "expand_timesteps": False}}
    words = limits(**two)
    assert (words.tasks, words.guidance, words.steps, words.frames) == (("text-to-video",), 4.0, 40, 81)
    seeing = limits(TRANSFORMER | {"in_channels": 36}, **two)
    assert (seeing.tasks, seeing.guidance) == (("image-to-video",), 3.5)
    dense = limits(
        TRANSFORMER | {"in_channels": 48},
        {"z_dim": 48, "scale_factor_temporal": 4, "scale_factor_spatial": 16},
        model_index={"expand_timesteps": True, "boundary_ratio": None},
        scheduler={"flow_shift": 5.0},
    )
    assert (dense.width, dense.height, dense.factor) == (1280, 704, 32)
    assert (dense.frames, dense.frames_max, dense.fps, dense.guidance) == (121, 241, 24, 5.0)
    assert dense.tasks == ("text-to-video", "image-to-video", "video-to-video")


def test_limits_end_where_positions_do():
    found = limits(TRANSFORMER | {"rope_max_seq_len": 10})
    assert (found.largest, found.width, found.height, found.frames_max) == (160, 160, 160, 37)


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ({}, {}),
        ({}, {"guidance": 1.0}),
        ({}, {"negative": "blue &amp; green", "frames": 9, "prompt": "a   cat &lt; 3"}),
        ({"dense": True}, {"width": 64}),
    ],
)
def test_text_to_video_gives_the_bits_of_the_whole_pipeline(options, changes):
    request = replace(REQUEST, **changes)
    expected = whole(diffusers.WanPipeline(**parts(**options)), request, picture=1)
    split = Split(FAMILY, parts(**options), request.task)
    found = split(request, Media(), 1)
    assert found.shape == (request.frames, request.height, request.width, 3)
    assert found.dtype == np.float32
    assert np.array_equal(found, expected)
    assert [step for step, _ in split.told] == [1, 2]
    factor, channels = (16, 8) if options else (8, 16)
    assert split.told[0][1].shape == (1, channels, request.height // factor, request.width // factor)


def test_both_transformers_work_each_with_its_own_guidance():
    request = replace(REQUEST, steps=4, width=16, height=16)
    pipe = diffusers.WanPipeline(**parts(two_transformers=True))
    expected = whole(pipe, request, guidance_scale_2=3.0)
    split = Split(FAMILY, parts(two_transformers=True), request.task)
    ran = []
    with torch.no_grad():
        for name in ("transformer", "transformer_2"):
            getattr(split.pipe, name).register_forward_hook(lambda *_, name=name: ran.append(name))
    assert np.array_equal(split(request), expected)
    assert ran == ["transformer"] * 4 + ["transformer_2"] * 4  # two runs a step: with the prompt and without
    assert not np.array_equal(whole(pipe, request), expected)


@pytest.mark.parametrize(
    "options", [{}, {"two_transformers": True}, {"dense": True}], ids=["2.1", "2.2 of two", "2.2 small"]
)
@pytest.mark.usefixtures("ftfy")
def test_image_to_video_gives_the_bits_of_the_whole_pipeline(options):
    request = replace(REQUEST, task="image-to-video", width=64)
    own = {key: value for key, value in parts(image=True, **options).items() if value is not None}
    picture = noisy_picture(size=(64, 32))
    expected = whole(diffusers.WanImageToVideoPipeline(**own), request, image=picture)
    found = Split(FAMILY, own, request.task)(request, Media(image=picture))
    assert np.array_equal(found, expected)


@pytest.mark.usefixtures("ftfy")
def test_video_to_video_gives_the_bits_of_the_whole_pipeline():
    request, clip = replace(REQUEST, task="video-to-video", steps=3), noisy_clip(5)
    pipe = diffusers.WanVideoToVideoPipeline(**networks())
    expected = whole(pipe, request, video=list(clip), strength=0.6, num_frames=None)
    split = Split(FAMILY, parts(), request.task)
    assert np.array_equal(split(request, Media(video=(*clip, *noisy_clip(2)))), expected)
    assert [step for step, _ in split.told] == [3]


def test_the_small_2_2_changes_clips_too():
    """Its pipeline counts the autoencoder's levels and misses the patch, so it takes 16 pixels for 8."""
    request = replace(REQUEST, task="video-to-video", width=64, strength=1.0)
    split = Split(FAMILY, parts(dense=True), request.task)
    found = split(request, Media(video=noisy_clip(5)))
    assert found.shape == (5, 32, 64, 3)
    assert [step for step, _ in split.told] == [1, 2]
    bare = diffusers.WanVideoToVideoPipeline(**networks(dense=True))
    assert bare.vae_scale_factor_spatial == 8 != split.pipe.vae_scale_factor_spatial


def test_one_scheduler_serves_task_after_task():
    words, video = (Split(FAMILY, parts(), task) for task in ("text-to-video", "video-to-video"))
    small = replace(REQUEST, width=16, height=16)
    request, media = replace(small, task="video-to-video", strength=0.5), Media(video=noisy_clip(5))
    first = words(small), video(request, media)
    again = words(small), video(request, media)
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))


def test_the_prompt_is_read_without_packages_that_the_pipeline_misses():
    with pytest.raises(NameError, match="ftfy"):
        diffusers.WanVideoToVideoPipeline(**networks()).encode_prompt("a cat")
    pipe = FAMILY.build(parts(), "video-to-video")
    plan = Plan(family="wan", device="cpu", dtype=Dtype.FLOAT32, sequence_length=24)
    with torch.no_grad():
        found = FAMILY.encode(pipe, REQUEST, plan, Media())
        expected = diffusers.WanPipeline(**parts()).encode_prompt("a red cat", max_sequence_length=24)
    assert torch.equal(found["prompt_embeds"], expected[0])
    assert torch.equal(found["negative_prompt_embeds"], expected[1])


def test_words_that_are_not_read():
    pipe = FAMILY.build(parts(), "text-to-video")
    plan = Plan(family="wan", device="cpu", dtype=Dtype.FLOAT32, sequence_length=16)
    assert FAMILY.tokens(pipe, "abcde  fghijklm", plan) == []
    assert FAMILY.tokens(pipe, "abcde  fghijklm last &amp; least", plan) == ["last", "&", "least"]
    assert FAMILY.tokens(pipe, "abcde fghijklm last", replace(plan, sequence_length=0)) == []


@pytest.mark.parametrize(("channels", "shown"), [(16, True), (48, False)])
def test_previews_are_of_the_autoencoder_that_their_map_is_of(channels: int, shown: bool) -> None:
    sent: list[Any] = []
    mail = SimpleNamespace(send=sent.append)
    Previews(mail, "job", FAMILY.latent_rgb).offer(0, torch.zeros(1, channels, 2, 3))
    assert [(event.width, event.height) for event in sent] == ([(3, 2)] if shown else [])
    if shown:  # without a signal the bias alone: a dark greenish grey
        assert tuple(sent[0].rgb[:3]) == (104, 116, 84)

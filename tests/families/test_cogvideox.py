"""CogVideoX: limits from configurations, the split call's bits, given pictures and clips, what fp8 and words do."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import diffusers
import numpy as np
import pytest
import tiny_models
import torch
from clips import REQUEST, Split, noisy_clip, noisy_picture, whole

from app.core.family import Media
from app.core.plan import Dtype, Plan
from app.families.cogvideox import FAMILY

pytestmark = pytest.mark.filterwarnings(
    # diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
LENGTH = 16
"""Tokens of the tiny models."""
VAE = {"block_out_channels": [128, 256, 256, 512], "temporal_compression_ratio": 4, "latent_channels": 16}
FIRST = {
    "in_channels": 16, "sample_width": 90, "sample_height": 60, "sample_frames": 49, "patch_size": 2,
    "patch_size_t": None, "max_text_seq_length": 226, "use_rotary_positional_embeddings": True,
    "use_learned_positional_embeddings": False,
}  # fmt: skip
SECOND = FIRST | {"sample_width": 170, "sample_height": 96, "sample_frames": 81, "patch_size_t": 2}


@cache
def parts(**options: Any) -> dict[str, Any]:
    """The components of a tiny model."""
    return tiny_models.cogvideox(**options).components


def limits(**transformer: Any) -> Any:
    return FAMILY.limits({"transformer": transformer, "vae": VAE})


def test_limits_of_the_published_checkpoints():
    small = limits(**FIRST | {"use_rotary_positional_embeddings": False})
    assert (small.width, small.height, small.frames, small.fps) == (720, 480, 49, 8)
    assert (small.factor, small.frames_factor, small.frames_max) == (16, 8, 49)
    assert (small.steps, small.guidance, small.tokens) == (50, 6.0, 226)
    assert small.dtypes[0] == "float16"
    assert small.tasks == ("text-to-video", "video-to-video")
    large = limits(**FIRST)
    assert replace(large, dtypes=small.dtypes) == small
    assert large.dtypes[0] == "bfloat16"
    from_picture = limits(**FIRST | {"in_channels": 32, "use_learned_positional_embeddings": True})
    assert from_picture.tasks == ("image-to-video",)
    assert from_picture.fixed
    assert not large.fixed


@pytest.mark.parametrize(("sides", "largest"), [((170, 96), 1360), ((300, 300), 2400)])
def test_limits_of_version_1_5(sides, largest):
    found = limits(**SECOND | {"sample_width": sides[0], "sample_height": sides[1]})
    assert (found.width, found.height, found.largest) == (1360, 768, largest)
    assert (found.frames, found.frames_factor, found.frames_max, found.fps) == (81, 16, 161, 16)
    assert found.tasks == ("text-to-video", "video-to-video")
    assert not found.fixed


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ({}, {}),
        ({}, {"guidance": 1.0}),
        ({}, {"negative": "blue", "frames": 17, "steps": 1}),
        ({"rotary": False}, {}),
        ({"second": True, "dpm": True}, {}),
    ],
)
def test_text_to_video_gives_the_bits_of_the_whole_pipeline(options, changes):
    request = replace(REQUEST, **changes)
    expected = whole(
        diffusers.CogVideoXPipeline(**parts(**options)), request, picture=1, max_sequence_length=LENGTH
    )
    split = Split(FAMILY, parts(**options), request.task)
    found = split(request, picture=1)
    assert found.shape == (request.frames, request.height, request.width, 3)
    assert found.dtype == np.float32
    assert np.array_equal(found, expected)
    assert [step for step, _ in split.told] == list(range(1, request.steps + 1))
    assert all(shown.shape == (1, 4, request.height // 8, request.width // 8) for _, shown in split.told)


def test_version_1_5_also_makes_upright_clips():
    """Its pipeline cuts the positions off at the sample's own height, and then the tokens do not fit them."""
    request, own = (
        replace(REQUEST, width=16, height=128, steps=1),
        tiny_models.cogvideox(second=True).components,
    )
    pipe = diffusers.CogVideoXPipeline(**own)
    with pytest.raises(RuntimeError):
        whole(pipe, request, max_sequence_length=LENGTH)
    lying = replace(request, width=128, height=16)
    before = whole(pipe, lying, max_sequence_length=LENGTH)
    split = Split(FAMILY, own, request.task)
    assert split(request).shape == (9, 128, 16, 3)
    assert np.array_equal(split(lying), before)


def test_an_even_number_of_latent_frames_decodes_to_a_number_of_its_own():
    """Why frame counts are 8k + 1: the pipeline takes 5 frames without a word, and makes 8."""
    assert Split(FAMILY, parts(), REQUEST.task)(replace(REQUEST, frames=5, steps=1)).shape[0] == 8


@pytest.mark.parametrize("second", [False, True])
def test_image_to_video_gives_the_bits_of_the_whole_pipeline(second):
    task = {"task": "image-to-video"}
    size = {"width": 48, "height": 32} if second else {"width": 64, "height": 64, "steps": 1}
    request = replace(REQUEST, **task | size)
    picture = noisy_picture(size=(request.width, request.height))
    pipe = diffusers.CogVideoXImageToVideoPipeline(**parts(image=True, second=second))
    expected = whole(pipe, request, image=picture, max_sequence_length=LENGTH)
    found = Split(FAMILY, parts(image=True, second=second), request.task)(request, Media(image=picture))
    assert np.array_equal(found, expected)


def test_video_to_video_gives_the_bits_of_the_whole_pipeline():
    request, clip = replace(REQUEST, task="video-to-video", steps=3), noisy_clip(9)
    pipe = diffusers.CogVideoXVideoToVideoPipeline(**parts())
    expected = whole(
        pipe, request, video=list(clip), strength=0.6, num_frames=None, max_sequence_length=LENGTH
    )
    split = Split(FAMILY, parts(), request.task)
    assert np.array_equal(split(request, Media(video=(*clip, *noisy_clip(2)))), expected)
    assert [step for step, _ in split.told] == [3]  # of three steps, a strength of 0.6 takes the last


def test_version_1_5_changes_clips_whose_frames_fill_no_whole_patch():
    request, clip = replace(REQUEST, task="video-to-video", strength=1.0), noisy_clip(9)
    pipe = diffusers.CogVideoXVideoToVideoPipeline(**parts(second=True))
    with pytest.raises(ValueError, match="must be divisible"):
        whole(pipe, request, video=list(clip), num_frames=None, max_sequence_length=LENGTH)
    padded = [clip[0]] * 4 + list(clip)
    latents = whole(
        pipe, request, video=padded, strength=1.0, num_frames=None, max_sequence_length=LENGTH, output_type="latent"
    )  # fmt: skip
    with torch.no_grad():
        frames = pipe.decode_latents(latents[None, 1:])
    found = Split(FAMILY, parts(second=True), request.task)(request, Media(video=clip))
    assert found.shape == (9, 32, 48, 3)
    assert np.array_equal(found, pipe.video_processor.postprocess_video(frames, output_type="np")[0])


def test_strength_is_how_far_a_clip_is_changed():
    clip = noisy_clip(9)
    latents = []
    split = Split(FAMILY, parts(), "video-to-video")
    for strength in (0.0, 0.5, 1.0):  # nothing at all is no task: one step is taken
        split(replace(REQUEST, task="video-to-video", strength=strength), Media(video=clip))
        latents.append(len(split.told))
    assert latents == [1, 1, 2]


def test_a_short_clip_stands_still_at_its_end_and_a_wide_one_is_cut_not_stretched():
    request = replace(REQUEST, task="video-to-video", strength=0.5)
    split = Split(FAMILY, parts(), request.task)
    short = noisy_clip(3)
    assert np.array_equal(
        split(request, Media(video=short)), split(request, Media(video=(*short, *[short[-1]] * 6)))
    )
    wide = tuple(frame.resize((96, 32)) for frame in short)
    middle = tuple(frame.crop((24, 0, 72, 32)) for frame in wide)
    assert np.array_equal(split(request, Media(video=wide)), split(request, Media(video=middle)))


def test_words_that_are_not_read():
    pipe = FAMILY.build(parts(), "text-to-video")
    plan = Plan(family="cogvideox", device="cpu", dtype=Dtype.FLOAT32)
    # a character is a token, each word has one more for its beginning, and the end mark takes the last place
    assert FAMILY.tokens(pipe, "abcde fghijklm", plan) == []
    assert FAMILY.tokens(pipe, "abcde fghijklmn", plan) == ["fghijklmn"]
    assert FAMILY.tokens(pipe, "abcde fghijklm next one", plan) == ["next", "one"]
    assert FAMILY.tokens(pipe, "abcde fghijklm next one", replace(plan, sequence_length=64)) == []
    learned = FAMILY.build(parts(rotary=False), "text-to-video")
    assert FAMILY.tokens(learned, "abcde fghijklmn", replace(plan, sequence_length=64)) == ["fghijklmn"]


def test_an_encoder_stored_in_fp8_still_gives_the_plans_format():
    from diffusers.hooks import apply_layerwise_casting

    own = tiny_models.cogvideox().components
    encoder = FAMILY.component("text_encoder")
    apply_layerwise_casting(
        own["text_encoder"], torch.float8_e4m3fn, torch.float32, skip_modules_pattern=encoder.fp8_skip
    )
    assert own["text_encoder"].dtype is torch.float8_e4m3fn
    pipe = FAMILY.build(own, "text-to-video")
    plan = Plan(family="cogvideox", device="cpu", dtype=Dtype.FLOAT32)
    with torch.no_grad():
        found = FAMILY.encode(pipe, REQUEST, plan, Media())["prompt_embeds"]
        reference = FAMILY.encode(
            FAMILY.build(parts(), "text-to-video"), REQUEST, plan, Media()
        )["prompt_embeds"]  # fmt: skip
    assert found.dtype is torch.float32
    error = (found - reference).abs().mean() / reference.abs().mean()
    assert 0 < error < 0.2

"""Flux: limits from real configurations, the split call against the pipeline called whole, and its latents unpacked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import diffusers
import numpy as np
import pytest
import tiny_models
import torch
from family_call import call
from PIL import Image, ImageDraw

from app.core.errors import AppError, ErrorKind
from app.core.family import Media
from app.core.model_file import read_model
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, Limits, Task, mend
from app.families import all_families

FAMILY = all_families()["flux"]
NUMBERS: dict[str, Any] = {
    "num_layers": 19,
    "num_single_layers": 38,
    "joint_attention_dim": 4096,
    "in_channels": 64,
}
"""Of the transformer's configuration, in all published checkpoints."""
VAE = {
    "block_out_channels": [128, 256, 512, 512],
    "latent_channels": 16,
    "sample_size": 1024,
    "scaling_factor": 0.3611,
}
REQUEST = GenerationRequest(
    model="", prompt="a red cat", width=64, height=80, steps=3, guidance=3.5, seed=7, task=Task.TEXT_TO_IMAGE
)


def limits(pipeline: str = "FluxPipeline", **transformer: Any) -> Limits:
    """What a published checkpoint can be asked for."""
    return FAMILY.limits(
        {
            "model_index": {"_class_name": pipeline},
            "transformer": NUMBERS | transformer,
            "vae": VAE,
            "tokenizer": {"model_max_length": 77},
            "tokenizer_2": {"model_max_length": 512},
        }
    )


def test_dev_is_guided_and_schnell_is_not():
    dev, schnell = limits(guidance_embeds=True), limits(guidance_embeds=False)
    assert (dev.steps, dev.guidance, dev.guided, dev.tokens) == (28, 3.5, True, 512)
    assert (schnell.steps, schnell.guidance, schnell.guided, schnell.tokens) == (4, 0.0, False, 256)
    for found in (dev, schnell):
        assert (found.width, found.height, found.factor, found.largest) == (1024, 1024, 16, 4096)
        assert found.tasks == (Task.TEXT_TO_IMAGE, Task.IMAGE_TO_IMAGE, Task.INPAINT)
        assert found.dtypes[0] == "bfloat16"
        assert not found.negative


def test_fill_is_known_by_the_channels_it_reads():
    found = limits(guidance_embeds=True, in_channels=384)
    assert (found.tasks, found.steps, found.guidance, found.strength) == ((Task.INPAINT,), 50, 30.0, 1.0)


def test_kontext_is_known_by_its_pipeline():
    found = limits("FluxKontextPipeline", guidance_embeds=True)
    assert (found.tasks, found.steps, found.guidance) == ((Task.EDIT, Task.TEXT_TO_IMAGE), 28, 2.5)


def test_guidance_means_nothing_to_schnell_and_is_mended():
    request, _ = mend(replace(REQUEST, guidance=7.0), limits(guidance_embeds=False))
    assert request.guidance == 0.0


# ------------------------------------------------------------------ the call


def picture(width: int = 64, height: int = 80) -> Image.Image:
    """A picture with a shape in it."""
    made = Image.new("RGB", (width, height), (30, 90, 200))
    ImageDraw.Draw(made).ellipse((width // 4, height // 4, width // 2, height // 2), fill=(230, 40, 40))
    return made


def half_mask(width: int = 64, height: int = 80) -> Image.Image:
    """White, to be drawn anew, on the right."""
    mask = Image.new("L", (width, height), 0)
    mask.paste(255, (width // 2, 0, width, height))
    return mask


MEDIA = Media(image=picture(), mask=half_mask())


def parts(pipe: Any, pipeline: str = "FluxPipeline") -> dict[str, Any]:
    """What the engine gives ``build``."""
    return {**pipe.components, "_class_name": pipeline}


@pytest.fixture(scope="module")
def dev() -> Any:
    """A tiny dev."""
    return tiny_models.flux()


WHOLE: dict[str, tuple[Any, dict[str, Any]]] = {
    Task.TEXT_TO_IMAGE: (diffusers.FluxPipeline, {}),
    Task.IMAGE_TO_IMAGE: (diffusers.FluxImg2ImgPipeline, {"image": MEDIA.image, "strength": 0.7}),
    Task.INPAINT: (
        diffusers.FluxInpaintPipeline,
        {"image": MEDIA.image, "mask_image": MEDIA.mask, "strength": 0.7},
    ),
    Task.EDIT: (diffusers.FluxKontextPipeline, {"image": MEDIA.image, "max_area": 64 * 80}),
}


@pytest.fixture
def small_editing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipeline brings a given picture to the trained size nearest to its shape, all of a megapixel: here small."""
    module = "diffusers.pipelines.flux.pipeline_flux_kontext.PREFERRED_KONTEXT_RESOLUTIONS"
    monkeypatch.setattr(module, [(48, 64), (64, 48)])


@pytest.mark.usefixtures("small_editing")
@pytest.mark.parametrize("task", WHOLE, ids=str)
def test_the_split_call_gives_the_bits_of_the_whole(dev: Any, task: str):
    kind, given = WHOLE[task]
    built = FAMILY.build(parts(dev), task)
    assert type(built) is kind
    request = replace(REQUEST, task=task, strength=0.7)
    ours = call(FAMILY, built, request, MEDIA, sequence_length=32)
    whole = kind(**dev.components)
    whole.set_progress_bar_config(disable=True)
    theirs = whole(
        prompt=REQUEST.prompt, width=64, height=80, num_inference_steps=3, guidance_scale=3.5, output_type="np",
        max_sequence_length=32, generator=torch.Generator("cpu").manual_seed(7), **given,
    ).images[0]  # fmt: skip
    assert ours.picture.shape == (80, 64, 3)
    assert np.array_equal(ours.picture, theirs)
    assert ours.steps[-1] == request.steps


@pytest.mark.parametrize("guidance", [True, False], ids=["dev", "schnell"])
def test_the_sequence_is_as_long_as_the_model_was_trained_with(guidance: bool):
    pipe = FAMILY.build(parts(tiny_models.flux(guidance=guidance)), Task.TEXT_TO_IMAGE)
    plan = Plan(family="flux", device="cpu", dtype=Dtype.FLOAT32)
    with torch.no_grad():
        own = FAMILY.encode(pipe, REQUEST, plan, Media())["prompt_embeds"].shape[1]
        asked = FAMILY.encode(pipe, REQUEST, replace(plan, sequence_length=40), Media())[
            "prompt_embeds"
        ].shape[1]
    assert (own, asked) == (512 if guidance else 256, 40)


def test_fill_draws_into_the_mask():
    tiny = tiny_models.flux(fill=True)
    built = FAMILY.build(parts(tiny, "FluxFillPipeline"), Task.INPAINT)
    assert type(built) is diffusers.FluxFillPipeline
    ours = call(FAMILY, built, replace(REQUEST, task=Task.INPAINT, strength=1.0), MEDIA, sequence_length=32)
    theirs = tiny_models.run(
        "flux", tiny, image=MEDIA.image, mask_image=MEDIA.mask, strength=1.0, num_inference_steps=3, height=80,
        guidance_scale=3.5, generator=torch.Generator("cpu").manual_seed(7),
    )  # fmt: skip
    assert np.array_equal(ours.picture, theirs[0])


def test_the_seed_alone_decides(dev: Any):
    built = FAMILY.build(parts(dev), Task.TEXT_TO_IMAGE)
    first = call(FAMILY, built, REQUEST, sequence_length=32)
    again = call(FAMILY, built, REQUEST, sequence_length=32)
    second = call(FAMILY, built, REQUEST, picture=1, sequence_length=32)
    by_seed = call(FAMILY, built, replace(REQUEST, seed=8), sequence_length=32)
    assert np.array_equal(first.picture, again.picture)
    assert not np.array_equal(first.picture, second.picture)
    assert np.array_equal(second.picture, by_seed.picture)
    assert first.steps == [1, 2, 3]


def test_latents_are_shown_and_given_unpacked(dev: Any):
    built = FAMILY.build(parts(dev), Task.TEXT_TO_IMAGE)
    made = call(FAMILY, built, REQUEST, sequence_length=32)
    assert {tuple(shown.shape) for shown in made.shown} == {(1, 4, 10, 8)}
    assert torch.allclose(made.shown[-1], made.latents)  # at the last step nothing is left to guess
    packed = built._pack_latents(made.latents, 1, 4, 10, 8)
    assert torch.equal(built._unpack_latents(packed, 80, 64, built.vae_scale_factor), made.latents)


def test_little_strength_stays_near_the_given_picture(dev: Any):
    built = FAMILY.build(parts(dev), Task.IMAGE_TO_IMAGE)
    request = replace(REQUEST, task=Task.IMAGE_TO_IMAGE, steps=10)
    some, much = (
        call(FAMILY, built, replace(request, strength=strength), MEDIA, sequence_length=16)
        for strength in (0.3, 1.0)
    )
    with torch.no_grad():
        given = built.image_processor.preprocess(MEDIA.image)
        home = (
            built.vae.encode(given).latent_dist.mode() - built.vae.config.shift_factor
        ) * built.vae.config.scaling_factor
    near, far = (float((made.latents - home).abs().mean()) for made in (some, much))
    assert near < far / 2
    assert some.steps == [8, 9, 10]
    assert much.steps == list(range(1, 11))


def test_no_strength_still_takes_a_step(dev: Any):
    built = FAMILY.build(parts(dev), Task.IMAGE_TO_IMAGE)
    request = replace(REQUEST, task=Task.IMAGE_TO_IMAGE, strength=0.0)
    assert call(FAMILY, built, request, MEDIA, sequence_length=16).steps[-1] == 3


def test_what_the_mask_covers_not_stays(dev: Any):
    built = FAMILY.build(parts(dev), Task.INPAINT)
    request = replace(REQUEST, task=Task.INPAINT, strength=1.0)
    one = call(FAMILY, built, request, MEDIA, sequence_length=16).latents
    blank = call(
        FAMILY, built, request, replace(MEDIA, mask=Image.new("L", (64, 80), 0)), sequence_length=16
    ).latents
    assert torch.equal(one[..., :4], blank[..., :4])
    assert not torch.equal(one[..., 4:], blank[..., 4:])


def test_a_picture_of_another_shape_is_cut_not_stretched(dev: Any):
    built = FAMILY.build(parts(dev), Task.IMAGE_TO_IMAGE)
    request = replace(REQUEST, task=Task.IMAGE_TO_IMAGE)
    wide = Image.new("RGB", (256, 80), (0, 0, 0))
    wide.paste(MEDIA.image, (96, 0))  # what is beside the middle is cut off
    same = call(FAMILY, built, request, Media(image=wide), sequence_length=16)
    assert np.array_equal(same.picture, call(FAMILY, built, request, MEDIA, sequence_length=16).picture)


@pytest.mark.usefixtures("small_editing")
def test_kontext_makes_the_asked_size_whatever_it_is_given(dev: Any):
    built = FAMILY.build(parts(dev, "FluxKontextPipeline"), Task.EDIT)
    request = replace(REQUEST, task=Task.EDIT, width=96, height=48, steps=1)
    made = call(FAMILY, built, request, Media(image=picture(400, 300)), sequence_length=16)
    assert made.picture.shape == (48, 96, 3)


def test_lost_words_are_those_that_t5_does_not_read(dev: Any):
    pipe = FAMILY.build(parts(dev), Task.TEXT_TO_IMAGE)
    plan = Plan(family="flux", device="cpu", dtype=Dtype.FLOAT32)
    prompt = f"{'a' * 200} {'b' * 100} last"
    assert not FAMILY.tokens(pipe, prompt, plan)  # more than CLIP's 77, less than T5's 512
    assert FAMILY.tokens(pipe, prompt, replace(plan, sequence_length=256)) == ["b" * 100, "last"]
    assert FAMILY.tokens(pipe, "x " * 600, plan)


# ------------------------------------------------------------------ single files


def stub(path: Any, *keys: str, channels: int = 64) -> Any:
    """A file with a header of these keys."""
    from safetensors.torch import save_file

    tensors = {key: torch.zeros(1) for key in keys}
    save_file(
        tensors | {key: torch.zeros(8, channels) for key in keys if key.endswith("img_in.weight")}, path
    )
    return path


@pytest.mark.parametrize(
    "keys",
    [
        ("double_blocks.0.img_attn.norm.key_norm.scale", "guidance_in.in_layer.bias", "img_in.weight"),
        ("transformer_blocks.0.attn.add_k_proj.weight", "single_transformer_blocks.0.proj_mlp.weight"),
        tuple(
            f"model.diffusion_model.{key}"
            for key in ("double_blocks.0.img_attn.norm.key_norm.scale", "img_in.weight")
        ),
    ],
    ids=["original", "diffusers", "prefixed"],
)
def test_c130_a_transformer_alone_names_what_it_lacks(tmp_path, root, keys):
    file = stub(tmp_path / "flux.safetensors", *keys)
    with pytest.raises(AppError) as caught:
        read_model(file, all_families(), root / "resources")
    assert caught.value.kind is ErrorKind.MODEL_NEEDS_PARTS
    assert caught.value.problem.fact("parts") == "text_encoder, text_encoder_2, vae"


@pytest.mark.parametrize(
    ("guidance", "channels", "steps"),
    [(True, 64, 28), (False, 64, 4), (True, 384, 50)],
    ids=["dev", "schnell", "fill"],
)
def test_a_whole_file_is_known_by_its_keys(tmp_path, root, guidance, channels, steps):
    inner = "model.diffusion_model."
    keys = [
        f"{inner}double_blocks.0.img_attn.norm.key_norm.scale",
        f"{inner}img_in.weight",
        "vae.decoder.conv_in.bias",
    ]
    keys += ["text_encoders.clip_l.transformer.a", "text_encoders.t5xxl.transformer.b"]
    keys += [f"{inner}guidance_in.in_layer.weight"] if guidance else []
    info = read_model(
        stub(tmp_path / "f.safetensors", *keys, channels=channels), all_families(), root / "resources"
    )
    assert info.family == "flux"
    assert info.limits.steps == steps
    assert {part.name for part in info.components} == {part.name for part in FAMILY.components}


def test_relatives_are_not_taken_for_it(tmp_path, root):
    key = "double_blocks.0.img_attn.norm.key_norm.scale"
    for other in ("distilled_guidance_layer.norms.0.scale", "single_stream_modulation.lin.weight"):
        with pytest.raises(AppError) as caught:
            read_model(
                stub(tmp_path / "x.safetensors", key, "img_in.weight", other),
                all_families(),
                root / "resources",
            )
        assert caught.value.kind is ErrorKind.MODEL_UNKNOWN

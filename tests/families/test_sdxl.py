"""SDXL: tasks from configurations, the split call against each pipeline called whole, refiner, inpainting models."""

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
from app.core.model_file import read_json, read_model
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, Task
from app.families import all_families

pytestmark = pytest.mark.filterwarnings(
    # diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
FAMILY = all_families()["sdxl"]
WIDTH, HEIGHT = 64, 80
REQUEST = GenerationRequest(
    model="", prompt="a red cat", negative="blue", width=WIDTH, height=HEIGHT, steps=3, guidance=5.0, seed=7
)


def picture(width: int = WIDTH, height: int = HEIGHT) -> Image.Image:
    """A picture with a shape in it."""
    made = Image.new("RGB", (width, height), (30, 90, 200))
    ImageDraw.Draw(made).ellipse((width // 4, height // 4, width // 2, height // 2), fill=(230, 40, 40))
    return made


def half_mask() -> Image.Image:
    """White, to be drawn anew, on the right."""
    mask = Image.new("L", (WIDTH, HEIGHT), 0)
    mask.paste(255, (WIDTH // 2, 0, WIDTH, HEIGHT))
    return mask


MEDIA = Media(image=picture(), mask=half_mask())


@pytest.fixture(scope="module")
def base() -> Any:
    """A tiny base model."""
    return tiny_models.sdxl()


def with_unet(base: Any, **changes: Any) -> dict[str, Any]:
    """Its components with another UNet."""
    config = {**base.unet.config, **changes}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        unet = diffusers.UNet2DConditionModel.from_config(config).eval().requires_grad_(False)
    return {**base.components, "unet": unet}


@pytest.fixture(scope="module")
def refiner(base: Any) -> dict[str, Any]:
    """The parts of a tiny refiner: one text encoder, five numbers about the picture in place of six."""
    parts = with_unet(base, cross_attention_dim=64, projection_class_embeddings_input_dim=64 + 5 * 8)
    return {**parts, "text_encoder": None, "tokenizer": None, "requires_aesthetics_score": True}


@pytest.fixture(scope="module")
def filler(base: Any) -> dict[str, Any]:
    """The parts of a tiny model made for inpainting."""
    return with_unet(base, in_channels=9)


def whole(kind: Any, parts: dict[str, Any], **given: Any) -> np.ndarray:
    """The pipeline called at once."""
    options = {key: value for key, value in parts.items() if key != "_class_name"}
    pipe = kind(**options, add_watermarker=False)
    pipe.set_progress_bar_config(disable=True)
    result = pipe(
        prompt=REQUEST.prompt, negative_prompt=REQUEST.negative, num_inference_steps=3, guidance_scale=5.0,
        output_type="np", generator=torch.Generator("cpu").manual_seed(7), **given,
    )  # fmt: skip
    return np.asarray(result.images[0])


GIVEN: dict[str, tuple[Any, dict[str, Any]]] = {
    Task.TEXT_TO_IMAGE: (diffusers.StableDiffusionXLPipeline, {"width": WIDTH, "height": HEIGHT}),
    Task.IMAGE_TO_IMAGE: (
        diffusers.StableDiffusionXLImg2ImgPipeline,
        {"image": MEDIA.image, "strength": 0.7},
    ),
    Task.INPAINT: (
        diffusers.StableDiffusionXLInpaintPipeline,
        {"image": MEDIA.image, "mask_image": MEDIA.mask, "strength": 0.7, "width": WIDTH, "height": HEIGHT},
    ),
}
CASES = [
    ("base", Task.TEXT_TO_IMAGE), ("base", Task.IMAGE_TO_IMAGE), ("base", Task.INPAINT),
    ("refiner", Task.IMAGE_TO_IMAGE), ("refiner", Task.INPAINT), ("filler", Task.INPAINT),
]  # fmt: skip


@pytest.mark.parametrize(("model", "task"), CASES, ids=[f"{model}-{task}" for model, task in CASES])
def test_the_split_call_gives_the_bits_of_the_whole(request: pytest.FixtureRequest, model: str, task: str):
    found = request.getfixturevalue(model)
    parts = found if isinstance(found, dict) else found.components
    kind, given = GIVEN[task]
    built = FAMILY.build({**parts, "_class_name": kind.__name__}, task)
    assert type(built) is kind
    ours = call(FAMILY, built, replace(REQUEST, task=task, strength=0.7), MEDIA)
    assert ours.picture.shape == (HEIGHT, WIDTH, 3)
    assert np.array_equal(ours.picture, whole(kind, parts, **given))
    assert ours.steps == ([1, 2, 3] if task == Task.TEXT_TO_IMAGE else [2, 3])
    assert all(shown.shape == (1, 4, HEIGHT // 8, WIDTH // 8) for shown in ours.shown)


def test_the_tasks_follow_from_the_configuration():
    plain = FAMILY.limits({"unet": {"in_channels": 4}, "model_index": {"requires_aesthetics_score": False}})
    inpaints = FAMILY.limits({"unet": {"in_channels": 9}})
    refines = FAMILY.limits({"unet": {"in_channels": 4}, "model_index": {"requires_aesthetics_score": True}})
    assert plain.tasks == (Task.TEXT_TO_IMAGE, Task.IMAGE_TO_IMAGE, Task.INPAINT)
    assert (inpaints.tasks, inpaints.strength) == ((Task.INPAINT,), 1.0)
    assert (refines.tasks, refines.strength) == ((Task.IMAGE_TO_IMAGE, Task.INPAINT), 0.3)


def test_the_seed_alone_decides(base: Any):
    built = FAMILY.build(base.components, Task.IMAGE_TO_IMAGE)
    request = replace(REQUEST, task=Task.IMAGE_TO_IMAGE)
    first, again = (call(FAMILY, built, request, MEDIA).picture for _ in range(2))
    other = call(FAMILY, built, request, MEDIA, picture=1).picture
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_little_strength_stays_near_the_given_picture(base: Any):
    built = FAMILY.build(base.components, Task.IMAGE_TO_IMAGE)
    request = replace(REQUEST, task=Task.IMAGE_TO_IMAGE, steps=10)
    some, much = (call(FAMILY, built, replace(request, strength=strength), MEDIA) for strength in (0.3, 1.0))
    with torch.no_grad():
        given = built.image_processor.preprocess(MEDIA.image)
        home = built.vae.encode(given).latent_dist.mode() * built.vae.config.scaling_factor
    near, far = (float((made.latents - home).abs().mean()) for made in (some, much))
    assert near < far / 2
    assert some.steps == [8, 9, 10]


def test_no_strength_still_takes_a_step(base: Any):
    built = FAMILY.build(base.components, Task.IMAGE_TO_IMAGE)
    made = call(FAMILY, built, replace(REQUEST, task=Task.IMAGE_TO_IMAGE, strength=0.0), MEDIA)
    assert made.steps == [3]
    assert np.isfinite(made.picture).all()


def test_what_the_mask_covers_not_stays(base: Any):
    built = FAMILY.build(base.components, Task.INPAINT)
    request = replace(REQUEST, task=Task.INPAINT, strength=1.0)
    one = call(FAMILY, built, request, MEDIA).latents
    blank = call(FAMILY, built, request, replace(MEDIA, mask=Image.new("L", (WIDTH, HEIGHT), 0))).latents
    assert torch.equal(one[..., :4], blank[..., :4])
    assert not torch.equal(one[..., 4:], blank[..., 4:])


def test_a_mask_of_another_size_lies_over_its_whole_picture(base: Any):
    built = FAMILY.build(base.components, Task.INPAINT)
    request = replace(REQUEST, task=Task.INPAINT, strength=1.0)
    small = replace(MEDIA, mask=half_mask().resize((WIDTH // 2, HEIGHT // 2), Image.Resampling.NEAREST))
    one, other = (call(FAMILY, built, request, media).picture for media in (MEDIA, small))
    assert np.array_equal(one, other)


def test_a_second_order_scheduler_counts_whole_steps(base: Any):
    scheduler = diffusers.HeunDiscreteScheduler.from_config(base.scheduler.config)
    parts = {**base.components, "scheduler": scheduler}
    built = FAMILY.build(parts, Task.IMAGE_TO_IMAGE)
    made = call(FAMILY, built, replace(REQUEST, task=Task.IMAGE_TO_IMAGE, steps=6, strength=0.5), MEDIA)
    assert sorted(set(made.steps)) == [4, 5, 6]
    assert made.steps == sorted(made.steps)


def test_the_refiner_reads_with_its_one_tokenizer(refiner: dict[str, Any]):
    pipe = FAMILY.build(refiner, Task.IMAGE_TO_IMAGE)
    plan = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32)
    assert FAMILY.tokens(pipe, f"{'a' * 70} {'b' * 20}", plan) == ["b" * 20]


# ------------------------------------------------------------------ folders and files


def test_a_refiners_folder_needs_no_first_encoder(base: Any, refiner: dict[str, Any], tmp_path):
    pipe = FAMILY.build(refiner, Task.IMAGE_TO_IMAGE)
    pipe.save_pretrained(tmp_path / "refiner")
    info = read_model(tmp_path / "refiner", all_families())
    assert info.limits.tasks[0] == Task.IMAGE_TO_IMAGE
    assert not {"text_encoder", "tokenizer"} & {part.name for part in info.components}
    index = read_json(tmp_path / "refiner" / "model_index.json")
    assert index["text_encoder"] == [None, None]


UNET, LABEL = "model.diffusion_model.input_blocks.0.0.weight", "model.diffusion_model.label_emb.0.0.weight"


@pytest.mark.parametrize(
    ("channels", "words", "task", "missing"),
    [
        (4, (0, 1), Task.TEXT_TO_IMAGE, ""),
        (9, (0, 1), Task.INPAINT, ""),
        (4, (), Task.TEXT_TO_IMAGE, "text_encoder, text_encoder_2"),
        (4, ("refiner",), Task.IMAGE_TO_IMAGE, ""),
    ],
    ids=["base", "inpaint", "no encoders", "refiner"],
)
def test_a_single_file_is_known_by_its_keys(tmp_path, root, channels, words, task, missing):
    from safetensors.torch import save_file

    key = {
        0: "conditioner.embedders.0.transformer.text_model.final_layer_norm.bias",
        1: "conditioner.embedders.1.model.ln_final.weight",
        "refiner": "conditioner.embedders.0.model.ln_final.weight",
    }
    tensors = {
        UNET: torch.zeros(8, channels, 3, 3),
        LABEL: torch.zeros(8, 8),
        "first_stage_model.a": torch.zeros(1),
    }
    save_file(tensors | {key[word]: torch.zeros(1) for word in words}, tmp_path / "model.safetensors")
    if missing:
        with pytest.raises(AppError) as caught:
            read_model(tmp_path / "model.safetensors", all_families(), root / "resources")
        assert caught.value.kind is ErrorKind.MODEL_NEEDS_PARTS
        assert caught.value.problem.fact("parts") == missing
        return
    info = read_model(tmp_path / "model.safetensors", all_families(), root / "resources")
    assert info.limits.tasks[0] == task
    assert ("text_encoder" in {part.name for part in info.components}) == (words != ("refiner",))

"""The built-in demo model: small, safe to load, offline, and it draws what it is asked."""

from __future__ import annotations

import json
import random
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "packaging" / "demo-models"
FOLDER = ROOT / "resources" / "demo-models" / "shapes-image"
MEGABYTE = 1_000_000

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture(scope="module")
def scripts() -> Iterator[SimpleNamespace]:
    """The training scripts, as modules."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        import manifest
        import model
        import scenes
        import score
        import vae_stage

        yield SimpleNamespace(manifest=manifest, model=model, scenes=scenes, score=score, vae_stage=vae_stage)
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def pipeline(scripts: SimpleNamespace) -> Iterator[Any]:
    """The model as saved, loaded with every way to the network shut."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the demo model asked for the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield scripts.score.load(FOLDER)


@pytest.fixture(scope="module")
def settings(scripts: SimpleNamespace) -> dict[str, Any]:
    """What headroom.json says."""
    return scripts.manifest.read(FOLDER)


def draw(pipeline: Any, settings: dict[str, Any], prompt: str, seed: int, negative: str = "") -> np.ndarray:
    """One picture with the program's defaults."""
    import torch

    pipeline.set_progress_bar_config(disable=True)
    defaults = settings["defaults"]
    result = pipeline(
        prompt,
        negative_prompt=negative or None,
        width=defaults["width"],
        height=defaults["height"],
        num_inference_steps=defaults["steps"],
        guidance_scale=defaults["guidance"],
        generator=torch.Generator().manual_seed(seed),
    )
    return np.asarray(result.images[0])


def test_folder_is_small_and_holds_no_pickles() -> None:
    files = [file for file in FOLDER.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= 12 * MEGABYTE
    assert {file.suffix for file in files} <= {".json", ".txt", ".md", ".safetensors"}
    assert all(file.suffix == ".safetensors" for file in files if file.stat().st_size > 100_000)


def test_weights_are_half_precision() -> None:
    from safetensors import safe_open

    for file in FOLDER.rglob("*.safetensors"):
        with safe_open(file, "pt") as weights:
            assert {weights.get_slice(key).get_dtype() for key in weights.keys()} == {"F16"}  # noqa: SIM118


def test_it_is_built_like_stable_diffusion_xl(pipeline: Any) -> None:
    index = json.loads((FOLDER / "model_index.json").read_text(encoding="utf-8"))
    assert index["_class_name"] == "StableDiffusionXLPipeline"
    assert pipeline.config.force_zeros_for_empty_prompt is True
    assert pipeline.unet.config.addition_embed_type == "text_time"
    assert not pipeline.vae.config.force_upcast
    widths = pipeline.text_encoder.config.hidden_size + pipeline.text_encoder_2.config.hidden_size
    assert pipeline.unet.config.cross_attention_dim == widths


def test_tokenizers_know_the_words_and_refuse_nothing(pipeline: Any, scripts: SimpleNamespace) -> None:
    scene = scripts.scenes.Scene("star", "orange", "white", "small", "on the left")
    for tokenizer in (pipeline.tokenizer, pipeline.tokenizer_2):
        assert tokenizer.model_max_length == 77
        for wording in scripts.scenes.WORDINGS:
            text = scripts.scenes.caption(scene, random.Random(0), wording)
            assert len(tokenizer.tokenize(text)) == len(text.replace(",", " ,").split())
        odd = "Ünïcode 日本語 ☃ 🎨 \u200b \x00 naïve"
        assert tokenizer.unk_token_id not in tokenizer(odd, add_special_tokens=False).input_ids
        assert tokenizer.decode(tokenizer("日本 ☃").input_ids, skip_special_tokens=True).split() == [
            "日本",
            "☃",
        ]


def test_conditioning_in_training_is_the_pipelines(pipeline: Any, scripts: SimpleNamespace) -> None:
    import torch

    parts = scripts.model.Parts(
        pipeline.unet, pipeline.text_encoder, pipeline.text_encoder_2, pipeline.tokenizer
    )
    with torch.no_grad():
        sequence, pooled = scripts.model.embed(parts, ["a red circle, blue background"])
        theirs = pipeline.encode_prompt("a red circle, blue background", do_classifier_free_guidance=True)
    assert torch.equal(sequence, theirs[0])
    assert torch.equal(pooled, theirs[2])
    assert not theirs[1].any()
    assert not theirs[3].any()


def test_autoencoder_by_sample(pipeline: Any, scripts: SimpleNamespace) -> None:
    import torch

    sampler = scripts.scenes.Sampler(random.Random(11), frozenset())
    torch.manual_seed(0)
    measured = scripts.vae_stage.measure(pipeline.vae, scripts.vae_stage.draw(sampler, 32))
    assert measured["mse_sample"] <= 0.01
    assert measured["mse_mode"] <= 0.01
    assert measured["posterior_std"] <= 0.05


def test_preview_map_gives_the_colours(pipeline: Any, scripts: SimpleNamespace, settings: dict) -> None:
    import torch
    import torch.nn.functional as F

    sampler = scripts.scenes.Sampler(random.Random(12), frozenset())
    pictures = scripts.vae_stage.draw(sampler, 16)
    with torch.no_grad():
        latents = pipeline.vae.encode(pictures).latent_dist.mode() * pipeline.vae.config.scaling_factor
    weight, bias = (torch.tensor(settings["latent_rgb"][key]) for key in ("weight", "bias"))
    preview = latents.permute(0, 2, 3, 1) @ weight + bias
    small = F.avg_pool2d(pictures, 8).permute(0, 2, 3, 1)
    plain = (small - small.mean((0, 1, 2))).square().mean()
    assert F.mse_loss(preview, small) < 0.4 * plain  # the best linear map leaves about a quarter


def test_held_out_prompts(pipeline: Any, scripts: SimpleNamespace, settings: dict) -> None:
    scores = scripts.score.score(pipeline, settings["defaults"]["guidance"])
    assert not scripts.score.misses(scores)


def test_a_seed_is_a_picture(pipeline: Any, settings: dict) -> None:
    prompt = settings["examples"][0]
    one, again, other = (draw(pipeline, settings, prompt, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("negative", ["", "blurry, ugly", "low quality, text"])
def test_examples_and_negative_prompts(
    pipeline: Any, scripts: SimpleNamespace, settings: dict, negative: str
) -> None:
    for prompt in settings["examples"]:
        finding = scripts.score.checker.check(draw(pipeline, settings, prompt, 5, negative))
        seen = (finding.colour, finding.background, finding.shape)
        assert all(word and word in prompt for word in seen), seen

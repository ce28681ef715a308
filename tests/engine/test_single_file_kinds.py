"""Single files of other kinds: the refiner as its folder, and the parts of a bundle with a T5 text encoder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import diffusers
import numpy as np
import pytest
import tiny_models
import torch
from PIL import Image
from safetensors.torch import save_file

from app.core.errors import AppError, ErrorKind
from app.core.messages import Finished
from app.core.model_file import read_model
from app.core.plan import Dtype, Plan
from app.core.request import Task
from app.engine.loader import load_part
from app.families import all_families


def configuration(folder: Path, target: Path) -> None:
    """A model's configurations without weights and vocabularies."""
    for file in folder.rglob("*config.json"):
        (target / file.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target / file.parent.name / file.name)
    shutil.copy(folder / "model_index.json", target)


@pytest.fixture(scope="module")
def refiner(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tiny refiner as a folder and as one file."""
    import ldm_layout
    import tiny

    home = tmp_path_factory.mktemp("refiner")
    base = tiny.pipeline(home / "words", seed=3, second=48)
    config = {
        **base.unet.config,
        "cross_attention_dim": 48,
        "projection_class_embeddings_input_dim": 48 + 5 * 8,
    }
    torch.manual_seed(4)
    pipe = diffusers.StableDiffusionXLImg2ImgPipeline(
        **{
            **base.components, "unet": diffusers.UNet2DConditionModel.from_config(config).eval(), "text_encoder": None,
            "tokenizer": None,
        }, requires_aesthetics_score=True, force_zeros_for_empty_prompt=False, add_watermarker=False,
    )  # fmt: skip
    pipe.save_pretrained(home / "folder")
    file = home / "apart" / "refiner.safetensors"
    file.parent.mkdir()
    ldm_layout.write(pipe, file)
    configuration(home / "folder", file.with_suffix(".config"))
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(home / "words" / "vocabulary" / name, file.parent / name)
    return home / "folder", file


def test_a_refiners_file_gives_its_folders_picture(
    engine: Any, job: Any, refiner: tuple[Path, Path], tmp_path: Path
) -> None:
    Image.effect_noise((64, 64), 80).convert("RGB").save(tmp_path / "given.png")
    changes = {"task": Task.IMAGE_TO_IMAGE, "image": str(tmp_path / "given.png"), "strength": 0.5, "steps": 4}
    ends = [
        engine.run(job(name, model=str(model), **changes)) for name, model in zip("ab", refiner, strict=True)
    ]
    assert all(isinstance(end, Finished) for end in ends), ends
    assert {"text_encoder", "tokenizer"}.isdisjoint(ends[1].loaded)
    first, second = (np.asarray(Image.open(end.files[0])) for end in ends)
    assert np.array_equal(first, second)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A pipeline, and a file with its autoencoder and text encoders as bundles for other programs have them.

    Of the transformer there is only what it is known by: the library's converter knows its real size alone.
    """
    import ldm_layout

    home = tmp_path_factory.mktemp("bundle")
    pipe = tiny_models.flux()
    tiny_models.save("flux", home / "folder")
    inner = "model.diffusion_model."
    tensors = {
        f"{inner}double_blocks.0.img_attn.norm.key_norm.scale": torch.zeros(8),
        f"{inner}img_in.weight": torch.zeros(8, 64),
        f"{inner}guidance_in.in_layer.weight": torch.zeros(8),
    }
    for key, weight in pipe.vae.state_dict().items():
        name = f"vae.{ldm_layout._vae(pipe, key)}"
        is_attention = ".attn_1." in name and weight.ndim == 2
        tensors[name] = weight[:, :, None, None] if is_attention else weight
    for key, weight in pipe.text_encoder.state_dict().items():
        tensors[f"text_encoders.clip_l.transformer.text_model.{key.removeprefix('text_model.')}"] = weight
    for key, weight in pipe.text_encoder_2.state_dict().items():
        if key != "encoder.embed_tokens.weight":  # the table of words is there once
            tensors[f"text_encoders.t5xxl.transformer.{key}"] = weight
    file = home / "apart" / "bundle.safetensors"
    file.parent.mkdir()
    save_file({key: weight.contiguous() for key, weight in tensors.items()}, file)
    configuration(home / "folder", file.with_suffix(".config"))
    return pipe, file


@pytest.mark.parametrize("name", ["vae", "text_encoder", "text_encoder_2"])
def test_a_bundles_parts_are_those_it_was_made_of(bundle: tuple[Any, Path], root: Path, name: str) -> None:
    pipe, file = bundle
    family = all_families()["flux"]
    info = read_model(file, {family.id: family}, root / "resources")
    part = family.component(name)
    assert part is not None
    found = load_part(info, part, Plan(family="flux", device="cpu", dtype=Dtype.FLOAT32), family)
    wanted = getattr(pipe, name).state_dict()
    assert {key: weight.shape for key, weight in found.state_dict().items()} == {
        key: weight.shape for key, weight in wanted.items()
    }
    assert all(torch.equal(weight, wanted[key]) for key, weight in found.state_dict().items())


def test_a_bundles_tokenizers_come_from_beside_it(
    bundle: tuple[Any, Path], root: Path, tmp_path: Path
) -> None:
    pipe, file = bundle
    shutil.copytree(file.parent, tmp_path / "here")
    file = tmp_path / "here" / file.name
    family, plan = all_families()["flux"], Plan(family="flux", device="cpu", dtype=Dtype.FLOAT32)
    info = read_model(file, {family.id: family}, root / "resources")
    part = family.component("tokenizer_2")
    assert part is not None
    with pytest.raises(AppError) as caught:
        load_part(info, part, plan, family)
    assert caught.value.kind is ErrorKind.MODEL_NEEDS_PARTS
    assert caught.value.problem.fact("parts") == "T5 tokenizer (tokenizer.json)"
    pipe.tokenizer_2.save_pretrained(file.parent / "tokenizer_2")
    found = load_part(info, part, plan, family)
    assert found("a red cat").input_ids == pipe.tokenizer_2("a red cat").input_ids

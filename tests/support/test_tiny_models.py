"""The tiny pipelines run, depend on their seed alone, and come back from their folder as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
import torch
from diffusers import DiffusionPipeline

pytestmark = pytest.mark.filterwarnings(
    # diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sdxl", {}),
    ("flux", {"guidance": False}),
    ("cogvideox", {}),
    ("wan", {"two_transformers": True}),
)


@pytest.mark.parametrize(("kind", "options"), KINDS, ids=[kind for kind, _ in KINDS])
def test_a_saved_pipeline_comes_back_as_it_was(kind: str, options: dict[str, Any], tmp_path: Path) -> None:
    pipe = tiny_models.BUILDERS[kind](**options)
    loaded = DiffusionPipeline.from_pretrained(tiny_models.save(kind, tmp_path / "model", **options))
    loaded.set_progress_bar_config(disable=True)
    for part in loaded.components.values():
        if isinstance(
            part, torch.nn.Module
        ):  # kernels round by a weight's alignment, and a file aligns nothing
            for weight in part.parameters():
                weight.data = weight.data.clone()
    picture = tiny_models.run(kind, pipe)
    assert np.isfinite(picture).all()
    assert picture.std() > 0.01
    assert np.array_equal(picture, tiny_models.run(kind, loaded))


def test_a_seed_makes_the_model_and_leaves_the_process_alone() -> None:
    torch.manual_seed(5)
    one, other, again = (tiny_models.wan(seed=seed).transformer.proj_out.weight for seed in (0, 1, 0))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    assert torch.equal(torch.rand(3), torch.rand(3, generator=torch.Generator().manual_seed(5)))


def test_a_saved_folder_names_the_tokenizers_as_published_models_do(tmp_path: Path) -> None:
    index = json.loads((tiny_models.save("flux", tmp_path / "model") / "model_index.json").read_text())
    assert index["tokenizer"] == ["transformers", "CLIPTokenizer"]
    assert index["tokenizer_2"] == ["transformers", "T5TokenizerFast"]


@pytest.mark.parametrize(
    ("kind", "options", "channels"), [("flux", {"fill": True}, 288), ("cogvideox", {"image": True}, 8)]
)
def test_variants_that_also_read_a_picture(kind: str, options: dict[str, Any], channels: int) -> None:
    pipe = tiny_models.BUILDERS[kind](**options)
    assert pipe.transformer.config.in_channels == channels
    picture = torch.rand(1, 3, 64, 64, generator=torch.Generator().manual_seed(2))
    masked = {"mask_image": torch.ones(1, 1, 64, 64)} if kind == "flux" else {}
    assert np.isfinite(tiny_models.run(kind, pipe, image=picture, **masked)).all()

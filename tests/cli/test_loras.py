"""``--lora`` on the command line: named, weighted, checked against the model before any engine is started."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli.given import lora_of
from app.core.request import Lora

LAYER = "mid_block.attentions.0.proj_in"
Headroom = Callable[..., Any]


def save(path: Path, tensors: dict[str, list[int]]) -> Path:
    """A safetensors file of zeros in float16."""
    header, end = {}, 0
    for name, (rows, columns) in tensors.items():
        size = 2 * rows * columns
        header[name] = {"dtype": "F16", "shape": [rows, columns], "data_offsets": [end, end + size]}
        end += size
    raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(end))
    return path


def lora_file(path: Path, layer: str = f"unet.{LAYER}", width: int = 64) -> Path:
    return save(path, {f"{layer}.lora_A.weight": [4, width], f"{layer}.lora_B.weight": [64, 4]})


@pytest.fixture
def base(model: Path) -> Path:
    """The model with one layer that takes a LoRA."""
    save(model / "unet" / "diffusion_pytorch_model.safetensors", {f"{LAYER}.weight": [64, 64]})
    return model


def test_loras_go_with_the_job(headroom: Headroom, script: Any, base: Path, tmp_path: Path) -> None:
    one, two = lora_file(tmp_path / "style.safetensors"), lora_file(tmp_path / "thing.safetensors")
    done = headroom(
        "generate", "fox", "--model", str(base), "--lora", str(one), "--lora", f"{two}:-0.5", "--json"
    )
    assert done.code == 0
    assert script.runs[0].request.loras == (Lora(str(one), 1.0), Lora(str(two), -0.5))
    assert script.runs[0].plan.adapted_components == ("unet",)
    assert done.data["request"]["loras"][1] == {"path": str(two), "weight": -0.5}


def test_a_plan_counts_them_and_tells_what_is_left_out(
    headroom: Headroom, base: Path, tmp_path: Path
) -> None:
    names = (f"unet.{LAYER}", "unet.nowhere")
    tensors = {f"{name}.lora_A.weight": [4, 64] for name in names} | {
        f"{name}.lora_B.weight": [64, 4] for name in names
    }
    file = save(tmp_path / "more.safetensors", tensors)
    done = headroom("plan", "fox", "--model", str(base), "--lora", str(file), "--json")
    assert done.code == 0
    assert (
        "more.safetensors: 1 of its 2 layers are not used by this model: unet.nowhere"
        in done.data["warnings"]
    )
    said = headroom("plan", "fox", "--model", str(base), "--lora", str(file))
    assert re.search("^LoRA files in +unet$", said.out, re.MULTILINE)


def test_the_wrong_base_is_refused_without_an_engine(
    headroom: Headroom, script: Any, base: Path, tmp_path: Path
) -> None:
    flux = lora_file(tmp_path / "f.safetensors", "transformer.single_transformer_blocks.0.attn.to_q", 3072)
    done = headroom("generate", "fox", "--model", str(base), "--lora", str(flux))
    assert done.code != 0
    assert "It was made for Flux.1; the model is “Zeros” (Stable Diffusion XL)." in done.err
    assert script.runs == []
    assert script.stopped == 0
    missing = headroom("generate", "fox", "--model", str(base), "--lora", str(tmp_path / "no.safetensors"))
    assert "The LoRA file was not found." in missing.err


def test_a_whole_path_is_never_taken_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert lora_of("a.safetensors:0.5") == Lora(str(tmp_path / "a.safetensors"), 0.5)
    (tmp_path / "style:2").write_bytes(b"")
    assert lora_of("style:2") == Lora(str(tmp_path / "style:2"))

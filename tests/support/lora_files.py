"""LoRA files for tiny models: random layers of real shapes, named as the training programs name them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

TARGETS: Mapping[str, Mapping[str, str]] = {
    "sdxl": {
        "unet": r".*(?:attn\d\.to_(?:q|k|v|out\.0)|ff\.net\.2|proj_in)$",
        "text_encoder": r".*self_attn\.\w+_proj$",
        "text_encoder_2": r".*(?:self_attn\.\w+_proj|mlp\.fc1)$",
    },
    "flux": {
        "transformer": r".*blocks\.\d+\..*(?:to_[qkv]|net\.2|proj_mlp)$",
        "text_encoder": r".*self_attn\.\w+_proj$",
    },
    "cogvideox": {"transformer": r".*attn1\.to_(?:q|k|v|out\.0)$"},
    "wan": {"transformer": r"blocks\.\d+\..*(?:to_(?:q|k|v|out\.0)|net\.2)$"},
}
"""Kind → component → regular expression of the layers that files of ``layers_of`` change."""


def layers_of(kind: str, parts: Mapping[str, Any], only: Iterable[str] = ()) -> dict[str, tuple[int, int]]:
    """``component.layer`` → (out, in) of every target in a pipeline's components."""
    found = {}
    for component, pattern in TARGETS[kind].items():
        if only and component not in only:
            continue
        for name, module in parts[component].named_modules():
            if isinstance(module, torch.nn.Linear) and re.fullmatch(pattern, name):
                found[f"{component}.{name}"] = (module.out_features, module.in_features)
    return found


def write(
    path: Path,
    layers: Mapping[str, tuple[int, int]],
    *,
    seed: int = 0,
    rank: int = 4,
    dtype: torch.dtype = torch.float32,
    name: Callable[[str], str] = str,
    halves: tuple[str, str] = ("lora_A", "lora_B"),
    alpha: float | None = None,
    size: float = 0.2,
) -> Path:
    """A file with these layers; ``name`` makes a file's name of a layer's."""
    random = torch.Generator().manual_seed(seed)
    tensors = {}
    for layer, (out, inside) in layers.items():
        down = size * torch.randn(rank, inside, generator=random)
        up = size * torch.randn(out, rank, generator=random)
        tensors[f"{name(layer)}.{halves[0]}.weight"] = down.to(dtype)
        tensors[f"{name(layer)}.{halves[1]}.weight"] = up.to(dtype)
        if alpha is not None:
            tensors[f"{name(layer)}.alpha"] = torch.tensor(alpha)
    save_file(tensors, path)
    return path


def kohya(layer: str) -> str:
    """How sd-scripts names a layer."""
    component, _, name = layer.partition(".")
    prefix = {"text_encoder": "lora_te1_text_model_", "text_encoder_2": "lora_te2_text_model_"}.get(
        component, "lora_unet_"
    )
    return prefix + name.removeprefix("text_model.").replace(".", "_")

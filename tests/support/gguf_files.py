"""Writes weights as a GGUF file: rows that divide into blocks packed, all else as it is; and Wan's original names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import gguf
import torch

_WAN = {
    "condition_embedder.time_embedder.linear_1": "time_embedding.0",
    "condition_embedder.time_embedder.linear_2": "time_embedding.2",
    "condition_embedder.text_embedder.linear_1": "text_embedding.0",
    "condition_embedder.text_embedder.linear_2": "text_embedding.2",
    "condition_embedder.time_proj": "time_projection.1",
    "attn2": "cross_attn", "attn1": "self_attn", ".to_out.0.": ".o.", ".to_q.": ".q.", ".to_k.": ".k.",
    ".to_v.": ".v.", "proj_out": "head.head", "ffn.net.0.proj": "ffn.0", "ffn.net.2": "ffn.2",
}  # fmt: skip


def write(weights: Mapping[str, torch.Tensor], file: Path, kind: str = "Q8_0") -> Path:
    """A GGUF file with linear layers' weights packed as ``kind``."""
    packing = gguf.GGMLQuantizationType[kind]
    writer = gguf.GGUFWriter(file, "test")
    for name, weight in weights.items():
        data = weight.detach().float().contiguous().numpy()
        if weight.ndim == 2 and weight.shape[1] % 32 == 0:
            packed = gguf.quants.quantize(data, packing)
            writer.add_tensor(name, packed, raw_dtype=packing)
        else:
            writer.add_tensor(name, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def wan_names(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Wan's transformer as its makers publish it."""
    found = {}
    for name, weight in weights.items():
        for ours, theirs in _WAN.items():
            name = name.replace(ours, theirs)
        name = {"scale_shift_table": "head.modulation"}.get(
            name, name.replace("scale_shift_table", "modulation")
        )
        found[re.sub(r"\.norm([23])\.", lambda match: f".norm{5 - int(match[1])}.", name)] = weight
    return found

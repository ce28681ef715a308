"""Writes an SDXL pipeline as one file in the original layout: the reverse of what the libraries read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

_TOP = {
    "time_embedding.linear_1": "time_embed.0", "time_embedding.linear_2": "time_embed.2", "conv_in": "input_blocks.0.0",
    "conv_norm_out": "out.0", "conv_out": "out.2", "add_embedding.linear_1": "label_emb.0.0",
    "add_embedding.linear_2": "label_emb.0.2",
}  # fmt: skip
_RESNET = {
    "norm1": "in_layers.0", "conv1": "in_layers.2", "norm2": "out_layers.0", "conv2": "out_layers.3",
    "time_emb_proj": "emb_layers.1", "conv_shortcut": "skip_connection",
}  # fmt: skip
_VAE_ATTENTION = {
    "group_norm": "norm", "to_q": "q", "to_k": "k", "to_v": "v", "to_out.0": "proj_out",
}  # fmt: skip
_OPEN_CLIP = {
    "text_model.embeddings.position_embedding.weight": "positional_embedding",
    "text_model.embeddings.token_embedding.weight": "token_embedding.weight",
    "text_model.final_layer_norm.weight": "ln_final.weight", "text_model.final_layer_norm.bias": "ln_final.bias",
    "text_projection.weight": "text_projection",
}  # fmt: skip


def write(pipe: Any, file: Path, dtype: torch.dtype = torch.float32) -> None:
    """The checkpoint of ``pipe``."""
    tensors = {
        **{
            f"model.diffusion_model.{_unet(pipe, key)}": value
            for key, value in pipe.unet.state_dict().items()
        },
        **{f"first_stage_model.{_vae(pipe, key)}": value for key, value in pipe.vae.state_dict().items()},
        **_text_encoders(pipe),
    }
    for name, value in tensors.items():
        # the original has 1×1 convolutions where diffusers has linear layers
        if re.search(r"first_stage_model.*attn_1\.(q|k|v|proj_out)\.weight", name):
            tensors[name] = value[:, :, None, None]
    save_file({name: value.to(dtype).contiguous() for name, value in tensors.items()}, file)


def _text_encoders(pipe: Any) -> dict[str, torch.Tensor]:
    """The refiner has one only, in the first one's place."""
    second = _second(pipe.text_encoder_2.state_dict())
    if pipe.text_encoder is not None:
        return _first(pipe.text_encoder.state_dict()) | second
    return {key.replace("embedders.1", "embedders.0"): weight for key, weight in second.items()}


def _unet(pipe: Any, key: str) -> str:
    layers, levels = pipe.unet.config.layers_per_block, len(pipe.unet.config.block_out_channels)
    top, _, leaf = key.rpartition(".")
    if top in _TOP:
        return f"{_TOP[top]}.{leaf}"
    if match := re.fullmatch(r"mid_block\.(resnets|attentions)\.(\d)\.(.+)", key):
        place = 1 if match[1] == "attentions" else 2 * int(match[2])
        return f"middle_block.{place}.{_inner(match[1], match[3])}"
    match = re.fullmatch(r"(down|up)_blocks\.(\d)\.(\w+)\.(\d)\.(.+)", key)
    assert match, key
    side, level, kind, index, rest = match[1], int(match[2]), match[3], int(match[4]), match[5]
    if side == "down":
        number = 1 + level * (layers + 1) + (layers if kind == "downsamplers" else index)
        return f"input_blocks.{number}.{_place(kind, 0)}.{_inner(kind, rest)}"
    assert level < levels
    number = level * (layers + 1) + (layers if kind == "upsamplers" else index)
    has_attention = hasattr(pipe.unet.up_blocks[level], "attentions")
    return f"output_blocks.{number}.{_place(kind, 2 if has_attention else 1)}.{_inner(kind, rest)}"


def _place(kind: str, sampler: int) -> int:
    return {"resnets": 0, "attentions": 1, "downsamplers": 0, "upsamplers": sampler}[kind]


def _inner(kind: str, rest: str) -> str:
    if kind == "downsamplers":
        return rest.replace("conv.", "op.")
    if kind != "resnets":
        return rest
    layer, _, leaf = rest.partition(".")
    return f"{_RESNET[layer]}.{leaf}"


def _vae(pipe: Any, key: str) -> str:
    levels = len(pipe.vae.config.block_out_channels)
    key = key.replace("conv_norm_out", "norm_out").replace("conv_shortcut", "nin_shortcut")
    key = re.sub(r"mid_block\.resnets\.(\d)", lambda found: f"mid.block_{int(found[1]) + 1}", key)
    if "mid_block.attentions.0" in key:
        key = key.replace("mid_block.attentions.0", "mid.attn_1")
        for ours, theirs in _VAE_ATTENTION.items():
            key = key.replace(f".{ours}.", f".{theirs}.")
    key = re.sub(r"down_blocks\.(\d)\.resnets", r"down.\1.block", key)
    key = re.sub(r"down_blocks\.(\d)\.downsamplers\.0", r"down.\1.downsample", key)
    key = re.sub(r"up_blocks\.(\d)\.resnets", lambda found: f"up.{levels - 1 - int(found[1])}.block", key)
    return re.sub(
        r"up_blocks\.(\d)\.upsamplers\.0", lambda found: f"up.{levels - 1 - int(found[1])}.upsample", key
    )


def _first(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    prefix = "conditioner.embedders.0.transformer.text_model."
    return {prefix + key.removeprefix("text_model."): value for key, value in weights.items()}


def _second(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    prefix, found = "conditioner.embedders.1.model.", {}
    for key, value in weights.items():
        if key in _OPEN_CLIP:
            found[prefix + _OPEN_CLIP[key]] = value.T if key.startswith("text_projection") else value
            continue
        name = key.replace("text_model.encoder.layers.", "transformer.resblocks.").replace(
            "self_attn", "attn"
        )
        name = name.replace("layer_norm", "ln_").replace("fc1", "c_fc").replace("fc2", "c_proj")
        if ".q_proj." in key:
            parts = [weights[key.replace("q_proj", letter)] for letter in ("q_proj", "k_proj", "v_proj")]
            found[prefix + name.replace(".q_proj.", ".in_proj_")] = torch.cat(parts)
        elif ".k_proj." not in key and ".v_proj." not in key:
            found[prefix + name] = value
    return found

"""The small SDXL that the LoRA files of the test cases (C151, C153) were made for: random weights, real classes."""

from __future__ import annotations

from pathlib import Path

import tiny_models
import torch
from diffusers import EulerDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection


def _clip(cls: type, words: int) -> torch.nn.Module:
    return cls(
        CLIPTextConfig(
            vocab_size=words, bos_token_id=words - 2, eos_token_id=words - 1, pad_token_id=words - 1, hidden_size=32,
            intermediate_size=37, num_attention_heads=4, num_hidden_layers=5, projection_dim=32, hidden_act="gelu",
        )
    )  # fmt: skip


def save(folder: Path) -> Path:
    """The model as a folder; sizes are multiples of 8."""
    words = tiny_models.clip_tokenizer()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        unet = UNet2DConditionModel(
            block_out_channels=(32, 64), layers_per_block=2, sample_size=16, in_channels=4, out_channels=4,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), attention_head_dim=(2, 4), use_linear_projection=True,
            addition_embed_type="text_time", addition_time_embed_dim=8, transformer_layers_per_block=(1, 2),
            projection_class_embeddings_input_dim=80, cross_attention_dim=64,
        )  # fmt: skip
        pipe = StableDiffusionXLPipeline(
            vae=tiny_models.picture_vae(scaling_factor=0.13025, force_upcast=False), unet=unet,
            text_encoder=_clip(CLIPTextModel, len(words)),
            text_encoder_2=_clip(CLIPTextModelWithProjection, len(words)), tokenizer=words, tokenizer_2=words,
            scheduler=EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear"),
            add_watermarker=False,
        )  # fmt: skip
    pipe.save_pretrained(folder)
    return folder

"""A tiny SDXL pipeline with random weights, saved as a folder: for what does not depend on what a picture shows."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from diffusers import AutoencoderKL, EulerDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer


def tokenizer(folder: Path) -> CLIPTokenizer:
    """One printable ASCII character is one token."""
    letters = [chr(code) for code in range(33, 127)]
    words = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.json").write_text(json.dumps({word: index for index, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=77)


def clip(cls: type, words: int, width: int = 32) -> torch.nn.Module:
    """A text encoder of two layers."""
    return cls(
        CLIPTextConfig(
            vocab_size=words, bos_token_id=words - 2, eos_token_id=words - 1, pad_token_id=1, hidden_size=width,
            intermediate_size=64, num_attention_heads=4, num_hidden_layers=2, projection_dim=width,
        )
    )  # fmt: skip


def pipeline(
    folder: Path, seed: int = 0, force_upcast: bool = True, second: int = 32
) -> StableDiffusionXLPipeline:
    """The pipeline in evaluation mode; sizes are multiples of 8, 64 by default; ``second`` is the width of the second
    text encoder."""
    torch.manual_seed(seed)
    words = tokenizer(folder / "vocabulary")
    unet = UNet2DConditionModel(
        block_out_channels=(32, 64), layers_per_block=1, sample_size=8, in_channels=4, out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=(2, 4), use_linear_projection=True, addition_embed_type="text_time",
        addition_time_embed_dim=8, transformer_layers_per_block=(1, 1),
        projection_class_embeddings_input_dim=second + 48,
        cross_attention_dim=32 + second, norm_num_groups=8,
    )  # fmt: skip
    vae = AutoencoderKL(
        block_out_channels=[8, 16, 16, 16], down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4, latent_channels=4, sample_size=64, norm_num_groups=4,
        force_upcast=force_upcast, scaling_factor=0.13025,
    )  # fmt: skip
    pipe = StableDiffusionXLPipeline(
        vae=vae, unet=unet, text_encoder=clip(CLIPTextModel, len(words)),
        text_encoder_2=clip(CLIPTextModelWithProjection, len(words), second), tokenizer=words, tokenizer_2=words,
        scheduler=EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear"),
        add_watermarker=False,
    )  # fmt: skip
    for part in (pipe.unet, pipe.vae, pipe.text_encoder, pipe.text_encoder_2):
        part.eval()
    pipe.set_progress_bar_config(disable=True)
    return pipe


def save(folder: Path, seed: int = 0, **options: object) -> Path:
    """The pipeline as a model folder."""
    pipeline(folder.parent / f"{folder.name}-parts", seed, **options).save_pretrained(folder)  # type: ignore[arg-type]
    return folder

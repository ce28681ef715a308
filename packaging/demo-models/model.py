"""The parts of the demo model: a small pipeline of exactly Stable Diffusion XL's build.

Two CLIP text encoders, whose penultimate hidden states lie side by side for the cross attention; the second
one's projected output and the six numbers of size and crop as added conditioning; a UNet; an autoencoder.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import scenes
import tokens

if TYPE_CHECKING:
    import torch
    from diffusers import (
        AutoencoderKL,
        EulerDiscreteScheduler,
        StableDiffusionXLPipeline,
        UNet2DConditionModel,
    )
    from transformers import CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

WIDTH = 64  # of each text encoder, and of the projection
TIME_ID_WIDTH = 16
TEXT_LAYERS = (2, 3)
UNET_CHANNELS = (48, 96)
TIME_IDS = (scenes.SIDE, scenes.SIDE, 0, 0, scenes.SIDE, scenes.SIDE)


class Parts(NamedTuple):
    """What is trained in the second stage, and the tokenizer it reads with."""

    unet: UNet2DConditionModel
    text_encoder: CLIPTextModel
    text_encoder_2: CLIPTextModelWithProjection
    tokenizer: CLIPTokenizer

    def modules(self) -> dict[str, torch.nn.Module]:
        """The three that hold weights, by their names in the pipeline."""
        return {name: getattr(self, name) for name in ("unet", "text_encoder", "text_encoder_2")}


def build(tokenizer_folder: Path) -> Parts:
    """Untrained parts; the tokenizer's files are written to the folder and read back."""
    from transformers import CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

    tokens.write(tokenizer_folder)
    tokenizer = CLIPTokenizer.from_pretrained(tokenizer_folder)
    first, second = (_text_config(tokenizer, layers) for layers in TEXT_LAYERS)
    return Parts(_unet(), CLIPTextModel(first), CLIPTextModelWithProjection(second), tokenizer)


def load(folder: Path) -> Parts:
    """The parts of a pipeline's folder, in 32-bit numbers for training."""
    import torch
    from diffusers import StableDiffusionXLPipeline

    pipeline = StableDiffusionXLPipeline.from_pretrained(folder, dtype=torch.float32)
    return Parts(pipeline.unet, pipeline.text_encoder, pipeline.text_encoder_2, pipeline.tokenizer)


def _text_config(tokenizer: CLIPTokenizer, layers: int) -> object:
    from transformers import CLIPTextConfig

    return CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=4 * WIDTH,
        projection_dim=WIDTH,
        num_hidden_layers=layers,
        num_attention_heads=4,
        max_position_embeddings=tokens.LENGTH,
        hidden_act="gelu",
        initializer_factor=1.0,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )


def _unet() -> UNet2DConditionModel:
    from diffusers import UNet2DConditionModel

    return UNet2DConditionModel(
        sample_size=scenes.SIDE // 8,
        in_channels=4,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        block_out_channels=UNET_CHANNELS,
        layers_per_block=1,
        attention_head_dim=(4, 4),
        cross_attention_dim=2 * WIDTH,
        norm_num_groups=16,
        use_linear_projection=True,
        addition_embed_type="text_time",
        addition_time_embed_dim=TIME_ID_WIDTH,
        projection_class_embeddings_input_dim=6 * TIME_ID_WIDTH + WIDTH,
    )


def scheduler() -> EulerDiscreteScheduler:
    """Stable Diffusion XL's noise schedule, with the velocity as what the UNet predicts."""
    from diffusers import EulerDiscreteScheduler

    return EulerDiscreteScheduler(
        num_train_timesteps=1000,
        beta_schedule="scaled_linear",
        beta_start=0.00085,
        beta_end=0.012,
        prediction_type="v_prediction",
        timestep_spacing="trailing",
        steps_offset=1,
    )


def embed(parts: Parts, texts: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """Texts as the pipeline's `encode_prompt` embeds them: a sequence and a pooled vector of each."""
    import torch

    ids = parts.tokenizer(
        texts, padding="max_length", max_length=tokens.LENGTH, truncation=True, return_tensors="pt"
    ).input_ids
    first = parts.text_encoder(ids, output_hidden_states=True)
    second = parts.text_encoder_2(ids, output_hidden_states=True)
    sequence = torch.cat([first.hidden_states[-2], second.hidden_states[-2]], dim=-1)
    return sequence, second.text_embeds


def pipeline(parts: Parts, vae: AutoencoderKL) -> StableDiffusionXLPipeline:
    """All the parts as a pipeline; both encoders read with the same tokenizer."""
    from diffusers import StableDiffusionXLPipeline

    return StableDiffusionXLPipeline(
        vae=vae,
        text_encoder=parts.text_encoder,
        text_encoder_2=parts.text_encoder_2,
        tokenizer=parts.tokenizer,
        tokenizer_2=parts.tokenizer,
        unet=parts.unet,
        scheduler=scheduler(),
        force_zeros_for_empty_prompt=True,
        add_watermarker=False,
    )


def export(parts: Parts, vae: AutoencoderKL, folder: Path) -> None:
    """Write the pipeline's folder with 16-bit weights; the parts themselves stay as they are."""
    import copy

    import torch

    halves = {name: copy.deepcopy(module).to(torch.float16) for name, module in parts.modules().items()}
    half_vae = copy.deepcopy(vae).to(torch.float16)
    pipeline(parts._replace(**halves), half_vae).save_pretrained(folder, safe_serialization=True)
    forget_paths(folder)
    for file in folder.rglob("*.safetensors"):
        file.chmod(0o644)  # the library writes them for their owner alone
    for name in ("tokenizer", "tokenizer_2"):
        for file in (folder / name).iterdir():
            file.unlink()
        tokens.write(folder / name)


def forget_paths(folder: Path) -> None:
    """Takes out of the configurations from where the parts were loaded: it is a path of the training machine."""
    for file in folder.glob("*/config.json"):
        config = json.loads(file.read_text(encoding="utf-8"))
        config.pop("_name_or_path", None)
        file.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")

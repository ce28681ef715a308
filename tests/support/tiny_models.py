"""Tiny pipelines of random weights for the four kinds, built in memory or saved as model folders.

The shapes are the real ones in small: the same classes, an autoencoder of factor 8, real tokenizers. Made from a
seed, in evaluation mode; needs neither files nor the network. Holds no trained weights: a picture shows nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import torch
from diffusers import (
    AutoencoderKL,
    AutoencoderKLCogVideoX,
    AutoencoderKLWan,
    CogVideoXDDIMScheduler,
    CogVideoXDPMScheduler,
    CogVideoXImageToVideoPipeline,
    CogVideoXPipeline,
    CogVideoXTransformer3DModel,
    EulerDiscreteScheduler,
    FlowMatchEulerDiscreteScheduler,
    FluxFillPipeline,
    FluxPipeline,
    FluxTransformer2DModel,
    StableDiffusionXLPipeline,
    UNet2DConditionModel,
    UniPCMultistepScheduler,
    WanImageToVideoPipeline,
    WanPipeline,
    WanTransformer3DModel,
)
from transformers import (
    CLIPImageProcessorPil,
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTextModelWithProjection,
    CLIPTokenizer,
    CLIPVisionConfig,
    CLIPVisionModel,
    T5Config,
    T5EncoderModel,
    T5Tokenizer,
    UMT5Config,
    UMT5EncoderModel,
)

_ASCII = [chr(code) for code in range(33, 127)]
_PIECES = (("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), *((letter, -3.0) for letter in _ASCII))
_WIDTH = 64
"""Of every text encoder."""
CALL: Mapping[str, Mapping[str, Any]] = {
    "sdxl": {"height": 64, "width": 64},
    "flux": {"height": 64, "width": 64, "max_sequence_length": 32},
    "cogvideox": {"height": 64, "width": 64, "num_frames": 9, "max_sequence_length": 16},
    "wan": {"height": 64, "width": 64, "num_frames": 9, "max_sequence_length": 16},
}
"""The sizes that each kind is called with."""


def _ready(build: Callable[..., Any]) -> Callable[..., Any]:
    """A builder whose pipeline depends on ``seed`` alone and is in evaluation mode, in ``dtype``."""

    @wraps(build)
    def ready(*, seed: int = 0, dtype: torch.dtype = torch.float32, **options: Any) -> Any:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            pipe = build(**options)
        pipe.set_progress_bar_config(disable=True)
        for part in pipe.components.values():
            if isinstance(part, torch.nn.Module):
                part.eval().requires_grad_(False)
        return pipe if dtype is torch.float32 else pipe.to(dtype)

    return ready


# ---------------------------------------------------------------------------------------------- shared parts


def clip_tokenizer() -> CLIPTokenizer:
    """A printable ASCII character is a token; others are unknown."""
    words = [*_ASCII, *(f"{letter}</w>" for letter in _ASCII), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer({word: index for index, word in enumerate(words)}, [], model_max_length=77)


def t5_tokenizer() -> T5Tokenizer:
    """Sentence pieces of one printable ASCII character each."""
    return T5Tokenizer(vocab=list(_PIECES), extra_ids=0, model_max_length=512)


def clip(cls: type = CLIPTextModel) -> Any:
    """A CLIP text encoder for ``clip_tokenizer``."""
    words = 2 * len(_ASCII) + 2
    return cls(
        CLIPTextConfig(
            vocab_size=words, bos_token_id=words - 2, eos_token_id=words - 1, pad_token_id=words - 1,
            hidden_size=_WIDTH, intermediate_size=4 * _WIDTH, num_attention_heads=4, num_hidden_layers=3,
            projection_dim=_WIDTH,
        )
    )  # fmt: skip


def t5(config: type = T5Config, cls: type = T5EncoderModel) -> Any:
    """A T5 or UMT5 encoder for ``t5_tokenizer``."""
    return cls(
        config(
            vocab_size=len(_ASCII) + 4, d_model=_WIDTH, d_kv=16, d_ff=4 * _WIDTH, num_layers=3, num_heads=4,
            feed_forward_proj="gated-gelu",
        )
    )  # fmt: skip


def clip_vision() -> CLIPVisionModel:
    """A picture encoder for ``clip_processor``."""
    return CLIPVisionModel(
        CLIPVisionConfig(
            hidden_size=_WIDTH, intermediate_size=_WIDTH, num_hidden_layers=2, num_attention_heads=4, image_size=16,
            patch_size=4,
        )
    )  # fmt: skip


def clip_processor() -> CLIPImageProcessorPil:
    """Scales pictures to 16 pixels a side."""
    return CLIPImageProcessorPil(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})


def picture_vae(**changes: Any) -> AutoencoderKL:
    """A KL autoencoder of factor 8 with four latent channels; it tiles above 64 pixels."""
    return AutoencoderKL(
        block_out_channels=(8, 16, 16, 32), down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4, latent_channels=4, sample_size=64, layers_per_block=1,
        norm_num_groups=4, **changes,
    )  # fmt: skip


# ---------------------------------------------------------------------------------------------- the four kinds


@_ready
def sdxl() -> StableDiffusionXLPipeline:
    """Stable Diffusion XL: UNet, two CLIP text encoders."""
    unet = UNet2DConditionModel(
        sample_size=16, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(32, 64),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=(2, 4), use_linear_projection=True, transformer_layers_per_block=(1, 2),
        cross_attention_dim=2 * _WIDTH, addition_embed_type="text_time", addition_time_embed_dim=8,
        projection_class_embeddings_input_dim=_WIDTH + 6 * 8, norm_num_groups=8,
    )  # fmt: skip
    return StableDiffusionXLPipeline(
        vae=picture_vae(scaling_factor=0.13025, force_upcast=False), unet=unet, text_encoder=clip(),
        text_encoder_2=clip(CLIPTextModelWithProjection), tokenizer=clip_tokenizer(), tokenizer_2=clip_tokenizer(),
        scheduler=EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear"),
        add_watermarker=False,
    )  # fmt: skip


@_ready
def flux(*, guidance: bool = True, fill: bool = False) -> Any:
    """Flux: ``guidance`` as in dev, without it as in schnell; ``fill`` also reads a masked picture and its mask."""
    latents, mask = 4 * 4, 4 * 8 * 8
    transformer = FluxTransformer2DModel(
        patch_size=1, in_channels=2 * latents + mask if fill else latents, out_channels=latents, num_layers=3,
        num_single_layers=4, attention_head_dim=32, num_attention_heads=4, joint_attention_dim=_WIDTH,
        pooled_projection_dim=_WIDTH, axes_dims_rope=(8, 12, 12), guidance_embeds=guidance,
    )  # fmt: skip
    vae = picture_vae(
        use_quant_conv=False, use_post_quant_conv=False, shift_factor=0.1159, scaling_factor=0.3611
    )
    pipeline = FluxFillPipeline if fill else FluxPipeline
    return pipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=guidance), transformer=transformer, vae=vae,
        text_encoder=clip(), text_encoder_2=t5(), tokenizer=clip_tokenizer(), tokenizer_2=t5_tokenizer(),
    )  # fmt: skip


@_ready
def cogvideox(*, image: bool = False, second: bool = False, rotary: bool = True, dpm: bool = False) -> Any:
    """CogVideoX from text, or from an ``image``; ``second`` is version 1.5, not ``rotary`` the first small one, and
    ``dpm`` the scheduler of the larger ones."""
    transformer = CogVideoXTransformer3DModel(
        num_attention_heads=4, attention_head_dim=32, in_channels=8 if image else 4, out_channels=4,
        time_embed_dim=32, text_embed_dim=_WIDTH, num_layers=4, sample_width=16 if second else 8,
        sample_height=8, sample_frames=17 if second else 9, patch_size=2,
        patch_size_t=2 if second else None, patch_bias=not second, ofs_embed_dim=32 if image and second else None,
        max_text_seq_length=16, temporal_compression_ratio=4, use_rotary_positional_embeddings=rotary,
        use_learned_positional_embeddings=image and not second,
    )  # fmt: skip
    vae = AutoencoderKLCogVideoX(
        down_block_types=("CogVideoXDownBlock3D",) * 4, up_block_types=("CogVideoXUpBlock3D",) * 4,
        latent_channels=4, block_out_channels=(8, 16, 16, 16), layers_per_block=1, norm_num_groups=2,
        temporal_compression_ratio=4, sample_height=64, sample_width=64,
    )  # fmt: skip
    pipeline = CogVideoXImageToVideoPipeline if image else CogVideoXPipeline
    scheduler = CogVideoXDPMScheduler if dpm else CogVideoXDDIMScheduler
    return pipeline(
        tokenizer=t5_tokenizer(), text_encoder=t5(), vae=vae, transformer=transformer,
        scheduler=scheduler(prediction_type="v_prediction", rescale_betas_zero_snr=True),
    )  # fmt: skip


@_ready
def wan(*, two_transformers: bool = False, image: bool = False, dense: bool = False) -> Any:
    """Wan 2.1, or 2.2 with a second transformer for the low noise levels; from text, or from an ``image``; ``dense`` is
    the small one of 2.2, with a time of its own for each place."""
    latents = 8 if dense else 16
    sees = image and not two_transformers and not dense  # through a picture encoder
    transformers = [
        WanTransformer3DModel(
            patch_size=(1, 2, 2), num_attention_heads=4, attention_head_dim=24, out_channels=latents,
            in_channels=2 * latents + 4 if image and not dense else latents,
            text_dim=_WIDTH, freq_dim=64, ffn_dim=256, num_layers=4, cross_attn_norm=True, rope_max_seq_len=32,
            image_dim=_WIDTH if sees else None, added_kv_proj_dim=96 if sees else None,
        )
        for _ in range(1 + two_transformers)
    ]  # fmt: skip
    parts = {
        "tokenizer": t5_tokenizer(), "text_encoder": t5(UMT5Config, UMT5EncoderModel), "vae": _wan_vae(latents, dense),
        "transformer": transformers[0], "transformer_2": transformers[1] if two_transformers else None,
        "boundary_ratio": (0.9 if image else 0.875) if two_transformers else None, "expand_timesteps": dense,
        "scheduler": UniPCMultistepScheduler(
            prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0
        ),
    }  # fmt: skip
    if not image:
        return WanPipeline(**parts)
    extra = {"image_encoder": clip_vision(), "image_processor": clip_processor()} if sees else {}
    return WanImageToVideoPipeline(**parts, **extra)


def _wan_vae(latents: int, dense: bool) -> AutoencoderKLWan:
    shape: dict[str, Any] = {"base_dim": 8, "z_dim": latents, "dim_mult": [1, 1, 1, 1], "num_res_blocks": 1}
    if dense:
        shape |= {
            "is_residual": True, "patch_size": 2, "in_channels": 12, "out_channels": 12, "scale_factor_spatial": 16,
            "decoder_base_dim": 8, "latents_mean": [0.1] * latents, "latents_std": [1.5] * latents,
        }  # fmt: skip
    return AutoencoderKLWan(**shape)


BUILDERS: Mapping[str, Callable[..., Any]] = {"sdxl": sdxl, "flux": flux, "cogvideox": cogvideox, "wan": wan}
# transformers 5 writes other names of some classes than the published models' folders have
_PUBLISHED_NAMES = {
    "flux": {"tokenizer_2": "T5TokenizerFast"},
    "wan": {"tokenizer": "T5TokenizerFast", "image_processor": "CLIPImageProcessor"},
}


def save(kind: str, folder: Path, **options: Any) -> Path:
    """The pipeline as a model folder, with ``options`` of its builder."""
    BUILDERS[kind](**options).save_pretrained(folder)
    index = folder / "model_index.json"
    components = json.loads(index.read_text())
    for name, published in _PUBLISHED_NAMES.get(kind, {}).items():
        if components.get(name, [None])[0]:
            components[name] = ["transformers", published]
    index.write_text(json.dumps(components, indent=2))
    if kind == "cogvideox":
        _write_pieces(folder / "tokenizer")
    return folder


def _write_pieces(folder: Path) -> None:
    """The T5 tokenizer's words as the published folders of CogVideoX have them: sentence pieces and nothing else."""
    from sentencepiece import sentencepiece_model_pb2

    model, kinds = sentencepiece_model_pb2.ModelProto(), {"<unk>": 2, "<pad>": 3, "</s>": 3}
    for piece, score in _PIECES:
        model.pieces.add(piece=piece, score=score, type=kinds.get(piece, 1))
    spec = model.trainer_spec
    spec.model_type, spec.vocab_size = spec.UNIGRAM, len(_PIECES)
    spec.pad_id, spec.eos_id, spec.unk_id, spec.bos_id = 0, 1, 2, -1
    (folder / "tokenizer.json").unlink()
    (folder / "spiece.model").write_bytes(model.SerializeToString())


def wan_inputs(device: str = "cpu") -> dict[str, torch.Tensor]:
    """What one pass of Wan's transformer is called with."""
    random = torch.Generator().manual_seed(3)
    shapes = {"hidden_states": (1, 16, 3, 8, 8), "encoder_hidden_states": (1, 16, _WIDTH)}
    made = {name: torch.randn(shape, generator=random).to(device) for name, shape in shapes.items()}
    return {**made, "timestep": torch.tensor([500.0]).to(device)}


def run(kind: str, pipe: Any, **changes: Any) -> Any:
    """What the pipeline makes of a prompt in two steps, as an array."""
    arguments = {"prompt": "a red cat", "num_inference_steps": 2, "output_type": "np", **CALL[kind]}
    result = pipe(**arguments | {"generator": torch.Generator().manual_seed(1)} | changes)
    return result.images if hasattr(result, "images") else result.frames

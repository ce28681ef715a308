"""Wan 2.1 and 2.2: a UMT5 encoder, one or two 3-D transformers and a causal video autoencoder.

Clips from words, a picture or a clip. The call is split into encode, denoise and decode, and gives the same bits as
the pipeline called whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.family import Can, Component, Family, LoraKeys, LoraMark, Media, StepReport
from app.core.plan import Plan
from app.core.request import GenerationRequest, Limits, Task
from app.core.text import say
from app.families._clips import clip_latents, execution_device, to_frames
from app.families._given import fitted, fitted_clip, usable_strength
from app.families._vae import number
from app.families._words import read_until

_TOKENS = 512
_ALWAYS = ("tokenizer", "text_encoder", "vae", "transformer", "scheduler")
_TWO_STAGES = ("transformer_2", "boundary_ratio", "expand_timesteps")
_PIPELINES: Mapping[Task, tuple[str, tuple[str, ...]]] = {
    Task.TEXT_TO_VIDEO: ("WanPipeline", (*_ALWAYS, *_TWO_STAGES)),
    Task.IMAGE_TO_VIDEO: (
        "WanImageToVideoPipeline", (*_ALWAYS, *_TWO_STAGES, "image_encoder", "image_processor"),
    ),
    Task.VIDEO_TO_VIDEO: ("WanVideoToVideoPipeline", _ALWAYS),
}  # fmt: skip
"""Task → the pipeline and what it is made of."""


def _limits(configs: Mapping[str, Mapping[str, Any]]) -> Limits:
    transformer, vae = configs.get("transformer", {}), configs.get("vae", {})
    temporal = number(vae, "scale_factor_temporal", 4)
    factor = max(16, number(vae, "scale_factor_spatial", 8) * _patch(transformer))
    positions = number(transformer, "rope_max_seq_len", 1024)
    tasks = _tasks(configs)
    dense = configs.get("model_index", {}).get("expand_timesteps") is True
    width, height, frames, fps = (1280, 704, 121, 24.0) if dense else (*_size(configs), 81, 16.0)
    guidance, steps = (
        (3.5 if tasks[0] == Task.IMAGE_TO_VIDEO else 4.0, 40) if _is_split(configs) else (5.0, 50)
    )
    largest = min(Limits.largest, positions * factor)
    return Limits(
        factor=factor,
        largest=largest,
        width=min(width, largest) // factor * factor,
        height=min(height, largest) // factor * factor,
        steps=steps,
        guidance=guidance,
        tokens=_TOKENS,
        tasks=tasks,
        frames=frames,
        frames_factor=temporal,
        frames_max=min(2 * (frames - 1), (positions - 1) * temporal) + 1,
        fps=fps,
        dtypes=("bfloat16",),
    )


def _patch(transformer: Mapping[str, Any]) -> int:
    sides = transformer.get("patch_size")
    whole = isinstance(sides, list) and len(sides) == 3 and all(isinstance(side, int) for side in sides)
    return max(1, *sides[1:]) if isinstance(sides, list) and whole else 2


def _is_split(configs: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a second transformer works on the low noise levels."""
    return number(configs.get("transformer_2", {}), "in_channels", 0) > 0


def _size(configs: Mapping[str, Mapping[str, Any]]) -> tuple[int, int]:
    """The scheduler is shifted further for the models of the larger size."""
    shift = configs.get("scheduler", {}).get("flow_shift")
    return (1280, 720) if isinstance(shift, int | float) and shift >= 5 else (832, 480)


def _tasks(configs: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """A transformer with more channels than the latents reads a picture beside the noise, and cannot do without."""
    text, image, video = (task.value for task in _PIPELINES)
    if configs.get("model_index", {}).get("expand_timesteps") is True:
        return (text, image, video)
    latents = number(configs.get("vae", {}), "z_dim", 16)
    if number(configs.get("transformer", {}), "in_channels", latents) > latents:
        return (image,)
    return (text,) if _is_split(configs) else (text, video)


def _build(parts: Mapping[str, Any], task: str) -> Any:
    import diffusers

    name, wanted = _PIPELINES[Task(task)]
    pipe = getattr(diffusers, name)(**{part: parts[part] for part in wanted if part in parts})
    pipe.set_progress_bar_config(disable=True)
    if (
        Task(task) is Task.VIDEO_TO_VIDEO
    ):  # it counts the autoencoder's levels, and the newer one has a patch besides
        pipe.vae_scale_factor_spatial = int(pipe.vae.config.scale_factor_spatial)
        pipe.vae_scale_factor_temporal = int(pipe.vae.config.scale_factor_temporal)
        pipe.video_processor = type(pipe.video_processor)(vae_scale_factor=pipe.vae_scale_factor_spatial)
    return pipe


def _length(plan: Plan) -> int:
    return plan.sequence_length or _TOKENS


def _tokens(pipe: Any, prompt: str, plan: Plan) -> Sequence[str]:
    from diffusers.pipelines.wan.pipeline_wan import prompt_clean

    clean = prompt_clean(prompt)
    return clean[read_until(pipe.tokenizer, clean, _length(plan)) :].split()


def _encode(pipe: Any, request: GenerationRequest, plan: Plan, media: Media) -> Mapping[str, Any]:
    import torch
    from diffusers import WanPipeline

    texts = {"prompt_embeds": request.prompt}
    if request.guidance > 1:
        texts["negative_prompt_embeds"] = request.negative
    # WORKAROUND until diffusers guards them as it does this one: the other pipelines' copies need the package ftfy
    read = WanPipeline._get_t5_prompt_embeds
    dtype = getattr(torch, plan.dtype.value)  # an encoder stored in fp8 would name that as its own
    return {
        name: read(pipe, text, max_sequence_length=_length(plan), dtype=dtype) for name, text in texts.items()
    }


def _denoise(
    pipe: Any,
    request: GenerationRequest,
    picture: int,
    embeds: Mapping[str, Any],
    media: Media,
    report: StepReport,
) -> Any:
    arguments = {**embeds, **_given(request, media), **_second_guidance(pipe, request)}
    return clip_latents(pipe, request, picture, arguments, report, frame_axis=2)


def _given(request: GenerationRequest, media: Media) -> dict[str, Any]:
    """What the task begins from, in the request's size."""
    task = Task(request.task)
    if task is Task.VIDEO_TO_VIDEO:
        frames = fitted_clip(media.video, request.frames, request.width, request.height)
        return {"video": frames, "strength": usable_strength(request.strength, request.steps)}
    given = (
        {"image": fitted(media.image, request.width, request.height)} if task is Task.IMAGE_TO_VIDEO else {}
    )
    return {**given, "num_frames": request.frames}


def _second_guidance(pipe: Any, request: GenerationRequest) -> dict[str, float]:
    """The second transformer of text-to-video was made for 3 where the first one has 4; of image-to-video for the
    same."""
    if request.task != Task.TEXT_TO_VIDEO or pipe.config.boundary_ratio is None:
        return {}
    return {"guidance_scale_2": 1 + (request.guidance - 1) * 2 / 3}


def _decode(pipe: Any, request: GenerationRequest, latents: Any) -> Any:
    import torch

    vae = pipe.vae
    latents = latents.to(execution_device(vae), dtype=vae.dtype)
    mean, std = (
        torch.tensor(row).view(1, -1, 1, 1, 1).to(latents.device, latents.dtype)
        for row in (vae.config.latents_mean, vae.config.latents_std)
    )
    shown = to_frames(pipe, vae.decode(latents / (1.0 / std) + mean, return_dict=False)[0])
    pipe.maybe_free_model_hooks()
    return shown


_DENOISER = frozenset({Can.ATTENTION, Can.BLOCKS, Can.COMPILE, Can.GGUF, Can.LEAF_DISK, Can.SPLIT})
_LORA_BLOCK = r"(?:^|[._])blocks[._]\d+[._](?:attn\d|self_attn|cross_attn)[._]"
_LORAS: tuple[Mapping[str, Any], ...] = (
    {
        "prefix": "transformer.",
        "layers": r"blocks\.\d+\..+|condition_embedder\..+|proj_out",
        "alphas": False,
    },
    {
        "prefix": "diffusion_model.",
        "layers": r"blocks\.\d+\.(?:(?:self_attn|cross_attn)\.(?:q|k|v|o|k_img|v_img)|ffn\.[02])"
        r"|head\.head|time_projection\.1|(?:text|time)_embedding\.[02]|img_emb\.proj\.[13]",
        "foreign": True,
        "extra": "diff_b",
    },
    {
        "prefix": "lora_unet_",
        "layers": r"blocks_\d+_(?:(?:self_attn|cross_attn)_(?:q|k|v|o|k_img|v_img)|ffn_[02])",
        "flat": True,
        "foreign": True,
    },
)
_DENOISER_SKIP = ("patch_embedding", "condition_embedder", "norm", "^proj_out$")

_PREVIEW = (
    (-0.1299, -0.1692, 0.2932), (0.0671, 0.0406, 0.0442), (0.3568, 0.2548, 0.1747), (0.0372, 0.2344, 0.1420),
    (0.0313, 0.0189, -0.0328), (0.0296, -0.0956, -0.0665), (-0.3477, -0.4059, -0.2925), (0.0166, 0.1902, 0.1975),
    (-0.0412, 0.0267, -0.1364), (-0.1293, 0.0740, 0.1636), (0.0680, 0.3019, 0.1128), (0.0032, 0.0581, 0.0639),
    (-0.1251, 0.0927, 0.1699), (0.0060, -0.0633, 0.0005), (0.3477, 0.2275, 0.2950), (0.1984, 0.0913, 0.1861),
    (-0.1835, -0.0868, -0.3360),
)  # fmt: skip
"""The published map of version 2.1's autoencoder, which 2.2's large models share; its small one has 48 channels and
no preview."""

FAMILY = Family(
    id="wan",
    name="Wan",
    pipelines=tuple(name for name, _ in _PIPELINES.values()),
    classes={
        "text_encoder": ("UMT5EncoderModel",),
        "image_encoder": ("CLIPVisionModel",),
        "transformer": ("WanTransformer3DModel",),
        "transformer_2": ("WanTransformer3DModel",),
        "vae": ("AutoencoderKLWan",),
        "tokenizer": ("T5Tokenizer", "T5TokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend"),
        "image_processor": ("CLIPImageProcessor", "CLIPImageProcessorPil"),
        "scheduler": (
            "UniPCMultistepScheduler",
            "FlowMatchEulerDiscreteScheduler",
            "DPMSolverMultistepScheduler",
        ),
    },
    components=(
        Component(
            name="text_encoder",
            role="text_encoder",
            label=say("core", "Text encoder"),
            can=frozenset({Can.SPLIT}),
            fp8=True,
            fp8_skip=("norm", "wo"),  # its last layer of a block reads the format of its own weights
        ),
        Component(
            name="image_encoder",
            role="image_encoder",
            label=say("core", "Picture encoder"),
            can=frozenset({Can.LEAF_DISK, Can.SPLIT}),
            required=False,
            precise=True,
        ),
        Component(
            name="transformer",
            role="denoiser",
            label=say("core", "Denoiser"),
            can=_DENOISER,
            fp8=True,
            fp8_skip=_DENOISER_SKIP,
        ),
        Component(
            name="transformer_2",
            role="denoiser",
            label=say("core", "Second denoiser"),
            can=_DENOISER,
            fp8=True,
            fp8_skip=_DENOISER_SKIP,
            required=False,
        ),
        Component(
            name="vae",
            role="vae",
            label=say("core", "Video decoder"),
            can=frozenset({Can.BLOCKS, Can.LEAF_DISK, Can.SLICE, Can.TILE}),
            precise=True,
        ),
        Component(name="tokenizer", role="tokenizer", label=say("core", "Tokenizer"), weights=False),
        Component(
            name="image_processor",
            role="processor",
            label=say("core", "Picture scaler"),
            weights=False,
            required=False,
        ),
        Component(name="scheduler", role="scheduler", label=say("core", "Scheduler"), weights=False),
    ),
    lora_keys=tuple(
        LoraKeys(component=name, **keys)
        for name in ("transformer", "transformer_2")  # the second: of version 2.2, where a file is for both
        for keys in _LORAS
    ),
    lora_marks=(
        LoraMark(name="Wan 14B", layer=_LORA_BLOCK, width=5120),
        LoraMark(name="Wan 5B", layer=_LORA_BLOCK, width=3072),
        LoraMark(name="Wan 1.3B", layer=_LORA_BLOCK, width=1536),
        LoraMark(name="Wan", layer=_LORA_BLOCK),
    ),
    lora_calls={"transformer": {}, "transformer_2": {"load_into_transformer_2": True}},
    limits=_limits,
    build=_build,
    tokens=_tokens,
    encode=_encode,
    denoise=_denoise,
    decode=_decode,
    latent_rgb=_PREVIEW,
)

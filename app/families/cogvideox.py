"""CogVideoX: a T5 encoder, a 3-D transformer and a causal video autoencoder; clips from words, a picture or a clip.

The call is split into encode, denoise and decode, and gives the same bits as the pipeline called whole.
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
from app.families._vae import factor_of, number
from app.families._words import read_until

_PIPELINES = {
    Task.TEXT_TO_VIDEO: "CogVideoXPipeline",
    Task.IMAGE_TO_VIDEO: "CogVideoXImageToVideoPipeline",
    Task.VIDEO_TO_VIDEO: "CogVideoXVideoToVideoPipeline",
}
_PARTS = ("tokenizer", "text_encoder", "vae", "transformer", "scheduler")
_SAMPLE = (("width", 90), ("height", 60))
_SECOND_VERSION_SIZE = (1360, 768)
_DECODED_AT_ONCE = 2
"""Latent frames that the autoencoder takes together: of an odd number the first stands alone, as it was trained; an
even number gives another number of frames than was asked for."""


def _limits(configs: Mapping[str, Mapping[str, Any]]) -> Limits:
    transformer, vae = configs.get("transformer", {}), configs.get("vae", {})
    spatial, temporal = factor_of(vae), number(vae, "temporal_compression_ratio", 4)
    second = number(transformer, "patch_size_t", 0)  # only version 1.5 joins frames into patches
    factor = spatial * number(transformer, "patch_size", 2)
    width, height = (number(transformer, f"sample_{side}", size) * spatial for side, size in _SAMPLE)
    bound = max(width, height)
    if second and width == height:  # a square is the bound of its positions, not the size it was trained for
        width, height = (min(bound, side) for side in _SECOND_VERSION_SIZE)
    step = temporal * _DECODED_AT_ONCE * max(1, second)
    frames = (number(transformer, "sample_frames", 49) - 1) // step * step + 1
    rotary = transformer.get("use_rotary_positional_embeddings") is not False
    return Limits(
        factor=factor,
        smallest=min(64, width, height),
        largest=bound if second else Limits.largest,
        width=width // factor * factor,
        height=height // factor * factor,
        steps=50,
        guidance=6.0,
        tokens=number(transformer, "max_text_seq_length", 226),
        tasks=_tasks(transformer, vae),
        frames=frames,
        frames_factor=step,
        frames_max=2 * (frames - 1) + 1 if second else frames,
        fps=16 if second else 8,
        fixed=transformer.get("use_learned_positional_embeddings") is True,
        # the first small model, alone without rotary positions, was trained in float16
        dtypes=("bfloat16", "float16") if rotary else ("float16", "bfloat16"),
    )


def _tasks(transformer: Mapping[str, Any], vae: Mapping[str, Any]) -> tuple[str, ...]:
    """A transformer with twice the latents' channels reads a picture beside the noise, and cannot do without."""
    if number(transformer, "in_channels", 16) == 2 * number(vae, "latent_channels", 16):
        return (Task.IMAGE_TO_VIDEO.value,)
    return (Task.TEXT_TO_VIDEO.value, Task.VIDEO_TO_VIDEO.value)


def _build(parts: Mapping[str, Any], task: str) -> Any:
    import diffusers

    transformer = parts["transformer"]
    if transformer.config.patch_size_t:
        # version 1.5 counts positions from the corner up to this bound; a square one lets clips stand upright
        side = max(transformer.config.sample_width, transformer.config.sample_height)
        transformer.register_to_config(sample_width=side, sample_height=side)
    pipe = getattr(diffusers, _PIPELINES[Task(task)])(**{name: parts[name] for name in _PARTS})
    pipe.set_progress_bar_config(disable=True)
    return pipe


def _length(pipe: Any, plan: Plan) -> int:
    """Tokens that the prompt is padded to: positions that are added, not rotated, were made for the model's number."""
    config = pipe.transformer.config
    added = config.use_learned_positional_embeddings or not config.use_rotary_positional_embeddings
    own = int(config.max_text_seq_length)
    return own if added else plan.sequence_length or own


def _tokens(pipe: Any, prompt: str, plan: Plan) -> Sequence[str]:
    return prompt[read_until(pipe.tokenizer, prompt, _length(pipe, plan)) :].split()


def _encode(pipe: Any, request: GenerationRequest, plan: Plan, media: Media) -> Mapping[str, Any]:
    import torch

    found = pipe.encode_prompt(
        prompt=request.prompt,
        negative_prompt=request.negative or None,
        do_classifier_free_guidance=request.guidance > 1,
        max_sequence_length=_length(pipe, plan),
        dtype=getattr(torch, plan.dtype.value),  # an encoder stored in fp8 would name that as its own
    )
    return dict(zip(("prompt_embeds", "negative_prompt_embeds"), found, strict=True))


def _denoise(
    pipe: Any,
    request: GenerationRequest,
    picture: int,
    embeds: Mapping[str, Any],
    media: Media,
    report: StepReport,
) -> Any:
    return clip_latents(
        pipe, request, picture, {**embeds, **_given(pipe, request, media)}, report, frame_axis=1
    )


def _given(pipe: Any, request: GenerationRequest, media: Media) -> dict[str, Any]:
    """What the task begins from, in the request's size."""
    task = Task(request.task)
    if task is Task.VIDEO_TO_VIDEO:
        frames = fitted_clip(media.video, request.frames, request.width, request.height)
        # as text-to-video pads its noise in front: a whole number of patches, decoded without the surplus
        surplus = _surplus(pipe, request.frames) * pipe.vae_scale_factor_temporal
        strength = usable_strength(request.strength, request.steps)
        return {"video": [frames[0]] * surplus + frames, "strength": strength}
    given = (
        {"image": fitted(media.image, request.width, request.height)} if task is Task.IMAGE_TO_VIDEO else {}
    )
    return {**given, "num_frames": request.frames}


def _latent_frames(pipe: Any, frames: int) -> int:
    return (frames - 1) // int(pipe.vae_scale_factor_temporal) + 1


def _surplus(pipe: Any, frames: int) -> int:
    """Latent frames that fill the last patch in time, in front of the clip's own."""
    return -_latent_frames(pipe, frames) % int(pipe.transformer.config.patch_size_t or 1)


def _decode(pipe: Any, request: GenerationRequest, latents: Any) -> Any:
    own = latents[:, -_latent_frames(pipe, request.frames) :]
    shown = to_frames(pipe, pipe.decode_latents(own.to(execution_device(pipe.vae))))
    pipe.maybe_free_model_hooks()
    return shown


_TOKENIZERS = ("T5Tokenizer", "T5TokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend")

FAMILY = Family(
    id="cogvideox",
    name="CogVideoX",
    pipelines=tuple(_PIPELINES.values()),
    classes={
        "text_encoder": ("T5EncoderModel",),
        "transformer": ("CogVideoXTransformer3DModel",),
        "vae": ("AutoencoderKLCogVideoX",),
        "tokenizer": _TOKENIZERS,
        "scheduler": ("CogVideoXDDIMScheduler", "CogVideoXDPMScheduler"),
    },
    components=(
        Component(
            name="text_encoder",
            role="text_encoder",
            label=say("core", "Text encoder"),
            can=frozenset({Can.SPLIT}),
            fp8=True,
            fp8_skip=("norm", "wo"),  # T5's last layer of a block reads the format of its own weights
        ),
        Component(
            name="transformer",
            role="denoiser",
            label=say("core", "Denoiser"),
            can=frozenset({Can.BLOCKS, Can.LEAF_DISK, Can.SPLIT}),
            fp8=True,
        ),
        Component(
            name="vae",
            role="vae",
            label=say("core", "Video decoder"),
            can=frozenset({Can.LEAF_DISK, Can.SLICE, Can.SPLIT, Can.TILE}),
        ),
        Component(name="tokenizer", role="tokenizer", label=say("core", "Tokenizer"), weights=False),
        Component(name="scheduler", role="scheduler", label=say("core", "Scheduler"), weights=False),
    ),
    lora_keys=(
        LoraKeys(
            component="transformer",
            prefix="transformer.",
            layers=r"transformer_blocks\.\d+\..+|proj_out|patch_embed\.(?:text_)?proj",
            alphas=False,
        ),
    ),
    lora_marks=(LoraMark(name="CogVideoX", layer=r"^transformer\.transformer_blocks\.\d+\.attn1\."),),
    limits=_limits,
    build=_build,
    tokens=_tokens,
    encode=_encode,
    denoise=_denoise,
    decode=_decode,
    # no latent_rgb: the map that circulates was drawn at random, not fitted to pictures
)

"""Flux.1: dev, schnell, Fill and Kontext, from text or from a given picture.

The call is split into encode, denoise and decode, and gives the same bits as the pipeline called whole. Latents leave
``denoise`` unpacked, as the autoencoder reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.family import (
    Can,
    Component,
    Family,
    HeaderSignature,
    LoraKeys,
    LoraMark,
    Media,
    StepReport,
)
from app.core.plan import Plan
from app.core.request import GenerationRequest, Limits, Task
from app.core.text import say
from app.families._given import fitted, fitted_mask, usable_strength
from app.families._steps import CleanGuess, step_number
from app.families._vae import device_of, factor_of, number, to_pixels
from app.families._words import read_until

_CLIP_TOKENIZERS = ("CLIPTokenizer", "CLIPTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend")
_T5_TOKENIZERS = ("T5TokenizerFast", "T5Tokenizer", "PreTrainedTokenizerFast", "TokenizersBackend")
_WORDS_GUIDED, _WORDS_DISTILLED = 512, 256
"""Tokens of the long text encoder: what dev and its kin are trained with, and schnell."""
_LARGEST = (
    4096  # places in the picture are counted in bfloat16, which is exact to 256, and one is 16 pixels wide
)
_EDITS = "FluxKontextPipeline"
_INNER, _FIRST, _SECOND = "model.diffusion_model.", "text_encoders.clip_l.", "text_encoders.t5xxl."
_OTHERS = ("distilled_guidance_layer.norms.0.scale", "single_stream_modulation.lin.weight")
"""Keys of models that share much with it and are none: Chroma, Flux 2."""

_LORA_OWN = r"(?:transformer_blocks|single_transformer_blocks)\.\d+\..+|x_embedder|context_embedder|proj_out"
_LORA_FIRST = (
    r"double_blocks_\d+_(?:img|txt)_(?:attn_(?:qkv|proj)|mlp_[02]|mod_lin)"
    r"|single_blocks_\d+_(?:linear[12]|modulation_lin)"
)
_LORA_WORDS = r"(?:text_model[_.])?encoder[_.]layers[_.]\d+[_.](?:self_attn|mlp)[_.]\w+"


def _limits(configs: Mapping[str, Mapping[str, Any]]) -> Limits:
    transformer, vae = configs.get("transformer", {}), configs.get("vae", {})
    guided = transformer.get("guidance_embeds") is True
    factor = 2 * factor_of(vae)  # four latents are one token
    side = max(factor, number(vae, "sample_size", 1024) // factor * factor)
    words = _WORDS_GUIDED if guided else _WORDS_DISTILLED
    edits = configs.get("model_index", {}).get("_class_name") == _EDITS
    steps, guidance = (28, 3.5) if guided else (4, 0.0)
    tasks: tuple[str, ...] = (Task.TEXT_TO_IMAGE, Task.IMAGE_TO_IMAGE, Task.INPAINT)
    if fills := _fills(transformer, vae):
        tasks, steps, guidance = (Task.INPAINT,), 50, 30.0
    elif edits:
        tasks, guidance = (Task.EDIT, Task.TEXT_TO_IMAGE), 2.5
    return Limits(
        factor=factor,
        smallest=min(64, side),
        largest=_LARGEST,
        width=side,
        height=side,
        steps=steps,
        guidance=guidance,
        guided=guided,
        negative=False,
        tokens=min(words, number(configs.get("tokenizer_2", {}), "model_max_length", words)),
        tasks=tasks,
        strength=1.0 if fills else 0.8,
        dtypes=("bfloat16", "float16", "float32"),
    )


def _fills(transformer: Mapping[str, Any], vae: Mapping[str, Any]) -> bool:
    """Whether the transformer also reads a masked picture and its mask beside the noise: four latents of it a token."""
    noise = 4 * number(vae, "latent_channels", 16)
    return number(transformer, "in_channels", noise) > noise


def _build(parts: Mapping[str, Any], task: str) -> Any:
    import diffusers

    fills = _fills(parts["transformer"].config, parts["vae"].config)
    kinds: Mapping[str, Any] = {
        Task.IMAGE_TO_IMAGE: diffusers.FluxImg2ImgPipeline,
        Task.INPAINT: diffusers.FluxFillPipeline if fills else diffusers.FluxInpaintPipeline,
        Task.EDIT: diffusers.FluxKontextPipeline,
    }
    kind = kinds.get(task, diffusers.FluxPipeline)
    pipe = kind(**{part.name: parts[part.name] for part in FAMILY.components})
    pipe.set_progress_bar_config(disable=True)
    return pipe


def _sequence_length(pipe: Any, plan: Plan) -> int:
    """How many tokens the long text encoder is given: the plan's number, or what the model was trained with."""
    own = _WORDS_GUIDED if pipe.transformer.config.guidance_embeds else _WORDS_DISTILLED
    return min(plan.sequence_length or own, _WORDS_GUIDED)


def _tokens(pipe: Any, prompt: str, plan: Plan) -> Sequence[str]:
    """What T5 leaves out. CLIP reads less, but only for one vector about the whole."""
    return prompt[read_until(pipe.tokenizer_2, prompt, _sequence_length(pipe, plan)) :].split()


def _encode(pipe: Any, request: GenerationRequest, plan: Plan, media: Media) -> Mapping[str, Any]:
    """As the pipeline encodes, but never in the type of T5's weights, which fp8 storage makes too coarse."""
    length = _sequence_length(pipe, plan)
    words = _read(pipe.tokenizer_2, pipe.text_encoder_2, request.prompt, length)[0]
    whole = _read(pipe.tokenizer, pipe.text_encoder, request.prompt, pipe.tokenizer.model_max_length)
    device = pipe._execution_device
    return {"prompt_embeds": words.to(device), "pooled_prompt_embeds": whole.pooler_output.to(device)}


def _read(tokenizer: Any, encoder: Any, prompt: str, length: int) -> Any:
    tokens = tokenizer(
        [prompt], padding="max_length", max_length=length, truncation=True, return_tensors="pt"
    )
    return encoder(tokens.input_ids.to(device_of(encoder)))


def _given(request: GenerationRequest, media: Media) -> dict[str, Any]:
    """What the task's pipeline takes beside words and size."""
    size = {"width": request.width, "height": request.height}
    strength = usable_strength(request.strength, request.steps)
    match request.task:
        case Task.IMAGE_TO_IMAGE:
            return {"image": fitted(media.image, **size), "strength": strength}
        case Task.INPAINT:
            mask = fitted_mask(media.mask, media.image, **size)
            return {"image": fitted(media.image, **size), "mask_image": mask, "strength": strength}
        case Task.EDIT:
            # the given picture is brought to the trained size nearest to its shape by the pipeline; the result has the
            # request's size, which without ``max_area`` would be scaled to a megapixel
            return {"image": media.image, "max_area": request.width * request.height}
    return {}


def _denoise(
    pipe: Any,
    request: GenerationRequest,
    picture: int,
    embeds: Mapping[str, Any],
    media: Media,
    report: StepReport,
) -> Any:
    import torch

    preview = CleanGuess()

    def unpacked(tokens: Any) -> Any:
        return _unpacked(tokens, request.width // (2 * pipe.vae_scale_factor))

    def on_step(pipeline: Any, index: int, _timestep: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        shown = preview(pipeline.scheduler, unpacked(tensors["latents"]))
        report(step_number(request, pipeline, index), shown)
        return tensors

    tokens = pipe(
        **embeds,
        **_given(request, media),
        width=request.width,
        height=request.height,
        num_inference_steps=request.steps,
        guidance_scale=request.guidance,
        generator=torch.Generator("cpu").manual_seed(request.seed_of(picture)),
        output_type="latent",
        callback_on_step_end=on_step,
    ).images
    return unpacked(tokens)


def _unpacked(tokens: Any, columns: int) -> Any:
    """Latents (1, C, h, w) from tokens of two by two of them each, ``columns`` of which make a row."""
    channels = tokens.shape[2] // 4
    squares = tokens.reshape(1, -1, columns, channels, 2, 2).permute(0, 3, 1, 4, 2, 5)
    return squares.reshape(1, channels, -1, 2 * columns)


def _decode(pipe: Any, request: GenerationRequest, latents: Any) -> Any:
    config = pipe.vae.config
    shown = to_pixels(pipe, latents / config.scaling_factor + config.shift_factor)
    pipe.maybe_free_model_hooks()
    return shown


def _signature(config: str, *, guidance: bool = True, channels: int | None = None) -> HeaderSignature:
    """A checkpoint with all parts, as bundles for other programs have it."""
    mark, first = f"{_INNER}guidance_in.in_layer.weight", f"{_INNER}img_in.weight"
    return HeaderSignature(
        all_of=(f"{_INNER}double_blocks.0.img_attn.norm.key_norm.scale", first, *((mark,) if guidance else ())),
        none_of=(*(_INNER + key for key in _OTHERS), *(() if guidance else (mark,))),
        shapes={first: (None, channels)}, config=config,
        prefixes={"transformer": _INNER, "vae": "vae.", "text_encoder": _FIRST, "text_encoder_2": _SECOND},
    )  # fmt: skip


def _transformer_only(*keys: str) -> HeaderSignature:
    """The transformer's weights alone: known, so that what it lacks can be named."""
    return HeaderSignature(
        all_of=keys, none_of=_OTHERS,
        prefixes={"transformer": "", "vae": "vae.", "text_encoder": _FIRST, "text_encoder_2": _SECOND},
    )  # fmt: skip


FAMILY = Family(
    id="flux",
    name="Flux.1",
    pipelines=("FluxPipeline", "FluxImg2ImgPipeline", "FluxInpaintPipeline", "FluxFillPipeline", _EDITS),
    classes={
        "transformer": ("FluxTransformer2DModel",),
        "vae": ("AutoencoderKL",),
        "text_encoder": ("CLIPTextModel",),
        "text_encoder_2": ("T5EncoderModel",),
        "tokenizer": _CLIP_TOKENIZERS,
        "tokenizer_2": _T5_TOKENIZERS,
        "scheduler": ("FlowMatchEulerDiscreteScheduler",),
    },
    components=(
        # CLIP's text model reads the type of its own weights and fails with fp8 storage
        Component(
            name="text_encoder", role="text_encoder", label=say("core", "First text encoder"),
            can=frozenset({Can.LEAF_DISK, Can.SPLIT}),
        ),
        # T5 reads the type of its layers "wo"; its words stand in two places that share their weights
        Component(
            name="text_encoder_2", role="text_encoder", label=say("core", "Second text encoder"),
            can=frozenset({Can.SPLIT}), fp8=True, fp8_skip=("norm", "wo"),
        ),
        Component(
            name="transformer", role="denoiser", label=say("core", "Denoiser"), fp8=True,
            can=frozenset({Can.ATTENTION, Can.BLOCKS, Can.COMPILE, Can.GGUF, Can.LEAF_DISK, Can.SPLIT}),
        ),
        # small, and its colours would suffer from fp8
        Component(
            name="vae", role="vae", label=say("core", "Picture decoder"),
            can=frozenset({Can.BLOCKS, Can.CONV2D, Can.LEAF_DISK, Can.SLICE, Can.SPLIT, Can.TILE}),
        ),
        Component(name="tokenizer", role="tokenizer", label=say("core", "First tokenizer"), weights=False),
        Component(name="tokenizer_2", role="tokenizer", label=say("core", "Second tokenizer"), weights=False),
        Component(name="scheduler", role="scheduler", label=say("core", "Scheduler"), weights=False),
    ),
    signatures=(
        _signature("catalogue/flux-fill", channels=384),
        _signature("catalogue/flux-dev", channels=64),
        _signature("catalogue/flux-schnell", channels=64, guidance=False),
        _transformer_only("double_blocks.0.img_attn.norm.key_norm.scale", "img_in.weight"),
        _transformer_only("transformer_blocks.0.attn.add_k_proj.weight", "single_transformer_blocks.0.proj_mlp.weight"),
    ),
    single_file_config="catalogue/flux-dev",
    lora_keys=(
        LoraKeys(component="transformer", prefix="transformer.", layers=_LORA_OWN),
        LoraKeys(component="text_encoder", prefix="text_encoder.", layers=_LORA_WORDS, alphas=False),
        LoraKeys(component="transformer", prefix="lora_unet_", layers=_LORA_FIRST, flat=True, foreign=True),
        LoraKeys(component="text_encoder", prefix="lora_te1_", layers=_LORA_WORDS, flat=True),
    ),
    lora_marks=(
        LoraMark(name="Flux.1", layer=r"single_transformer_blocks\.\d+\.|^lora_unet_(?:double|single)_blocks_"),
        LoraMark(name="Flux.1", layer=r"(?:^|\.)(?:double|single)_blocks\.\d+\."),
    ),
    limits=_limits,
    build=_build,
    tokens=_tokens,
    encode=_encode,
    denoise=_denoise,
    decode=_decode,
    # a least-squares fit of the autoencoder's latents to the colours of their pixels
    latent_rgb=(
        (-0.0346, 0.0244, 0.0681), (0.0034, 0.0210, 0.0687), (0.0275, -0.0668, -0.0433), (-0.0174, 0.0160, 0.0617),
        (0.0859, 0.0721, 0.0329), (0.0004, 0.0383, 0.0115), (0.0405, 0.0861, 0.0915), (-0.0236, -0.0185, -0.0259),
        (-0.0245, 0.0250, 0.1180), (0.1008, 0.0755, -0.0421), (-0.0515, 0.0201, 0.0011), (0.0428, -0.0012, -0.0036),
        (0.0817, 0.0765, 0.0749), (-0.1264, -0.0522, -0.1103), (-0.0280, -0.0881, -0.0499), (-0.1262, -0.0982, -0.0778),
        (-0.0329, -0.0718, -0.0851),
    ),
)  # fmt: skip

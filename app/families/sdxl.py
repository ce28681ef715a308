"""Stable Diffusion XL and what shares its architecture: two CLIP text encoders, a UNet, a KL autoencoder.

The call is split into encode, denoise and decode, and gives the same bits as the pipeline called whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from app.families._vae import factor_of, number, to_pixels
from app.families._words import read_until

_TOKENIZERS = ("CLIPTokenizer", "CLIPTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend")
_SCHEDULERS = (
    "EulerDiscreteScheduler", "EulerAncestralDiscreteScheduler", "DDIMScheduler", "DDPMScheduler", "PNDMScheduler",
    "LCMScheduler", "TCDScheduler", "UniPCMultistepScheduler", "DPMSolverMultistepScheduler",
    "DPMSolverSinglestepScheduler", "HeunDiscreteScheduler", "KDPM2DiscreteScheduler", "EDMEulerScheduler",
    "EDMDPMSolverMultistepScheduler",
)  # fmt: skip
_ENCODER = frozenset({Can.LEAF_DISK, Can.SPLIT})
_DENOISER = frozenset({Can.BLOCKS, Can.COMPILE, Can.CONV2D, Can.LEAF_DISK, Can.SPLIT})
_DECODER = frozenset({Can.BLOCKS, Can.CONV2D, Can.LEAF_DISK, Can.SLICE, Can.SPLIT, Can.TILE})
_FIRST, _SECOND = "conditioner.embedders.0.transformer.", "conditioner.embedders.1.model."
_UNET, _VAE = "model.diffusion_model.", "first_stage_model."
_SHAPED = (f"{_UNET}input_blocks.0.0.weight", f"{_UNET}label_emb.0.0.weight")
_REFINER_WORDS = "conditioner.embedders.0.model.ln_final.weight"
_REFINES = "requires_aesthetics_score"
"""What ``model_index.json`` says of the refiner."""
_CROSS = r"attn2[_.]"
_LORA_UNET = r"(?:down_blocks|mid_block|up_blocks)[_.].*(?:transformer_blocks[_.].+|proj_in|proj_out)"
_LORA_FIRST = (
    r"(?:input_blocks_\d+_1|middle_block_1|output_blocks_\d+_1)_(?:transformer_blocks_.+|proj_in|proj_out)"
)
"""Layers' names in the first publication, which most training programs write."""
_LORA_WORDS = r"(?:text_model[_.])?encoder[_.]layers[_.]\d+[_.](?:self_attn|mlp)[_.]\w+"
_INPAINT_CHANNELS = 9
"""Input channels of a UNet that also sees a mask and the picture without what the mask covers."""


def _limits(configs: Mapping[str, Mapping[str, Any]]) -> Limits:
    unet, index = configs.get("unet", {}), configs.get("model_index", {})
    factor = factor_of(configs.get("vae", {}))
    side = number(unet, "sample_size", 128) * factor
    readers = [configs.get(name, {}) for name in ("tokenizer", "tokenizer_2")]
    limits = Limits(
        factor=factor,
        smallest=min(64, side),
        width=side,
        height=side,
        tokens=min(number(config, "model_max_length", 77) for config in readers),
        tasks=(Task.TEXT_TO_IMAGE, Task.IMAGE_TO_IMAGE, Task.INPAINT),
    )
    if number(unet, "in_channels", 4) == _INPAINT_CHANNELS:
        # made to fill holes: it sees what surrounds them, so the hole itself is drawn from nothing
        return replace(limits, tasks=(Task.INPAINT,), strength=1.0)
    if index.get(_REFINES) is True:
        # the refiner: it finishes pictures, and was never shown the noisier half of the steps
        return replace(limits, tasks=(Task.IMAGE_TO_IMAGE, Task.INPAINT), strength=0.3)
    return limits


def _build(parts: Mapping[str, Any], task: str) -> Any:
    from diffusers import (
        StableDiffusionXLImg2ImgPipeline,
        StableDiffusionXLInpaintPipeline,
        StableDiffusionXLPipeline,
    )

    kinds: Mapping[str, Any] = {
        Task.IMAGE_TO_IMAGE: StableDiffusionXLImg2ImgPipeline,
        Task.INPAINT: StableDiffusionXLInpaintPipeline,
    }
    kind = kinds.get(task, StableDiffusionXLPipeline)
    options: dict[str, Any] = {
        "force_zeros_for_empty_prompt": bool(parts.get("force_zeros_for_empty_prompt", True))
    }
    if task in kinds:
        options[_REFINES] = bool(parts.get(_REFINES, False))
    components = {part.name: parts.get(part.name) for part in FAMILY.components}
    pipe = kind(**components, **options, add_watermarker=False)
    pipe.set_progress_bar_config(disable=True)
    return pipe


def _tokens(pipe: Any, prompt: str, plan: Plan) -> Sequence[str]:
    readers = [reader for reader in (pipe.tokenizer, pipe.tokenizer_2) if reader is not None]
    return prompt[min(read_until(reader, prompt, reader.model_max_length) for reader in readers) :].split()


def _guided(pipe: Any, request: GenerationRequest) -> bool:
    """Whether the pipeline will run the denoiser twice a step: its own rule."""
    return request.guidance > 1 and pipe.unet.config.time_cond_proj_dim is None


def _encode(pipe: Any, request: GenerationRequest, plan: Plan, media: Media) -> Mapping[str, Any]:
    names = (
        "prompt_embeds",
        "negative_prompt_embeds",
        "pooled_prompt_embeds",
        "negative_pooled_prompt_embeds",
    )
    found = pipe.encode_prompt(
        prompt=request.prompt,
        negative_prompt=request.negative or None,
        do_classifier_free_guidance=_guided(pipe, request),
    )
    return dict(zip(names, found, strict=True))


def _given(request: GenerationRequest, media: Media) -> dict[str, Any]:
    """What the task's pipeline takes beside the words: a size, or a picture of that size."""
    size = {"width": request.width, "height": request.height}
    if request.task == Task.TEXT_TO_IMAGE:
        return size
    image = fitted(media.image, **size)
    strength = usable_strength(request.strength, request.steps)
    if request.task == Task.IMAGE_TO_IMAGE:
        return {"image": image, "strength": strength}
    return {
        **size,
        "image": image,
        "strength": strength,
        "mask_image": fitted_mask(media.mask, media.image, **size),
    }


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

    def on_step(pipeline: Any, index: int, _timestep: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        report(step_number(request, pipeline, index), preview(pipeline.scheduler, tensors["latents"]))
        return tensors

    return pipe(
        **embeds,
        **_given(request, media),
        num_inference_steps=request.steps,
        guidance_scale=request.guidance,
        generator=torch.Generator("cpu").manual_seed(request.seed_of(picture)),
        output_type="latent",
        callback_on_step_end=on_step,
    ).images


def _decode(pipe: Any, request: GenerationRequest, latents: Any) -> Any:
    """As the pipeline decodes: its VAE overflows in float16, so one that says so is run in float32."""
    import torch

    vae = pipe.vae
    upcast = vae.dtype == torch.float16 and vae.config.force_upcast
    try:
        if upcast:
            vae.to(dtype=torch.float32)
            latents = latents.to(torch.float32)
        shown = to_pixels(pipe, _unscaled(vae, latents))
    finally:
        if upcast:
            vae.to(dtype=torch.float16)
    pipe.maybe_free_model_hooks()
    return shown


def _unscaled(vae: Any, latents: Any) -> Any:
    import torch

    mean, std = getattr(vae.config, "latents_mean", None), getattr(vae.config, "latents_std", None)
    if mean is None or std is None:
        return latents / vae.config.scaling_factor
    shape = (1, len(mean), 1, 1)
    mean, std = (torch.tensor(row).view(shape).to(latents.device, latents.dtype) for row in (mean, std))
    return latents * std / vae.config.scaling_factor + mean


def _signature(channels: int, config: str = "") -> HeaderSignature:
    """A checkpoint whose UNet reads this many channels, with both text encoders."""
    return HeaderSignature(
        all_of=_SHAPED, none_of=(_REFINER_WORDS,), shapes={_SHAPED[0]: (None, channels, 3, 3)}, config=config,
        prefixes={"unet": _UNET, "vae": _VAE, "text_encoder": _FIRST, "text_encoder_2": _SECOND},
    )  # fmt: skip


FAMILY = Family(
    id="sdxl",
    name="Stable Diffusion XL",
    pipelines=(
        "StableDiffusionXLPipeline",
        "StableDiffusionXLImg2ImgPipeline",
        "StableDiffusionXLInpaintPipeline",
    ),
    classes={
        "unet": ("UNet2DConditionModel",),
        "vae": ("AutoencoderKL",),
        "text_encoder": ("CLIPTextModel",),
        "text_encoder_2": ("CLIPTextModelWithProjection",),
        "tokenizer": _TOKENIZERS,
        "tokenizer_2": _TOKENIZERS,
        "scheduler": _SCHEDULERS,
    },
    components=(
        # the refiner has neither the first text encoder nor its tokenizer
        Component(
            name="text_encoder",
            role="text_encoder",
            label=say("core", "First text encoder"),
            can=_ENCODER,
            absent_if=_REFINES,
        ),
        Component(
            name="text_encoder_2", role="text_encoder", label=say("core", "Second text encoder"), can=_ENCODER
        ),
        # CLIP's text model reads the type of its own weights and fails with fp8 storage; the VAE is small,
        # and its colours would suffer: only the UNet has it
        Component(name="unet", role="denoiser", label=say("core", "Denoiser"), fp8=True, can=_DENOISER),
        Component(name="vae", role="vae", label=say("core", "Picture decoder"), can=_DECODER),
        Component(
            name="tokenizer",
            role="tokenizer",
            label=say("core", "First tokenizer"),
            weights=False,
            absent_if=_REFINES,
        ),
        Component(name="tokenizer_2", role="tokenizer", label=say("core", "Second tokenizer"), weights=False),
        Component(name="scheduler", role="scheduler", label=say("core", "Scheduler"), weights=False),
    ),
    signatures=(
        _signature(channels=4),
        _signature(channels=_INPAINT_CHANNELS, config="catalogue/sdxl-inpaint"),
        HeaderSignature(
            all_of=(*_SHAPED, _REFINER_WORDS),
            shapes={_SHAPED[0]: (None, 4, 3, 3)},
            config="catalogue/sdxl-refiner",
            prefixes={"unet": _UNET, "vae": _VAE, "text_encoder_2": "conditioner.embedders.0.model."},
        ),
    ),
    single_file_config="catalogue/sdxl-base",
    lora_keys=(
        LoraKeys(component="unet", prefix="unet.", layers=_LORA_UNET, alphas=False),
        LoraKeys(component="text_encoder", prefix="text_encoder.", layers=_LORA_WORDS, alphas=False),
        LoraKeys(component="text_encoder_2", prefix="text_encoder_2.", layers=_LORA_WORDS, alphas=False),
        LoraKeys(component="unet", prefix="lora_unet_", layers=_LORA_UNET, flat=True),
        LoraKeys(component="unet", prefix="lora_unet_", layers=_LORA_FIRST, flat=True, foreign=True),
        LoraKeys(component="text_encoder", prefix="lora_te1_", layers=_LORA_WORDS, flat=True),
        LoraKeys(component="text_encoder_2", prefix="lora_te2_", layers=_LORA_WORDS, flat=True),
    ),
    lora_marks=(
        LoraMark(name="Stable Diffusion XL", layer=rf"{_CROSS}to_[kv]$", width=2048),
        LoraMark(name="Stable Diffusion XL (refiner)", layer=rf"{_CROSS}to_[kv]$", width=1280),
        LoraMark(name="Stable Diffusion 2", layer=rf"{_CROSS}to_[kv]$", width=1024),
        LoraMark(name="Stable Diffusion 1", layer=rf"{_CROSS}to_[kv]$", width=768),
        LoraMark(name="Stable Diffusion 1 or 2", layer=r"^(?:lora_unet_|unet\.).+attn\d[_.]to_", width=320),
        LoraMark(name="Stable Diffusion XL", layer=r"^lora_te2_"),
        LoraMark(
            name="Stable Diffusion", layer=r"^(?:lora_unet_|unet\.)(?:down|up|mid|input|output|middle)_block"
        ),
    ),
    limits=_limits,
    build=_build,
    tokens=_tokens,
    encode=_encode,
    denoise=_denoise,
    decode=_decode,
    latent_rgb=(
        (0.3651, 0.4232, 0.4341),
        (-0.2533, -0.0042, 0.1068),
        (0.1076, 0.1111, -0.0362),
        (-0.3165, -0.2492, -0.2188),
        (0.1084, -0.0175, -0.0011),
    ),
)

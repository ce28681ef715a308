"""Stable Diffusion XL and what shares its architecture: two CLIP text encoders, a UNet, a KL autoencoder.

The call is split into encode, denoise and decode, and gives the same bits as the pipeline called whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.family import Can, Component, Family, HeaderSignature, Media, StepReport
from app.core.plan import Plan
from app.core.request import GenerationRequest, Limits
from app.core.text import say

_TOKENIZERS = ("CLIPTokenizer", "CLIPTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend")
_SCHEDULERS = (
    "EulerDiscreteScheduler", "EulerAncestralDiscreteScheduler", "DDIMScheduler", "DDPMScheduler", "PNDMScheduler",
    "LCMScheduler", "TCDScheduler", "UniPCMultistepScheduler", "DPMSolverMultistepScheduler",
    "DPMSolverSinglestepScheduler", "HeunDiscreteScheduler", "KDPM2DiscreteScheduler", "EDMEulerScheduler",
    "EDMDPMSolverMultistepScheduler",
)  # fmt: skip
_ENCODER = frozenset({Can.LEAF_DISK})
_DENOISER = frozenset({Can.ATTENTION, Can.BLOCKS, Can.COMPILE, Can.CONV2D, Can.LEAF_DISK, Can.SPLIT})
_DECODER = frozenset({Can.BLOCKS, Can.CONV2D, Can.LEAF_DISK, Can.SLICE, Can.SPLIT, Can.TILE})
_FIRST, _SECOND = "conditioner.embedders.0.transformer.", "conditioner.embedders.1.model."
_UNET, _VAE = "model.diffusion_model.", "first_stage_model."


def _number(config: Mapping[str, Any], key: str, default: int) -> int:
    value = config.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default


def _limits(configs: Mapping[str, Mapping[str, Any]]) -> Limits:
    channels = configs.get("vae", {}).get("block_out_channels")
    factor = 2 ** (len(channels) - 1) if isinstance(channels, list) and channels else 8
    side = _number(configs.get("unet", {}), "sample_size", 128) * factor
    tokenizers = [configs.get(name, {}) for name in ("tokenizer", "tokenizer_2")]
    return Limits(
        factor=factor,
        smallest=min(64, side),
        width=side,
        height=side,
        tokens=min(_number(config, "model_max_length", 77) for config in tokenizers),
    )


def _build(parts: Mapping[str, Any], task: str) -> Any:
    from diffusers import StableDiffusionXLPipeline

    known = ("vae", "text_encoder", "text_encoder_2", "tokenizer", "tokenizer_2", "unet", "scheduler")
    zeros = bool(parts.get("force_zeros_for_empty_prompt", True))
    pipe = StableDiffusionXLPipeline(
        **{name: parts[name] for name in known}, force_zeros_for_empty_prompt=zeros, add_watermarker=False
    )
    pipe.set_progress_bar_config(disable=True)
    return pipe


def _tokens(pipe: Any, prompt: str, plan: Plan) -> Sequence[str]:
    cuts = [_cut(tokenizer, prompt) for tokenizer in (pipe.tokenizer, pipe.tokenizer_2)]
    return prompt[min(cuts) :].split()


def _cut(tokenizer: Any, prompt: str) -> int:
    """Where the first word begins that is not wholly read; the prompt's length when all are."""
    limit = tokenizer.model_max_length
    read = tokenizer(prompt, return_offsets_mapping=True, verbose=False)
    if len(read["input_ids"]) <= limit:
        return len(prompt)
    first_lost = read["offset_mapping"][limit - 1][0]  # the last place is the end mark's
    while first_lost > 0 and not prompt[first_lost - 1].isspace():
        first_lost -= 1
    return first_lost


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


def _denoise(
    pipe: Any,
    request: GenerationRequest,
    picture: int,
    embeds: Mapping[str, Any],
    media: Media,
    report: StepReport,
) -> Any:
    import torch

    preview = _CleanGuess()

    def on_step(pipeline: Any, index: int, _timestep: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        # a scheduler of the second order is called twice a step
        step = min(request.steps, round((index + 1) * request.steps / pipeline.num_timesteps))
        report(step, preview(pipeline.scheduler, tensors["latents"]))
        return tensors

    return pipe(
        **embeds,
        width=request.width,
        height=request.height,
        num_inference_steps=request.steps,
        guidance_scale=request.guidance,
        generator=torch.Generator("cpu").manual_seed(request.seed_of(picture)),
        output_type="latent",
        callback_on_step_end=on_step,
    ).images


class _CleanGuess:
    """What the finished latents will roughly be, for previews: the line through two steps, followed to no noise.

    Holds for schedulers that work in sigmas without scaling the signal (Euler); others' latents are shown as they are.
    """

    def __init__(self) -> None:
        self._before: tuple[Any, float] | None = None

    def __call__(self, scheduler: Any, latents: Any) -> Any:
        sigma = _sigma(scheduler)
        if sigma is None:
            return latents
        before, self._before = self._before, (latents, sigma)
        if before is None or before[1] <= sigma:
            return latents / (sigma**2 + 1) ** 0.5
        return latents + (latents - before[0]) * (sigma / (before[1] - sigma))


def _sigma(scheduler: Any) -> float | None:
    """How much noise is left after the step just done, where that is how the scheduler counts."""
    sigmas, index = getattr(scheduler, "sigmas", None), getattr(scheduler, "step_index", None)
    if sigmas is None or index is None or index >= len(sigmas) or float(scheduler.init_noise_sigma) <= 1.5:
        return None
    return float(sigmas[index])


def _decode(pipe: Any, request: GenerationRequest, latents: Any) -> Any:
    """As the pipeline decodes: its VAE overflows in float16, so one that says so is run in float32."""
    import torch

    vae = pipe.vae
    upcast = vae.dtype == torch.float16 and vae.config.force_upcast
    try:
        if upcast:
            vae.to(dtype=torch.float32)
            latents = latents.to(torch.float32)
        picture = vae.decode(_unscaled(vae, latents).to(_device_of(vae)), return_dict=False)[0]
    finally:
        if upcast:
            vae.to(dtype=torch.float16)
    shown = pipe.image_processor.postprocess(picture.detach(), output_type="np")[0]
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


def _device_of(module: Any) -> Any:
    from diffusers.utils.torch_utils import get_module_execution_device

    return get_module_execution_device(module)


FAMILY = Family(
    id="sdxl",
    name="Stable Diffusion XL",
    pipelines=("StableDiffusionXLPipeline",),
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
        Component(
            name="text_encoder", role="text_encoder", label=say("core", "First text encoder"), can=_ENCODER
        ),
        Component(
            name="text_encoder_2", role="text_encoder", label=say("core", "Second text encoder"), can=_ENCODER
        ),
        # CLIP's text model reads the type of its own weights and fails with fp8 storage, so only the UNet has it
        Component(name="unet", role="denoiser", label=say("core", "Denoiser"), fp8=True, can=_DENOISER),
        Component(name="vae", role="vae", label=say("core", "Picture decoder"), can=_DECODER),
        Component(name="tokenizer", role="tokenizer", label=say("core", "First tokenizer"), weights=False),
        Component(name="tokenizer_2", role="tokenizer", label=say("core", "Second tokenizer"), weights=False),
        Component(name="scheduler", role="scheduler", label=say("core", "Scheduler"), weights=False),
    ),
    signatures=(
        HeaderSignature(
            all_of=(f"{_UNET}input_blocks.0.0.weight", f"{_UNET}label_emb.0.0.weight"),
            # the input blocks of inpainting (9 channels) and editing (8) models
            shapes={f"{_UNET}input_blocks.0.0.weight": (None, 4, 3, 3)},
            prefixes={"unet": _UNET, "vae": _VAE, "text_encoder": _FIRST, "text_encoder_2": _SECOND},
        ),
    ),
    single_file_config="catalogue/sdxl-base",
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

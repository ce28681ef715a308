"""What families of clips share: the pipeline's call with its previews, and the last stretch to frames. Names none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.core.family import StepReport
from app.core.request import GenerationRequest
from app.families._steps import CleanGuess, step_number


def clip_latents(
    pipe: Any,
    request: GenerationRequest,
    picture: int,
    arguments: Mapping[str, Any],
    report: StepReport,
    frame_axis: int,
) -> Any:
    """The latents that the pipeline makes of ``arguments`` and of what every clip is asked for; ``frame_axis`` is
    where its latents (of 5 axes) have their frames."""
    import torch

    preview = CleanGuess()

    def on_step(pipeline: Any, index: int, _timestep: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        latents = tensors["latents"]
        middle = latents.select(frame_axis, latents.shape[frame_axis] // 2)
        report(step_number(request, pipeline, index), preview(pipeline.scheduler, middle))
        return tensors

    return pipe(
        **arguments,
        width=request.width,
        height=request.height,
        num_inference_steps=request.steps,
        guidance_scale=request.guidance,
        generator=torch.Generator("cpu").manual_seed(request.seed_of(picture)),
        output_type="latent",
        callback_on_step_end=on_step,
    ).frames


def execution_device(module: Any) -> Any:
    """Where a component works, also when its weights wait elsewhere."""
    from diffusers.utils.torch_utils import get_module_execution_device

    return get_module_execution_device(module)


def to_frames(pipe: Any, clip: Any) -> Any:
    """A decoded clip (1, 3, frames, height, width) as a float32 array (frames, height, width, 3) in 0 … 1."""
    return pipe.video_processor.postprocess_video(clip.detach(), output_type="np")[0]

"""Steps of a pipeline's denoising: which one is done, and what its latents will become."""

from __future__ import annotations

import math
from typing import Any

from app.core.request import GenerationRequest


def step_number(request: GenerationRequest, pipe: Any, index: int) -> int:
    """Which of the request's steps is done after the denoiser's run ``index``; the last one is always the last.

    A scheduler of the second order runs the denoiser twice a step; a strength below 1 leaves out the first steps.
    """
    order = getattr(pipe.scheduler, "order", 1)
    run = min(request.steps, math.ceil(pipe.num_timesteps / order))
    done = min(run, round((index + 1) * run / pipe.num_timesteps))
    return max(1, request.steps - run + done)


class CleanGuess:
    """What the finished latents will roughly be, for previews: the line through two steps, followed to no noise.

    Holds for schedulers that work in sigmas without scaling the signal, and for those of flow models; others' latents
    are shown as they are.
    """

    def __init__(self) -> None:
        self._before: tuple[Any, float] | None = None

    def __call__(self, scheduler: Any, latents: Any) -> Any:
        """The guess after a step, of the same shape as its latents."""
        sigma = _sigma(scheduler)
        if sigma is None:
            return latents
        before, self._before = self._before, (latents, sigma)
        if before is None or before[1] <= sigma:
            return latents if _is_flow(scheduler) else latents / (sigma**2 + 1) ** 0.5
        return latents + (latents - before[0]) * (sigma / (before[1] - sigma))


def _is_flow(scheduler: Any) -> bool:
    """Whether noise and picture are mixed in shares that add up to 1."""
    return not hasattr(scheduler, "init_noise_sigma") or bool(scheduler.config.get("use_flow_sigmas"))


def _sigma(scheduler: Any) -> float | None:
    """How much noise is left after the step just done, where that is how the scheduler counts."""
    sigmas, index = getattr(scheduler, "sigmas", None), getattr(scheduler, "step_index", None)
    if sigmas is None or index is None or index >= len(sigmas):
        return None
    if not _is_flow(scheduler) and float(scheduler.init_noise_sigma) <= 1.5:
        return None
    return float(sigmas[index])

"""Jobs for the behaving engines."""

from __future__ import annotations

from pathlib import Path

from app.core.messages import Run
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec


def make_run(job: str, prompt: str) -> Run:
    """A Run whose prompt is the engine's behaviour."""
    request = GenerationRequest(
        model="m", prompt=prompt, width=64, height=64, steps=2, guidance=1.0, seed=2**64 - 1
    )
    return Run(job, request, Plan(family="test", device="cpu", dtype=Dtype.FLOAT32), OutputSpec(Path("out")))

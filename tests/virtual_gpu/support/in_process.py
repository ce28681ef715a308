"""A tiny pipeline under a plan of the program in this process: what the engine's placement makes of it, nothing else.

Pipelines are built in memory, so that each test starts in a moment. Reads no files and keeps nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import tiny_models
import torch
from numpy.typing import NDArray

from app.core.family import Family, Media
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, Task
from app.engine.placement import models_of, placed
from app.engine.scratch import Scratch
from app.families import all_families

FAMILIES = all_families()
CARD, OTHER = torch.device("vgpu", 0), torch.device("vgpu", 1)
CLIPS = ("cogvideox", "wan")
WORDS = 16
"""Tokens of the long text encoders."""


def family_of(kind: str) -> Family:
    """The program's family that runs a kind of tiny pipeline."""
    return FAMILIES[kind]


def plan_for(kind: str, device: str = "vgpu:0", **changes: Any) -> Plan:
    """Everything on the first card in float32, but for ``changes``."""
    usual: dict[str, Any] = {"dtype": Dtype.FLOAT32, "sequence_length": WORDS}
    return Plan(family=kind, device=device, **{**usual, **changes})


def request_for(kind: str, **changes: Any) -> GenerationRequest:
    """Two steps of 64 pixels a side; a clip has five frames."""
    clip = kind in CLIPS
    usual: dict[str, Any] = {
        "model": "", "prompt": "a red cat", "width": 64, "height": 64, "steps": 2, "guidance": 3.0, "seed": 7,
        "frames": 5 if clip else 1, "task": Task.TEXT_TO_VIDEO if clip else Task.TEXT_TO_IMAGE,
    }  # fmt: skip
    return GenerationRequest(**{**usual, **changes})


def make(kind: str, pipe: Any, plan: Plan, media: Media | None = None, **changes: Any) -> NDArray[np.float32]:
    """What a placed pipeline makes, through the family's three parts as in a job."""
    family, request, given = family_of(kind), request_for(kind, **changes), media or Media()
    with torch.no_grad():
        embeds = family.encode(pipe, request, plan, given)
        latents = family.denoise(pipe, request, 0, embeds, given, lambda _step, _latents: None)
        return np.asarray(family.decode(pipe, request, latents))


@contextmanager
def under(kind: str, pipe: Any, plan: Plan, scratch: Path | None = None) -> Iterator[Any]:
    """The pipeline as the engine places it for this plan."""
    with placed(pipe, plan, family_of(kind), Scratch(scratch)):
        yield pipe


def run(
    kind: str,
    plan: Plan,
    scratch: Path | None = None,
    options: Mapping[str, Any] | None = None,
    **changes: Any,
) -> NDArray[np.float32]:
    """What a new tiny pipeline, built with ``options``, makes under a plan; nothing of it is left."""
    pipe = tiny_models.BUILDERS[kind](**(options or {}))
    with under(kind, pipe, plan, scratch):
        return make(kind, pipe, plan, **changes)


def weight_bytes(model: torch.nn.Module) -> int:
    """Bytes of a model's weights, tied ones once."""
    return sum(weight.nbytes for weight in model.parameters())


def hooks_of(model: torch.nn.Module) -> list[str]:
    """What the libraries have hung on a model, inside and out: accelerate's hooks and diffusers'."""
    found = []
    for module in model.modules():
        if hasattr(module, "_hf_hook"):
            found.append(type(module._hf_hook).__name__)
        registry = getattr(module, "_diffusers_hook", None)
        found += [] if registry is None else [name for name in registry.hooks if name != "layerwise_casting"]
    return found


def left_on(pipe: Any) -> list[str]:
    """The components of a pipeline that are not whole in plain host memory, or still have hooks."""
    return [
        name
        for name, model in models_of(pipe).items()
        if hooks_of(model) or {weight.device.type for weight in model.parameters()} != {"cpu"}
    ]


def group_kinds(model: torch.nn.Module) -> set[str]:
    """The kinds of group offloading that are in force in a model."""
    registries = [getattr(module, "_diffusers_hook", None) for module in model.modules()]
    hooks = [registry.get_hook("group_offloading") for registry in registries if registry is not None]
    return {hook.config.offload_type.value for hook in hooks if hook is not None}


@contextmanager
def nan_in_fresh_host_memory() -> Iterator[None]:
    """What is never written reads as NaN instead of what happened to lie there."""
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)

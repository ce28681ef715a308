"""Puts a pipeline where its plan says, and always takes it back: hooks off, weights on the host, VAE as it was.

Formats are not its business: weights come from the loader as they are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from app.core.errors import AppError, ErrorKind
from app.core.family import Family
from app.core.plan import OffloadMode, Plan
from app.core.text import Text, say
from app.engine import devices

PLACES = (
    "device", "dtype", "offload", "storage", "storage_components", "skip_modules", "skip_classes", "quantization",
    "quantized_components", "group", "spread", "device_map", "limits", "overrides", "vae_tiling", "vae_tile_size",
    "vae_tile_overlap", "vae_slicing", "vae_endpoint", "attention", "channels_last", "compile",
)  # fmt: skip
"""The fields of a plan that, when equal, leave a placed pipeline as it is."""


def places_of(plan: Plan) -> tuple[Any, ...]:
    """What two plans must have in common for one placement to serve both."""
    return tuple(getattr(plan, name) for name in PLACES)


@contextmanager
def placed(pipe: Any, plan: Plan, family: Family) -> Iterator[Any]:
    """The pipeline as the plan wants it, from components on the host; undone on the way out, whatever happened."""
    _refuse_impossible(plan, family)
    with ExitStack() as undo:
        if plan.channels_last:
            # undone after the hooks are off: under sequential offload the weights are not in the model till then
            undo.callback(_arrange, pipe, family, torch.contiguous_format)
            _arrange(pipe, family, torch.channels_last)
        undo.callback(_bring_home, pipe, plan.device)
        vae = getattr(pipe, "vae", None)
        if vae is not None:
            undo.enter_context(_decoder_options(vae, plan))
        _place(pipe, plan)
        yield pipe


def models_of(pipe: Any) -> dict[str, torch.nn.Module]:
    """The pipeline's networks by component name."""
    return {name: part for name, part in pipe.components.items() if isinstance(part, torch.nn.Module)}


def _refuse_impossible(plan: Plan, family: Family) -> None:
    """The planner makes no such plan; one that comes all the same must not be half obeyed."""
    no_use = say(
        "core", "Everything is in main memory already: there is no GPU memory to save on this device."
    )
    not_here = say("core", "This kind of model does not work with it.")
    if plan.device == "cpu" and plan.offload is not OffloadMode.NONE:
        raise _refused("offload", plan.offload.value, no_use)
    if plan.offload not in family.offloads:
        raise _refused("offload", plan.offload.value, not_here)
    if plan.attention != "default":
        raise _refused("attention", plan.attention, not_here)


def _refused(name: str, value: str, reason: Text) -> AppError:
    return AppError(ErrorKind.COMBINATION_REFUSED, name=name, value=value, reason=reason)


def _place(pipe: Any, plan: Plan) -> None:
    match plan.offload:
        case OffloadMode.NONE:
            for model in models_of(pipe).values():
                model.to(plan.device)
        case OffloadMode.MODEL:
            pipe.enable_model_cpu_offload(device=plan.device)
        case OffloadMode.SEQUENTIAL:
            # only ever from the host: after a move to the device it would keep what it should give back
            pipe.enable_sequential_cpu_offload(device=plan.device)


def _bring_home(pipe: Any, device: str) -> None:
    pipe.remove_all_hooks()
    for model in models_of(pipe).values():
        model.to("cpu")
    devices.give_back(device)


def _arrange(pipe: Any, family: Family, layout: torch.memory_format) -> None:
    """The order of numbers in memory that convolutions like; only in networks of 2-D convolutions."""
    for name, model in models_of(pipe).items():
        part = family.component(name)
        if part is not None and part.role in ("denoiser", "vae"):
            model.to(memory_format=layout)  # type: ignore[call-overload]


@contextmanager
def _decoder_options(vae: Any, plan: Plan) -> Iterator[None]:
    """Tiling and slicing with sizes that really tile; all of it put back afterwards."""
    names = ("use_tiling", "use_slicing", "tile_sample_min_size", "tile_latent_min_size")
    before = {name: getattr(vae, name) for name in names if hasattr(vae, name)}
    try:
        if plan.vae_slicing:
            vae.enable_slicing()
        if plan.vae_tiling:
            vae.enable_tiling()
            _set_tile(vae, plan.vae_tile_size)
        yield
    finally:
        for name, value in before.items():
            setattr(vae, name, value)


def _set_tile(vae: Any, size: int) -> None:
    """diffusers tiles only above the size that the VAE was trained at, so the size is always set."""
    factor = 2 ** (len(vae.config.block_out_channels) - 1)
    if size <= 0:
        return
    vae.tile_latent_min_size = max(1, size // factor)
    vae.tile_sample_min_size = vae.tile_latent_min_size * factor

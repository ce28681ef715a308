"""The offload modes on one pipeline's components, and how their hooks come off again. Decides nothing: plans do."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from accelerate.hooks import ModelHook, add_hook_to_module, remove_hook_from_module
from accelerate.utils import send_to_device
from diffusers.hooks import HookRegistry, apply_group_offloading

from app.core.family import Can, Family
from app.core.plan import OffloadMode, Placement, Plan
from app.engine import devices
from app.engine.scratch import written

_GROUP_HOOKS = ("lazy_prefetch_group_offloading", "layer_execution_tracker", "group_offloading")
FreshFolder = Callable[[str], Path]


class _OneAtATime(ModelHook):
    """Before a component runs all others leave its device.

    The library's own chain sends away only the one before: a VAE that encodes the first picture, or a component that is
    not in the chain, would lie beside the denoiser till the end.
    """

    def __init__(self, device: str, all_others: list[torch.nn.Module]) -> None:
        self.execution_device = torch.device(device)
        self._others = all_others

    def pre_forward(self, module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        here = self.execution_device
        leaving = [other for other in self._others if _is_on(other, here)]
        for other in leaving:
            other.to("cpu")
        if leaving:
            devices.give_back(str(here))
        module.to(here)
        return send_to_device(args, here), send_to_device(kwargs, here)


def _is_on(module: torch.nn.Module, device: torch.device) -> bool:
    first = next(module.parameters(), None)
    return first is not None and first.device == device


def by_component(pipe: Any, models: Mapping[str, torch.nn.Module], device: str) -> None:
    """Model offload: each of these runs alone on the device and goes back when the pipeline ends."""
    for model in models.values():
        model.to("cpu")
        hook = _OneAtATime(device, [other for other in models.values() if other is not model])
        add_hook_to_module(model, hook)

    def free(_pipe: Any) -> None:
        for model in models.values():
            model.to("cpu")
        devices.give_back(device)

    # the pipelines call it at their end; the library's own would put its chain back in place of these hooks
    pipe.maybe_free_model_hooks = types.MethodType(free, pipe)


def by_layer(pipe: Any, models: Mapping[str, torch.nn.Module], device: str) -> None:
    """Sequential offload, from the host: after a move to the device it would keep what it should give back."""
    pipe._exclude_from_cpu_offload = [name for name in pipe.components if name not in models]
    pipe.enable_sequential_cpu_offload(device=device)


def by_group(
    model: torch.nn.Module, place: Placement, plan: Plan, family: Family, fresh: FreshFolder
) -> None:
    """Group offload of one component, with a folder of its own where its groups wait on disk.

    Decoders are not streamed: the order of their layers is traced in ``forward``, which decoding never calls, and
    tiles of another size would follow another order.
    """
    part, group = family.component(place.component), plan.group
    stream = group.stream and part is not None and part.role != "vae"
    block = place.offload is OffloadMode.GROUP_BLOCK
    folder = fresh(place.component) if waits_on_disk(place, plan, family) else None
    with written(folder, sum(weight.nbytes for weight in model.parameters())):
        apply_group_offloading(
            model,
            onload_device=torch.device(place.device),
            offload_type="block_level" if block else "leaf_level",
            num_blocks_per_group=(1 if stream else group.blocks) if block else None,
            non_blocking=group.non_blocking,
            use_stream=stream,
            record_stream=group.record_stream and stream,
            low_cpu_mem_usage=group.low_cpu_mem,
            offload_to_disk_path=None if folder is None else str(folder),
        )


def waits_on_disk(place: Placement, plan: Plan, family: Family) -> bool:
    """Whether a component's groups wait in files.

    Not those with layers that share a weight: the second layer's file would be written when the weight is gone already.
    """
    part = family.component(place.component)
    if not plan.group.disk_folder or not place.offload.is_group or part is None:
        return False
    return place.offload is OffloadMode.GROUP_BLOCK or Can.LEAF_DISK in part.can


def take_off(model: torch.nn.Module) -> None:
    """No hook of any mode is left, and all weights are in plain host memory."""
    remove_hook_from_module(model, recurse=True)
    for module in model.modules():
        registry = getattr(module, "_diffusers_hook", None)
        if isinstance(registry, HookRegistry):
            for name in _GROUP_HOOKS:
                if registry.get_hook(name) is not None:
                    registry.remove_hook(name, recurse=False)
    model.to("cpu")
    for tensor in (*model.parameters(), *model.buffers()):
        if not tensor.is_meta and tensor.is_pinned():
            tensor.data = tensor.data.clone()  # pinned blocks are rounded up and cannot be swapped out

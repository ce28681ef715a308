"""One model over several devices: whole components, or one cut by a map. Every hook is accelerate's."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from accelerate import dispatch_model, infer_auto_device_map
from accelerate.hooks import ModelHook, add_hook_to_module
from accelerate.utils import send_to_device

from app.engine import devices
from app.engine.offloading import FreshFolder

_METHODS = ("encode", "decode", "tiled_encode", "tiled_decode")
ROOM = 0.75
"""Part of a device's limit, or of its free memory, that weights may take: the map itself leaves no room to work in."""


def put_whole(model: torch.nn.Module, device: str, main: str) -> None:
    """A whole component on a device. Away from the main one its results come to the main one."""
    model.to(device)
    if torch.device(device) == torch.device(main):
        return
    add_hook_to_module(model, _Away(device, main))
    for name in _METHODS:
        method = getattr(model, name, None)
        if method is not None:
            setattr(model, name, _there_and_back(method, torch.device(device), torch.device(main)))


def forget_methods(model: torch.nn.Module) -> None:
    """Undoes ``put_whole``'s wrapping of the methods that are not ``forward``."""
    for name in _METHODS:
        model.__dict__.pop(name, None)


class _Away(ModelHook):
    """Inputs to the component's device, results to the main one.

    Not back to where the inputs were, as accelerate's hook has it: some pipelines send a prompt's numbers to an
    encoder's device themselves and join what several encoders return.
    """

    def __init__(self, device: str, home: str) -> None:
        self.execution_device, self._home = torch.device(device), torch.device(home)

    def pre_forward(self, module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        return send_to_device(args, self.execution_device), send_to_device(kwargs, self.execution_device)

    def post_forward(self, module: torch.nn.Module, output: Any) -> Any:
        return send_to_device(output, self._home)


def _there_and_back(method: Any, device: torch.device, home: torch.device) -> Any:
    @functools.wraps(method)
    def moved(*args: Any, **kwargs: Any) -> Any:
        return _to(method(*_to(args, device), **_to(kwargs, device)), home)

    return moved


def _to(value: Any, device: torch.device) -> Any:
    """Tensors wherever they stand: in tuples, mappings, outputs and the distributions that encoders return."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, tuple | list):
        return type(value)(_to(item, device) for item in value)
    if isinstance(value, dict):
        moved = copy.copy(value)
        for key, item in value.items():
            moved[key] = _to(item, device)
        return moved
    if hasattr(value, "parameters") and isinstance(getattr(value, "mean", None), torch.Tensor):
        found = copy.copy(value)
        found.__dict__ = {key: _to(item, device) for key, item in value.__dict__.items()}
        return found
    return value


def cut(model: torch.nn.Module, places: Mapping[str, str], main: str, fresh: FreshFolder, name: str) -> None:
    """One component laid out by a complete map of module → device, ``cpu`` or ``disk``."""
    folder = str(fresh(name)) if "disk" in places.values() else None
    dispatch_model(
        model,
        device_map=dict(places),
        main_device=main,
        offload_dir=folder,
        offload_buffers=True,
        skip_keys=getattr(model, "_skip_keys", None),
        force_hooks=True,
    )


def fitting_map(model: torch.nn.Module, limits: Mapping[str, int], main: str) -> dict[str, str]:
    """Layer by layer over the devices in their order, the main one first, and what is left to the host."""
    kind = torch.device(main).type
    free = {device: devices.memory_info(device)[0] for device in {main, *limits}}
    rooms = {device: int(ROOM * min(free[device], limits.get(device, free[device]))) for device in free}
    order = sorted(
        (device for device in rooms if device != "cpu"), key=lambda device: (device != main, device)
    )
    by_index = {torch.device(device).index or 0: rooms[device] for device in order}
    by_index |= {"cpu": rooms.get("cpu", devices.memory_info("cpu")[0])}  # type: ignore[dict-item]
    found = infer_auto_device_map(
        model,
        max_memory=by_index,
        no_split_module_classes=list(getattr(model, "_no_split_modules", None) or []),
    )
    return {module: place if isinstance(place, str) else f"{kind}:{place}" for module, place in found.items()}


def whole_map(model: torch.nn.Module, wanted: Mapping[str, str], default: str) -> dict[str, str]:
    """A map that names every weight once, from one that names some modules by their paths (``""``: the component)."""
    return dict(_expanded(model, "", wanted, wanted.get("", default)))


def _expanded(
    module: torch.nn.Module, path: str, wanted: Mapping[str, str], inherited: str
) -> Iterator[tuple[str, str]]:
    place = wanted.get(path, inherited)
    below = f"{path}." if path else ""
    # accelerate finds no weights under the empty name, so a component that waits elsewhere is named by its modules
    whole = path or place not in ("cpu", "disk")
    if whole and not any(name.startswith(below) and name != path for name in wanted):
        yield path, place
        return
    for name, child in module.named_children():
        yield from _expanded(child, f"{below}{name}", wanted, place)
    for name, _ in (*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)):
        yield f"{below}{name}", place

"""One model over several devices: whole components, or one cut by a map. Every hook is accelerate's."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import torch
from accelerate import dispatch_model, infer_auto_device_map
from accelerate.utils import send_to_device

from app.core.plan import SPLIT_SHARE
from app.engine import devices
from app.engine.offloading import FreshFolder
from app.engine.scratch import written

_METHODS = ("encode", "decode", "tiled_encode", "tiled_decode")
_AWAY = "_headroom_away"


def put_whole(model: torch.nn.Module, device: str, main: str) -> None:
    """A whole component on a device. Away from the main one its results come to the main one."""
    model.to(device)
    send_home(model, device, main)


def send_home(model: torch.nn.Module, device: str, main: str) -> None:
    """A component that works on another device than the main one gets what it needs there, and its results back here.

    While it works that device is the current one: diffusers' groups are read from files to the current device (D21),
    and wait for its stream.
    """
    if torch.device(device) == torch.device(main):
        return
    model.__dict__[_AWAY] = _Away(model, device, main)
    for name in _METHODS:
        method = getattr(model, name, None)
        if method is not None:
            setattr(model, name, _there_and_back(method, torch.device(device), torch.device(main)))


def bring_back(model: torch.nn.Module) -> None:
    """Undoes ``send_home``."""
    if (away := model.__dict__.pop(_AWAY, None)) is not None:
        away.remove()
    for name in _METHODS:
        model.__dict__.pop(name, None)


class _Away:
    """Inputs to the component's device, results to the main one.

    Not back to where the inputs were, as accelerate's hook has it: some pipelines send a prompt's numbers to an
    encoder's device themselves and join what several encoders return. Not in ``forward`` either, which group
    offloading puts in place anew when it has traced the order of the layers.
    """

    def __init__(self, module: torch.nn.Module, device: str, home: str) -> None:
        self._device, self._home, self._work = torch.device(device), torch.device(home), ExitStack()
        self._handles = (
            module.register_forward_pre_hook(self._there, with_kwargs=True),
            module.register_forward_hook(self._back, always_call=True),
        )

    def _there(self, _module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
        self._work.enter_context(devices.current(str(self._device)))
        return send_to_device(args, self._device), send_to_device(kwargs, self._device)

    def _back(self, _module: torch.nn.Module, _args: Any, output: Any) -> Any:
        self._work.close()
        return send_to_device(output, self._home)

    def remove(self) -> None:
        """The component works where it lies again."""
        for handle in self._handles:
            handle.remove()


def _there_and_back(method: Any, device: torch.device, home: torch.device) -> Any:
    @functools.wraps(method)
    def moved(*args: Any, **kwargs: Any) -> Any:
        with devices.current(str(device)):
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
    """One component laid out by a complete map of module → device, ``cpu`` or ``disk``.

    A map that names only the whole is not for accelerate, which would send it to the main device instead.
    """
    whole = places.get("")
    if whole in ("cpu", "disk"):
        places = whole_map(model, places, main)
    elif whole is not None:
        put_whole(model, whole, main)
        return
    folder = fresh(name) if "disk" in places.values() else None
    with written(folder, sum(weight.nbytes for weight in model.parameters())):
        dispatch_model(
            model,
            device_map=dict(places),
            main_device=main,
            offload_dir=None if folder is None else str(folder),
            offload_buffers=True,
            skip_keys=getattr(model, "_skip_keys", None),
            force_hooks=True,
        )


def fitting_map(model: torch.nn.Module, limits: Mapping[str, int], main: str) -> dict[str, str]:
    """Layer by layer over the devices in their order, the main one first, and what is left to the host."""
    free = {device: devices.memory_info(device)[0] for device in {main, *limits}}
    rooms = {}
    for device, size in free.items():  # what lies there already counts against its limit
        limit = limits[device] - devices.held(device) if device in limits and device != "cpu" else size
        rooms[device] = int(SPLIT_SHARE * max(0, min(size, limits.get(device, size), limit)))
    order = sorted(
        (device for device in rooms if device != "cpu"), key=lambda device: (device != main, device)
    )
    # by their place in that order and not by their own numbers, by which accelerate would sort them
    by_place: dict[int | str, int] = {place: rooms[device] for place, device in enumerate(order)}
    by_place["cpu"] = rooms.get("cpu", devices.memory_info("cpu")[0])
    found = infer_auto_device_map(
        model,
        max_memory=by_place,
        no_split_module_classes=list(getattr(model, "_no_split_modules", None) or []),
    )
    return {module: place if isinstance(place, str) else order[place] for module, place in found.items()}


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

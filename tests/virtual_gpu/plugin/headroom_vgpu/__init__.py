"""A virtual GPU for tests: a torch device whose memory is host memory, but counted and capped per device.

On a test's path only. ``import torch`` calls ``autoload`` (entry point ``torch.backends``), so a spawned
engine has the device without knowing of it. The environment configures it: VGPU_DEVICES, VGPU_TOTAL and
VGPU_CAP (sizes, one for all or one per device between commas), VGPU_POISON (0: fresh memory is not filled
with NaN), VGPU_CONTROL (a folder for the side door of ``remote``). Import torch before this package.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import torch

from headroom_vgpu import build, remote, surface
from headroom_vgpu.build import CannotBuildError
from headroom_vgpu.controls import (
    Bound,
    device_count,
    fail_nth,
    limit,
    parse_size,
    reset,
    set_bound,
    set_cap,
    set_total,
    stats,
)

__all__ = [
    "CannotBuildError",
    "autoload",
    "device_count",
    "fail_nth",
    "install",
    "limit",
    "parse_size",
    "reset",
    "set_cap",
    "set_total",
    "stats",
]


def autoload() -> None:
    """What ``import torch`` calls: the device as the environment wants it, and its side door if asked for."""
    install(
        devices=int(os.environ.get("VGPU_DEVICES", "1")), poison=os.environ.get("VGPU_POISON", "1") != "0"
    )
    for name, bound in (("VGPU_TOTAL", Bound.TOTAL), ("VGPU_CAP", Bound.CAP)):
        sizes = [size for size in os.environ.get(name, "").split(",") if size.strip()]
        for index in range(device_count() if sizes else 0):
            set_bound(bound, sizes[min(index, len(sizes) - 1)], index)
    if folder := os.environ.get("VGPU_CONTROL"):
        commands = (stats, reset, set_total, set_cap, fail_nth, limit)
        remote.serve(Path(folder), {command.__name__: command for command in commands})


def install(devices: int = 1, poison: bool = True) -> ModuleType:
    """Register the device and give ``torch.vgpu``; called again, it only sets ``devices`` and ``poison``."""
    if not hasattr(torch, surface.NAME):
        torch.ops.load_library(str(build.library()))
        torch.ops.vgpu.init(devices, poison)
        torch.utils.rename_privateuse1_backend(surface.NAME)
        torch._register_device_module(surface.NAME, surface.device_module())
        torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
        surface.teach_safetensors()
    torch.ops.vgpu.init(devices, poison)
    return torch.get_device_module(surface.NAME)

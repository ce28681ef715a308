"""Registers the virtual GPU: when ``import torch`` calls the entry point, or when a test asks for it."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import torch

from headroom_vgpu import build, controls, remote, surface
from headroom_vgpu.controls import Bound


def autoload() -> None:
    """The device as the environment wants it, and its side door if asked for."""
    devices, poison = os.environ.get("VGPU_DEVICES", "1"), os.environ.get("VGPU_POISON", "1")
    install(int(devices), poison != "0")
    for name, bound in (("VGPU_TOTAL", Bound.TOTAL), ("VGPU_CAP", Bound.CAP)):
        sizes = [size for size in os.environ.get(name, "").split(",") if size.strip()]
        for index in range(controls.device_count() if sizes else 0):
            controls.set_bound(bound, sizes[min(index, len(sizes) - 1)], index)
    for name, switch in (
        ("VGPU_PINNED_ROUND", controls.set_pinned_round),
        ("VGPU_DELAYED", controls.set_delayed),
    ):
        switch(os.environ.get(name, "0") != "0")
    if folder := os.environ.get("VGPU_CONTROL"):
        names = (
            "stats",
            "reset",
            "set_total",
            "set_cap",
            "fail_nth",
            "limit",
            "set_pinned_round",
            "set_delayed",
        )
        remote.serve(Path(folder), {name: getattr(controls, name) for name in names})


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

"""What the machine has, as Device sheets: every accelerator that torch reports, the CPU last. Changes nothing."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psutil
import torch

from app.core.hardware import DeviceSheet
from app.core.messages import Ready
from app.core.rules import OPTIONAL_PACKAGES
from app.core.units import MIB
from app.engine import devices

_SHOWN = ("torch", "diffusers", "transformers", "accelerate", "safetensors")


def ready(baseline: int) -> Ready:
    """The second greeting, and the answer to Measure. ``baseline`` is the engine's resident set without a model."""
    memory = psutil.virtual_memory()
    return Ready(
        devices=(*accelerators(), cpu(max(0, devices.held("cpu") - baseline))),
        versions=versions(),
        ram_total=memory.total,
        ram_free=memory.available,
        packages=tuple(name for name in OPTIONAL_PACKAGES if importlib.util.find_spec(name) is not None),
    )


def versions() -> tuple[tuple[str, str], ...]:
    """The libraries that decide how a picture comes out, and their versions."""
    found = []
    for name in ("headroom-studio", *_SHOWN):
        with contextlib.suppress(PackageNotFoundError):
            found.append((name.removesuffix("-studio"), version(name)))
    return tuple(found)


def device_ids() -> tuple[str, ...]:
    """The accelerators' names by torch, and ``cpu`` last."""
    kind = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    count = torch.accelerator.device_count() if kind is not None else 0
    return (*(f"{kind.type}:{index}" for index in range(count) if kind is not None), "cpu")


def accelerators() -> tuple[DeviceSheet, ...]:
    """One sheet per accelerator; those that cannot be asked are left out."""
    sheets = []
    for device in device_ids()[:-1]:
        with contextlib.suppress(RuntimeError):
            sheets.append(_sheet(device))
    return tuple(sheets)


def cpu(held: int = 0) -> DeviceSheet:
    """The host's processor: memory is the host's. ``held`` is what the engine could give back of it."""
    memory = psutil.virtual_memory()
    return DeviceSheet(
        id="cpu",
        name=_cpu_name(),
        total=memory.total,
        free=memory.available,
        held=held,
        shared=True,
        compiles=_compiles("cpu"),
    )


def _sheet(device: str) -> DeviceSheet:
    module, properties = devices.module_of(device), _properties(device)
    free, total = devices.memory_info(device)
    return DeviceSheet(
        id=device,
        name=str(getattr(properties, "name", "") or torch.device(device).type.upper()),
        total=total,
        free=free,
        held=devices.held(device),
        uuid=str(getattr(properties, "uuid", "") or ""),
        dtypes=("bfloat16", "float16", "float32") if _has_bfloat16(module) else ("float16", "float32"),
        shared=torch.device(device).type == "mps" or bool(getattr(properties, "is_integrated", False)),
        streams=hasattr(module, "Stream") and hasattr(module, "current_stream"),
        workspace=_is_nvidia(device),
        libraries=_blas_workspace(properties) if _is_nvidia(device) else 0,
        compiles=_compiles(torch.device(device).type),
    )


def _is_nvidia(device: str) -> bool:
    return torch.device(device).type == "cuda" and torch.version.cuda is not None


def _blas_workspace(properties: Any) -> int:
    """PyTorch's own choice for cuBLAS: 32 MiB from Hopper on, about 8 MiB before."""
    return (32 if getattr(properties, "major", 0) >= 9 else 8) * MIB


def _compiles(kind: str) -> bool:
    """A frozen program has no Python to hand to the compiler's workers."""
    if getattr(sys, "frozen", False):
        return False
    if kind in ("cuda", "xpu"):
        return importlib.util.find_spec("triton") is not None
    if kind == "cpu":
        return any(shutil.which(name) for name in ("g++", "clang++", "cl"))
    return kind == "mps"


def _properties(device: str) -> Any:
    ask = getattr(devices.module_of(device), "get_device_properties", None)
    if ask is None:
        return None
    with contextlib.suppress(RuntimeError, NotImplementedError):
        return ask(torch.device(device))
    return None


def _has_bfloat16(module: Any) -> bool:
    """Whether bfloat16 computes at full speed, not emulated."""
    ask = getattr(module, "is_bf16_supported", None)
    if ask is None:
        return False
    try:
        return bool(ask(including_emulation=False))
    except TypeError:
        return bool(ask())


def _cpu_name() -> str:
    """The processor's name where the system gives one, else plainly CPU."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "CPU"

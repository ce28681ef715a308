"""``torch.vgpu``: what programs find under ``torch.cuda`` for a real card, under the same names.

Also the one patch that the name ``vgpu`` needs, in safetensors. Knows nothing of tests.
"""

from __future__ import annotations

import contextlib
import types
from typing import Any

import torch

from headroom_vgpu.controls import AnyDevice, Bound, device_count, get_bound, index_of, set_bound, stats

NAME = "vgpu"


def device_module() -> types.ModuleType:
    """A new module with the functions that torch.cuda has, over torch.accelerator and the counters."""
    module = types.ModuleType(f"torch.{NAME}")
    for part in (_existence, _devices, _streams, _memory, _random):
        vars(module).update(part())
    return module


def teach_safetensors() -> None:
    """safetensors refuses device names that it does not know, but takes the index of an accelerator."""
    try:
        import safetensors.torch
    except ImportError:
        return
    real = safetensors.safe_open

    def safe_open(filename: Any, framework: str, device: Any = "cpu", **kwargs: Any) -> Any:
        ours = isinstance(device, str | torch.device) and torch.device(device).type == NAME
        return real(filename, framework=framework, device=index_of(device) if ours else device, **kwargs)

    safetensors.safe_open = safetensors.torch.safe_open = safe_open


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """For what a real card must do and a synchronous one has always done."""


def _existence() -> dict[str, Any]:
    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": _nothing,
        "_lazy_init": _nothing,
        "_is_in_bad_fork": lambda: False,
        "get_amp_supported_dtype": lambda: [torch.float16, torch.bfloat16],
        "is_bf16_supported": lambda *_: True,
    }


def _devices() -> dict[str, Any]:
    class device(torch.accelerator.device_index):
        def __init__(self, device: AnyDevice) -> None:
            super().__init__(index_of(device))

    def properties(device: AnyDevice = None) -> types.SimpleNamespace:
        return types.SimpleNamespace(
            name="virtual GPU",
            total_memory=torch.accelerator.get_memory_info(index_of(device))[1],
            major=9,
            minor=0,
            is_integrated=False,
            uuid=f"vgpu-{index_of(device)}",
        )

    return {
        "device": device,
        "device_count": device_count,
        "current_device": torch.accelerator.current_device_index,
        "set_device": lambda device: torch.accelerator.set_device_index(index_of(device)),
        "synchronize": lambda device=None: torch.accelerator.synchronize(index_of(device)),
        "get_device_name": lambda device=None: "virtual GPU",
        "get_device_properties": properties,
    }


def _streams() -> dict[str, Any]:
    return {
        "Stream": torch.Stream,  # the generic classes: their default device is the accelerator
        "Event": torch.Event,
        "stream": lambda stream: contextlib.nullcontext() if stream is None else stream,  # its own context
        "current_stream": lambda device=None: torch.accelerator.current_stream(index_of(device)),
        "set_stream": torch.accelerator.set_stream,
    }


def _set_fraction(fraction: float, device: AnyDevice = None) -> None:
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    total = torch.accelerator.get_memory_info(index_of(device))[1]
    set_bound(Bound.LIMIT, max(1, int(total * fraction)), device)  # 0 bytes would mean: no limit


def _get_fraction(device: AnyDevice = None) -> float:
    total = torch.accelerator.get_memory_info(index_of(device))[1]
    return (get_bound(Bound.LIMIT, device) or total) / total


def _memory() -> dict[str, Any]:
    def live(device: AnyDevice = None) -> int:
        return stats(device)["live"]

    def peak(device: AnyDevice = None) -> int:
        return stats(device)["peak"]

    return {
        "mem_get_info": lambda device=None: torch.accelerator.get_memory_info(index_of(device)),
        "memory_allocated": live,
        "memory_reserved": live,
        "max_memory_allocated": peak,
        "max_memory_reserved": peak,
        "reset_peak_memory_stats": lambda device=None: torch.accelerator.reset_peak_memory_stats(
            index_of(device)
        ),
        "memory_stats": lambda device=None: torch.accelerator.memory_stats(index_of(device)),
        "set_per_process_memory_fraction": _set_fraction,
        "get_per_process_memory_fraction": _get_fraction,
        "empty_cache": _nothing,
        "ipc_collect": _nothing,
        "OutOfMemoryError": torch.OutOfMemoryError,
    }


def _random() -> dict[str, Any]:
    def generator(device: AnyDevice = None) -> torch.Generator:
        return torch.ops.vgpu.default_generator(index_of(device))

    def manual_seed_all(seed: int) -> None:
        for index in range(device_count()):
            generator(index).manual_seed(seed)

    return {
        "manual_seed": lambda seed: generator().manual_seed(seed),
        "manual_seed_all": manual_seed_all,
        "seed": lambda: generator().seed(),
        "initial_seed": lambda: generator().initial_seed(),
        "get_rng_state": lambda device=None: generator(device).get_state(),
        "set_rng_state": lambda state, device=None: generator(device).set_state(state),
    }

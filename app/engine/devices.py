"""What torch says of a device, asked the same way for every accelerator: memory, peaks, limits. Decides nothing."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

import psutil
import torch


def module_of(device: str) -> Any:
    """torch's module for the device's type (``torch.cuda``, ``torch.mps`` …), or None for the CPU."""
    kind = torch.device(device).type
    return None if kind == "cpu" else torch.get_device_module(kind)


def memory_info(device: str) -> tuple[int, int]:
    """Free and total bytes of a device; the host's for the CPU and for devices that do not say."""
    if torch.device(device).type != "cpu":
        with contextlib.suppress(RuntimeError, AttributeError, NotImplementedError):
            free, total = torch.accelerator.get_memory_info(torch.device(device))
            return int(free), int(total)
        module = module_of(device)
        if hasattr(module, "recommended_max_memory"):  # Apple: shared with the host
            total, held = int(module.recommended_max_memory()), int(module.driver_allocated_memory())
            return min(max(0, total - held), psutil.virtual_memory().available), total
    memory = psutil.virtual_memory()
    return memory.available, memory.total


def held(device: str) -> int:
    """Bytes that this process keeps on a device, its cache included."""
    if torch.device(device).type == "cpu":
        return int(psutil.Process().memory_info().rss)
    return _ask(device, "memory_reserved", "driver_allocated_memory")


def reset_peak(device: str) -> None:
    """Starts measuring the peak anew."""
    if torch.device(device).type != "cpu":
        module = module_of(device)
        with contextlib.suppress(RuntimeError, AttributeError, NotImplementedError):
            getattr(module, "reset_peak_memory_stats", torch.accelerator.reset_peak_memory_stats)(device)


def peak(device: str) -> int:
    """The most bytes allocated on an accelerator since ``reset_peak``; 0 where it does not say."""
    if torch.device(device).type == "cpu":
        return 0
    return _ask(device, "max_memory_allocated", "driver_allocated_memory")


def limit(device: str, size: int | None) -> None:
    """Lets this process hold at most ``size`` bytes on the device (None: no limit), where it can be enforced."""
    module = module_of(device)
    restrict = getattr(module, "set_per_process_memory_fraction", None)
    if restrict is None:
        return
    total = memory_info(device)[1]
    fraction = 1.0 if size is None or total <= 0 else min(1.0, max(0.0, size / total))
    with contextlib.suppress(NotImplementedError):
        if torch.device(device).type == "mps":  # it has one device, and counts from the recommended maximum
            restrict(fraction)
        else:
            restrict(fraction, torch.device(device))


@contextlib.contextmanager
def current(device: str) -> Iterator[None]:
    """While inside, this is the accelerator that is meant where a library names none."""
    kind = torch.device(device)
    if kind.type == "cpu" or not torch.accelerator.is_available():
        yield
        return
    before = torch.accelerator.current_device_index()
    torch.accelerator.set_device_index(kind.index or 0)
    try:
        yield
    finally:
        torch.accelerator.set_device_index(before)


def give_back(device: str) -> None:
    """Frees what nothing refers to, and the allocator's cache."""
    gc.collect()
    module = module_of(device)
    if module is not None and hasattr(module, "empty_cache"):
        module.empty_cache()


def synchronize(device: str) -> None:
    """Waits for all that was started on the device, so that times and errors belong to what caused them."""
    module = module_of(device)
    if module is not None and hasattr(module, "synchronize"):
        module.synchronize()


def _ask(device: str, *names: str) -> int:
    module = module_of(device)
    for name in names:
        asked = getattr(module, name, None) or getattr(torch.accelerator, name, None)
        if asked is None:
            continue
        try:
            return int(asked(torch.device(device)))
        except TypeError:
            return int(asked())
        except (RuntimeError, NotImplementedError):
            continue
    return 0

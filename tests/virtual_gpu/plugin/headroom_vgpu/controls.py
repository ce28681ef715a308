"""The virtual GPU's counters and bounds: functions over the C++ half's operators, once that is loaded."""

from __future__ import annotations

import re
from enum import IntEnum

import torch

AnyDevice = int | str | torch.device | None
COUNTERS = (
    "live",
    "peak",
    "allocs",
    "ooms",
    "h2d_n",
    "h2d_bytes",
    "d2h_n",
    "d2h_bytes",
    "p2p_n",
    "p2p_bytes",
    "items",
    "late",
    "early_frees",
    "pinned",
    "pinned_peak",
)
_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class Bound(IntEnum):
    """What bounds a device, in the order of the C++ half; 0 bytes mean: not bounded."""

    TOTAL = 0
    CAP = 1
    LIMIT = 2
    FAIL_AT = 3


class Mode(IntEnum):
    """What the whole virtual machine does, in the order of the C++ half."""

    PINNED_ROUND = 0
    DELAYED = 1


def device_count() -> int:
    """How many virtual GPUs there are."""
    return int(torch.ops.vgpu.device_count())


def index_of(device: AnyDevice = None) -> int:
    """A device's number; None is the current one."""
    if not isinstance(device, int):
        device = None if device is None else torch.device(device).index
    return torch.accelerator.current_device_index() if device is None else device


def parse_size(size: int | str) -> int:
    """Bytes of ``4096``, ``"1.5GB"`` or ``"512MiB"``."""
    if isinstance(size, int):
        return size
    match = re.fullmatch(r"\s*([\d.]+)\s*([A-Za-z]*)\s*", size)
    if not match or match[2] not in _UNITS:
        raise ValueError(f"not a size: {size!r}; say for instance 512MiB")
    return int(float(match[1]) * _UNITS[match[2]])


def set_bound(bound: Bound, value: int | str, device: AnyDevice = None) -> None:
    """Set one bound of one device."""
    torch.ops.vgpu.set_bound(index_of(device), bound, parse_size(value))


def get_bound(bound: Bound, device: AnyDevice = None) -> int:
    """One bound of one device, 0 when there is none."""
    return int(torch.ops.vgpu.bounds(index_of(device))[bound])


def set_total(size: int | str, device: AnyDevice = None) -> None:
    """The size of the card: bytes, or ``"1.5GB"``, ``"512MiB"``."""
    set_bound(Bound.TOTAL, size, device)


def set_cap(size: int | str | None, device: AnyDevice = None) -> None:
    """Leave so much of the card, as when other programs hold the rest; None: all of it. Also in mid-run."""
    set_bound(Bound.CAP, size or 0, device)


def fail_nth(nth: int, device: AnyDevice = None) -> None:
    """Let the nth allocation from now (1: the next) fail as out of memory, once; 0: none."""
    set_bound(Bound.FAIL_AT, nth, device)


def set_pinned_round(on: bool) -> None:
    """Count pinned blocks made from now as the next power of two, as PyTorch's CachingHostAllocator takes them."""
    torch.ops.vgpu.set_mode(Mode.PINNED_ROUND, on)


def set_delayed(on: bool) -> None:
    """Let non-blocking copies on side streams arrive only when waited for; until then they read as NaN."""
    torch.ops.vgpu.set_mode(Mode.DELAYED, on)


def is_on(mode: Mode) -> bool:
    """Whether a mode is on."""
    return bool(torch.ops.vgpu.modes()[mode])


def limit(device: AnyDevice = None) -> int:
    """The bytes that this process allowed itself, 0 when it set no limit."""
    return get_bound(Bound.LIMIT, device)


def stats(device: AnyDevice = None) -> dict[str, int]:
    """The counters of a device since the last reset.

    ``h2d``, ``d2h`` and ``p2p`` are copies from the host, to the host and from another vgpu; ``items`` are
    scalars read back, as by ``.item()``. Of the delayed mode: ``late`` copies were kept back, and ``early_frees``
    gave memory away that another stream may still have used. ``pinned`` is of the host, the same for every device.
    """
    return dict(zip(COUNTERS, torch.ops.vgpu.counters(index_of(device)), strict=True))


def reset(device: AnyDevice = None) -> None:
    """Zero the counters, of every device by default; the peaks restart at what is allocated now."""
    for index in range(device_count()) if device is None else [index_of(device)]:
        torch.ops.vgpu.reset(index)

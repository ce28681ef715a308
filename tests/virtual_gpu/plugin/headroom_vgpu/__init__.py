"""A virtual GPU for tests: a torch device whose memory is host memory, but counted and capped per device.

On a test's path only. ``import torch`` loads it (entry point ``torch.backends``), so a spawned engine has the
device without knowing of it. The environment configures it: VGPU_DEVICES, VGPU_TOTAL and VGPU_CAP (sizes, one
for all or one per device between commas), VGPU_POISON (0: fresh memory is not filled with NaN), VGPU_PINNED_ROUND
and VGPU_DELAYED (1: on), VGPU_CONTROL (a folder for the side door of ``remote``).
"""

import torch  # noqa: F401 (before all else: it calls the entry point, which imports modules of this package)

from headroom_vgpu.autoload import install
from headroom_vgpu.build import CannotBuildError
from headroom_vgpu.controls import (
    Mode,
    device_count,
    fail_nth,
    is_on,
    limit,
    parse_size,
    reset,
    set_cap,
    set_delayed,
    set_pinned_round,
    set_total,
    stats,
)

__all__ = [
    "CannotBuildError",
    "Mode",
    "device_count",
    "fail_nth",
    "install",
    "is_on",
    "limit",
    "parse_size",
    "reset",
    "set_cap",
    "set_delayed",
    "set_pinned_round",
    "set_total",
    "stats",
]

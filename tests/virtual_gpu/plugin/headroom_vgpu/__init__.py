"""A virtual GPU for tests: a torch device whose memory is host memory, but counted and capped per device.

On a test's path only. ``import torch`` loads it (entry point ``torch.backends``), so a spawned engine has the
device without knowing of it. The environment configures it: VGPU_DEVICES, VGPU_TOTAL and VGPU_CAP (sizes, one
for all or one per device between commas), VGPU_POISON (0: fresh memory is not filled with NaN), VGPU_CONTROL
(a folder for the side door of ``remote``).
"""

import torch  # noqa: F401 (before all else: it calls the entry point, which imports modules of this package)

from headroom_vgpu.autoload import install
from headroom_vgpu.build import CannotBuildError
from headroom_vgpu.controls import (
    device_count,
    fail_nth,
    limit,
    parse_size,
    reset,
    set_cap,
    set_total,
    stats,
)

__all__ = [
    "CannotBuildError",
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

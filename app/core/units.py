"""Sizes in words and back: GiB is 1024³ bytes, GB is 10⁹ bytes; a plain number is GiB."""

from __future__ import annotations

import math
import re

KIB, MIB, GIB = 1024, 1024**2, 1024**3
_UNITS = {
    "": GIB, "b": 1,
    "kib": KIB, "mib": MIB, "gib": GIB, "tib": 1024**4,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip
_SIZE = re.compile(r"\s*([0-9]+(?:[.,][0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE | re.ASCII)


def parse_size(text: str) -> int:
    """Bytes of ``10GiB``, ``1.5 GB``, ``512MiB`` or a plain number of GiB. Raises ValueError for anything else."""
    match = _SIZE.fullmatch(text)
    if not match or match[2].lower() not in _UNITS:
        raise ValueError(text)
    value = float(match[1].replace(",", ".")) * _UNITS[match[2].lower()]
    if not math.isfinite(value) or value > 2**60:
        raise ValueError(text)
    return round(value)


def gib(size: int) -> str:
    """A size in GiB, or in MiB below 0.1 GiB, as people read it: ``9.4 GiB``, ``12 MiB``."""
    if abs(size) < 0.1 * GIB:
        return f"{size / MIB:.0f} MiB" if abs(size) >= 10 * MIB else f"{size / MIB:.1f} MiB"
    return f"{size / GIB:.1f} GiB"


def clock(seconds: float) -> str:
    """A duration as people say it: ``8 s``, ``1 min 20 s``, ``2 h 5 min``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"

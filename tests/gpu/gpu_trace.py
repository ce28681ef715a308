"""What a torch profiler's trace says of one step: bytes copied each way, and how much of it beside kernels.

Arithmetic on its JSON alone; needs no torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Span = tuple[float, float]
"""Begin and end, in the trace's microseconds."""


@dataclass(frozen=True)
class Traced:
    """One step. Copies within the device are no transfers and are left out."""

    up: int
    """Bytes from the host to the device."""
    down: int
    copying: float
    """Seconds in which some transfer was under way."""
    computing: float
    """Seconds in which some kernel ran."""
    overlap: float
    """Share of ``copying`` in which a kernel ran too; 0 where nothing was copied."""


def read(trace: Mapping[str, Any]) -> Traced | None:
    """The figures of a trace; None when it has nothing of a device (the profiler may lack the right to look)."""
    copies: dict[str, list[Mapping[str, Any]]] = {"HtoD": [], "DtoH": []}
    kernels = []
    for event in trace.get("traceEvents", ()):
        if event.get("cat") == "kernel":
            kernels.append(_span(event))
        elif event.get("cat") == "gpu_memcpy":
            for way, found in copies.items():
                if way in event.get("name", ""):
                    found.append(event)
    if not kernels:
        return None
    busy = merged(kernels)
    moving = merged(_span(event) for found in copies.values() for event in found)
    copying = length(moving)
    return Traced(
        up=_bytes(copies["HtoD"]),
        down=_bytes(copies["DtoH"]),
        copying=copying / 1e6,
        computing=length(busy) / 1e6,
        overlap=common(moving, busy) / copying if copying else 0.0,
    )


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same times as spans in order that do not touch."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def length(spans: Iterable[Span]) -> float:
    """How long they are together."""
    return sum(end - begin for begin, end in spans)


def common(first: list[Span], second: list[Span]) -> float:
    """How long both are under way; each in order and without touching ends."""
    total, one, other = 0.0, 0, 0
    while one < len(first) and other < len(second):
        (begin, end), (start, stop) = first[one], second[other]
        total += max(0.0, min(end, stop) - max(begin, start))
        if end < stop:
            one += 1
        else:
            other += 1
    return total


def _span(event: Mapping[str, Any]) -> Span:
    return float(event["ts"]), float(event["ts"]) + float(event.get("dur", 0))


def _bytes(events: Iterable[Mapping[str, Any]]) -> int:
    return sum(int(event.get("args", {}).get("bytes", 0)) for event in events)

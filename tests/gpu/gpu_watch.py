"""Times a run's steps and has one of them traced by torch's profiler. Places nothing and calls no pipeline."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

import gpu_trace
import torch

from app.engine import devices

TRACED = 3
"""The step that is traced: tracing slows it, so its time is left out. The first is left out too: it may hold the
encoding, and streamed groups learn their order in it."""


class TimeIsUp(Exception):
    """The whole script's time is over."""


class Watch:
    """Called at the end of each step, as the families report theirs."""

    def __init__(self, device: str, deadline: float) -> None:
        self._device, self._deadline = device, deadline
        self._begun = time.perf_counter()
        self._steps: list[float] = []
        self._profiler: Any = None
        self._traced: gpu_trace.Traced | None = None
        self._allocated = 0

    def begin(self) -> None:
        """The first step begins now."""
        self._begun = time.perf_counter()

    def __call__(self, step: int, latents: Any) -> None:
        devices.synchronize(self._device)
        self._steps.append(time.perf_counter() - self._begun)
        self._allocated = devices.peak(self._device)
        if self._profiler is not None:
            self._traced = _read(self._stopped())
        elif len(self._steps) == TRACED - 1 and torch.device(self._device).type == "cuda":
            self._profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
            self._profiler.start()
        if time.monotonic() > self._deadline:
            raise TimeIsUp
        self._begun = time.perf_counter()

    def close(self) -> None:
        """Ends a trace that a failed step has left."""
        if self._profiler is not None:
            self._stopped()

    def place(self) -> str:
        """Where in the run it is, in words."""
        return f"after step {len(self._steps)}" if self._steps else "before the first step's end"

    def figures(self) -> dict[str, Any]:
        """What was seen, ``moved`` for one step: None where the profiler saw nothing, so that only the bytes that
        weights' arithmetic predicts are known."""
        timed = [seconds for number, seconds in enumerate(self._steps, 1) if number not in (1, TRACED)]
        return {
            "step_seconds": self._steps,
            "seconds_per_step": mean(timed) if timed else None,
            "peak_till_last_step": self._allocated,
            "moved": asdict(self._traced) if self._traced else None,
            "moved_by": "profiler" if self._traced else "weights",
        }

    def _stopped(self) -> Any:
        profiler, self._profiler = self._profiler, None
        profiler.stop()
        return profiler


def _read(profiler: Any) -> gpu_trace.Traced | None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(file))
        return gpu_trace.read(json.loads(file.read_text(encoding="utf-8")))

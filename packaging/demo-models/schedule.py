"""Time-bound training: the learning rate, the running average of the weights and the log."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

WARM_UP_STEPS = 100
FLOOR = 0.02


class Clock:
    """How far a run of so many minutes has come."""

    def __init__(self, minutes: float) -> None:
        self.seconds = minutes * 60
        self.started = time.monotonic()
        self.step = 0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def progress(self) -> float:
        """From 0 at the start to 1 when the time is up."""
        return min(1.0, self.elapsed / self.seconds)

    def running(self) -> bool:
        """Count a step; false once the time is up."""
        self.step += 1
        return self.progress < 1.0

    def learning_rate(self, peak: float) -> float:
        """A short warm-up, then half a cosine down to a fiftieth."""
        cosine = 0.5 * (1 + math.cos(math.pi * self.progress))
        return peak * min(1.0, self.step / WARM_UP_STEPS) * (FLOOR + (1 - FLOOR) * cosine)


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """The same rate for every group."""
    for group in optimizer.param_groups:
        group["lr"] = rate


class Average:
    """An exponential running average of the weights of several modules."""

    def __init__(self, modules: dict[str, torch.nn.Module], decay: float) -> None:
        self.modules = modules
        self.decay = decay
        self.steps = 0
        self.weights = {n: [p.detach().clone() for p in m.parameters()] for n, m in modules.items()}

    def update(self) -> None:
        """Move the average towards the present weights, faster in the first steps."""
        import torch

        self.steps += 1
        decay = min(self.decay, self.steps / (self.steps + 20))
        with torch.no_grad():
            for name, module in self.modules.items():
                current = [p.detach() for p in module.parameters()]
                torch._foreach_lerp_(self.weights[name], current, 1 - decay)

    def swap(self) -> None:
        """Exchange the averaged weights and the present ones; call twice to undo."""
        import torch

        with torch.no_grad():
            for name, module in self.modules.items():
                for kept, parameter in zip(self.weights[name], module.parameters(), strict=True):
                    held = parameter.detach().clone()
                    parameter.copy_(kept)
                    kept.copy_(held)


class Log:
    """One JSON object a line, to a file and to the terminal."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path

    def write(self, **values: Any) -> None:
        """Append one line."""
        line = json.dumps({k: round(v, 5) if isinstance(v, float) else v for k, v in values.items()})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        print(line, flush=True)

"""One family's engine process and what its techniques are held against: shared by the matrix's tests and the report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import tiny_models
from techniques import ROOM, Technique, plan_of, techniques
from vgpu_engine import Outcome, VirtualEngine, difference

from app.core.errors import ErrorKind
from app.core.messages import Failed, Finished
from app.core.rules import Case, conflicts

KINDS = tuple(tiny_models.BUILDERS)
TRACES = 65_536
"""Bytes: what schedulers remember of the last steps; less than the smallest component's weights."""


@dataclass
class Bench:
    """A family's engine with what the CPU makes and what everything on the device takes."""

    engine: VirtualEngine
    kind: str = ""

    @cached_property
    def present(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.engine.info.components if part.numbers)

    @cached_property
    def rows(self) -> list[Technique]:
        largest = 4 * max(part.numbers for part in self.engine.info.components)
        return list(techniques(self.engine.family, self.present, max(ROOM, largest * 4 // 5)))

    @cached_property
    def reference(self) -> np.ndarray:
        """The CPU's result."""
        return self._on_cpu(64)

    @cached_property
    def large(self) -> np.ndarray:
        """The same at twice the size, for tiles."""
        return self._on_cpu(128)

    def _on_cpu(self, side: int) -> np.ndarray:
        """From weights that were on a device before: those in a file's mapping may start anywhere, and the last bit
        of a product depends on where its rows start."""
        self.run(Technique("none"))
        plan = plan_of(Technique("cpu", {"device": "cpu"}), self.engine.plan())
        return self.engine.run(plan, self.engine.request(width=side, height=side, steps=2)).frames

    def apart(self, technique: Technique, outcome: Outcome) -> tuple[int, float]:
        """The largest and the mean difference from the CPU's result, in steps of 255."""
        return difference(outcome.frames, self.large if "tiles" in technique.name else self.reference)

    @cached_property
    def whole(self) -> int:
        return self.run(Technique("none")).devices[0]["peak"]

    def run(self, technique: Technique) -> Outcome:
        """One job with nothing loaded before."""
        self.engine.unload()
        request = self.engine.request(width=64, height=64, steps=2)
        if "tiles" in technique.name:
            request = self.engine.request(width=128, height=128, steps=2)
        return self.engine.run(plan_of(technique, self.engine.plan()), request)

    def refusal(self, technique: Technique) -> str:
        """Why the rules refuse it; empty where it applies."""
        case = Case(plan_of(technique, self.engine.plan()), self.engine.family, self.present)
        return next((str(found.reason) for found in conflicts(case)), "")

    def check(self, technique: Technique) -> None:
        """Right picture, saved memory, nothing left; or a refusal before anything is loaded."""
        outcome, reason = self.run(technique), self.refusal(technique)
        if reason:
            assert isinstance(outcome.end, Failed), f"{technique.name} ran although: {reason}"
            assert outcome.end.problem.kind is ErrorKind.COMBINATION_REFUSED
            assert outcome.devices[0]["h2d_bytes"] == 0
            return
        assert isinstance(outcome.end, Finished), outcome.end
        worst, mean = self.apart(technique, outcome)
        assert worst <= technique.worst, technique.name
        assert mean <= technique.mean, technique.name
        if technique.saves:
            assert outcome.devices[0]["peak"] < self.whole
        if technique.empties:
            assert outcome.devices[0]["live"] <= TRACES
        self.engine.unload()
        assert [stats["live"] for stats in self.engine.stats()] == [0, 0]
        assert not list(self.engine.scratch.glob("*"))

"""Each memory technique with each family, in a real engine process: the same result, less memory, nothing left behind.

Where a technique does not apply it is refused before anything is loaded, with the reason in words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
import tiny_models
from techniques import Technique, plan_of, techniques
from vgpu_engine import Outcome, VirtualEngine, difference

from app.core.errors import ErrorKind
from app.core.messages import Failed, Finished
from app.core.rules import Case, conflicts
from app.families import all_families

KINDS = tuple(tiny_models.BUILDERS)
TRACES = 65_536
"""Bytes: what schedulers remember of the last steps; less than the smallest component's weights."""


@dataclass
class Bench:
    """A family's engine with what the CPU makes and what everything on the device takes."""

    engine: VirtualEngine

    @cached_property
    def present(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.engine.info.components if part.numbers)

    @cached_property
    def rows(self) -> list[Technique]:
        return list(techniques(self.engine.family, self.present))

    @cached_property
    def reference(self) -> np.ndarray:
        """The CPU's, from weights that were on a device before.

        Those in a file's mapping may start anywhere, and the last bit of a product depends on where its rows start.
        """
        self.run(Technique("none"))
        plan = plan_of(Technique("cpu", {"device": "cpu"}), self.engine.plan())
        return self.engine.run(plan, self.engine.request(width=64, height=64, steps=2)).frames

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


@pytest.fixture(scope="module", params=KINDS)
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Each family in turn."""
    folder: Path = tiny_models.save(request.param, tmp_path_factory.mktemp("model") / request.param)
    with VirtualEngine(folder) as engine:
        yield Bench(engine)


def names() -> list[str]:
    """The rows' names: the same for each family."""
    family = all_families()[KINDS[0]]
    return [
        row.name for row in techniques(family, tuple(part.name for part in family.components if part.weights))
    ]


@pytest.mark.parametrize("name", names())
def test_each_technique_is_proved_or_refused(bench: Bench, name: str) -> None:
    technique = next(row for row in bench.rows if row.name == name)
    check(bench, technique)


def check(bench: Bench, technique: Technique) -> None:
    """Right picture, saved memory, nothing left; or a refusal before anything is loaded."""
    outcome = bench.run(technique)
    reason = bench.refusal(technique)
    if reason:
        assert isinstance(outcome.end, Failed), f"{technique.name} ran although: {reason}"
        assert outcome.end.problem.kind is ErrorKind.COMBINATION_REFUSED
        assert outcome.devices[0]["h2d_bytes"] == 0
        return
    assert isinstance(outcome.end, Finished), outcome.end
    near = bench.reference if "tiles" not in technique.name else None
    if near is not None:
        assert outcome.frames.shape == near.shape
        assert difference(outcome.frames, near)[0] <= technique.worst, technique.name
    if technique.saves:
        assert outcome.devices[0]["peak"] < bench.whole
    if technique.empties:
        assert outcome.devices[0]["live"] <= TRACES
    bench.engine.unload()
    assert [stats["live"] for stats in bench.engine.stats()] == [0, 0]
    assert not list(bench.engine.scratch.glob("*"))

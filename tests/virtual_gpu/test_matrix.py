"""Each memory technique with each family, and every two of them together, in a real engine process: the same result,
less memory, nothing left behind.

Where something does not apply it is refused before anything is loaded, with the reason in words.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import tiny_models
from bench import KINDS, Bench
from techniques import Technique, pairs, techniques
from vgpu_engine import VirtualEngine

from app.families import all_families

EVERY = os.environ.get("HEADROOM_NIGHTLY") == "1"
"""Whether every pair is tried with every family, or every second one with one of them in turn."""


@pytest.fixture(scope="module")
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The engine of the family that the test names."""
    folder = tiny_models.save(request.param, tmp_path_factory.mktemp("model") / request.param)
    with VirtualEngine(folder) as engine:
        yield Bench(engine, request.param)


def rows(kind: str) -> list[Technique]:
    """The techniques' rows for a family's tiny model."""
    family = all_families()[kind]
    with_weights = tuple(part.name for part in family.components if part.weights and part.required)
    return list(techniques(family, with_weights))


@pytest.mark.parametrize("name", [row.name for row in rows(KINDS[0])])
@pytest.mark.parametrize("bench", KINDS, indirect=True)
def test_each_technique_is_proved_or_refused(bench: Bench, name: str) -> None:
    bench.check(next(row for row in bench.rows if row.name == name))


@pytest.mark.parametrize("bench", KINDS, indirect=True)
def test_each_pair_is_proved_or_refused(bench: Bench) -> None:
    """Every second one with one family in turn; all with all of them when nightly."""
    turn = KINDS.index(bench.kind)
    wrong = {}
    for number, pair in enumerate(pairs(bench.rows)):
        if EVERY or number % (2 * len(KINDS)) == 2 * turn:
            try:
                bench.check(pair)
            except AssertionError as error:
                wrong[pair.name] = str(error)[:600]
    assert not wrong

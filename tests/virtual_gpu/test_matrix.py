"""Each memory technique with each family, and every two of them together, in a real engine process: the same result,
less memory, nothing left behind.

Where something does not apply it is refused before anything is loaded, with the reason in words.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
import tiny_models
from bench import KINDS, Bench
from techniques import Technique, pairs, techniques
from vgpu_engine import VirtualEngine

from app.families import all_families

EVERY = os.environ.get("HEADROOM_NIGHTLY") == "1"
"""Whether every pair is tried with every family, or each with one of them in turn."""


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Bench]]:
    """The families' engines, started as they are needed."""
    with ExitStack() as engines:

        @cache
        def bench(kind: str) -> Bench:
            folder = tiny_models.save(kind, tmp_path_factory.mktemp("model") / kind)
            return Bench(engines.enter_context(VirtualEngine(folder)))

        yield bench


def rows(kind: str) -> list[Technique]:
    """The techniques' rows for a family's tiny model."""
    family = all_families()[kind]
    with_weights = tuple(part.name for part in family.components if part.weights and part.required)
    return list(techniques(family, with_weights))


@pytest.mark.parametrize("name", [row.name for row in rows(KINDS[0])])
@pytest.mark.parametrize("kind", KINDS)
def test_each_technique_is_proved_or_refused(benches: Callable[[str], Bench], kind: str, name: str) -> None:
    bench = benches(kind)
    bench.check(next(row for row in bench.rows if row.name == name))


def couples() -> Iterator[tuple[str, str]]:
    """Family and name of each pair."""
    for number, pair in enumerate(pairs(rows(KINDS[0]))):
        for kind in KINDS if EVERY else [KINDS[number % len(KINDS)]]:
            yield kind, pair.name


@pytest.mark.parametrize(("kind", "name"), sorted(couples()))
def test_each_pair_is_proved_or_refused(benches: Callable[[str], Bench], kind: str, name: str) -> None:
    bench = benches(kind)
    bench.check(next(row for row in pairs(bench.rows) if row.name == name))

"""Each memory technique with each family, and every two of them together: the same result, less memory, the traffic
that follows from it, nothing left behind.

Where something does not apply it is refused before anything is loaded, with the reason in words. The engine's runner
works in this process; that the engine's own process does the same is shown by ``test_settings_*``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

import pytest
import tiny_models
from bench import KINDS, Bench
from local_engine import LocalEngine
from techniques import Technique, pairs, techniques

from app.families import all_families

EVERY = os.environ.get("HEADROOM_NIGHTLY") == "1"
"""Whether all is tried with every family, or what is costly with some of them in turn."""


@pytest.fixture(scope="module")
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The engine of the family that the test names."""
    folder = tiny_models.save(request.param, tmp_path_factory.mktemp("model") / request.param)
    with LocalEngine(folder) as engine:
        yield Bench(engine, request.param)


def rows(kind: str) -> list[Technique]:
    """The techniques' rows for a family's tiny model."""
    family = all_families()[kind]
    with_weights = tuple(part.name for part in family.components if part.weights and part.required)
    return list(techniques(family, with_weights))


def in_turn(bench: Bench, found: Iterable[Technique], every: int) -> list[Technique]:
    """One in so many, others with each family; all when nightly. Of those that compile, which takes ten times as long,
    an eighth of that."""
    turn = KINDS.index(bench.kind) * every // len(KINDS)
    slow = [row for row in found if "compile" in row.name]
    quick = [row for row in found if "compile" not in row.name]
    if EVERY:
        return [*quick, *slow]
    return [*quick[turn % every :: every], *slow[turn % every :: every * 8]]


def tried(check: Callable[[Technique], object], found: Iterable[Technique]) -> dict[str, str]:
    """What fails of them, by name."""
    wrong = {}
    for technique in found:
        try:
            check(technique)
        except AssertionError as error:
            wrong[technique.name] = str(error)[:600]
    return wrong


NAMES = [row.name for row in rows(KINDS[0])]
every_family = pytest.mark.parametrize("bench", KINDS, indirect=True)


@pytest.mark.parametrize("name", NAMES)
@every_family
def test_each_technique_is_proved_or_refused(bench: Bench, name: str) -> None:
    bench.check_row(bench.named(name))


@every_family
def test_each_technique_with_the_denoiser_on_the_second_of_two_unequal_cards(bench: Bench) -> None:
    """Every second one with one half of the families; all with all of them when nightly."""
    assert not tried(bench.check_swapped, in_turn(bench, bench.rows, 2))


@every_family
def test_each_technique_with_encoders_and_decoder_on_the_second_card(bench: Bench) -> None:
    """One in four with one family in turn; all with all of them when nightly."""
    assert not tried(bench.check_away, in_turn(bench, bench.rows, 4))


@pytest.mark.parametrize("main", [0, 1])
@every_family
def test_a_split_follows_the_room_of_two_unequal_cards(bench: Bench, main: int) -> None:
    bench.check_split(main)


@every_family
def test_each_pair_is_proved_or_refused(bench: Bench) -> None:
    """Every second one with one family in turn; all with all of them when nightly."""
    found = in_turn(bench, list(pairs(bench.rows)), 2 * len(KINDS))
    assert not tried(lambda pair: bench.check(pair, fresh=False), found)

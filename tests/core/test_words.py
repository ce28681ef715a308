"""Texts, sizes in words, errors as values, and the table of sentences."""

from __future__ import annotations

import pickle
import re

import pytest

from app.core.case_words import CASES
from app.core.error_words import _TABLE, sentence
from app.core.errors import AppError, ErrorKind, Problem, problem_from_json, problem_to_json
from app.core.text import Text, facts_of, say
from app.core.units import GIB, MIB, clock, gib, parse_size


def test_a_text_fills_its_places_and_nests() -> None:
    inner = say("core", "at {place}").of(place="home")
    assert str(say("core", "a cat {where}").of(where=inner)) == "a cat at home"
    assert str(say("core", "a {missing} cat").of(other=1)) == "a {missing} cat"


def test_plurals_in_english() -> None:
    assert [str(say("core", "%n picture(s)", "", n)) for n in (0, 1, 2)] == [
        "0 pictures",
        "1 picture",
        "2 pictures",
    ]


def test_facts_with_braces_stay_as_they_are() -> None:
    assert str(say("core", "it is {x}").of(x="{y} <b>")) == "it is {y} <b>"


def test_texts_compare_and_pickle() -> None:
    text = say("core", "needs {n}").of(n=3)
    assert pickle.loads(pickle.dumps(text)) == text == Text("needs {n}", (("n", 3),))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10GiB", 10 * GIB),
        ("10GB", 10**10),
        ("10", 10 * GIB),
        ("1.5 GiB", 3 * GIB // 2),
        ("512mib", 512 * MIB),
        ("0,5", GIB // 2),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "-1", "x", "10 XB", "nan", "inf", "1e5GiB", "GiB", "9" * 30])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text) or ".*"):
        parse_size(text)


def test_sizes_and_times_for_people() -> None:
    assert [gib(0), gib(12 * MIB), gib(10 * GIB)] == ["0.0 MiB", "12 MiB", "10.0 GiB"]
    assert [clock(7.6), clock(80), clock(7500)] == ["8 s", "1 min 20 s", "2 h 5 min"]


def test_errors_survive_pipes_and_json() -> None:
    error = AppError(ErrorKind.MODEL_MISSING, detail="why", path="/x")
    assert pickle.loads(pickle.dumps(error)).problem == error.problem
    assert problem_from_json(problem_to_json(error.problem)) == error.problem
    newer = problem_from_json({"kind": "from_the_future", "detail": "d"})
    assert newer.kind is ErrorKind.UNEXPECTED
    assert "from_the_future" in newer.detail
    assert problem_from_json({"facts": 3}).kind is ErrorKind.UNEXPECTED


def test_every_kind_has_its_sentences() -> None:
    assert set(_TABLE) == set(ErrorKind)
    for kind in ErrorKind:
        words = sentence(Problem(kind, facts_of({"name": "x", "reason": "size", "file": "f"})))
        assert str(words.what)
        assert str(words.do)
        assert "!" not in str(words)


@pytest.mark.parametrize(("kind", "case"), list(CASES))
def test_every_case_of_a_kind_has_its_own_sentences(kind: ErrorKind, case: str) -> None:
    facts = {
        "name": "N",
        "value": "V",
        "path": "P",
        "near": "X",
        "allowed": "A",
        "reason": "R",
        "position": 3,
    }
    words = sentence(Problem(kind, facts_of({**facts, "case": case})))
    assert str(words) != str(sentence(Problem(kind, facts_of(facts))))
    for part in (words.what, words.why, words.do):
        assert str(part)
        assert not {"{", "}", "!"} & set(str(part))


def test_a_sentence_of_an_unknown_file_says_what_it_is() -> None:
    problem = AppError(ErrorKind.MODEL_DAMAGED, file="m.safetensors", reason="web_page").problem
    assert "web page" in str(sentence(problem).why)
    sizes = AppError(ErrorKind.MODEL_DAMAGED, file="m", reason="size", actual=40, expected=2 * GIB).problem
    assert "40 bytes where its header says 2.0 GiB" in str(sentence(sizes).why)

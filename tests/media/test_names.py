"""File names: legal everywhere, cut between characters, inside their folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.core.request import GenerationRequest, OutputSpec
from app.media.names import (
    clean_name,
    cut_bytes,
    is_temporary,
    numbered,
    picture_name,
    target_of,
    temporary,
    with_format,
)


def request(prompt: str, seed: int = 7, count: int = 1) -> GenerationRequest:
    return GenerationRequest(
        model="m", prompt=prompt, width=64, height=64, steps=1, guidance=1.0, seed=seed, count=count
    )


@pytest.mark.parametrize(
    "prompt", ["x" * 300, "é" * 300, "\U0001f408" * 80, "👩‍👩‍👧‍👦" * 60, "a\u0301" * 200, "日本" * 100]
)
def test_c111_names_are_cut_by_bytes_at_a_character_border(prompt: str) -> None:
    name = picture_name(request(prompt, seed=2**64 - 1), 0)
    assert len(name.encode()) <= 130
    assert name.endswith(" 18446744073709551615.png")
    assert name.encode().decode() == name
    assert not cut_bytes("a\u0301bc", 2).endswith("\u0301")
    assert cut_bytes("ab", 2) == "ab"


@pytest.mark.parametrize("prompt", ["../../x", "/etc/x", "C:\\x", "~/x", "a/b", "..", ".", "\\\\server\\x"])
def test_c114_no_prompt_leads_out_of_the_folder(prompt: str, tmp_path: Path) -> None:
    target = target_of(OutputSpec(folder=tmp_path), request(prompt), 0)
    assert target.parent == tmp_path
    assert target.resolve().parent == tmp_path.resolve()
    assert not target.name.startswith((".", "~", "-"))


@pytest.mark.parametrize(
    "prompt",
    ["con", "aux.", "NUL", "com1", "LPT³", "con.txt", "a?b:c*d", 'quote"<>|', "dot.", "space ", "a\nb"],
)
def test_c121_names_are_legal_on_windows(prompt: str) -> None:
    stem = clean_name(prompt)
    assert stem
    assert stem.split(".")[0].lower() not in ("con", "aux", "nul", "com1", "lpt³")
    assert not set(stem) & set('<>:"/\\|?*\n')
    assert not stem.endswith((".", " "))


@pytest.mark.parametrize("prompt", ["", "???", "\u200b", "...", "\x00", "\ud83d", "\u202e"])
def test_a_name_is_made_even_of_nothing(prompt: str) -> None:
    assert clean_name(prompt) == "picture"


def test_every_prompt_of_c69_gives_a_name_that_can_be_written(cases: Path, tmp_path: Path) -> None:
    for case in json.loads((cases / "C69-prompts.json").read_text(encoding="utf-8")):
        path = tmp_path / picture_name(request(case["prompt"]), 0)
        path.write_bytes(b"")
        assert path.parent == tmp_path


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Film Vol.1 (2026)", "Film Vol.1 (2026).png"),
        ("x.y.z", "x.y.z.png"),
        ("v1.5 test", "v1.5 test.png"),
        (".hidden", ".hidden.png"),
        ("a.png", "a.png"),
        ("a.PNG", "a.PNG"),
        ("a.jpg", "a.png"),
    ],
)
def test_c110_only_the_format_is_replaced(typed: str, name: str) -> None:
    assert with_format(Path("/f") / typed, "png").name == name


def test_several_pictures_at_one_path_are_numbered(tmp_path: Path) -> None:
    output = OutputSpec(folder=tmp_path, path=tmp_path / "fox.png")
    names = [target_of(output, request("x", count=3), index).name for index in range(3)]
    assert names == ["fox.png", "fox-2.png", "fox-3.png"]


def test_pictures_of_a_job_carry_their_own_seeds(tmp_path: Path) -> None:
    output = OutputSpec(folder=tmp_path)
    last = request("fox", seed=2**64 - 1, count=2)
    assert [target_of(output, last, index).name for index in range(2)] == [
        "fox 18446744073709551615.png", "fox 0.png",
    ]  # fmt: skip


def test_numbers_and_temporary_names_fit_the_longest_name() -> None:
    target = Path("/f") / ("é" * 200 + ".png")
    assert len(numbered(target, 1).name.encode()) <= 255
    assert numbered(target, 12345).name.endswith("-12345.png")
    assert len(numbered(target, 12345).name.encode()) <= 255
    assert len(temporary(target, 9).name.encode()) <= 255
    assert len(temporary(target, 9, 143).name.encode()) <= 143


def test_temporary_names_end_in_the_format_and_are_known_again() -> None:
    temp = temporary(Path("/f/fox.png"), 1)
    assert temp == Path("/f/.fox.part.png")
    assert is_temporary(temp.name)
    assert not is_temporary("fox.part.png")
    assert not is_temporary(".fox.png")
    assert not is_temporary(".part.png")

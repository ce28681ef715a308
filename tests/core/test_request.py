"""Requests: what is mended, what is refused, and exact round trips."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.request import (
    SEED_MAX,
    GenerationRequest,
    Limits,
    Lora,
    Size,
    Task,
    clean_prompt,
    is_blank,
    mend,
    parse_lora,
    parse_seed,
    parse_size_pair,
    request_from_json,
    request_to_json,
    snap,
)

LIMITS = Limits(factor=8, smallest=64, largest=2048)


def request(**changes: object) -> GenerationRequest:
    values: dict[str, object] = {
        "model": "m", "prompt": "a red circle", "width": 128, "height": 128, "steps": 4, "guidance": 4.0, "seed": 7,
    }  # fmt: skip
    return GenerationRequest(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "\t",
        "\u3000",
        "\u200b",
        "\u200b \ufeff\n",
        "\x00\x01",
        "\u2800",
        "\u3164",
        "\u202e\ufe0f",
    ],
)
def test_c71_blank_prompt_is_refused_in_words(text: str) -> None:
    with pytest.raises(AppError) as caught:
        mend(request(prompt=text), LIMITS)
    assert caught.value.kind is ErrorKind.PROMPT_EMPTY


@pytest.mark.parametrize("text", ["", " ", "\u200b"])
def test_c71_blank_negative_prompt_is_none(text: str) -> None:
    assert mend(request(negative=text), LIMITS)[0].negative == ""


def test_c72_blank_lines_and_line_ends_change_nothing() -> None:
    forms = [
        "a red circle\non blue",
        "a red circle\r\non blue",
        "a red circle\n\n  \non blue\n",
        "a red circle\u2029on blue",
    ]
    assert {clean_prompt(form)[0] for form in forms} == {"a red circle\non blue"}


def test_c77_one_round_is_stable() -> None:
    text = "\ufeffa\u00a0red\u2028circle  here"
    once = clean_prompt(text)[0]
    assert clean_prompt(once)[0] == once


@pytest.mark.parametrize("text", ["עיגול אדום", "🐈‍⬛ on a 🛋️", "a" * 10_000, "<b>cat</b>", "don’t “quote”"])
def test_every_unicode_prompt_is_kept(text: str) -> None:
    clean, notes = clean_prompt(text)
    assert clean == text
    assert not notes


def test_nul_and_lone_surrogates_go_and_it_is_said() -> None:
    clean, notes = clean_prompt("a \ud800red\x00 circle")
    assert clean == "a red circle"
    assert len(notes) == 1
    clean.encode("utf-8")


def test_a_prompt_beyond_the_store_limit_is_refused() -> None:
    with pytest.raises(AppError) as caught:
        mend(request(prompt="x" * 20_001), LIMITS)
    assert caught.value.kind is ErrorKind.PROMPT_TOO_LONG


@pytest.mark.parametrize(
    ("asked", "used"), [((814, 763), (816, 760)), ((63, 65), (64, 64)), ((1, 1), (64, 64))]
)
def test_c44_c45_c97_both_sides_snap_and_it_is_said(asked: tuple[int, int], used: tuple[int, int]) -> None:
    if asked == (1, 1):
        with pytest.raises(AppError):
            mend(request(width=1, height=1), LIMITS)
        return
    mended, notes = mend(request(width=asked[0], height=asked[1]), LIMITS)
    assert (mended.width, mended.height) == used
    assert str(Size(*asked)) in str(notes[0])
    assert str(Size(*used)) in str(notes[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 0}, {"height": 0}, {"width": -64}, {"width": 7}, {"width": 10**6}, {"steps": 0}, {"steps": -1},
        {"steps": 10**6}, {"count": 0}, {"count": 101}, {"guidance": math.nan}, {"guidance": math.inf},
        {"guidance": -5.0}, {"guidance": 1e30}, {"seed": -1}, {"seed": 2**64},
    ],
)  # fmt: skip
def test_c54_c55_numbers_out_of_range_are_refused_with_their_bounds(changes: dict[str, object]) -> None:
    with pytest.raises(AppError) as caught:
        mend(request(**changes), LIMITS)
    assert caught.value.kind is ErrorKind.VALUE_OUT_OF_RANGE
    assert caught.value.problem.fact("name") in changes


@pytest.mark.parametrize(
    ("text", "seed"),
    [("0", 0), ("2147483648", 2**31), ("4294967301", 2**32 + 5), (str(2**53 + 1), 2**53 + 1), (str(SEED_MAX), SEED_MAX),
     (" 7 ", 7), ("٧", 7)],
)  # fmt: skip
def test_c65_seeds_are_exact(text: str, seed: int) -> None:
    assert parse_seed(text) == seed
    back = request_from_json(json.loads(json.dumps(request_to_json(request(seed=seed)))))
    assert back.seed == seed


@pytest.mark.parametrize("text", ["-1", str(2**64), "1.5", "0x10", "", "nan", "9" * 40, "²"])
def test_c65_other_seeds_are_refused(text: str) -> None:
    with pytest.raises(AppError):
        parse_seed(text)


def test_seeds_of_a_series_wrap_at_the_top() -> None:
    assert request(seed=SEED_MAX, count=2).seed_of(1) == 0


@pytest.mark.parametrize(
    ("text", "size"), [("1024x768", (1024, 768)), ("64×64", (64, 64)), (" 8 X 8 ", (8, 8))]
)
def test_sizes_in_words(text: str, size: tuple[int, int]) -> None:
    assert parse_size_pair(text) == Size(*size)


@pytest.mark.parametrize("text", ["", "x", "10", "1024x", "axb", "1e3x4"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(AppError):
        parse_size_pair(text)


def test_snap_stays_within_the_limits() -> None:
    assert snap(10**6, LIMITS) == 2048
    assert snap(60, Limits(factor=16, smallest=50, largest=100)) == 64
    assert snap(1, Limits(factor=16, smallest=50, largest=100)) == 64


@pytest.mark.parametrize("changes", [{"width": "128"}, {"seed": True}, {"guidance": None}, {"prompt": 3}])
def test_a_request_of_wrong_types_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(AppError) as caught:
        request_from_json(request_to_json(request()) | changes)
    assert caught.value.kind is ErrorKind.SETTING_INVALID


def test_a_negative_prompt_that_is_not_taken_is_said() -> None:
    mended, notes = mend(request(negative="blurry"), Limits(negative=False))
    assert mended.negative == ""
    assert notes


def test_c78_marks_of_other_programs_are_said_and_tags_go() -> None:
    clean, notes = clean_prompt("a (cat:1.3) <lora:style:0.8> on a sofa")
    assert clean == "a (cat:1.3) on a sofa"
    assert "<lora:style:0.8>" in str(notes[0])
    assert "plain text" in str(notes[1])
    assert clean_prompt("a cat++")[1]
    assert not clean_prompt("a cat (on a sofa): <b>nice</b>, C++ code at 3:15")[1]


def test_blank() -> None:
    assert is_blank(" \u200b\n")
    assert not is_blank("a")


def test_a_prompt_of_one_endless_word_is_looked_through_at_once() -> None:
    for text in ("x" * 200_000, "(" * 200_000, "(:" * 100_000, "<lora:" * 40_000):
        clean_prompt(text)


def test_a_size_below_the_smallest_is_said_to_be_so() -> None:
    mended, notes = mend(request(width=8, height=8), LIMITS)
    assert "from 64 to 2048" in str(notes[0])
    assert (mended.width, mended.height) == (64, 64)


def test_what_is_no_size_is_answered_with_one() -> None:
    with pytest.raises(AppError) as caught:
        parse_size_pair("512x")
    assert "{" not in str(sentence(caught.value.problem))
    assert "1024x768" in str(sentence(caught.value.problem))


CLIPS = Limits(
    tasks=(Task.TEXT_TO_VIDEO.value,), width=720, height=480, factor=16, frames=49, frames_factor=8, frames_max=49,
    fps=8,
)  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "used"), [(49, 49), (48, 49), (44, 41), (1, 1), (2, 9), (5, 9), (9_999, 49)]
)
def test_frames_are_those_that_the_model_makes(asked, used):
    mended, notes = mend(request(task="text-to-video", width=720, height=480, frames=asked), CLIPS)
    assert (mended.frames, mended.fps) == (used, 8)
    told = f"The number of frames was changed from {asked} to {used}: this model makes 8k + 1."
    assert [str(note) for note in notes] == ([told] if asked != used else [])


def test_a_model_of_learned_positions_makes_one_size_and_length_only():
    fixed = replace(CLIPS, fixed=True)
    asked = request(task="text-to-video", width=480, height=720, frames=9)
    mended, notes = mend(asked, fixed)
    assert (mended.size, mended.frames) == (Size(720, 480), 49)
    assert (
        str(notes[0]) == "The size was changed from 480×720 to 720×480, the only one that this model makes."
    )
    assert str(notes[1]).startswith("The number of frames was changed from 9 to 49")
    assert mend(replace(asked, width=720, height=480, frames=49), fixed)[1] == ()


def test_a_clip_model_makes_no_picture():
    with pytest.raises(AppError) as caught:
        mend(request(), CLIPS)
    assert caught.value.kind is ErrorKind.SETTING_INVALID


def test_loras_are_parsed_with_and_without_a_weight():
    assert parse_lora("style.safetensors") == Lora("style.safetensors", 1.0)
    assert parse_lora("style.safetensors:0.8") == Lora("style.safetensors", 0.8)
    assert parse_lora("C:\\loras\\a.safetensors") == Lora("C:\\loras\\a.safetensors", 1.0)
    assert parse_lora("C:\\loras\\a.safetensors:-1") == Lora("C:\\loras\\a.safetensors", -1.0)
    assert parse_lora("a:b.safetensors") == Lora("a:b.safetensors", 1.0)


@pytest.mark.parametrize("weight", [math.nan, math.inf, 1e9, -10.5])
def test_c157_a_loras_weight_is_bounded(weight):
    with pytest.raises(AppError) as raised:
        mend(request(loras=(Lora("a.safetensors", weight),)), Limits())
    assert raised.value.problem.fact("name") == "lora_weight"
    assert mend(request(loras=(Lora("a.safetensors", -1.0),)), Limits())[0].loras == (
        Lora("a.safetensors", -1.0),
    )


def test_loras_survive_json():
    whole = request(loras=(Lora("a.safetensors", 0.5), Lora("b.safetensors")))
    assert request_from_json(json.loads(json.dumps(request_to_json(whole)))) == whole
    for bad in ("x", [{"weight": 1}], [{"path": "a", "weight": "1"}], [7]):
        with pytest.raises(AppError):
            request_from_json(request_to_json(whole) | {"loras": bad})


def test_guidance_of_a_model_that_takes_none_is_said_not_to_be_used() -> None:
    limits = replace(LIMITS, guided=False, guidance=0.0)
    mended, notes = mend(request(guidance=4.0), limits)
    assert mended.guidance == 0.0
    assert [str(note) for note in notes] == ["This model takes no guidance: the value is not used."]
    assert mend(request(guidance=0.0), limits)[1] == ()

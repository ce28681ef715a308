"""Every knob: normal forms, what is refused, round trips through JSON, presets over settings."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path

import pytest

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.knobs import KnobKind, check, from_json, knobs_of, parse_assignment, size_in_bytes, to_json
from app.core.memory import MemorySettings
from app.core.preset import WORDS, apply, preset_from_json
from app.core.units import GIB

KNOBS = knobs_of(MemorySettings)


def test_every_field_is_a_knob_and_its_default_passes_its_own_check() -> None:
    assert list(KNOBS) == [field.name for field in fields(MemorySettings)]
    for field in fields(MemorySettings):
        assert check(field.name, KNOBS[field.name], field.default) == field.default


@pytest.mark.parametrize("name", [name for name, known in KNOBS.items() if known.kind is KnobKind.CHOICE])
def test_every_choice_is_taken_and_anything_else_refused_with_the_choices(name: str) -> None:
    for choice, _ in KNOBS[name].choices:
        assert parse_assignment(MemorySettings, f"{name}={choice}") == (name, choice)
    for wrong in ("", "x", "None", 3, None, True):
        with pytest.raises(AppError) as caught:
            check(name, KNOBS[name], wrong)
        assert caught.value.kind is ErrorKind.SETTING_INVALID
        assert KNOBS[name].choices[0][0] in caught.value.problem.fact("allowed")


@pytest.mark.parametrize("value", ["auto", "10GiB", "10GB", "6", "80%", 6, 0.5])
def test_limits_that_are_taken(value: object) -> None:
    assert check("max_memory", KNOBS["max_memory"], value) == str(value)


@pytest.mark.parametrize("value", ["0", "-1", "0%", "101%", "nan", "lots", "", None, [], math.nan, True])
def test_limits_that_are_refused(value: object) -> None:
    with pytest.raises(AppError):
        check("max_memory", KNOBS["max_memory"], value)


@pytest.mark.parametrize(
    ("value", "used"), [("CUDA:0", "cuda:0"), ("cuda:0 ", "cuda:0"), ("mps", "mps"), ("cuda:7", "cuda:7")]
)
def test_c42_devices_in_their_normal_form(value: str, used: str) -> None:
    assert check("device", KNOBS["device"], value) == used


@pytest.mark.parametrize("value", ["cuda:-1", "cuda:", "cuda:x", "", "a b", 0, None])
def test_c42_devices_that_are_none(value: object) -> None:
    with pytest.raises(AppError):
        check("device", KNOBS["device"], value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -1, "x", None, 10**9, True])
def test_c54_numbers_that_are_refused(value: object) -> None:
    with pytest.raises(AppError):
        check("keep_loaded", KNOBS["keep_loaded"], value)


def test_c31_round_trip_and_report_of_what_was_dropped() -> None:
    settings = MemorySettings(device="cuda:1", max_memory="10GiB", keep_loaded=3.0)
    back, dropped = from_json(MemorySettings, json.loads(json.dumps(to_json(settings))))
    assert (back, dropped) == (settings, ())
    back, dropped = from_json(
        MemorySettings, {"offload": "magic", "what": 1, "keep_loaded": "nan", "device": "cuda:1"}
    )
    assert back == MemorySettings(device="cuda:1")
    assert {name for name, _ in dropped} == {"offload", "what", "keep_loaded"}


@pytest.mark.parametrize("text", ["nothing", "nothing=1", "=x", ""])
def test_assignments_without_a_known_name(text: str) -> None:
    with pytest.raises(AppError) as caught:
        parse_assignment(MemorySettings, text)
    assert caught.value.kind is ErrorKind.SETTING_UNKNOWN


def test_shares_are_of_the_devices_total() -> None:
    assert size_in_bytes("50%", 8 * GIB) == 4 * GIB
    assert size_in_bytes("auto", 8 * GIB) is None


def test_shipped_presets_load_and_their_words_are_marked(root: Path) -> None:
    files = sorted((root / "resources" / "presets").glob("*.json"))
    assert {file.stem for file in files} == set(WORDS)
    for file in files:
        preset = preset_from_json(file.stem, json.loads(file.read_text("utf-8")))
        assert preset.name == str(WORDS[file.stem][0])
        mine = MemorySettings(device="cuda:1", max_memory="6GiB", offload="model")
        put = apply(preset, mine)
        assert (put.device, put.max_memory) == ("cuda:1", "6GiB")


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"name": " "},
        {"name": "x", "goal": "win"},
        {"name": "x", "memory": 3},
        {"name": "x", "memory": {"q": 1}},
        {"name": "x", "memory": {"offload": "magic"}},
    ],
)
def test_presets_that_are_refused(data: dict[str, object]) -> None:
    with pytest.raises(AppError):
        preset_from_json("mine", data)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("offload", "auto, none, model"),
        ("offload=", "auto, none, model"),
        ("max_memory", "auto, 10GiB, 80%"),
        ("keep_loaded= ", "0 … 1440"),
        ("device", "cuda:0"),
        ("skip_modules", "norm"),
        ("component.vae.offload", "none, model, sequential"),
        ("component.vae.offload=", "none, model, sequential"),
    ],
)
def test_a_setting_without_a_value_says_that_one_is_missing(text: str, allowed: str) -> None:
    with pytest.raises(AppError) as caught:
        parse_assignment(MemorySettings, text)
    words = str(sentence(caught.value.problem))
    assert caught.value.kind is ErrorKind.SETTING_INVALID
    assert "has no value." in words
    assert allowed in words


@pytest.mark.parametrize(
    "text", ["component", "component.vae", "component.vae.banana=x", "component.a b.offload=model"]
)
def test_a_setting_of_a_part_that_there_is_not_is_told_with_those_there_are(text: str) -> None:
    with pytest.raises(AppError) as caught:
        parse_assignment(MemorySettings, text)
    assert caught.value.kind is ErrorKind.SETTING_UNKNOWN
    words = str(sentence(caught.value.problem))
    assert f"no setting “{text.partition('=')[0]}”" in words
    assert "component.NAME.offload, component.NAME.device" in words


def test_what_may_be_empty_is_no_missing_value() -> None:
    for text in ("skip_modules=", "disk_folder=", "vae_endpoint=", "device_map="):
        assert parse_assignment(MemorySettings, text)[1] == ""


@pytest.mark.parametrize(("text", "position"), [("(", 1), ("norm,attn(", 5), ("a{9}{9}", 5), ("*", 1)])
def test_a_pattern_that_is_none_is_told_with_its_place_in_our_own_words(text: str, position: int) -> None:
    with pytest.raises(AppError) as caught:
        parse_assignment(MemorySettings, f"skip_modules={text}")
    words = str(sentence(caught.value.problem))
    assert f"from character {position} on" in words
    assert f"“{text.split(',')[-1]}”" in words
    assert not {"missing", "subpattern", "repeat"} & set(words.split())


def test_a_pattern_too_large_to_be_one_is_refused() -> None:
    for text in ("a{99999999999999999999}", "(" * 5000 + ")" * 5000):
        with pytest.raises(AppError):
            parse_assignment(MemorySettings, f"skip_modules={text}")

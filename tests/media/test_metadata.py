"""Reading settings from pictures of every origin: right, or not at all, and never with an error."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from PIL import Image, PngImagePlugin

from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, Lora
from app.media import a1111
from app.media.metadata import PictureInfo, json_text, parameters_text, parse_json, read_settings, settings_of


def save_with(path: Path, **texts: str) -> Path:
    """A PNG with the given texts."""
    chunks = PngImagePlugin.PngInfo()
    for key, text in texts.items():
        chunks.add_itxt(key, text)
    Image.new("RGB", (4, 4)).save(path, pnginfo=chunks)
    return path


@pytest.mark.parametrize("name", ["C161-a1111-awkward.png", "C161-a1111-line-break-in-fields.png"])
def test_c161_awkward_texts_are_taken_apart_rightly(name: str, cases: Path) -> None:
    found = read_settings(cases / name)
    assert found is not None
    assert found.prompt is not None
    assert found.prompt.startswith('a fox, (red:1.2), "quoted, with comma": it\'s {a|b} <lora:fox.v1.0:0.8>')
    assert found.prompt.endswith("Steps: 5, Seed: 1, said the sign")
    assert "this line belongs to the prompt" in found.prompt
    assert found.negative == 'blurry,\nugly: "very", 低品質 🐈'
    assert (found.steps, found.guidance, found.seed) == (28, 6.5, 4294967301)
    assert (found.width, found.height) == (832, 1216)
    assert (found.model, found.sampler) == ("my model", "DPM++ 2M Karras")
    assert found.rejected == ()
    assert "Wildcard prompt" in found.raw


def test_c162_good_fields_are_taken_and_bad_ones_listed(cases: Path) -> None:
    found = read_settings(cases / "C162-a1111-bad-values.png")
    assert found is not None
    assert found.prompt == "fox"
    assert (found.steps, found.guidance, found.seed, found.width, found.sampler) == (None,) * 5
    assert dict(found.rejected) == {
        "Steps": "twenty", "Sampler": "", "CFG scale": "nan", "Seed": "-1", "Size": "512",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "C164-no-metadata.png",
        "C164-foreign-and-empty.png",
        "C167-deep-json.png",
        "C167-invoke-style-nulls.png",
    ],
)
def test_c164_c167_foreign_or_absent_metadata_is_none(name: str, cases: Path) -> None:
    assert read_settings(cases / name) is None


@pytest.mark.parametrize(
    "name",
    ["C90-zero-bytes.png", "C90-text-named.png", "C90-cut.jpg", "C88-bomb-20000x20000-1bit.png", "gone.png"],
)
def test_what_is_no_picture_has_no_settings(name: str, cases: Path) -> None:
    assert read_settings(cases / name) is None


def test_a_folder_or_a_pipe_has_no_settings(tmp_path: Path) -> None:
    assert read_settings(tmp_path) is None
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.png")
        assert read_settings(tmp_path / "pipe.png") is None


@pytest.mark.parametrize(
    "name",
    ["utf16-be", "utf16-le", "utf8-behind-unicode", "utf8-behind-ascii", "in-ifd0"],
)
def test_c165_jpeg_comments_in_every_encoding(name: str, cases: Path) -> None:
    found = read_settings(cases / f"C165-usercomment-{name}.jpg")
    assert found is not None
    assert found.prompt == "a fox, Straße, 狐 🐈"
    assert found.negative == "blurry"
    assert (found.steps, found.seed, found.width, found.height) == (20, 42, 96, 64)


@pytest.mark.parametrize(
    "record",
    [
        "", "null", "[]", "{", '{"version": 1}', '{"version": 1, "request": null}', '{"version": 1, "request": []}',
        '{"version": 2, "request": {"prompt": "x"}}', '{"version": "1", "request": {"prompt": "x"}}',
        "[" * 100_000, '{"a":' * 10_000, "1" * 10_000, '{"version": 1, "request": ' + "[" * 10_000 + "]" * 10_000 + "}",
    ],
)  # fmt: skip
def test_c164_c167_records_that_are_not_ours(record: str, tmp_path: Path) -> None:
    assert read_settings(save_with(tmp_path / "a.png", headroom=record)) is None


def test_c167_a_record_with_nulls_and_wrong_types_gives_its_good_fields() -> None:
    request = {
        "prompt": "fox", "negative": None, "width": "64", "height": 0, "steps": 2.5, "guidance": float("nan"),
        "seed": 2**64, "model": ["x"], "count": True,
    }  # fmt: skip
    found = settings_of(
        {"headroom": json.dumps({"version": 1, "request": request, "plan": [], "settings": None})}
    )
    assert found is not None
    assert found.prompt == "fox"
    assert (found.width, found.height, found.steps, found.guidance, found.seed, found.model) == (None,) * 6
    assert {name for name, _ in found.rejected} >= {"width", "height", "steps", "seed", "model"}
    assert found.plan == {}


def test_c164_of_a_newer_record_the_text_for_others_is_read(tmp_path: Path) -> None:
    text = "fox\nSteps: 3, Seed: 5, Size: 64x64"
    newer = json.dumps({"version": 99, "request": {"prompt": "other"}})
    found = read_settings(save_with(tmp_path / "a.png", headroom=newer, parameters=text))
    assert found is not None
    assert (found.prompt, found.seed) == ("fox", 5)


def test_a_text_of_megabytes_is_read_and_a_larger_one_left_alone(tmp_path: Path) -> None:
    body = "x" * 5_000_000
    found = read_settings(save_with(tmp_path / "a.png", parameters=f"{body}\nSteps: 3"))
    assert found is not None
    assert found.prompt == body
    assert read_settings(save_with(tmp_path / "b.png", parameters=f"{body * 2}\nSteps: 3")) is None


def test_numbers_that_are_none_are_refused_in_json() -> None:
    assert parse_json("NaN") is None
    assert parse_json('{"a": Infinity}') == {"a": None}


@pytest.mark.parametrize("text", ["", "a fox", "Negative prompt: x", "steps: 3", "[[[["])
def test_a_text_without_fields_is_no_settings(text: str) -> None:
    assert a1111.parse(text) is None


@pytest.mark.parametrize("filler", ["x", 'a: "', "a:", ", ", "Steps: 1\n", "Negative prompt:\n", " "])
def test_hostile_texts_are_read_in_no_time(filler: str) -> None:
    for text in (f"Steps: 3, {filler * 300_000}", f"{filler * 300_000}\nSteps: 3"):
        found = a1111.parse(text)
        assert found is None or found.values.get("steps") in (1, 3)


def test_our_own_text_is_read_back_by_the_rules_for_others() -> None:
    prompt = "Negative prompt: no\nSteps: 5"
    text = a1111.build(prompt, "", {"Steps": 7, "Model": 'x, "y": z', "Size": "8x8"})
    found = a1111.parse(text)
    assert found is not None
    assert (found.prompt, found.negative) == (prompt, "")
    assert found.values == {"steps": 7, "model": 'x, "y": z', "width": 8, "height": 8}


def test_lora_files_are_named_without_their_folders() -> None:
    loras = (Lora("/home/me/loras/style.v1.safetensors", 0.8), Lora("C:\\l\\a:b.safetensors"))
    request = GenerationRequest(
        model="m", prompt="a fox", width=64, height=64, steps=4, guidance=4.0, seed=1, loras=loras
    )
    info = PictureInfo(request=request, plan=Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32), seed=1)
    text = json_text(info)
    assert "/home/me" not in text
    found = settings_of({"headroom": text})
    assert found is not None
    assert found.loras == (Lora("style.v1.safetensors", 0.8), Lora("a:b.safetensors", 1.0))
    assert parameters_text(info).splitlines()[0] == "a fox <lora:style.v1:0.8>"
    bad = json.loads(text)
    bad["request"]["loras"] = [{"path": 3}]
    found = settings_of({"headroom": json.dumps(bad)})
    assert found is not None
    assert found.loras == ()
    assert [name for name, _ in found.rejected] == ["loras"]

"""The PNG that a job leaves: the same pixels, the whole request and plan, and no local path."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from app.core.errors import AppError, ErrorKind
from app.media import png
from app.media.metadata import PictureInfo, read_settings
from app.media.png import write_png

Pixels = NDArray[np.uint8]
MakeInfo = Callable[..., PictureInfo]
PROMPTS = [
    "a red circle",
    "line one\nline two",
    "a\r\nb\x85c",
    'Negative prompt: not one\nSteps: 5, Seed: 1, said "the sign"',
    "quotes \" and ' and \\ and , and : {a|b} <lora:x:1>",
    "\U0001f408 日本 שלום العربية e\u0301 \u202e",
    "nul \x00 and control \x07",
    "half of a pair \ud83d",
    "two halves \ud83d\udc08",
    "5 &lt; 6 &amp;amp; x",
    "<b>cat</b> <img src=file:///etc/hostname>",
    "x" * 2_000_000,
]


@pytest.mark.parametrize("prompt", PROMPTS, ids=range(len(PROMPTS)))
def test_c168_every_prompt_survives(prompt: str, tmp_path: Path, pixels: Pixels, make_info: MakeInfo) -> None:
    info = make_info(prompt=prompt, negative=prompt[:1000], seed=2**64 - 1)
    path = write_png(pixels, tmp_path / "fox.png", info)
    found = read_settings(path)
    assert found is not None
    # two halves of a pair side by side are the pair itself, in JSON as everywhere
    assert found.prompt == prompt.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert (found.seed, found.width, found.height, found.steps, found.guidance) == (
        2**64 - 1,
        64,
        48,
        12,
        4.5,
    )
    assert (found.model, found.sampler, found.rejected) == ("shapes", "Euler", ())
    with Image.open(path) as picture:
        assert np.array_equal(np.asarray(picture), pixels)
        assert "Steps: 12, Sampler: Euler" in picture.info["parameters"]


def test_the_text_for_other_programs(tmp_path: Path, pixels: Pixels, make_info: MakeInfo) -> None:
    path = write_png(pixels, tmp_path / "a.png", make_info(negative="blurry"))
    with Image.open(path) as picture:
        assert picture.info["parameters"] == (
            "a red circle\nNegative prompt: blurry\n"
            "Steps: 12, Sampler: Euler, CFG scale: 4.5, Seed: 7, Size: 64x48, Model: shapes, "
            "Version: Headroom 0.1.0"
        )


def test_the_plan_that_ran_and_the_versions_are_inside(
    tmp_path: Path, pixels: Pixels, make_info: MakeInfo
) -> None:
    path = write_png(pixels, tmp_path / "a.png", make_info(settings_json='{"offload": "model"}'))
    found = read_settings(path)
    assert found is not None
    assert found.plan["dtype"] == "float32"
    assert found.plan["vae_tiling"] is False
    assert found.settings == {"offload": "model"}
    assert found.versions == {"headroom": "0.1.0"}


def test_c170_no_local_path_is_in_the_file(tmp_path: Path, pixels: Pixels, make_info: MakeInfo) -> None:
    home = Path.home()
    settings = json.dumps(
        {"disk_folder": f"{home}/offload", "note": f"in {home} there", "w": "C:\\Users\\me\\x"}
    )
    for model in ("/home/somebody/models/shapes", "C:\\Users\\somebody\\shapes", "/home/somebody/shapes/"):
        path = write_png(pixels, tmp_path / "a.png", make_info(settings_json=settings, model=model))
        found = read_settings(path)
        assert found is not None
        assert found.model == "shapes"
        data = path.read_bytes()
        assert b"somebody" not in data
        assert b"Users" not in data
        assert str(Path.home()).encode() + b"/" not in data


def test_c62_each_picture_has_its_own_seed(tmp_path: Path, pixels: Pixels, make_info: MakeInfo) -> None:
    first = make_info(count=2)
    second = PictureInfo(request=first.request, plan=first.plan, seed=first.request.seed_of(1), index=1)
    found = read_settings(write_png(pixels, tmp_path / "a.png", second))
    assert found is not None
    assert found.seed == 8


def test_other_pixels_on_disk_are_no_success(
    tmp_path: Path, pixels: Pixels, make_info: MakeInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = png.encode_png
    monkeypatch.setattr(png, "encode_png", lambda pixels, info: real(255 - pixels, info))
    with pytest.raises(AppError) as caught:
        write_png(pixels, tmp_path / "a.png", make_info())
    assert caught.value.kind is ErrorKind.WRITE_FAILED
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keep", [0, 10, 500])
def test_a_file_that_arrived_cut_is_no_success(
    keep: int, tmp_path: Path, pixels: Pixels, make_info: MakeInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = png.encode_png
    monkeypatch.setattr(png, "encode_png", lambda pixels, info: real(pixels, info)[:keep])
    with pytest.raises(AppError):
        write_png(pixels, tmp_path / "a.png", make_info())
    assert list(tmp_path.iterdir()) == []


def test_saving_again_takes_the_next_name(tmp_path: Path, pixels: Pixels, make_info: MakeInfo) -> None:
    names = [write_png(pixels, tmp_path / "a.png", make_info()).name for _ in range(3)]
    assert names == ["a.png", "a-2.png", "a-3.png"]

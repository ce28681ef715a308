"""Save as: three formats, each with the settings inside, and no file overwritten unasked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from app.core.errors import AppError, ErrorKind
from app.media.export import save_as
from app.media.metadata import PictureInfo, read_settings
from app.media.png import write_png


@pytest.fixture
def source(tmp_path: Path, pixels: NDArray[np.uint8], make_info: Callable[..., PictureInfo]) -> Path:
    return write_png(
        pixels, tmp_path / "source.png", make_info(prompt="a fox, Straße 狐 🐈\nline", negative="blurry")
    )


@pytest.mark.parametrize("suffix", ["png", "jpg", "jpeg", "webp", "PNG", "JPG"])
def test_settings_go_along_in_every_format(suffix: str, source: Path, tmp_path: Path) -> None:
    path = save_as(source, tmp_path / f"copy.{suffix}")
    assert path == tmp_path / f"copy.{suffix}"
    expected, found = read_settings(source), read_settings(path)
    assert expected is not None
    assert found is not None
    assert replace(found, raw="") == replace(expected, raw="")
    with Image.open(path) as picture:
        assert picture.format == {"jpg": "JPEG", "jpeg": "JPEG"}.get(suffix.lower(), suffix.upper())


def test_png_keeps_the_pixels(source: Path, tmp_path: Path, pixels: NDArray[np.uint8]) -> None:
    with Image.open(save_as(source, tmp_path / "copy.png")) as picture:
        assert np.array_equal(np.asarray(picture), pixels)


def test_other_programs_read_the_comment_of_a_jpeg(source: Path, tmp_path: Path) -> None:
    with Image.open(save_as(source, tmp_path / "copy.jpg")) as picture:
        comment = picture.getexif().get_ifd(0x8769)[0x9286]
    assert comment.startswith(b"UNICODE\0")
    assert (
        comment[8:]
        .decode("utf-16-be")
        .startswith("a fox, Straße 狐 🐈\nline\nNegative prompt: blurry\nSteps: 12")
    )


@pytest.mark.parametrize("length", [30_000, 200_000])
def test_a_prompt_too_long_for_a_jpeg_loses_its_end_and_no_picture(
    length: int, tmp_path: Path, pixels: NDArray[np.uint8], make_info: Callable[..., PictureInfo]
) -> None:
    source = write_png(pixels, tmp_path / "long.png", make_info(prompt="x" * length))
    assert save_as(source, tmp_path / "a.jpg").exists()
    found = read_settings(save_as(source, tmp_path / "a.webp"))
    assert found is not None
    assert found.prompt == "x" * length


def test_an_existing_file_is_replaced_only_when_asked(source: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"old")
    assert save_as(source, tmp_path / "a.jpg").name == "a-2.jpg"
    assert (tmp_path / "a.jpg").read_bytes() == b"old"
    assert save_as(source, tmp_path / "a.jpg", overwrite=True).name == "a.jpg"
    assert (tmp_path / "a.jpg").read_bytes() != b"old"


def test_c110_a_name_without_a_format_becomes_png(source: Path, tmp_path: Path) -> None:
    assert save_as(source, tmp_path / "Film Vol.1 (2026)").name == "Film Vol.1 (2026).png"


def test_a_picture_without_settings_and_a_broken_one(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "plain.png")
    assert read_settings(save_as(tmp_path / "plain.png", tmp_path / "a.jpg")) is None
    (tmp_path / "broken.png").write_bytes(b"x")
    with pytest.raises(AppError) as caught:
        save_as(tmp_path / "broken.png", tmp_path / "b.jpg")
    assert caught.value.kind is ErrorKind.PICTURE_UNREADABLE

"""Opening: upright, in sRGB, without alpha, in 8 bits, within bounds, by content; damaged files in words."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from app.core.errors import AppError, ErrorKind
from app.media.open import open_picture, size_of, thumbnail


def kind_of(path: Path) -> ErrorKind:
    with pytest.raises(AppError) as caught:
        open_picture(path)
    with pytest.raises(AppError):
        thumbnail(path, 64)
    return caught.value.kind


@pytest.mark.parametrize("orientation", range(2, 9))
def test_c80_every_orientation_comes_out_the_same(orientation: int, cases: Path) -> None:
    upright = open_picture(cases / "C80-exif-orientation-3.jpg")
    picture = open_picture(cases / f"C80-exif-orientation-{orientation}.jpg")
    assert picture.size == upright.size
    difference = np.abs(np.asarray(picture).astype(int) - np.asarray(upright).astype(int))
    assert difference.mean() < 6
    assert thumbnail(cases / f"C80-exif-orientation-{orientation}.jpg", 1000).size == upright.size
    size = size_of(cases / f"C80-exif-orientation-{orientation}.jpg")
    assert (size.width, size.height) == upright.size


def test_c81_c82_hidden_colours_stay_hidden(cases: Path) -> None:
    path = cases / "C81-rgba-hidden-red.png"
    picture = open_picture(path)
    assert picture.mode == "RGB"
    right = np.asarray(picture)[:, picture.width // 2 + 2 :]
    assert (right == 255).all()
    assert (np.asarray(open_picture(path, (0, 0, 0)))[:, picture.width // 2 + 2 :] == 0).all()
    assert (np.asarray(picture)[:, 2] == (30, 60, 220)).all()


def test_c84_a_16_bit_ramp_stays_a_ramp(cases: Path) -> None:
    row = np.asarray(open_picture(cases / "C84-grey16-ramp.png"))[0, :, 0].astype(int)
    assert row.min() < 10
    assert row.max() > 245
    assert len(set(row.tolist())) > len(row) // 2
    assert (np.diff(row) >= 0).all()


def test_c85_cmyk_bars_have_their_colours(cases: Path) -> None:
    pixels = np.asarray(open_picture(cases / "C85-cmyk-c-m-y-k-bars.jpg")).astype(int)
    middle = pixels[pixels.shape[0] // 2]
    cyan, magenta, yellow, black = (middle[int(pixels.shape[1] * (i + 0.5) / 4)] for i in range(4))
    assert cyan[0] < 100 < cyan[2]
    assert magenta[1] < 100 < magenta[0]
    assert yellow[2] < 100 < yellow[1]
    assert black.max() < 80


def test_c87_the_content_counts_not_the_name(cases: Path) -> None:
    assert open_picture(cases / "C87-really-webp.jpeg").mode == "RGB"
    assert size_of(cases / "C87-really-webp.jpeg").format == "WEBP"


def test_c88_a_bomb_is_refused_with_its_size(cases: Path, tmp_path: Path) -> None:
    with pytest.raises(AppError) as caught:
        open_picture(cases / "C88-bomb-20000x20000-1bit.png")
    problem = caught.value.problem
    assert problem.kind is ErrorKind.PICTURE_TOO_LARGE
    assert (problem.fact("width"), problem.fact("height")) == (20000, 20000)
    Image.new("1", (11000, 11000)).save(tmp_path / "large.png")
    with pytest.raises(AppError) as caught:
        thumbnail(tmp_path / "large.png", 64)
    assert caught.value.problem.fact("width") == 11000


def test_c198_a_large_picture_can_be_opened_and_made_small(cases: Path) -> None:
    small = thumbnail(cases / "C198-grey-9000x9000.png", 256)
    assert small.size == (256, 256)


@pytest.mark.parametrize("name", ["C90-zero-bytes.png", "C90-text-named.png", "C90-cut.jpg"])
def test_c90_damaged_pictures_are_said_to_be(name: str, cases: Path) -> None:
    assert kind_of(cases / name) is ErrorKind.PICTURE_UNREADABLE


def test_c90_folders_and_pipes_are_no_pictures(tmp_path: Path) -> None:
    (tmp_path / "x.png").mkdir()
    assert kind_of(tmp_path / "x.png") is ErrorKind.PICTURE_MISSING
    assert kind_of(tmp_path / "gone.png") is ErrorKind.PICTURE_MISSING
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "y.png")
        assert kind_of(tmp_path / "y.png") is ErrorKind.PICTURE_UNREADABLE


def test_c97_odd_sizes_stay(cases: Path) -> None:
    assert open_picture(cases / "C97-odd-63x65.png").size == (63, 65)


@pytest.mark.parametrize("name", ["a#b%20.png", "it's #1 50% (copy).png", "Ümläut 日本 \U0001f408.png"])
def test_c122_odd_names_are_found(name: str, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4), "red").save(tmp_path / name)
    assert open_picture(tmp_path / name).getpixel((0, 0)) == (255, 0, 0)


def test_colours_follow_the_embedded_profile(tmp_path: Path) -> None:
    swapped = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()
    Image.new("RGB", (4, 4), (200, 100, 50)).save(tmp_path / "a.png", icc_profile=swapped)
    assert open_picture(tmp_path / "a.png").mode == "RGB"
    Image.new("RGB", (4, 4), (200, 100, 50)).save(tmp_path / "b.png", icc_profile=b"not a profile")
    assert open_picture(tmp_path / "b.png").getpixel((0, 0)) == (200, 100, 50)
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    Image.new("RGBA", (4, 4), (200, 100, 50, 255)).save(tmp_path / "c.png", icc_profile=srgb)
    assert open_picture(tmp_path / "c.png").getpixel((0, 0)) == (200, 100, 50)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_kind_of_pixel_becomes_rgb(mode: str, tmp_path: Path) -> None:
    Image.new(mode, (5, 3)).save(tmp_path / "a.png")
    assert open_picture(tmp_path / "a.png").mode == "RGB"
    Image.new("F", (5, 3), 0.5).save(tmp_path / "f.tiff")
    assert open_picture(tmp_path / "f.tiff").getpixel((0, 0)) == (128, 128, 128)

"""Whether a picture is one, before it is saved."""

from __future__ import annotations

import numpy as np
import pytest

from app.core.errors import AppError, ErrorKind
from app.media.check import check_pixels, to_pixels


def test_pixels_are_rounded_and_clipped() -> None:
    picture = np.linspace(-0.5, 1.5, 4 * 4 * 3).reshape(4, 4, 3)
    pixels = to_pixels(picture)
    assert pixels.dtype == np.uint8
    assert pixels.min() == 0
    assert pixels.max() == 255
    assert to_pixels(np.array([[[0.5, 0.0, 1.0], [0.0, 1.0, 0.2]]]))[0, 0].tolist() == [128, 0, 255]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_c107_one_value_that_is_no_number_refuses_the_picture(bad: float) -> None:
    picture = np.random.default_rng(0).random((8, 8, 3))
    picture[3, 4, 1] = bad
    with pytest.raises(AppError) as caught:
        to_pixels(picture)
    assert caught.value.kind is ErrorKind.PICTURE_NOT_FINITE


@pytest.mark.parametrize(
    ("colour", "name"), [((0, 0, 0), "#000000"), ((1, 1, 1), "#ffffff"), ((1, 0, 0), "#ff0000")]
)
def test_one_colour_is_blank(colour: tuple[float, ...], name: str) -> None:
    picture = np.zeros((8, 8, 3)) + np.array(colour)
    with pytest.raises(AppError) as caught:
        to_pixels(picture)
    assert caught.value.kind is ErrorKind.PICTURE_BLANK
    assert caught.value.problem.fact("colour") == name


def test_nearly_one_colour_is_blank_too_but_a_faint_picture_is_not() -> None:
    flat = np.full((8, 8, 3), 100, dtype=np.uint8)
    flat[0, 0] = 102
    with pytest.raises(AppError):
        check_pixels(flat)
    flat[0, 0] = 103
    check_pixels(flat)


def test_what_has_no_shape_of_a_picture_is_refused() -> None:
    for shape in ((8, 8), (8, 8, 4), (0, 8, 3)):
        with pytest.raises(AppError):
            to_pixels(np.zeros(shape))

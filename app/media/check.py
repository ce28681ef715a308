"""Whether a picture is one: finite and not of a single colour. Decides before anything is saved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.core.errors import AppError, ErrorKind

BLANK_SPREAD = 2
"""Steps of 255 between the darkest and lightest value of a channel that still count as one colour."""


def to_pixels(picture: NDArray[np.floating]) -> NDArray[np.uint8]:
    """A decoded picture (height, width, 3), or a clip (frames, height, width, 3), in 0 … 1 as 8-bit pixels.

    Raises PICTURE_NOT_FINITE or PICTURE_BLANK.
    """
    if picture.ndim not in (3, 4) or picture.shape[-1] != 3 or 0 in picture.shape:
        raise AppError(ErrorKind.UNEXPECTED, detail=f"not a picture: shape {picture.shape}")
    pixels = np.empty(picture.shape, np.uint8)
    # frame by frame: several copies of a whole clip would be too much
    for index in [...] if picture.ndim == 3 else range(len(picture)):
        if not np.isfinite(picture[index]).all():
            raise AppError(ErrorKind.PICTURE_NOT_FINITE)
        pixels[index] = np.round(np.clip(picture[index], 0.0, 1.0) * 255.0).astype(np.uint8)
    check_pixels(pixels)
    return pixels


def check_pixels(pixels: NDArray[np.uint8]) -> None:
    """Raises PICTURE_BLANK when 8-bit pixels are all of one colour, black included."""
    flat = pixels.reshape(-1, pixels.shape[-1])
    low, high = flat.min(axis=0).astype(int), flat.max(axis=0).astype(int)
    if int((high - low).max()) <= BLANK_SPREAD:
        red, green, blue = (int(value) for value in (low + high) // 2)
        raise AppError(ErrorKind.PICTURE_BLANK, colour=f"#{red:02x}{green:02x}{blue:02x}")

"""Files to pictures for the screen, away from the window's thread; every pixel comes through ``app.media``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QImage

from app.media.metadata import PictureSettings, read_settings
from app.ui.picture_view import Pyramid, pyramid

if TYPE_CHECKING:  # Pillow comes with the first picture, after the window is there
    from PIL import Image

SHOWN_MAX = 8192
"""The longest side that is kept on screen; a larger picture is shown scaled, and the caption says so."""


@dataclass(frozen=True)
class Opened:
    """A picture ready to be painted, its true size, and what it says of its making."""

    path: Path
    picture: Pyramid
    width: int
    height: int
    settings: PictureSettings | None


def load(path: Path) -> Opened:
    """The whole picture for the viewer. Raises AppError."""
    from app.media.open import open_picture, size_of, thumbnail

    size = size_of(path)
    if max(size.width, size.height) > SHOWN_MAX:
        image = to_qimage(thumbnail(path, SHOWN_MAX))
    else:
        image = to_qimage(open_picture(path))
    return Opened(path, pyramid(image), size.width, size.height, read_settings(path))


def load_thumbnail(path: Path, side: int) -> QImage:
    """A small picture for the strip. Raises AppError."""
    from app.media.open import thumbnail

    return to_qimage(thumbnail(path, side))


def to_qimage(picture: Image.Image) -> QImage:
    """A copy: Qt does not copy what it is given (C197); the row length is named since Qt assumes padding (C196)."""
    data = picture.convert("RGB").tobytes("raw", "BGRX")
    width, height = picture.size
    return QImage(data, width, height, width * 4, QImage.Format.Format_RGB32).copy()


def preview_image(rgb: bytes, width: int, height: int) -> QImage:
    """An engine's preview; a copy, for the same reasons. Null if the bytes are not what they should be."""
    if width < 1 or height < 1 or len(rgb) < width * height * 3:
        return QImage()
    return QImage(rgb, width, height, width * 3, QImage.Format.Format_RGB888).copy()

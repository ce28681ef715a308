"""Opens any picture the same way for every reader: by content, upright, in sRGB, without alpha, within bounds.

Returns Pillow pictures in RGB and raises AppError; no caller opens a picture in another way.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageCms, ImageOps

from app.core.errors import AppError, ErrorKind

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
PIXELS_MAX = 89_478_485
"""Pillow's own bound of what is no attack; larger than any picture that the program makes."""
_FAULTS = (OSError, ValueError, SyntaxError, EOFError, TypeError, KeyError, IndexError, OverflowError)


@dataclass(frozen=True)
class PictureSize:
    """What can be known without decoding; upright."""

    width: int
    height: int
    format: str


def open_picture(path: Path, background: tuple[int, int, int] = (255, 255, 255)) -> Image.Image:
    """The whole picture in RGB. Raises PICTURE_UNREADABLE or PICTURE_TOO_LARGE."""
    with opened(path) as picture:
        check_size(path, *picture.size)
        return _plain(picture, background)


def thumbnail(path: Path, side: int, background: tuple[int, int, int] = (255, 255, 255)) -> Image.Image:
    """The picture in RGB, scaled down to fit a square of ``side`` pixels; JPEGs are decoded no larger."""
    with opened(path) as picture:
        check_size(path, *picture.size)
        picture.draft("RGB", (side, side))
        if picture.mode in ("L", "RGB", "RGBA", "CMYK"):  # early, so that all else works on few pixels
            picture.thumbnail((2 * side, 2 * side), Image.Resampling.BOX)
        small = _plain(picture, background)
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    return small


def size_of(path: Path) -> PictureSize:
    """Size and format from the header alone. Raises PICTURE_UNREADABLE or PICTURE_TOO_LARGE."""
    with opened(path) as picture:
        width, height = picture.size
        if picture.getexif().get(0x0112, 1) in (5, 6, 7, 8):
            width, height = height, width
        return PictureSize(width, height, picture.format or "")


def check_there(path: Path) -> None:
    """Raises PICTURE_MISSING where nothing is at the path, or a folder."""
    try:
        folder, there = path.is_dir(), path.exists()
    except (OSError, ValueError):  # too long, or in a folder that may not be looked into
        folder = there = False
    if folder:
        raise AppError(ErrorKind.PICTURE_MISSING, path=str(path), case="folder")
    if not there:
        raise AppError(ErrorKind.PICTURE_MISSING, path=str(path))


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Image.Image]:
    """The file opened by content, not by name; every fault of a stranger's file becomes PICTURE_UNREADABLE."""
    check_there(path)
    if not path.is_file():  # keeps away from pipes and devices, which would wait for ever
        raise AppError(ErrorKind.PICTURE_UNREADABLE, path=str(path), detail="not a file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns of odd blocks, which are no news to a person
        try:
            with Image.open(path, formats=FORMATS) as picture:
                yield picture
        except Image.DecompressionBombError as error:
            width, height = _size_of_bomb(path)
            raise _too_large(path, width, height) from error
        except MemoryError as error:
            raise AppError(ErrorKind.PICTURE_UNREADABLE, path=str(path), detail="no memory") from error
        except _FAULTS as error:
            raise AppError(ErrorKind.PICTURE_UNREADABLE, path=str(path), detail=repr(error)) from error


def check_size(path: Path, width: int, height: int) -> None:
    """Raises PICTURE_TOO_LARGE for more pixels than any picture here has."""
    if width * height > PIXELS_MAX:
        raise _too_large(path, width, height)


def _too_large(path: Path, width: int, height: int) -> AppError:
    return AppError(ErrorKind.PICTURE_TOO_LARGE, path=str(path), width=width, height=height)


def _size_of_bomb(path: Path) -> tuple[int, int]:
    """The size that Pillow's own opener refuses to tell: the format's reader looks at the header alone."""
    for name in FORMATS:
        factory, accept = Image.OPEN[name]
        with path.open("rb") as file, contextlib.suppress(*_FAULTS):
            if accept and accept(file.read(16)) is not True:
                continue
            file.seek(0)
            return factory(file, str(path)).size
    return 0, 0


def _plain(picture: Image.Image, background: tuple[int, int, int]) -> Image.Image:
    picture.seek(0)
    upright = ImageOps.exif_transpose(picture)
    profile = picture.info.get("icc_profile")
    eight = _eight_bits(upright)
    flat = without_alpha(_to_srgb(eight, profile), background)
    flat.info.clear()
    return flat


def _eight_bits(picture: Image.Image) -> Image.Image:
    """Pictures of more than 8 bits scaled down: Pillow's own conversion cuts everything above 255 off."""
    if picture.mode not in ("I", "F") and not picture.mode.startswith("I;16"):
        return picture
    import numpy as np  # only here: the window opens many pictures and starts faster without it

    if picture.mode.startswith("I;16"):
        return Image.fromarray((np.asarray(picture).astype(np.uint32) // 257).astype(np.uint8))
    values = np.nan_to_num(np.asarray(picture).astype(np.float64))
    top = 65535.0 if picture.mode == "I" or values.max(initial=0) > 1 else 1.0
    return Image.fromarray(np.round(np.clip(values / top, 0, 1) * 255).astype(np.uint8))


def _to_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    """Colours by the embedded profile; without a usable one as Pillow takes them."""
    if not profile or picture.mode not in ("RGB", "RGBA", "CMYK", "L"):
        return picture
    alpha = picture.getchannel("A") if picture.mode == "RGBA" else None
    colours = picture.convert("RGB") if alpha else picture
    try:
        source = ImageCms.getOpenProfile(io.BytesIO(profile))
        target = ImageCms.createProfile("sRGB")
        converted = ImageCms.profileToProfile(colours, source, target, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return picture
    if converted is None:
        return picture
    if alpha:
        converted.putalpha(alpha)
    return converted


def without_alpha(picture: Image.Image, background: tuple[int, int, int]) -> Image.Image:
    """Transparent pixels show the background, never the colour hidden below them."""
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    over = picture.convert("RGBA")
    under = Image.new("RGBA", over.size, (*background, 255))
    return Image.alpha_composite(under, over).convert("RGB")

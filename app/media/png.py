"""Writes a generated picture as PNG with its metadata, and counts it only once it has been read back."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin

from app.core.errors import AppError, ErrorKind
from app.media.files import write_new
from app.media.metadata import KEY, PictureInfo, json_text, parameters_text, read_settings, settings_of


def write_png(pixels: NDArray[np.uint8], target: Path, info: PictureInfo) -> Path:
    """Writes 8-bit RGB ``pixels`` (height, width, 3) as ``target`` or, where that exists, the next free name.

    Returns the path written, after reopening the file and comparing it. Raises AppError and leaves nothing.
    """
    path = write_new(target, encode_png(pixels, info))
    try:
        _read_back(path, pixels, info)
    except AppError:
        path.unlink(missing_ok=True)
        raise
    return path


def encode_png(pixels: NDArray[np.uint8], info: PictureInfo) -> bytes:
    """The file's bytes. Texts are not compressed: readers refuse compressed ones over a megabyte."""
    texts = PngImagePlugin.PngInfo()
    texts.add_text("parameters", parameters_text(info))
    texts.add_itxt(KEY, json_text(info))
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(stream, "PNG", pnginfo=texts, compress_level=4)
    return stream.getvalue()


def _read_back(path: Path, pixels: NDArray[np.uint8], info: PictureInfo) -> None:
    try:
        with Image.open(path, formats=["PNG"]) as picture:
            same = np.array_equal(np.asarray(picture.convert("RGB")), pixels)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise _damaged(path, repr(error)) from error
    found = read_settings(path)
    if not same:
        raise _damaged(path, "other pixels came back from disk")
    if found is None or found != settings_of({KEY: json_text(info)}):
        raise _damaged(path, "other metadata came back from disk")


def _damaged(path: Path, detail: str) -> AppError:
    return AppError(ErrorKind.WRITE_FAILED, detail=detail, path=str(path))

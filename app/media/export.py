"""Save as: a finished picture in another place and format, with its metadata. The original is only read."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image, PngImagePlugin

from app.core.errors import AppError, ErrorKind
from app.media.exif_text import EXIF_MAX, exif_of, texts_of
from app.media.files import write_new
from app.media.metadata import KEY
from app.media.names import FORMATS, with_format
from app.media.open import open_picture

QUALITY = 92


def save_as(source: Path, target: Path, *, overwrite: bool = False, quality: int = QUALITY) -> Path:
    """Writes ``source`` as ``target``, in the format of its suffix (PNG, JPEG or WebP; PNG without one).

    An existing file is replaced only with ``overwrite``; otherwise the next free name is taken. Returns the
    path written. Raises AppError.
    """
    suffix = target.suffix.lstrip(".").lower()
    if suffix not in FORMATS:
        suffix, target = "png", with_format(target, "png")
    picture = open_picture(source)
    texts = _texts(source)
    path = write_new(target, encode(picture, suffix, texts, quality), overwrite=overwrite)
    if open_picture(path).size != picture.size:
        raise AppError(ErrorKind.WRITE_FAILED, path=str(path), detail="other pixels came back from disk")
    return path


def encode(picture: Image.Image, suffix: str, texts: dict[str, str], quality: int = QUALITY) -> bytes:
    """The bytes of a picture in a format, with the two texts that we write."""
    parameters, ours = texts.get("parameters", ""), texts.get(KEY, "")
    stream = io.BytesIO()
    if suffix == "png":
        chunks = PngImagePlugin.PngInfo()
        if parameters:
            chunks.add_text("parameters", parameters)
        if ours:
            chunks.add_itxt(KEY, ours)
        picture.save(stream, "PNG", pnginfo=chunks)
        return stream.getvalue()
    jpeg = suffix in ("jpg", "jpeg")
    exif = exif_of(parameters, ours, EXIF_MAX if jpeg else None) if parameters or ours else b""
    if jpeg:
        picture.save(stream, "JPEG", quality=quality, subsampling=0, exif=exif)
    else:
        picture.save(stream, "WEBP", quality=quality, method=4, exif=exif)
    return stream.getvalue()


def _texts(source: Path) -> dict[str, str]:
    try:
        with Image.open(source) as picture:
            return texts_of(picture)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return {}

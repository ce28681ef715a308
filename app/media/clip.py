"""Writes a clip as an animated PNG, without loss and with its metadata, and reads animated files frame by frame.

The animation's own chunks are written here: Pillow joins equal frames in a row, and rounds their times.
"""

from __future__ import annotations

import io
import itertools
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageSequence

from app.core.errors import AppError, ErrorKind
from app.media.files import write_new
from app.media.metadata import KEY, PictureInfo, json_text, read_settings, settings_of
from app.media.open import check_size, opened, without_alpha
from app.media.png import encode_png

FRAMES_MAX = 10_000
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_U16_MAX = 65_535
_WHITE = (255, 255, 255)
_FPS_IF_UNKNOWN = 10


@dataclass(frozen=True)
class Clip:
    """Frames in RGB, all of one size, and how many of them a second shows; 0 where the file does not say."""

    frames: tuple[Image.Image, ...]
    fps: float


def write_clip(pixels: NDArray[np.uint8], fps: float, target: Path, info: PictureInfo) -> Path:
    """Writes 8-bit RGB ``pixels`` (frames, height, width, 3) as ``target`` or the next free name.

    Returns the path written, after reopening the file and comparing it. Raises AppError and leaves nothing.
    """
    path = write_new(target, encode_clip(pixels, fps, info))
    try:
        _read_back(path, pixels, info)
    except AppError as error:
        path.unlink(missing_ok=True)
        raise AppError(ErrorKind.WRITE_FAILED, detail=str(error), path=str(path)) from error
    return path


def encode_clip(pixels: NDArray[np.uint8], fps: float, info: PictureInfo) -> bytes:
    """The file's bytes: the first frame is a picture with all metadata, the others follow it."""
    height, width = pixels.shape[1:3]
    delay = _delay(fps)
    head = [chunk for chunk in _chunks(encode_png(pixels[0], info)) if chunk[0] not in (b"IDAT", b"IEND")]
    parts = [_SIGNATURE, *(_chunk(kind, data) for kind, data in head)]
    parts.append(_chunk(b"acTL", struct.pack(">II", len(pixels), 0)))
    numbers = itertools.count()
    for index, frame in enumerate(pixels):
        place = (next(numbers), width, height, 0, 0, delay.numerator, delay.denominator, 0, 0)
        parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", *place)))
        for data in _image_data(frame):
            number = struct.pack(">I", next(numbers)) if index else b""
            parts.append(_chunk(b"fdAT" if index else b"IDAT", number + data))
    parts.append(_chunk(b"IEND", b""))
    return b"".join(parts)


def read_clip(path: Path, most: int = FRAMES_MAX) -> Clip:
    """The frames of an animated PNG, GIF or WebP, ``most`` at most, or the one of a picture.

    Raises PICTURE_UNREADABLE, or PICTURE_TOO_LARGE.
    """
    frames: list[Image.Image] = []
    durations: list[float] = []
    for frame, duration in itertools.islice(_frames(path), most):
        frames.append(frame)
        durations.append(duration)
    step = min((duration for duration in durations if duration > 0), default=0.0)
    if step <= 0:
        return Clip(tuple(frames), 0)
    # a frame that stands longer than the shortest one is several of them
    counts = (min(most, max(1, round(duration / step))) for duration in durations)
    shown = (frame for frame, count in zip(frames, counts, strict=True) for _ in range(count))
    return Clip(tuple(itertools.islice(shown, most)), 1000 / step)


def _frames(path: Path) -> Iterator[tuple[Image.Image, float]]:
    """Each frame in RGB with its milliseconds; one after the other, as all of a clip may be much."""
    with opened(path) as picture:
        check_size(path, *picture.size)
        for frame in ImageSequence.Iterator(picture):
            yield without_alpha(frame, _WHITE), float(frame.info.get("duration") or 0)


def _delay(fps: float) -> Fraction:
    """Seconds of one frame, as the two 16-bit numbers that a file has for it; the nearest that fit."""
    rate = Fraction(fps) if fps > 0 else Fraction(_FPS_IF_UNKNOWN)
    if rate >= 1:
        return (1 / rate).limit_denominator(_U16_MAX) or Fraction(1, _U16_MAX)
    return 1 / (rate.limit_denominator(_U16_MAX) or Fraction(1, _U16_MAX))


def _image_data(frame: NDArray[np.uint8]) -> Iterator[bytes]:
    """The compressed data of one frame."""
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(frame)).save(stream, "PNG", compress_level=4)
    return (data for kind, data in _chunks(stream.getvalue()) if kind == b"IDAT")


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each chunk of a PNG that was written here."""
    place = len(_SIGNATURE)
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        yield data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        place += length + 12


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(kind + data))))


def _read_back(path: Path, pixels: NDArray[np.uint8], info: PictureInfo) -> None:
    found = itertools.zip_longest((np.asarray(frame) for frame, _ in _frames(path)), pixels)
    if not all(
        frame is not None and want is not None and np.array_equal(frame, want) for frame, want in found
    ):
        raise AppError(ErrorKind.WRITE_FAILED, detail="other frames came back from disk", path=str(path))
    if read_settings(path) != settings_of({KEY: json_text(info)}):
        raise AppError(ErrorKind.WRITE_FAILED, detail="other metadata came back from disk", path=str(path))

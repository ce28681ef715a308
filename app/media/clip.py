"""Writes a clip as an animated PNG, without loss and with its metadata, and reads animated files frame by frame."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageSequence, PngImagePlugin

from app.core.errors import AppError, ErrorKind
from app.media.files import write_new
from app.media.metadata import KEY, PictureInfo, json_text, parameters_text, read_settings, settings_of
from app.media.open import check_size, opened

FRAMES_MAX = 10_000


@dataclass(frozen=True)
class Clip:
    """Frames in RGB, all of one size, and how many of them a second shows."""

    frames: tuple[Image.Image, ...]
    fps: float


def write_clip(pixels: NDArray[np.uint8], fps: float, target: Path, info: PictureInfo) -> Path:
    """Writes 8-bit RGB ``pixels`` (frames, height, width, 3) as ``target`` or the next free name.

    Returns the path written, after reopening the file and comparing it. Raises AppError and leaves nothing.
    """
    path = write_new(target, encode_clip(pixels, fps, info))
    try:
        _read_back(path, pixels, info)
    except AppError:
        path.unlink(missing_ok=True)
        raise
    return path


def encode_clip(pixels: NDArray[np.uint8], fps: float, info: PictureInfo) -> bytes:
    """The file's bytes."""
    texts = PngImagePlugin.PngInfo()
    texts.add_text("parameters", parameters_text(info))
    texts.add_itxt(KEY, json_text(info))
    first, *others = (Image.fromarray(np.ascontiguousarray(frame)) for frame in pixels)
    stream = io.BytesIO()
    first.save(
        stream, "PNG", pnginfo=texts, compress_level=4,
        save_all=True, append_images=others, duration=_duration(fps), loop=0,
    )  # fmt: skip
    return stream.getvalue()


def read_clip(path: Path) -> Clip:
    """Every frame of an animated PNG, GIF or WebP, or the one of a picture. Raises PICTURE_UNREADABLE."""
    with opened(path) as picture:
        check_size(path, *picture.size)
        frames: list[Image.Image] = []
        durations: list[float] = []
        for frame in ImageSequence.Iterator(picture):
            frames.append(frame.convert("RGB"))
            durations.append(float(frame.info.get("duration") or 0))
            if len(frames) > FRAMES_MAX:
                raise AppError(
                    ErrorKind.PICTURE_TOO_LARGE, path=str(path), width=picture.width, height=picture.height
                )
    step = min((duration for duration in durations if duration > 0), default=0)
    if step <= 0:
        return Clip(tuple(frames), 0)
    # equal frames in a row are stored once, for longer
    counts = [max(1, round(duration / step)) for duration in durations]
    return Clip(tuple(f for f, count in zip(frames, counts, strict=True) for _ in range(count)), 1000 / step)


def _duration(fps: float) -> int:
    """Milliseconds of one frame."""
    return max(1, round(1000 / fps)) if fps > 0 else 100


def _read_back(path: Path, pixels: NDArray[np.uint8], info: PictureInfo) -> None:
    found = read_clip(path).frames
    if len(found) != len(pixels) or any(
        not np.array_equal(np.asarray(frame), want) for frame, want in zip(found, pixels, strict=True)
    ):
        raise AppError(ErrorKind.WRITE_FAILED, detail="other frames came back from disk", path=str(path))
    if read_settings(path) != settings_of({KEY: json_text(info)}):
        raise AppError(ErrorKind.WRITE_FAILED, detail="other metadata came back from disk", path=str(path))

"""Reading safetensors headers without torch: names, formats and shapes of tensors, and whether the file is whole.

No weights are read and no code is run; a pickle is recognised and never opened further.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import AppError, ErrorKind

HEADER_MAX = 100 * 1024**2  # the format's own limit
_BITS = {
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8,
    "I64": 64, "I32": 32, "I16": 16, "I8": 8, "U64": 64, "U32": 32, "U16": 16, "U8": 8, "BOOL": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """One tensor of a header: safetensors' name of its format, its shape and its bytes in the file."""

    dtype: str
    shape: tuple[int, ...]
    bytes: int
    start: int = 0
    """Where its bytes begin, counted from the end of the header."""

    @property
    def numbers(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)


def read_header(path: Path) -> dict[str, Tensor]:
    """Tensor name → Tensor. Raises MODEL_MISSING, MODEL_UNSAFE or MODEL_DAMAGED with the file's name and why."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(8)
            length = int.from_bytes(start, "little")
            if len(start) < 8 or not 2 <= length <= min(HEADER_MAX, size - 8):
                raise _not_safetensors(path, start + file.read(512), size, length)
            raw = file.read(length)
    except OSError as error:
        raise AppError(ErrorKind.MODEL_MISSING, path=str(path), detail=str(error)) from error
    try:
        data = json.loads(raw)
        tensors = {name: _tensor(value) for name, value in data.items() if name != "__metadata__"}
        end = max(
            (value["data_offsets"][1] for name, value in data.items() if name != "__metadata__"), default=0
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _not_safetensors(path, start + raw[:512], size, length) from error
    if 8 + length + end != size:
        raise damaged(path, "size", actual=size, expected=8 + length + end)
    return tensors


def damaged(path: Path, reason: str, actual: int = 0, expected: int = 0, detail: str = "") -> AppError:
    """The error of a file that is not what its name says; ``reason`` is a key of error_words' table."""
    return AppError(
        ErrorKind.MODEL_DAMAGED, file=path.name, path=str(path), reason=reason, actual=actual, expected=expected,
        detail=detail,
    )  # fmt: skip


def looks_like_safetensors(path: Path) -> bool:
    """Whether the content begins like a safetensors file, whatever its name."""
    try:
        with path.open("rb") as file:
            start = file.read(9)
    except OSError:
        return False
    return len(start) == 9 and int.from_bytes(start[:8], "little") <= HEADER_MAX and start[8:9] == b"{"


def _tensor(value: dict[str, Any]) -> Tensor:
    shape = value["shape"]
    begin, end = value["data_offsets"]
    if (
        not isinstance(shape, list)
        or not all(isinstance(side, int) and side >= 0 for side in shape)
        or end < begin
    ):
        raise ValueError("shape or offsets")
    tensor = Tensor(str(value["dtype"]), tuple(shape), end - begin, begin)
    bits = _BITS.get(tensor.dtype)
    if bits is not None and tensor.numbers * bits != tensor.bytes * 8:
        raise ValueError("bytes do not match shape")
    return tensor


def _not_safetensors(path: Path, start: bytes, size: int, length: int) -> AppError:
    if start[:2] == b"PK" or start[:1] == b"\x80":
        return AppError(ErrorKind.MODEL_UNSAFE, file=path.name, path=str(path))
    text = start.lstrip().lower()
    if text.startswith((b"<!doctype", b"<html")):
        return damaged(path, "web_page")
    if text.startswith(b"version https://git-lfs"):
        return damaged(path, "lfs_pointer")
    if size == 0:
        return damaged(path, "empty")
    if 8 + length > size and start[8:9] == b"{":
        return damaged(path, "size", actual=size, expected=8 + length)
    return damaged(path, "format")

"""Reading a GGUF file's header without torch or numpy: names, formats and shapes of tensors, and whether it is whole.

Every count and length is bounded before it is believed; no weights are read.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import BinaryIO

from app.core.errors import AppError, ErrorKind
from app.core.headers import Tensor, damaged

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_TENSORS, _MOST_FIELDS, _MOST_ITEMS = 100_000, 100_000, 10_000_000
_LONGEST_NAME, _LONGEST_TEXT = 1024, 16 * 1024**2
_MOST_AXES = 8
_SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Type number of a field → its bytes; strings and arrays have lengths of their own."""
_UINT32, _STRING, _ARRAY = 4, 8, 9
_FORMATS = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 40), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2),
}  # fmt: skip
"""Type number of a tensor → its name, numbers in a block, bytes of a block."""
READABLE = frozenset({
    "F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL",
    "IQ4_XS",
})  # fmt: skip
"""The formats that diffusers unpacks."""


class _Wrong(Exception):
    """The file is not what its first bytes promise."""


def is_gguf(path: Path) -> bool:
    """Whether the content begins like a GGUF file, whatever its name."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_gguf(path: Path) -> dict[str, Tensor]:
    """Tensor name → Tensor, with shapes in torch's order. Raises MODEL_MISSING or MODEL_DAMAGED."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            tensors, end = _Reader(file, size).tensors()
    except OSError as error:
        raise AppError(ErrorKind.MODEL_MISSING, path=str(path), detail=str(error)) from error
    except (_Wrong, UnicodeDecodeError) as error:
        raise damaged(path, "format", detail=str(error)) from error
    except EOFError as error:
        raise damaged(path, "cut", detail=str(error)) from error
    if end > size:
        raise damaged(path, "size", actual=size, expected=end)
    if not tensors:
        raise damaged(path, "no_tensors")
    strange = sorted({tensor.dtype for tensor in tensors.values()} - READABLE)
    if strange:
        raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(path), reason="gguf_format", name=", ".join(strange))
    return tensors


class _Reader:
    """One pass through a header."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size
        self._alignment = 32

    def tensors(self) -> tuple[dict[str, Tensor], int]:
        """All tensors, and the number of the byte behind the last one."""
        magic, version = self._take(len(MAGIC)), self._number("<I")
        if magic != MAGIC or version not in _VERSIONS:
            raise _Wrong(f"{magic!r}, version {version}")
        count, fields = self._number("<Q"), self._number("<Q")
        if count > _MOST_TENSORS or fields > _MOST_FIELDS:
            raise _Wrong(f"{count} tensors, {fields} fields")
        for _ in range(fields):
            self._field()
        found, behind = {}, 0
        for _ in range(count):
            name, tensor, offset = self._tensor()
            if name in found:
                raise _Wrong(f"{name} twice")
            found[name], behind = tensor, max(behind, offset + tensor.bytes)
        start = -(-self._file.tell() // self._alignment) * self._alignment
        return found, start + behind if found else self._file.tell()

    def _tensor(self) -> tuple[str, Tensor, int]:
        name, axes = self._text(_LONGEST_NAME), self._number("<I")
        if not 0 < axes <= _MOST_AXES:
            raise _Wrong(f"{name} has {axes} axes")
        sides = tuple(self._number("<Q") for _ in range(axes))
        kind, offset = self._number("<I"), self._number("<Q")
        if kind not in _FORMATS:
            raise _Wrong(f"{name} has the unknown format {kind}")
        label, numbers, size = _FORMATS[kind]
        count = math.prod(sides)
        if count == 0 or count > 1 << 48 or sides[0] % numbers:
            raise _Wrong(f"{name} has the shape {sides}")
        return name, Tensor(label, sides[::-1], count // numbers * size), offset

    def _field(self) -> None:
        name, kind = self._text(_LONGEST_NAME), self._number("<I")
        if name == "general.alignment" and kind == _UINT32:
            self._alignment = self._number("<I")
            if self._alignment == 0 or self._alignment & (self._alignment - 1) or self._alignment > 1 << 20:
                raise _Wrong(f"alignment {self._alignment}")
            return
        self._skip_value(kind)

    def _skip_value(self, kind: int, depth: int = 0) -> None:
        if kind in _SCALARS:
            self._skip(_SCALARS[kind])
        elif kind == _STRING:
            self._skip(self._length(_LONGEST_TEXT))
        elif kind == _ARRAY and depth < 2:
            inner, count = self._number("<I"), self._length(_MOST_ITEMS)
            if inner in _SCALARS:
                self._skip(_SCALARS[inner] * count)
                return
            for _ in range(count):
                self._skip_value(inner, depth + 1)
        else:
            raise _Wrong(f"a field of type {kind}")

    def _text(self, longest: int) -> str:
        return self._take(self._length(longest)).decode("utf-8")

    def _length(self, most: int) -> int:
        length = self._number("<Q")
        if length > most:
            raise _Wrong(f"a length of {length}")
        return length

    def _skip(self, count: int) -> None:
        if self._file.tell() + count > self._size:
            raise EOFError("the header is cut")
        self._file.seek(count, 1)

    def _number(self, form: str) -> int:
        return int(struct.unpack(form, self._take(struct.calcsize(form)))[0])

    def _take(self, count: int) -> bytes:
        found = self._file.read(count)
        if len(found) < count:
            raise EOFError("the header is cut")
        return found

"""The ``parameters`` text that most programs write into their pictures: built, and read with mistrust.

Text in, text out; which file it stands in is ``metadata``'s matter.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

NEGATIVE = "Negative prompt:"
_FIELD = re.compile(r'\s*([\w][\w \-./]{0,60}):\s*("(?:\\.|[^\\"])*"|[^,]*)(?:,|$)')
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
SIDE_MAX = 65_536
FIELDS_MAX = 20_000
"""Characters of the fields that are looked through: a hostile text must not take for ever."""


@dataclass(frozen=True)
class Parameters:
    """What a ``parameters`` text says. ``rejected`` has the fields whose value could not be read."""

    prompt: str
    negative: str
    values: Mapping[str, Any]
    """``steps``, ``guidance``, ``seed``, ``width``, ``height``, ``model``, ``sampler`` where readable."""
    rejected: tuple[tuple[str, str], ...]


def build(prompt: str, negative: str, fields: Mapping[str, object]) -> str:
    """The text: prompt, negative prompt and one line of fields. A prompt that holds a line like a negative
    prompt's is followed by a real one, so that a reader who goes by the last is right."""
    lines = [prompt]
    if negative or _has_negative_line(prompt):
        lines.append(f"{NEGATIVE} {negative}".rstrip(" "))
    lines.append(", ".join(f"{key}: {_quoted(str(value))}" for key, value in fields.items()))
    return _UNWRITABLE.sub("\ufffd", "\n".join(lines))


def parse(text: str) -> Parameters | None:
    """Reads such a text; None when it has no line of fields.

    The fields begin at the last line that starts with ``Steps:`` and may hold line breaks; the negative
    prompt begins at the last line before them that says so.
    """
    lines = text.strip().replace("\r\n", "\n").split("\n")
    start = _last(lines, lambda line: line.startswith("Steps:"))
    if start is None:
        return None
    before = lines[:start]
    cut = _last(before, lambda line: line.lstrip().startswith(NEGATIVE))
    if cut is None:
        prompt, negative = "\n".join(before), ""
    else:
        prompt = "\n".join(before[:cut])
        negative = "\n".join([before[cut].lstrip()[len(NEGATIVE) :], *before[cut + 1 :]])
    values, rejected = _values("\n".join(lines[start:])[:FIELDS_MAX])
    return Parameters(prompt.strip(), negative.strip(), values, rejected)


def whole(text: str, low: int, high: int) -> int:
    """A whole number between the bounds; ValueError otherwise."""
    if not re.fullmatch(r"[0-9]{1,20}", text) or not low <= int(text) <= high:
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or not 0 <= value <= 1000:
        raise ValueError(text)
    return value


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})\s*[x×]\s*(\d{1,6})", text)
    if not match:
        raise ValueError(text)
    return whole(match[1], 1, SIDE_MAX), whole(match[2], 1, SIDE_MAX)


def _name(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


_READERS: Mapping[str, tuple[tuple[str, ...], Callable[[str], Any]]] = {
    "Steps": (("steps",), lambda text: whole(text, 1, 100_000)),
    "CFG scale": (("guidance",), _number),
    "Seed": (("seed",), lambda text: whole(text, 0, 2**64 - 1)),
    "Size": (("width", "height"), _size),
    "Model": (("model",), _name),
    "Sampler": (("sampler",), _name),
}


def _values(text: str) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    values: dict[str, Any] = {}
    rejected: list[tuple[str, str]] = []
    for key, raw in _FIELD.findall(text):
        names, read = _READERS.get(key.strip(), ((), None))
        if read is None or names[0] in values:
            continue
        plain = _unquoted(raw.strip())
        try:
            found = read(plain)
        except ValueError:
            rejected.append((key.strip(), plain[:80]))
        else:
            values |= zip(names, found if isinstance(found, tuple) else (found,), strict=True)
    return values, tuple(rejected)


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False) if re.search(r'[,:"\n\r]', value) else value


def _unquoted(value: str) -> str:
    if len(value) < 2 or not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        return value


def _has_negative_line(text: str) -> bool:
    return any(line.lstrip().startswith((NEGATIVE, "Steps:")) for line in text.splitlines())


def _last(lines: list[str], test: Callable[[str], bool]) -> int | None:
    return next((position for position in range(len(lines) - 1, -1, -1) if test(lines[position])), None)

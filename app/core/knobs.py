"""knob(): a settings field declared once, with its default, bounds, unit and words on the field itself.

Widget, JSON check, tooltip, preset key, command-line key and test cases all derive from the field.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from app.core.errors import AppError, ErrorKind
from app.core.text import Text
from app.core.units import parse_size

T = TypeVar("T")


class KnobKind(StrEnum):
    """How a value is written and edited."""

    CHOICE = "choice"
    SIZE = "size"
    """``auto``, a size in words, or a share such as ``80%``."""
    NUMBER = "number"
    DEVICE = "device"


@dataclass(frozen=True, kw_only=True)
class Knob:
    """What a field says about itself. ``price`` is its one-sentence explanation, which names what it costs."""

    kind: KnobKind
    label: Text
    price: Text
    choices: tuple[tuple[str, Text], ...] = ()
    low: float = 0
    high: float = math.inf
    unit: Text | None = None
    lossy: bool = False
    advanced: bool = False


def knob(default: Any, **words: Any) -> Any:
    """A dataclass field that carries its Knob."""
    return dataclasses.field(default=default, metadata={"knob": Knob(**words)})


def knobs_of(kind: type) -> dict[str, Knob]:
    """Field name → Knob, in the order of declaration."""
    return {field.name: field.metadata["knob"] for field in fields(kind) if "knob" in field.metadata}


def to_json(values: Any) -> dict[str, Any]:
    """The fields that differ from their defaults, as JSON-able data."""
    found = {}
    for field in fields(values):
        value = getattr(values, field.name)
        if value != field.default:
            found[field.name] = value
    return found


def from_json(kind: type[T], data: Mapping[str, Any]) -> tuple[T, tuple[tuple[str, str], ...]]:
    """The values, and (name, value as text) of what was dropped: unknown names and values out of bounds."""
    known, good, dropped = knobs_of(kind), {}, []
    for name, value in data.items():
        try:
            good[name] = check(name, known[name], value)
        except (KeyError, AppError):
            dropped.append((str(name)[:80], str(value)[:80]))
    return kind(**good), tuple(dropped)


def parse_assignment(kind: type, text: str) -> tuple[str, Any]:
    """``name=value`` from the command line as a checked pair. Raises SETTING_UNKNOWN or SETTING_INVALID."""
    name, equals, value = text.partition("=")
    name, known = name.strip(), knobs_of(kind)
    if not equals or name not in known:
        raise AppError(ErrorKind.SETTING_UNKNOWN, name=name, known=", ".join(known))
    return name, check(name, known[name], value.strip())


def check(name: str, known: Knob, value: Any) -> Any:
    """The value in its normal form (texts stay text, numbers become float). Raises SETTING_INVALID."""
    checks = {
        KnobKind.CHOICE: _check_choice,
        KnobKind.SIZE: _check_size,
        KnobKind.NUMBER: _check_number,
        KnobKind.DEVICE: _check_device,
    }
    try:
        return checks[known.kind](known, value)
    except ValueError as error:
        allowed = ", ".join(choice for choice, _ in known.choices) or str(error)
        raise AppError(
            ErrorKind.SETTING_INVALID, name=name, value=str(value)[:80], allowed=allowed
        ) from error


def _check_choice(known: Knob, value: Any) -> str:
    if isinstance(value, str) and value in dict(known.choices):
        return value
    raise ValueError(", ".join(dict(known.choices)))


def _check_size(known: Knob, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("auto, 10GiB, 80%")
    text = str(value).strip()
    if text == "auto":
        return text
    try:
        if text.endswith("%"):
            share = float(text[:-1])
            if not 0 < share <= 100:
                raise ValueError(text)
        elif parse_size(text) <= 0 and known.low > 0:
            raise ValueError(text)
    except ValueError:
        raise ValueError("auto, 10GiB, 80%") from None
    return text


def _check_number(known: Knob, value: Any) -> float:
    words = f"{known.low:g} … {known.high:g}"
    if isinstance(value, bool):
        raise ValueError(words)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(words) from None
    if not (math.isfinite(number) and known.low <= number <= known.high):
        raise ValueError(words)
    return number


def _check_device(known: Knob, value: Any) -> str:
    text = value.strip().lower() if isinstance(value, str) else ""
    name, colon, index = text.partition(":")
    if not name.isidentifier() or (colon and not (index.isascii() and index.isdigit() and len(index) < 4)):
        raise ValueError("auto, cpu, cuda:0")
    return text


def size_in_bytes(text: str, total: int) -> int | None:
    """A checked size knob in bytes (a share is of ``total``); None for ``auto``."""
    if text == "auto":
        return None
    if text.endswith("%"):
        return int(total * float(text[:-1]) / 100)
    return parse_size(text)

"""knob(): a settings field declared once, with its default, bounds, unit and words on the field itself.

Widget, JSON check, tooltip, preset key, command-line key and test cases all derive from the field.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from app.core.errors import AppError, ErrorKind
from app.core.text import Text
from app.core.units import parse_size

T = TypeVar("T")
_PAIRS = "cuda:0=10GiB,cuda:1=6GiB"


class KnobKind(StrEnum):
    """How a value is written and edited."""

    CHOICE = "choice"
    SIZE = "size"
    """``auto``, a size in words, or a share such as ``80%``."""
    NUMBER = "number"
    WHOLE = "whole"
    DEVICE = "device"
    LIST = "list"
    """Words or patterns, separated by commas."""
    FOLDER = "folder"
    ADDRESS = "address"
    """``http://…`` or ``https://…``, or empty."""
    MAP = "map"
    """A JSON object, part of the model → device, written or in a file."""
    PARTS = "parts"
    """Values of single components: ``name.field`` → value."""


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
    group: Text | None = None
    """The heading below which it stands under "More"; None: it stands open."""
    per_device: bool = False
    """A size may be given for each device: ``cuda:0=10GiB,cuda:1=6GiB``."""
    parts: Mapping[str, Knob] = dataclasses.field(default_factory=dict)
    """Of ``PARTS``: the fields that a component can have a value of its own for."""


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
            parts = field.metadata["knob"].kind is KnobKind.PARTS
            found[field.name] = dict(value) if parts else value
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


_MAY_BE_EMPTY = (KnobKind.LIST, KnobKind.FOLDER, KnobKind.ADDRESS, KnobKind.MAP)
_EXAMPLES = {
    KnobKind.SIZE: "auto, 10GiB, 80%",
    KnobKind.DEVICE: "auto, cpu, cuda:0",
    KnobKind.LIST: "norm, ^proj_out$",
    KnobKind.FOLDER: "/path/of/a/folder",
    KnobKind.ADDRESS: "https://host/path",
    KnobKind.MAP: '{"unet": "cuda:0", "vae": "cuda:1"}',
}


def parse_assignment(kind: type, text: str) -> tuple[str, Any]:
    """``name=value`` from the command line as a checked pair. Raises SETTING_UNKNOWN or SETTING_INVALID."""
    name, equals, value = text.partition("=")
    name, known = name.strip(), knobs_of(kind)
    group, _, part = name.partition(".")
    own = known.get(name)
    parts = known[group].parts if group in known else {}
    if parts:
        component, _, field = part.rpartition(".")
        own = parts.get(field) if component.isidentifier() else None
    if own is None:
        names = [f"{group}.NAME.{field}" for field in parts] or known
        raise AppError(ErrorKind.SETTING_UNKNOWN, name=name, known=", ".join(names))
    if not equals or (not value.strip() and own.kind not in _MAY_BE_EMPTY):
        allowed = allowed_words(own)
        raise AppError(ErrorKind.SETTING_INVALID, name=name, value="", allowed=allowed, case="no_value")
    if parts:
        return group, check(group, known[group], {part: value.strip()})
    return name, check(name, own, value.strip())


def check(name: str, known: Knob, value: Any) -> Any:
    """The value in its normal form (texts stay text, numbers become float). Raises SETTING_INVALID."""
    checks = {
        KnobKind.CHOICE: _check_choice,
        KnobKind.SIZE: _check_size,
        KnobKind.NUMBER: _check_number,
        KnobKind.WHOLE: _check_whole,
        KnobKind.DEVICE: _check_device,
        KnobKind.LIST: _check_list,
        KnobKind.FOLDER: _check_folder,
        KnobKind.ADDRESS: _check_address,
        KnobKind.MAP: _check_map,
        KnobKind.PARTS: _check_parts,
    }
    try:
        return checks[known.kind](known, value)
    except re.error as error:
        raise AppError(
            ErrorKind.SETTING_INVALID, name=name, value=str(error.pattern)[:80], position=(error.pos or 0) + 1,
            case="pattern",
        ) from error  # fmt: skip
    except ValueError as error:
        allowed = str(error) or allowed_words(known)
        raise AppError(
            ErrorKind.SETTING_INVALID, name=name, value=str(value)[:80], allowed=allowed
        ) from error


def allowed_words(known: Knob) -> str:
    """What a value may be: the choices, the bounds, or examples."""
    if known.kind in (KnobKind.NUMBER, KnobKind.WHOLE):
        return f"{known.low:g} … {known.high:g}"
    return ", ".join(choice for choice, _ in known.choices) or _EXAMPLES.get(known.kind, "")


def _check_choice(known: Knob, value: Any) -> str:
    if isinstance(value, str) and value in dict(known.choices):
        return value
    raise ValueError


def _check_size(known: Knob, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError
    text = str(value).strip()
    if text == "auto":
        return text
    if known.per_device and "=" in text:
        pairs = [pair.partition("=") for pair in text.split(",")]
        one = dataclasses.replace(known, per_device=False)
        sizes = {_check_device(known, name): _check_size(one, size) for name, _, size in pairs}
        if len(sizes) < len(pairs) or "auto" in sizes.values():
            raise ValueError(_PAIRS)
        return ",".join(f"{name}={size}" for name, size in sizes.items())
    try:
        if text.endswith("%"):
            share = float(text[:-1])
            if not 0 < share <= 100:
                raise ValueError(text)
        elif parse_size(text) <= 0 and known.low > 0:
            raise ValueError(text)
    except ValueError:
        raise ValueError from None
    return text


def _check_number(known: Knob, value: Any) -> float:
    if isinstance(value, bool):
        raise ValueError
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError from None
    if not (math.isfinite(number) and known.low <= number <= known.high):
        raise ValueError
    return number


def _check_device(known: Knob, value: Any) -> str:
    text = value.strip().lower() if isinstance(value, str) else ""
    name, colon, index = text.partition(":")
    if not name.isidentifier() or (colon and not (index.isascii() and index.isdigit() and len(index) < 4)):
        raise ValueError
    return text


def _check_whole(known: Knob, value: Any) -> int:
    number = _check_number(known, value)
    if number != int(number):
        raise ValueError
    return int(number)


def _check_list(known: Knob, value: Any) -> str:
    """Raises re.error for what is no pattern."""
    if not isinstance(value, str):
        raise ValueError
    words = [word.strip() for word in value.split(",")]
    for word in words:
        try:
            re.compile(word)
        except (OverflowError, RecursionError):
            raise ValueError from None
    return ",".join(word for word in words if word)


def _check_folder(known: Knob, value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError
    return value.strip()


def _check_address(known: Knob, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else "?"
    if text and not re.fullmatch(r"https?://[^\s/?#]+(?:[/?#]\S*)?", text):
        raise ValueError
    return text


def _check_map(known: Knob, value: Any) -> str:
    """The object as compact JSON text; a file's name is read by who has the disk."""
    if isinstance(value, str) and not value.strip():
        return ""
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError from None
    if not isinstance(found, dict) or not all(isinstance(place, str | int) for place in found.values()):
        raise ValueError
    return json.dumps({str(name): str(place) for name, place in found.items()})


def _check_parts(known: Knob, value: Any) -> tuple[tuple[str, Any], ...]:
    """Sorted pairs of ``component.field`` and value."""
    pairs = value.items() if isinstance(value, Mapping) else value
    fields_ = ", ".join(f"NAME.{name}" for name in known.parts)
    if not isinstance(pairs, tuple | list) and not isinstance(value, Mapping):
        raise ValueError(fields_)
    found = {}
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(fields_)
        component, dot, name = str(pair[0]).rpartition(".")
        if not dot or not component.isidentifier() or name not in known.parts:
            raise ValueError(fields_)
        found[f"{component}.{name}"] = check(str(pair[0]), known.parts[name], pair[1])
    return tuple(sorted(found.items()))


def sizes_in_bytes(text: str, totals: Mapping[str, int], main: str) -> dict[str, int]:
    """A checked size that may be given per device: device → bytes; one size is of the device ``main``.

    Shares are of the device's entry in ``totals``; a device without one gets no limit from a share. Empty: ``auto``.
    """
    if text == "auto":
        return {}
    if "=" not in text:
        text = f"{main}={text}"
    found = {}
    for pair in text.split(","):
        name, _, size = pair.partition("=")
        bytes_ = size_in_bytes(size, totals.get(name, 0))
        if bytes_:
            found[name] = bytes_
    return found


def size_in_bytes(text: str, total: int) -> int | None:
    """A checked size knob in bytes (a share is of ``total``); None for ``auto``."""
    if text == "auto":
        return None
    if text.endswith("%"):
        return int(total * float(text[:-1]) / 100)
    return parse_size(text)

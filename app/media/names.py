"""File names for pictures: safe on every system, cut by bytes, never outside their folder.

Makes names only; whether one is free is found out when a file is made under it.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

from app.core.request import GenerationRequest, OutputSpec

NAME_BYTES = 255
FORMATS = ("png", "jpg", "jpeg", "webp")
_RESERVED = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{name}{digit}" for name in ("com", "lpt") for digit in "0123456789¹²³"
}
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]')
_GAPS = re.compile(r"[\s_]+")


def picture_name(request: GenerationRequest, index: int, suffix: str = "png") -> str:
    """The name of picture ``index`` of a job: the prompt's beginning and the picture's own seed."""
    return native(f"{clean_name(request.prompt, 80)} {request.seed_of(index)}.{suffix}")


def native(name: str) -> str:
    """``name`` so that the system takes it also where its locale knows only ASCII: the same bytes on disk."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return os.fsdecode(name.encode("utf-8", "replace"))
    return name


def target_of(output: OutputSpec, request: GenerationRequest, index: int) -> Path:
    """Where picture ``index`` of a job goes if the name is free; of several at one path, all but the first
    are numbered."""
    if output.path is None:
        return output.folder / picture_name(request, index, output.format)
    return numbered(with_format(output.path, output.format), index + 1)


def clean_name(text: str, limit: int = 120) -> str:
    """``text`` as the stem of a file name: one line, no character or name that some system refuses, at most
    ``limit`` bytes; ``picture`` when nothing is left."""
    visible = "".join(c for c in text if unicodedata.category(c) not in ("Cs", "Co"))
    flat = _GAPS.sub(" ", _FORBIDDEN.sub(" ", visible))
    name = cut_bytes(flat.strip(" ."), limit).strip(" .")
    if name.split(".")[0].strip().lower() in _RESERVED:
        name = f"picture {name}"
    return name.lstrip("~- ") or "picture"


def cut_bytes(text: str, limit: int) -> str:
    """The longest beginning of ``text`` of at most ``limit`` bytes in a file name, not cutting a character,
    nor a mark or joiner from the character it belongs to."""
    size = 0
    for position, character in enumerate(text):
        size += len(character.encode("utf-8", "surrogatepass"))
        if size > limit:
            end = position
            while end and _continues(text[end]):
                end -= 1
            return text[:end]
    return text


def with_format(path: Path, suffix: str) -> Path:
    """``path`` with the suffix of a format: a picture's suffix is replaced, anything else after a dot is
    part of the name."""
    known = path.suffix.lstrip(".").lower()
    if known == suffix or {known, suffix} == {"jpg", "jpeg"}:
        return path
    if known in FORMATS and path.stem:
        return path.with_name(f"{path.stem}.{suffix}")
    return path.with_name(f"{path.name}.{suffix}")


def numbered(target: Path, number: int, longest: int = NAME_BYTES) -> Path:
    """``target`` for number 1, then ``target-2`` …; the stem is cut for a name of ``longest`` bytes."""
    return target.with_name(_fitted(target, "" if number < 2 else f"-{number}", longest))


def temporary(target: Path, number: int, longest: int = NAME_BYTES) -> Path:
    """The half-written file beside ``target``: its last suffix is the format's, which writers go by."""
    mark = "" if number < 2 else f"-{number}"
    return target.with_name("." + _fitted(target, f"{mark}.part", longest - 1))


def is_temporary(name: str) -> bool:
    """Whether ``name`` is one that :func:`temporary` makes."""
    return re.fullmatch(r"\..+\.part\.(?:png|jpg|jpeg|webp)", name, re.IGNORECASE | re.DOTALL) is not None


def _fitted(target: Path, mark: str, longest: int) -> str:
    room = longest - len((mark + target.suffix).encode("utf-8", "surrogatepass"))
    return f"{cut_bytes(target.stem, room)}{mark}{target.suffix}"


def _continues(character: str) -> bool:
    """Whether a character belongs to the one before it (accents, joiners, skin tones)."""
    return (
        unicodedata.category(character) in ("Mn", "Me", "Mc")
        or character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )

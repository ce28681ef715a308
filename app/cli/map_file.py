"""A device map that was given as a file's name: its text takes the name's place, so that one check serves both."""

from __future__ import annotations

from pathlib import Path

from app.core.knobs import KnobKind, knobs_of
from app.core.memory import MemorySettings
from app.media.names import native

FILE_MAX = 1024**2


def with_map(text: str) -> str:
    """``device_map=FILE`` as ``device_map={…}``; anything else, also a file that cannot be read, as it is."""
    name, equals, value = text.partition("=")
    known = knobs_of(MemorySettings).get(name.strip())
    if known is None or known.kind is not KnobKind.MAP or value.lstrip().startswith("{") or not value.strip():
        return text
    try:
        path = Path(native(value.strip()))
        if path.stat().st_size <= FILE_MAX:
            return f"{name}{equals}{path.read_text(encoding='utf-8-sig')}"
    except (OSError, ValueError):
        pass
    return text

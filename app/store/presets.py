"""The presets there are: the shipped ones in their order, then the person's own files. Same loader for both."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from app.core.errors import AppError
from app.core.preset import WORDS, Preset, preset_from_json


def load_presets(*folders: Path) -> dict[str, Preset]:
    """Preset id (the file's name) → Preset; a later folder's goes over an earlier one's, a bad file is left out."""
    found: dict[str, Preset] = {}
    for folder in folders:
        for path in _files_in(folder):
            try:
                data = json.loads(path.read_text(encoding="utf-8"))
                found[path.stem] = preset_from_json(path.stem, data)
            except (OSError, ValueError, RecursionError, AttributeError, AppError):
                continue
    order = list(WORDS)
    return dict(
        sorted(found.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order))
    )


def _files_in(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(path for path in folder.glob("*.json") if path.is_file())
    return []

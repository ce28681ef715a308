"""Removes half-written pictures that a killed program left behind. Touches nothing else."""

from __future__ import annotations

import contextlib
from pathlib import Path

from app.media.files import is_being_written
from app.media.names import is_temporary


def remove_leftovers(folder: Path) -> int:
    """Deletes the ``.NAME.part.*`` files in ``folder`` that no living program writes; returns how many."""
    removed = 0
    with contextlib.suppress(OSError):
        for entry in list(folder.iterdir()):
            if is_temporary(entry.name) and _is_plain(entry) and not is_being_written(entry):
                with contextlib.suppress(OSError):
                    entry.unlink()
                    removed += 1
    return removed


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()

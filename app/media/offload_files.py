"""Folders of weights that wait on disk, named after the process that made them: whose they are, and what is left over.

Removes what processes left that are no more, in every folder that they used; never what belongs to a living one.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path

from app.media.owner import is_alive, own_token

PREFIX = "headroom-offload-"
_NAMED = re.compile(rf"{PREFIX}(\d+)-")


def mark(base: Path, main: Path) -> list[Path]:
    """Says whose the folders in ``base`` are, since systems give process numbers out again; and in ``main``, where the
    next program looks, that there may be some in ``base``. Returns the marks, to be removed after."""
    marks = {_mark(base, os.getpid()): own_token()}
    if base != main:
        marks[_mark(main, os.getpid())] = f"{own_token()}\n{base}"
    for file, text in marks.items():
        with contextlib.suppress(OSError):  # without one the number alone tells
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", errors="surrogateescape")
    return list(marks)


def sweep(base: Path, *, follow: bool = True) -> int:
    """Removes what dead processes left in ``base``, and where their marks there say; returns how many folders."""
    gone = 0
    with contextlib.suppress(OSError):
        names = [entry.name for entry in base.iterdir()]
        for pid in sorted({int(found[1]) for name in names if (found := _NAMED.match(name))}):
            token, *others = _read(_mark(base, pid))
            if is_alive(token) if token else _is_there(pid):
                continue
            gone += sum(sweep(Path(other), follow=False) for other in others if follow)
            gone += _remove(base, pid)
    return gone


def _mark(base: Path, pid: int) -> Path:
    return base / f"{PREFIX}{pid}-owner"


def _read(file: Path) -> list[str]:
    """The lines of a mark; one empty line where there is none."""
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape").splitlines() or [""]
    except OSError:
        return [""]


def _is_there(pid: int) -> bool:
    import psutil  # only here: with marks it is not needed on Linux, and would make a start longer

    return psutil.pid_exists(pid)


def _remove(base: Path, pid: int) -> int:
    """The folders of one process, and at last its mark; returns how many folders."""
    found = [entry for entry in base.iterdir() if entry.name.startswith(f"{PREFIX}{pid}-")]
    folders = [entry for entry in found if entry.is_dir() and not entry.is_symlink()]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for file in (entry for entry in found if entry not in folders):
        with contextlib.suppress(OSError):
            file.unlink()
    return len(folders)

"""Folders that last as long as a placement: each is fresh, none is shared, all are gone after, also after a crash."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from app.core.errors import AppError, ErrorKind
from app.core.plan import AUTO_FOLDER

PREFIX = "headroom-offload-"


class Scratch:
    """Makes and removes them below its own folder, or below one that a person chose."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.gettempdir())

    @contextlib.contextmanager
    def folders(self, chosen: str) -> Iterator[Callable[[str], Path]]:
        """A maker of empty folders by component name; all of them are removed at the end.

        ``chosen`` is the plan's disk folder. Raises FOLDER_… or DISK_FULL when one cannot be made.
        """
        base = self.folder if chosen in ("", AUTO_FOLDER) else Path(chosen)
        made: list[Path] = []

        def fresh(component: str) -> Path:
            if not made:
                sweep(base)
            made.append(_made(base, component))
            return made[-1]

        try:
            yield fresh
        finally:
            for folder in made:
                shutil.rmtree(folder, ignore_errors=True)


def _made(base: Path, component: str) -> Path:
    """One new folder; its name tells whose it is."""
    try:
        base.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{component}-", dir=base))
    except FileExistsError as error:
        raise AppError(ErrorKind.FOLDER_IS_FILE, path=str(base)) from error
    except NotADirectoryError as error:
        raise AppError(ErrorKind.FOLDER_IS_FILE, path=str(base)) from error
    except PermissionError as error:
        raise AppError(ErrorKind.FOLDER_READ_ONLY, path=str(base)) from error
    except OSError as error:
        raise AppError(ErrorKind.FOLDER_MISSING, path=str(base), detail=str(error)) from error


def sweep(base: Path) -> int:
    """Removes what processes left that are no more; returns how many folders."""
    gone = 0
    for folder in base.glob(f"{PREFIX}*") if base.is_dir() else ():
        owner = re.match(rf"{PREFIX}(\d+)-", folder.name)
        if owner and not psutil.pid_exists(int(owner[1])):
            shutil.rmtree(folder, ignore_errors=True)
            gone += 1
    return gone

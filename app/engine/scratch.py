"""Folders that last as long as a placement: each is fresh, none is shared, all are gone after, also after a crash."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from safetensors import SafetensorError

from app.core.errors import AppError, ErrorKind
from app.core.plan import AUTO_FOLDER
from app.media.offload_files import PREFIX, mark, sweep


class Scratch:
    """Makes and removes them below its own folder, or below one that a person chose."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(tempfile.gettempdir())
        self._folders: list[Path] = []
        self._sealed: dict[Path, int] = {}

    @contextlib.contextmanager
    def folders(self, chosen: str) -> Iterator[Callable[[str], Path]]:
        """A maker of empty folders by component name; all of them are removed at the end.

        ``chosen`` is the plan's disk folder. Raises FOLDER_… or DISK_FULL when one cannot be made.
        """
        base = self._base(chosen)
        made: list[Path] = []
        marks: list[Path] = []

        def fresh(component: str) -> Path:
            if not made:
                sweep(base)
                marks.extend(mark(base, self.folder))
            made.append(_made(base, component))
            self._folders.append(made[-1])
            return made[-1]

        try:
            yield fresh
        finally:
            self._sealed.clear()
            for folder in made:
                self._folders.remove(folder)
                shutil.rmtree(folder, ignore_errors=True)
            for file in marks:
                with contextlib.suppress(OSError):
                    file.unlink()

    def try_out(self, chosen: str) -> None:
        """Raises, as ``folders`` does, where no folder can be made: before minutes of reading."""
        shutil.rmtree(_made(self._base(chosen), "try"), ignore_errors=True)

    def seal(self) -> None:
        """From now on the files in its folders are to stay as they are."""
        files = [file for folder in self._folders for file in folder.iterdir()]
        self._sealed = {file: file.stat().st_size for file in files}

    @property
    def is_whole(self) -> bool:
        """Whether what was sealed is still there, none of it cut."""
        try:
            return all(file.stat().st_size == size for file, size in self._sealed.items())
        except OSError:
            return False

    def _base(self, chosen: str) -> Path:
        return self.folder if chosen in ("", AUTO_FOLDER) else Path(chosen)


@contextlib.contextmanager
def written(folder: Path | None, size: int) -> Iterator[None]:
    """Around a library that writes ``size`` bytes into a folder of these: what goes wrong names the folder (C5)."""
    if folder is not None and shutil.disk_usage(folder).free < size:
        raise AppError(ErrorKind.DISK_FULL, path=str(folder.parent))
    try:
        yield
    except (OSError, SafetensorError) as error:
        if folder is None:
            raise
        full = getattr(error, "errno", None) == errno.ENOSPC or f"os error {errno.ENOSPC})" in str(error)
        kind = ErrorKind.DISK_FULL if full else ErrorKind.WRITE_FAILED
        raise AppError(kind, str(error), path=str(folder.parent)) from error


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

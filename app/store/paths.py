"""Where the program's files lie on this system. Makes folders only when asked to."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import platformdirs
from platformdirs.api import PlatformDirsABC

from app.core.errors import AppError, ErrorKind
from app.media.files import as_app_error

NAME = "Headroom"
HOME_VARIABLE = "HEADROOM_HOME"


@dataclass(frozen=True)
class Paths:
    """The program's folders. ``runs`` holds what a job needs while it runs; ``downloads`` comes with them."""

    config: Path
    data: Path
    cache: Path
    logs: Path
    runs: Path
    pictures: Path
    downloads: Path

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.config / "settings.json"

    @property
    def history(self) -> Path:
        """The database of jobs."""
        return self.data / "history.db"

    @property
    def lock(self) -> Path:
        """Held while a window is open."""
        return self.data / "window.lock"

    @property
    def scratch(self) -> Path:
        """Weights that wait on disk while a model is loaded; made when needed."""
        return self.cache / "offload"

    @property
    def models(self) -> Path:
        """The person's models, unless other folders are named in the settings."""
        return self.data / "models"

    def ensure(self) -> None:
        """Makes the folders that are not there. Raises AppError where that is not possible."""
        for field in fields(self):
            make_folder(getattr(self, field.name))


def make_folder(folder: Path) -> None:
    """Makes one folder with its parents. Raises AppError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise as_app_error(error, folder / "x") from error


def whole(path: Path) -> Path:
    """``path`` from the root on, ``~`` replaced; as it was typed where no such user or working folder exists."""
    with contextlib.suppress(RuntimeError):
        path = path.expanduser()
    with contextlib.suppress(OSError):
        path = path.absolute()
    return path


def default_paths(environment: Mapping[str, str] = os.environ) -> Paths:
    """The folders that the system intends for such files, or all below the folder HEADROOM_HOME names.

    Raises HOME_UNKNOWN where there are none.
    """
    home = environment.get(HOME_VARIABLE, "").strip()
    if home:
        return _below(whole(Path(home)))
    try:
        return _of_system(platformdirs.PlatformDirs(NAME, appauthor=False))
    except RuntimeError as error:  # a user whom the system does not know, as in some containers
        raise AppError(ErrorKind.HOME_UNKNOWN, repr(error)) from error


def _of_system(dirs: PlatformDirsABC) -> Paths:
    return Paths(
        config=dirs.user_config_path,
        data=dirs.user_data_path,
        cache=dirs.user_cache_path,
        logs=dirs.user_log_path,
        runs=dirs.user_data_path / "runs",
        pictures=dirs.user_pictures_path / NAME,
        downloads=dirs.user_data_path / "downloads",
    )


def _below(home: Path) -> Paths:
    return Paths(
        config=home / "config",
        data=home / "data",
        cache=home / "cache",
        logs=home / "logs",
        runs=home / "runs",
        pictures=home / "Pictures",
        downloads=home / "downloads",
    )

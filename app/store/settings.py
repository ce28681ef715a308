"""The person's settings as one JSON file: written whole or not at all, and never lost to a newer or damaged one.

A file's version is the number of its migrations plus one. Values that cannot be used are dropped and named.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core import knobs
from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind, Problem
from app.core.memory import MemorySettings
from app.core.text import Text, facts_of, say
from app.media.files import is_being_written, sync_folder, write_new
from app.media.metadata import checked_fields
from app.store.paths import make_folder

Migration = Callable[[dict[str, Any]], dict[str, Any]]
MIGRATIONS: tuple[Migration, ...] = ()
"""Each takes the data of its version (the first: version 1) to the next."""
THEMES = ("system", "light", "dark")
FILE_MAX = 16 * 1024 * 1024
NESTING_MAX = 8


@dataclass(frozen=True)
class Settings:
    """All that is remembered between starts."""

    memory: MemorySettings = field(default_factory=MemorySettings)
    preset: str = "fits"
    language: str = ""
    """Empty: the system's."""
    theme: str = "system"
    output_folder: str = ""
    """Empty: Pictures/Headroom."""
    model: str = ""
    """Empty: the built-in one."""
    model_folders: tuple[str, ...] = ()
    window: Mapping[str, Any] = field(default_factory=dict)
    """What the window remembers of itself: plain JSON, its meaning is the window's."""
    request: Mapping[str, Any] = field(default_factory=dict)
    """The last prompt, size, steps …: the fields' values are checked, others are the window's."""


class SettingsStore:
    """Loads and saves one settings file."""

    def __init__(self, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
        self.path = path
        self.writable = True
        """False once a newer file was met: saving would destroy it."""
        self._migrations = tuple(migrations)

    @property
    def version(self) -> int:
        """The version of the files this program writes."""
        return len(self._migrations) + 1

    def load(self) -> tuple[Settings, tuple[Text, ...]]:
        """The settings, and what has to be said of them: what was dropped, or why they start afresh."""
        self._clean()
        try:
            raw = self._read()
        except FileNotFoundError:
            return Settings(), ()
        except OSError as error:
            return self._refuse(Problem(ErrorKind.SETTINGS_DAMAGED, _at(self.path), repr(error)))
        data = _parse(raw)
        version = _version_of(data)
        if version is None:
            return self._set_aside()
        if version > self.version:
            return self._refuse(Problem(ErrorKind.SETTINGS_NEWER, _at(self.path)))
        try:
            data = self._migrated(data, version, raw)
        except (AppError, KeyError, TypeError, ValueError, AttributeError):
            return self._set_aside()
        settings, dropped = from_json(data)
        return settings, tuple(_DROPPED.of(name=name, value=value) for name, value in dropped)

    def save(self, settings: Settings) -> None:
        """Writes the whole file, or leaves the old one as it is and raises AppError."""
        if not self.writable:
            raise AppError(ErrorKind.SETTINGS_NEWER, path=str(self.path))
        data = {"schema_version": self.version} | to_json(settings)
        text = json.dumps(data, indent=1, allow_nan=False)
        make_folder(self.path.parent)
        write_new(self.path, text.encode("ascii"), overwrite=True)

    def _read(self) -> bytes:
        if not stat.S_ISREG(self.path.stat().st_mode):
            raise OSError(errno.EINVAL, "no plain file")  # a pipe would be waited for
        with self.path.open("rb") as file:
            return file.read(FILE_MAX + 1)

    def _migrated(self, data: dict[str, Any], version: int, raw: bytes) -> dict[str, Any]:
        """The data as this version has it; the file as it was is kept as ``.bak``."""
        if version < self.version:
            write_new(self.path.with_name(f"{self.path.name}.bak"), raw, overwrite=True)
        for migrate in self._migrations[version - 1 :]:
            data = migrate(data)
        return data

    def _refuse(self, problem: Problem) -> tuple[Settings, tuple[Text, ...]]:
        self.writable = False
        return Settings(), (_one_text(problem),)

    def _set_aside(self) -> tuple[Settings, tuple[Text, ...]]:
        """Keeps a damaged file under another name, so that nothing a person may want back is overwritten."""
        kind = ErrorKind.SETTINGS_DAMAGED
        try:
            kept = set_aside(self.path, "damaged")
        except OSError as error:
            return self._refuse(Problem(kind, _at(self.path), repr(error)))
        return Settings(), (_one_text(Problem(kind, (*_at(self.path), ("kept", str(kept))))),)

    def _clean(self) -> None:
        """A program killed while saving leaves a half-written file beside the whole one."""
        with contextlib.suppress(OSError):
            for path in self.path.parent.glob(f".{self.path.stem}*.part{self.path.suffix}"):
                if not is_being_written(path):
                    path.unlink(missing_ok=True)


def set_aside(path: Path, mark: str) -> Path:
    """Renames ``path`` to the first free ``path.MARK-N``."""
    number = 1
    while (target := path.with_name(f"{path.name}.{mark}-{number}")).exists():
        number += 1
    path.rename(target)
    sync_folder(path.parent)
    return target


def to_json(settings: Settings) -> dict[str, Any]:
    """The settings as JSON-able data, without what cannot be written."""
    return {
        "memory": knobs.to_json(settings.memory),
        "preset": settings.preset,
        "language": settings.language,
        "theme": settings.theme,
        "output_folder": settings.output_folder,
        "model": settings.model,
        "model_folders": list(settings.model_folders),
        "window": _plain_items(settings.window),
        "request": _plain_items(settings.request),
    }


def from_json(data: Mapping[str, Any]) -> tuple[Settings, tuple[tuple[str, str], ...]]:
    """The settings, and name and value of all that could not be used."""
    dropped: list[tuple[str, str]] = []
    values: dict[str, Any] = {}
    for name, value in data.items():
        if name == "schema_version":
            continue
        try:
            values[name], lost = _READERS[name](value)
            dropped += [(f"{name}.{key}" if key else name, text) for key, text in lost]
        except (KeyError, ValueError):
            dropped.append((str(name)[:80], str(value)[:80]))
    return Settings(**values), tuple(dropped)


_DROPPED = say("core", "The saved value {value} for {name} cannot be used and was dropped.")
_Read = tuple[Any, Sequence[tuple[str, str]]]


def _memory(value: Any) -> _Read:
    if not isinstance(value, dict):
        raise ValueError(value)
    return knobs.from_json(MemorySettings, value)


def _text(value: Any) -> _Read:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(value)
    return value, ()


def _theme(value: Any) -> _Read:
    if value not in THEMES:
        raise ValueError(value)
    return value, ()


def _texts(value: Any) -> _Read:
    if not isinstance(value, list):
        raise ValueError(value)
    good = tuple(item for item in value if isinstance(item, str) and item and "\0" not in item)
    return good, [("", str(item)[:80]) for item in value if item not in good]


def _window(value: Any) -> _Read:
    if not isinstance(value, dict):
        raise ValueError(value)
    good = _plain_items(value)
    return good, [(str(key)[:80], str(item)[:80]) for key, item in value.items() if key not in good]


def _request(value: Any) -> _Read:
    good, lost = _window(value)
    checked, rejected = checked_fields(good)
    bad = {name for name, _ in rejected}
    return {key: item for key, item in (good | checked).items() if key not in bad}, [*lost, *rejected]


_READERS: Mapping[str, Callable[[Any], _Read]] = {
    "memory": _memory,
    "preset": _text,
    "language": _text,
    "theme": _theme,
    "output_folder": _text,
    "model": _text,
    "model_folders": _texts,
    "window": _window,
    "request": _request,
}


class _Constant:
    """NaN or Infinity, which are no JSON and no setting: shows as its name and passes no check."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__


def _parse(raw: bytes) -> Any:
    if len(raw) > FILE_MAX:
        return None
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_Constant)
    except (ValueError, RecursionError):
        return None


def _version_of(data: Any) -> int | None:
    value = data.get("schema_version") if isinstance(data, dict) else None
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return value if good else None


def _plain_items(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if isinstance(key, str) and _is_plain(value)}


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether JSON can hold it and give it back the same."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list | tuple):
        return depth < NESTING_MAX and all(_is_plain(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return depth < NESTING_MAX and all(
            isinstance(key, str) and _is_plain(item, depth + 1) for key, item in value.items()
        )
    return value is None or isinstance(value, str | int)


def _at(path: Path) -> tuple[tuple[str, Any], ...]:
    return facts_of({"path": str(path)})


def _one_text(problem: Problem) -> Text:
    """All sentences of a problem as one text."""
    words = sentence(problem)
    return Text("{what} {why} {do}", facts_of({"what": words.what, "why": words.why, "do": words.do}))

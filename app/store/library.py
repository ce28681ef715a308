"""Which models there are: the built-in ones and those in the person's folders, judged by their headers alone."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import AppError, ErrorKind, Problem
from app.core.family import Family
from app.core.headers import looks_like_safetensors
from app.core.model_file import ModelInfo, read_model
from app.families import all_families
from app.store.paths import Paths
from app.store.resources import resources_root

DEPTH = 3
"""How many folders deep models are looked for."""
_PICKLES = (".bin", ".ckpt", ".pt", ".pth")


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """A model that was found; ``problem`` says why one cannot be used."""

    path: Path
    name: str
    builtin: bool = False
    info: ModelInfo | None = None
    problem: Problem | None = None

    @property
    def usable(self) -> bool:
        """Whether it can be run."""
        return self.problem is None


def find_models(paths: Paths, folders: Sequence[str | Path] = ()) -> list[ModelEntry]:
    """The built-in models, then those below the person's folders, by name. Never raises for a model's faults."""
    families, resources = all_families(), resources_root()
    found = [_entry(path, families, resources, builtin=True) for path in builtin_models()]
    seen = {entry.path.resolve() for entry in found}
    own: list[ModelEntry] = []
    for folder in (paths.models, *(Path(folder) for folder in folders)):
        for path in candidates(folder):
            real = path.resolve()
            if real not in seen:
                seen.add(real)
                own.append(_entry(path, families, resources))
    return found + sorted(own, key=lambda entry: (entry.name.casefold(), str(entry.path)))


def open_model(path: Path) -> ModelInfo:
    """The model at ``path``. Raises AppError."""
    return read_model(path, all_families(), resources_root())


def builtin_models() -> list[Path]:
    """The folders of the models that come with the program."""
    root = resources_root() / "demo-models"
    if not root.is_dir():
        return []
    return sorted(folder for folder in root.iterdir() if (folder / "model_index.json").is_file())


def default_model() -> Path | None:
    """The model to start with."""
    return next(iter(builtin_models()), None)


def named(entries: Sequence[ModelEntry], name: str) -> ModelEntry | None:
    """The entry of this name or folder name, whatever its case; a usable one first."""
    wanted = name.casefold()
    for entry in sorted(entries, key=lambda entry: not entry.usable):
        if wanted in (entry.name.casefold(), entry.path.name.casefold(), entry.path.stem.casefold()):
            return entry
    return None


def near(entries: Sequence[ModelEntry], name: str) -> list[str]:
    """Names of usable entries that look like ``name``, the nearest first."""
    names = {entry.name.casefold(): entry.name for entry in entries if entry.usable}
    wanted = name.casefold()
    close = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    inside = [known for known in names if wanted and (wanted in known or known in wanted)]
    return [names[known] for known in dict.fromkeys([*close, *inside])][:3]


def candidates(folder: Path, depth: int = DEPTH) -> Iterator[Path]:
    """What may be a model in ``folder``: itself, folders with a model_index.json, weight files. Not inside models."""
    try:
        if (folder / "model_index.json").is_file():
            yield folder
            return
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = folder / entry.name
        try:
            if entry.is_dir():
                if depth > 0 and not entry.name.startswith(".") and not entry.name.endswith(".config"):
                    yield from candidates(path, depth - 1)
            elif entry.is_file() and _may_be_weights(path):
                yield path
        except OSError:
            continue


def _may_be_weights(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix in (".safetensors", ".gguf") or (suffix in _PICKLES and looks_like_safetensors(path))


def _entry(path: Path, families: Mapping[str, Family], resources: Path, builtin: bool = False) -> ModelEntry:
    try:
        info = read_model(path, families, resources)
    except AppError as error:
        return ModelEntry(path=path, name=_short(path), builtin=builtin, problem=error.problem)
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        RecursionError,
    ) as error:  # one odd model hides no other
        problem = Problem(ErrorKind.MODEL_UNKNOWN, (("path", str(path)), ("reason", "keys")), repr(error))
        return ModelEntry(path=path, name=_short(path), builtin=builtin, problem=problem)
    return ModelEntry(path=path, name=info.name, builtin=builtin, info=info)


def _short(path: Path) -> str:
    return path.stem if path.is_file() else path.name

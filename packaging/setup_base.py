"""What every part of the set-up shares: the places, the way to talk, and the problem that ends it.

Standard library only; imports nothing of Headroom.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

FAILED = 1
"""Exit code of a set-up that was tried and did not work."""

MISSING = 3
"""Exit code when this machine lacks something that its owner can add."""


class Problem(Exception):
    """The set-up cannot go on. Carries a sentence for a person: what, why, and what to do.

    `untouched` says that the step failed before it changed anything in the environment.
    """

    def __init__(self, sentence: str, code: int = FAILED, untouched: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code
        self.untouched = untouched


@dataclass(frozen=True)
class Place:
    """The project's folder and what the set-up keeps in it."""

    root: Path

    @property
    def venv(self) -> Path:
        """The environment that the set-up makes."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The environment's own Python."""
        return self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def stamp(self) -> Path:
        """Written last: its presence means that the environment is whole."""
        return self.venv / "headroom-stamp.json"

    @property
    def qt_stamp(self) -> Path:
        """Written once Qt's system libraries were found."""
        return self.venv / "headroom-qt-ok"

    @property
    def log(self) -> Path:
        """Everything that pip said."""
        return self.venv / "headroom-setup.log"

    @property
    def lock(self) -> Path:
        """Outside the environment, so that it stays when the environment is made again."""
        return self.root / ".venv-setup.lock"

    @property
    def pyproject(self) -> Path:
        """The project's own description, the source of what is installed."""
        return self.root / "pyproject.toml"


def project() -> Place:
    """The place that this copy of the scripts belongs to."""
    return Place(Path(__file__).resolve().parent.parent)


def say(text: str) -> None:
    """Show a line of progress; on stderr, so that stdout stays the program's own."""
    print(text, file=sys.stderr, flush=True)


def clean_environment(**extra: str) -> dict[str, str]:
    """The environment for the .venv's Python: nothing from another Python's folders gets in."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    return {**kept, "PYTHONNOUSERSITE": "1", **extra}

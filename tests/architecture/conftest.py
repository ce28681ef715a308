"""What the checks of the source share: running this Python in a process of its own, and the list of sources."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def python(root: Path, tmp_path: Path) -> Run:
    """Run this environment's Python; the test gets what it said, the reader of a failure sees it."""

    def run(*arguments: str, cwd: Path = root, executable: str = sys.executable, timeout: float = 300):
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            [executable, *arguments],
            cwd=cwd,
            env={**environment, "PYTHONNOUSERSITE": "1", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        print(done.stdout, done.stderr, sep="\n")
        return done

    return run


@pytest.fixture(scope="session")
def sources(root: Path) -> list[Path]:
    """The program's own modules."""
    found = sorted((root / "app").rglob("*.py"))
    assert found
    return found

"""Settings of the whole test run: offscreen Qt, one torch thread, a home of its own for each test, no leaks."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

_EXIT = pytest.StashKey[int]()
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def demo_model() -> Path:
    """The built-in trained model."""
    return ROOT / "resources" / "demo-models" / "shapes-image"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """HEADROOM_HOME of one test: settings, history, logs and pictures land below it."""
    folder = tmp_path / "home"
    monkeypatch.setenv("HEADROOM_HOME", str(folder))
    return folder


# Threads that libraries keep for the whole process: tqdm's monitor, torch's and Qt's pools.
_LASTING = ("tqdm", "pymp", "ThreadPoolExecutor", "Dummy", "asyncio", "QThread", "pydevd", "InductorSubproc")


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    """A test that leaves a Python thread or a child process behind fails and says which."""
    before = set(threading.enumerate())
    shared = set(multiprocessing.active_children())  # of fixtures that outlive a test
    yield
    for thread in set(threading.enumerate()) - before:
        if not thread.name.startswith(_LASTING):
            thread.join(timeout=5)
    left = [
        thread.name
        for thread in set(threading.enumerate()) - before
        if thread.is_alive() and not thread.name.startswith(_LASTING)
    ]
    children = set(multiprocessing.active_children()) - shared
    for child in children:
        child.kill()
        child.join()
    assert not left, f"threads left behind: {left}"
    assert not children, f"processes left behind: {children}"


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keeps the run's exit code for the very end."""
    session.config.stash[_EXIT] = int(exitstatus)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the process where Qt was used, after everything is reported.

    WORKAROUND: with Qt's and torch's objects of a thousand tests in one process, the interpreter's own clean-up crashed
    (exit code -11 behind a complete report). The program's end is tested by itself, in processes of its own.
    """
    if "PySide6.QtWidgets" in sys.modules and _EXIT in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_EXIT])

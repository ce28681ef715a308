"""Engines on a thread and tiny models for them."""

from __future__ import annotations

import multiprocessing
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.core.messages import Cancelled, Failed, Finished, Hello, Ready, Run, Shutdown
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.engine.server import ServeOptions, serve

sys.path.insert(0, str(Path(__file__).parent))

PATIENCE = 120.0


# Third parties' warnings, by their text, with what would end them.
_KNOWN = (
    # diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet
    r"ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning",
)


def pytest_configure(config: pytest.Config) -> None:
    """Tests that run diffusers in this process meet its warnings."""
    for line in _KNOWN:
        config.addinivalue_line("filterwarnings", line)


class Engine:
    """``serve`` on a thread of this process, and all that it said."""

    def __init__(self, resources: Path | None = None) -> None:
        self.conn, theirs = multiprocessing.Pipe()
        self.events: list[Any] = []
        options = ServeOptions(own_process=False, resources=resources)
        self._thread = threading.Thread(target=serve, args=(theirs, options), name="engine")

    def __enter__(self) -> Engine:
        self._thread.start()
        assert isinstance(self.receive(), Hello)
        assert isinstance(self.receive(), Ready)
        return self

    def __exit__(self, *_: object) -> None:
        if not self.conn.closed:
            self.conn.send(Shutdown())
            while self._thread.is_alive() and self.conn.poll(PATIENCE):
                try:
                    self.conn.recv()
                except (EOFError, OSError):
                    break
            self.conn.close()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def receive(self) -> Any:
        """The next event."""
        assert self.conn.poll(PATIENCE), "the engine says nothing"
        event = self.conn.recv()
        self.events.append(event)
        return event

    def until(self, wanted: type | Callable[[Any], bool]) -> Any:
        """Waits for an event of a kind, or one that fulfils a condition."""
        fits = (lambda event: isinstance(event, wanted)) if isinstance(wanted, type) else wanted
        while True:
            event = self.receive()
            if fits(event):
                return event

    def run(self, run: Run) -> Any:
        """Runs a job to its end and gives its last event."""
        self.conn.send(run)
        return self.until(
            lambda event: isinstance(event, Finished | Failed | Cancelled) and event.job == run.job
        )


@pytest.fixture
def engine(root: Path) -> Iterator[Engine]:
    """A ready engine."""
    with Engine(root / "resources") as found:
        yield found


@pytest.fixture(scope="session")
def saved_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model's folder, not to be changed."""
    import tiny

    return tiny.save(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def model(saved_model: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model, to be damaged at will."""
    return Path(shutil.copytree(saved_model, tmp_path / "model"))


@pytest.fixture
def job(saved_model: Path, tmp_path: Path) -> Callable[..., Run]:
    """Makes Runs; keywords change the request, ``plan`` (a dict) the plan."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    request = GenerationRequest(
        model=str(saved_model), prompt="a red circle", width=64, height=64, steps=2, guidance=5.0, seed=7
    )
    plan = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32)

    def make(name: str = "job", plan_changes: dict[str, Any] | None = None, **changes: Any) -> Run:
        return Run(
            name, replace(request, **changes), replace(plan, **(plan_changes or {})), OutputSpec(folder)
        )

    return make

"""The engine for the window: a QThread that runs the Supervisor and brings its events as a signal.

A thin wrapper; whatever can be decided without Qt stands in ``supervisor``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, Signal

from app.core.messages import Measure, Run, Unload

if TYPE_CHECKING:
    from app.host.supervisor import EngineState, Supervisor


class _Reader(QThread):
    """The background worker thread: blocks in the supervisor until it is stopped."""

    def __init__(self, supervisor: Supervisor, parent: QObject) -> None:
        super().__init__(parent)
        self._supervisor = supervisor

    def run(self) -> None:
        self._supervisor.run()


class EngineLink(QObject):
    """Owns the engine process. Every slot connected to ``received`` runs on its own object's thread."""

    # object: Qt would turn a dict with whole-number keys into an empty one, and cut large numbers
    received = Signal(object)

    def __init__(
        self,
        log_folder: Path,
        parent: QObject | None = None,
        *,
        target: Callable[..., None] | None = None,
        grace: float = 10.0,
        environment: Mapping[str, str] | None = None,
        scratch: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._log_folder, self._target, self._scratch = log_folder, target, scratch
        self._grace, self._environment = grace, environment

    @cached_property
    def _supervisor(self) -> Supervisor:
        """Made at first use, after the window is painted: multiprocessing takes long to load."""
        from app.engine.server import serve
        from app.host.supervisor import Supervisor

        return Supervisor(
            self._log_folder,
            self._forward,
            target=self._target or serve,
            grace=self._grace,
            environment=self._environment,
            scratch=self._scratch,
        )

    @cached_property
    def _reader(self) -> _Reader:
        return _Reader(self._supervisor, self)

    @property
    def state(self) -> EngineState:
        """What the engine is doing now."""
        return self._supervisor.state

    @property
    def log_path(self) -> Path:
        """The log of the engine that runs, or ran last."""
        return self._supervisor.log_path

    def start(self) -> None:
        """Starts the engine; returns at once."""
        self._reader.start()

    def submit(self, run: Run) -> None:
        """Hands a job over; it waits until an engine is ready and idle."""
        self._supervisor.send(run)

    def cancel(self, job: str) -> None:
        """Asks a job to stop after the block that is running; the engine is killed if that takes too long."""
        self._supervisor.cancel(job)

    def kill(self) -> None:
        """Ends the engine now; a new one starts."""
        self._supervisor.kill()

    def measure(self) -> None:
        """Asks for the devices and their free memory as of now."""
        self._supervisor.send(Measure())

    def unload(self) -> None:
        """Asks the engine to give back all that is loaded."""
        self._supervisor.send(Unload())

    def restart(self) -> None:
        """Starts an engine that was given up."""
        self._supervisor.restart()

    def stop(self) -> None:
        """Ends the engine and waits for its thread. No event arrives afterwards."""
        self._supervisor.stop()
        self._reader.wait()

    def _forward(self, event: Any) -> None:
        self.received.emit(event)

"""One engine for one command: starts it aside, hands its events over one by one, and ends it whatever happens.

Ctrl-C arrives as an event too, so that a job is stopped softly and its end is told.
"""

from __future__ import annotations

import queue
import signal
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Protocol

from app.core.errors import AppError, ErrorKind
from app.core.footprint import Footprint
from app.core.hardware import Hardware
from app.core.messages import (
    DryRun,
    EngineDied,
    Failed,
    FootprintTaken,
    HostEvent,
    Ready,
    StartFailed,
    ToEngine,
)
from app.core.plan import Plan
from app.core.request import GenerationRequest

_WAKE_EVERY = 0.2 if sys.platform == "win32" else None  # only there does a blocked get() not hear of Ctrl-C


class Host(Protocol):
    """What the command line needs of ``host.supervisor.Supervisor``."""

    @property
    def log_path(self) -> Path:
        """The engine's log."""
        ...

    def run(self) -> None:
        """Blocks until stopped."""

    def send(self, message: ToEngine) -> None:
        """Hands a message over."""

    def cancel(self, job: str) -> None:
        """Asks a job to stop."""

    def kill(self) -> None:
        """Ends the engine now."""

    def stop(self) -> None:
        """Ends the engine and ``run``."""


MakeHost = Callable[[Path, Callable[[HostEvent], None]], Host]


class Interrupted(Exception):
    """Ctrl-C before a job ran."""


class CtrlC:
    """The event of a Ctrl-C."""


@dataclass(frozen=True)
class _Ended:
    """The host's thread has ended: ``stop`` made it, or a fault of ours."""

    fault: Exception | None = None


class EngineSession:
    """Use as a context manager, on the main thread."""

    def __init__(self, log_folder: Path, make_host: MakeHost) -> None:
        # SimpleQueue: the only one whose put() may be called from a signal handler
        self._events: queue.SimpleQueue[HostEvent | CtrlC | _Ended] = queue.SimpleQueue()
        self.host = make_host(log_folder, self._events.put)
        self._thread = threading.Thread(target=self._run_host, name="engine-host")
        self._old_handler: Any = None

    def __enter__(self) -> EngineSession:
        if threading.current_thread() is threading.main_thread():
            self._old_handler = signal.signal(signal.SIGINT, self._interrupt)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.host.stop()
        self._thread.join()
        if self._old_handler is not None:
            signal.signal(signal.SIGINT, self._old_handler)

    def events(self) -> Iterator[HostEvent | CtrlC]:
        """The events as they come. Raises AppError when the host's thread ends."""
        while True:
            try:
                event = self._events.get(timeout=_WAKE_EVERY)
            except queue.Empty:
                continue
            if isinstance(event, _Ended):
                if event.fault is not None:
                    raise event.fault
                raise AppError(ErrorKind.ENGINE_NOT_STARTING, log=str(self.host.log_path))
            yield event

    def wait_ready(self) -> Ready:
        """The engine's first Ready. Raises AppError when it does not start, Interrupted at Ctrl-C."""
        for event in self.events():
            if isinstance(event, Ready):
                return event
            if isinstance(event, CtrlC):
                raise Interrupted
            if isinstance(event, StartFailed):
                raise AppError.from_problem(event.problem)
            if isinstance(event, EngineDied) and not event.restarting:
                raise AppError(ErrorKind.ENGINE_NOT_STARTING, log=str(event.log))
        raise AssertionError("unreachable")

    def footprint(self, request: GenerationRequest, plan: Plan) -> Footprint:
        """What a plan's run takes apart from where its weights lie. Raises AppError where it cannot be measured,
        Interrupted at Ctrl-C."""
        job = uuid.uuid4().hex
        self.host.send(DryRun(job, request, plan))
        for event in self.events():
            match event:
                case FootprintTaken():
                    return event.footprint
                case Failed():
                    raise AppError.from_problem(event.problem)
                case CtrlC():
                    raise Interrupted
                case EngineDied():
                    raise AppError(ErrorKind.ENGINE_DIED, log=str(event.log))
        raise AssertionError("unreachable")

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._events.put(CtrlC())

    def _run_host(self) -> None:
        ended = _Ended()
        try:
            self.host.run()
        except Exception as fault:  # noqa: BLE001 - raised again on the thread that reads the events
            ended = _Ended(fault)
        self._events.put(ended)


def hardware_of(ready: Ready) -> Hardware:
    """What the engine found, for the planner."""
    return ready.hardware

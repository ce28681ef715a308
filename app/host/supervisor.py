"""Keeps one engine process alive: starts it, talks to it, ends it, starts it again. Knows no Qt and no torch.

One thread blocks in ``run`` and alone touches the pipe. All other methods are for any thread, and never block.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from enum import StrEnum
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from app.core.messages import (
    Cancel,
    Cancelled,
    DryRun,
    EngineDied,
    Failed,
    Finished,
    FootprintTaken,
    FromEngine,
    Hello,
    HostEvent,
    Measure,
    Ready,
    Run,
    Shutdown,
    StartFailed,
    ToEngine,
    Unload,
)
from app.engine.server import ServeOptions, serve
from app.host.logs import new_log
from app.media.offload_files import sweep
from app.store.resources import resources_root

DEATHS, WINDOW = 3, 60.0
"""So many deaths within so many seconds, and the engine is not started again by itself."""
BACKOFF = (0.2, 1.0)
"""Seconds before a new start after the first and second death within the window."""
STOP_GRACE = 3.0
"""Seconds an engine gets to end by itself when the program ends, or when it has closed its pipe."""

_CONTEXT = multiprocessing.get_context("spawn")


class EngineState(StrEnum):
    """What the engine is doing, as the host knows it."""

    STARTING = "starting"
    GREETED = "greeted"
    READY = "ready"
    BUSY = "busy"
    STOPPED = "stopped"
    GIVEN_UP = "given_up"


class _Life:
    """One engine process, from its start to its end."""

    def __init__(self, process: Any, conn: Connection, log: Path) -> None:
        self.process, self.conn, self.log = process, conn, log
        self.open = True
        self.ready = False
        self.job: Run | DryRun | None = None
        self.cancelling = False
        self.measuring = False
        self.wants_measure = False
        self.wants_unload = False
        self.expected = False
        """Whether it was asked to end: a hard cancel or the program's end."""
        self.stopping = False
        self.failed_start = False
        self.deadline: float | None = None
        """When patience ends and the process is killed."""
        self.exit_code: int | None = None


class Supervisor:
    """``on_event`` is called on the thread that runs ``run``, with every message and with EngineDied."""

    def __init__(
        self,
        log_folder: Path,
        on_event: Callable[[HostEvent], None],
        *,
        target: Callable[[Connection, ServeOptions], None] = serve,
        grace: float = 10.0,
        environment: Mapping[str, str] | None = None,
        scratch: Path | None = None,
    ) -> None:
        self._scratch = scratch
        self._log_folder, self._on_event, self._target, self._grace = log_folder, on_event, target, grace
        self._environment = dict(environment or {})
        self._lock = threading.Lock()
        self._asked: deque[Callable[[], None]] = deque()
        self._wake_receive, self._wake_send = _CONTEXT.Pipe(duplex=False)
        self._woken = False
        self._stopping = False
        self._life: _Life | None = None
        self._runs: deque[Run | DryRun] = deque()
        self._deaths: list[float] = []
        self._state = EngineState.STARTING
        self._log_path = log_folder

    # -------------------------------------------------------------- from any thread

    @property
    def state(self) -> EngineState:
        """What the engine is doing now."""
        return self._state

    @property
    def log_path(self) -> Path:
        """The log of the engine that runs, or ran last."""
        return self._log_path

    def send(self, message: ToEngine) -> None:
        """Hands a message over; a Run or DryRun waits until an engine is ready and idle."""
        self._ask(lambda: self._obey(message))

    def cancel(self, job: str) -> None:
        """Asks ``job`` to stop; when it has not after the grace, the engine is killed and started again."""
        self._ask(lambda: self._cancel(job))

    def kill(self) -> None:
        """Ends the engine now: its job counts as cancelled, and a new engine starts."""
        self._ask(self._kill)

    def restart(self) -> None:
        """Starts an engine that was given up."""
        self._ask(self._restart)

    def stop(self) -> None:
        """Ends the engine and ``run``; a job that runs is cancelled."""
        self._stopping = True
        self._ask(self._shut_down)

    def _ask(self, action: Callable[[], None]) -> None:
        with self._lock:
            self._asked.append(action)
            if not self._woken and not self._wake_send.closed:
                self._woken = True
                self._wake_send.send_bytes(b"!")

    # -------------------------------------------------------------- the thread of run

    def run(self) -> None:
        """Starts the engine and serves it until ``stop``."""
        try:
            while not self._stopping:
                self._live()
                if not self._stopping:
                    self._pause()
        finally:
            self._state = EngineState.STOPPED
            with self._lock:
                self._wake_receive.close()
                self._wake_send.close()

    def _live(self) -> None:
        """One engine's life, from start to end."""
        try:
            life = self._life = self._start()
        except OSError:  # no memory or no handles for another process
            self._count_death(None, None, self._log_path)
            return
        try:
            while self._pump(life):
                pass
        finally:
            life.process.kill()
            life.process.join()
            life.exit_code = life.process.exitcode
            life.conn.close()
            life.process.close()
        self._life = None
        self._bury(life)
        if self._scratch is not None:
            sweep(self._scratch)  # a killed engine's files may be as large as a model

    def _start(self) -> _Life:
        self._state = EngineState.STARTING
        self._log_path = new_log(self._log_folder)
        ours, theirs = _CONTEXT.Pipe()
        options = ServeOptions(
            log=self._log_path,
            resources=resources_root(),
            scratch=self._scratch,
            environment=self._environment,
        )
        process = _CONTEXT.Process(
            target=self._target, args=(theirs, options), name="headroom-engine", daemon=True
        )
        try:
            process.start()
        finally:
            theirs.close()  # or its end would never read as the engine's end
        return _Life(process, ours, self._log_path)

    def _pump(self, life: _Life) -> bool:
        """Waits for something and does it; False when the process has ended."""
        sources = [life.process.sentinel, self._wake_receive, *([life.conn] if life.open else [])]
        timeout = None if life.deadline is None else max(0.0, life.deadline - time.monotonic())
        ready = wait(sources, timeout)
        if life.conn in ready:
            self._receive(life)
        if self._wake_receive in ready:
            self._do_what_was_asked()
        if life.process.sentinel in ready:
            self._receive_rest(life)
            return False
        if life.deadline is not None and time.monotonic() >= life.deadline:
            self._end_by_force(life)
        self._send_next(life)
        return True

    def _receive(self, life: _Life) -> None:
        try:
            message: FromEngine = life.conn.recv()
        except (EOFError, OSError):
            life.open = False
            life.deadline = time.monotonic() + STOP_GRACE
            return
        self._note(life, message)
        self._on_event(message)

    def _receive_rest(self, life: _Life) -> None:
        """What an engine said before it ended."""
        try:
            while life.open and life.conn.poll(0):
                self._receive(life)
        except OSError:  # Windows: the pipe is broken
            life.open = False

    def _note(self, life: _Life, message: FromEngine) -> None:
        match message:
            case Hello():
                self._state = EngineState.GREETED
            case Ready():
                life.ready, life.measuring = True, False
                if self._state is not EngineState.BUSY:
                    self._state = EngineState.READY
            case StartFailed():
                life.failed_start = True
            case Finished() | FootprintTaken() | Failed() | Cancelled() if (
                life.job and message.job == life.job.job
            ):
                life.job, life.cancelling, self._state = None, False, EngineState.READY
                if not life.expected:
                    life.deadline = None

    def _send_next(self, life: _Life) -> None:
        """Gives an idle engine what waits for it. Never more than it is sure to read: a full pipe would block."""
        if not (life.ready and life.open and life.job is None) or life.expected:
            return
        if (life.wants_measure or life.wants_unload) and not life.measuring:
            if life.wants_unload:
                self._write(life, Unload())
            self._write(life, Measure())  # its answer says that both were read
            life.wants_measure, life.wants_unload, life.measuring = False, False, True
        if not self._runs:
            return
        life.job = self._runs.popleft()
        self._state = EngineState.BUSY
        self._write(life, life.job)

    def _write(self, life: _Life, message: ToEngine) -> None:
        try:
            life.conn.send(message)
        except (OSError, ValueError):
            life.open = False  # it is ending: the sentinel tells of it

    def _do_what_was_asked(self) -> None:
        with self._lock:
            if self._woken:
                self._wake_receive.recv_bytes()
                self._woken = False
            asked, self._asked = list(self._asked), deque()
        for action in asked:
            action()

    def _pause(self) -> None:
        """Between two engines: waits the backoff, or for ``restart`` when given up, or for ``stop``."""
        until = time.monotonic() + self._backoff()
        while not self._stopping:
            given_up = self._state is EngineState.GIVEN_UP
            left = None if given_up else until - time.monotonic()
            if left is not None and left <= 0:
                return
            if wait([self._wake_receive], left):
                self._do_what_was_asked()

    def _backoff(self) -> float:
        recent = len(self._deaths)
        return BACKOFF[min(recent, len(BACKOFF)) - 1] if recent else 0.0

    def _bury(self, life: _Life) -> None:
        """Says how the job of an ended engine ended, and decides whether another one starts."""
        job, life.job = life.job, None
        self._state = EngineState.STARTING
        if life.expected:
            if job is not None:
                self._on_event(Cancelled(job.job))
            return
        if life.failed_start:
            self._state = EngineState.GIVEN_UP
            return
        self._count_death(life.exit_code, job.job if job is not None else None, life.log)

    def _count_death(self, exit_code: int | None, job: str | None, log: Path) -> None:
        now = time.monotonic()
        self._deaths = [when for when in self._deaths if now - when < WINDOW] + [now]
        restarting = len(self._deaths) < DEATHS
        if not restarting:
            self._state = EngineState.GIVEN_UP
        self._on_event(EngineDied(exit_code, job, log, restarting))

    # -------------------------------------------------------------- what was asked, on the thread of run

    def _obey(self, message: ToEngine) -> None:
        life = self._life
        match message:
            case Run() | DryRun():
                self._runs.append(message)
            case Cancel():
                self._cancel(message.job)
            case Shutdown():
                self._shut_down()
            case Measure() if life is not None:
                life.wants_measure = True
            case Unload() if life is not None:
                life.wants_unload = True
        if life is not None:
            self._send_next(life)

    def _cancel(self, job: str) -> None:
        for run in self._runs:
            if run.job == job:
                self._runs.remove(run)
                self._on_event(Cancelled(job))
                return
        life = self._life
        if life is None or life.job is None or life.job.job != job:
            return
        if not life.cancelling:
            life.cancelling = True
            life.deadline = time.monotonic() + self._grace
            self._write(life, Cancel(job))

    def _kill(self) -> None:
        if self._life is not None:
            self._end_by_force(self._life)

    def _end_by_force(self, life: _Life) -> None:
        """A process whose pipe is closed is dead anyway: killing it is no cancel."""
        life.expected = life.expected or life.open
        life.deadline = None
        life.process.kill()

    def _restart(self) -> None:
        if self._state is EngineState.GIVEN_UP:
            self._deaths, self._state = [], EngineState.STARTING

    def _shut_down(self) -> None:
        life, self._stopping = self._life, True
        if life is None:
            return
        life.expected = True
        if not life.ready:
            life.process.kill()  # busy with importing: it would not hear
            return
        if life.stopping:
            return
        life.stopping, life.deadline = True, time.monotonic() + STOP_GRACE
        if life.job is not None and not life.cancelling:
            self._write(life, Cancel(life.job.job))
        self._write(life, Shutdown())

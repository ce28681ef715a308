"""The engine's end of the pipe: sending from any thread, and receiving while a job runs.

Only Cancel is acted on during a job; all else waits its turn here.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from multiprocessing.connection import Connection

from app.core.messages import Cancel, Cancelled, FromEngine, Run, ToEngine

POLL_EVERY = 0.01
"""Seconds between looks into the pipe while a job runs: far below a block's time, far above a look's cost."""


class JobCancelled(BaseException):
    """The running job was asked to stop. No Exception: the libraries catch those, and would go on or blame the file."""


class HostGone(BaseException):
    """The other end of the pipe is closed: the engine has nobody to work for. No Exception, as above."""


class Mailbox:
    """Messages in and out. Receiving is the main thread's alone."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._waiting: deque[ToEngine] = deque()
        self._sending = threading.Lock()
        self._next_look = 0.0

    def send(self, message: FromEngine) -> None:
        """Raises HostGone when nobody is there."""
        try:
            with self._sending:
                self._conn.send(message)
        except (OSError, ValueError) as error:
            raise HostGone from error

    def receive(self, timeout: float | None) -> ToEngine | None:
        """The next message; None when none came within ``timeout`` seconds (None: waits for ever)."""
        if not self._waiting:
            if not self._poll(timeout):
                return None
            self._take()
        return self._waiting.popleft() if self._waiting else None

    def check(self, job: str, *, at_once: bool = False) -> None:
        """Raises JobCancelled if ``job`` is to stop. Cheap enough for every block: looks are ``POLL_EVERY`` apart,
        unless one is wanted ``at_once``."""
        now = time.monotonic()
        if now < self._next_look and not at_once:
            return
        self._next_look = now + POLL_EVERY
        while self._poll(0):
            self._take()
        if any(isinstance(message, Cancel) and message.job == job for message in self._waiting):
            # the message stays until the job has ended: whoever swallows this meets it again
            raise JobCancelled

    def forget(self, job: str) -> None:
        """Drops what was asked of a job that has ended."""
        keep = [m for m in self._waiting if not (isinstance(m, Cancel) and m.job == job)]
        self._waiting = deque(keep)

    def _take(self) -> None:
        """Reads one message; a Cancel for a Run that waits here ends that Run at once."""
        try:
            message = self._conn.recv()
        except (EOFError, OSError) as error:
            raise HostGone from error
        runs = [m for m in self._waiting if isinstance(m, Run) and isinstance(message, Cancel)]
        for run in runs:
            if run.job == message.job:
                self._waiting.remove(run)
                self.send(Cancelled(run.job))
                return
        self._waiting.append(message)

    def _poll(self, timeout: float | None) -> bool:
        try:
            return self._conn.poll(timeout)
        except (OSError, ValueError) as error:
            raise HostGone from error

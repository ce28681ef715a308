"""Work away from the window's thread: a function runs in a pool, its result comes back as a signal.

Results of a closed window go nowhere (C180): ``Background.close`` waits for what runs and drops the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal, Slot

from app.core.errors import AppError, ErrorKind, Problem

log = logging.getLogger(__name__)


class _Carrier(QObject):
    """Lives in the window's thread; a worker emits through it, and Qt queues the call."""

    arrived = Signal(object)


class _Work(QRunnable):
    def __init__(self, carrier: _Carrier, work: Callable[[], Any], done: Callable[[Any], object]) -> None:
        super().__init__()
        self._carrier, self._work, self._done = carrier, work, done

    def run(self) -> None:
        """A worker's border: whatever goes wrong becomes a Problem, since an exception here would be lost."""
        try:
            result: Any = self._work()
        except AppError as error:
            result = error.problem
        except Exception as error:
            log.exception("Work in the background failed")
            result = Problem(ErrorKind.UNEXPECTED, detail=f"{type(error).__name__}: {error}"[:2000])
        self._carrier.arrived.emit((self._done, result))


class Background(QObject):
    """A pool of at most ``threads``; ``done`` is called in the window's thread with the result or a Problem."""

    def __init__(self, parent: QObject | None = None, threads: int = 2) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._carrier = _Carrier(self)
        self._carrier.arrived.connect(self._deliver)
        self._open = True

    def run(self, work: Callable[[], Any], done: Callable[[Any], object], priority: int = 0) -> None:
        """Starts ``work`` as soon as a thread is free."""
        if self._open:
            self._pool.start(_Work(self._carrier, work, done), priority)

    def close(self) -> None:
        """Drops what has not begun and waits for the rest; nothing is delivered any more."""
        self._open = False
        self._pool.clear()
        self._pool.waitForDone()

    @Slot(object)
    def _deliver(self, parcel: tuple[Callable[[Any], object], Any]) -> None:
        done, result = parcel
        if self._open:
            done(result)

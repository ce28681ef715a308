"""The live memory figures for the window: a thread of its own reads the source and emits each MemorySample.

The Qt half; what is read and how stands in ``memory_source``. Nothing here blocks the window's thread.
"""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, QThread, Signal

from app.core.messages import Hello, HostEvent, MemoryReport, Ready
from app.host.memory_source import RAM, MemorySample, MemorySource

__all__ = ["RAM", "MemorySample", "Telemetry"]
BUSY, IDLE = 0.5, 2.0
"""Seconds between readings while a job runs, and otherwise."""


class Telemetry(QObject):
    """Samples until ``stop``. Feed it the engine's events (``handle``) and whether a job runs (``set_busy``)."""

    sampled = Signal(object)
    """A MemorySample."""

    def __init__(self, source: MemorySource | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = _Reader(source)
        self._thread.sampled.connect(self.sampled)

    def start(self) -> None:
        """Begins to read."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread and waits for it."""
        self._thread.end()
        self._thread.wait()

    def set_busy(self, busy: bool) -> None:
        """Reads more often while a job runs."""
        self._thread.pace(BUSY if busy else IDLE)

    def handle(self, event: HostEvent) -> None:
        """Takes from an engine's event what the reading needs to know."""
        if isinstance(event, Hello):
            self._thread.tell(lambda source: source.set_engine(event.pid))
        elif isinstance(event, Ready):
            hardware = event.hardware
            self._thread.tell(lambda source: source.set_hardware(hardware))
        elif isinstance(event, MemoryReport):
            self._thread.tell(lambda source: source.report(event))


class _Reader(QThread):
    """Owns the source: all of it happens in this thread, also loading the vendors' libraries."""

    sampled = Signal(object)

    def __init__(self, source: MemorySource | None) -> None:
        super().__init__()
        self._source = source
        self._news: list[object] = []
        self._lock, self._wake = threading.Lock(), threading.Event()
        self._every, self._ending = IDLE, False

    def run(self) -> None:
        """Reads, waits, reads; what was told meanwhile is taken over first."""
        source = self._source if self._source is not None else MemorySource()
        try:
            while not self._ending:
                self._wake.clear()
                with self._lock:
                    news, self._news = self._news, []
                for change in news:
                    change(source)  # type: ignore[operator]
                for sample in source.read():
                    self.sampled.emit(sample)
                if not self._ending:
                    self._wake.wait(self._every)
        finally:
            source.close()

    def tell(self, change: object) -> None:
        """Has ``change(source)`` called before the next reading."""
        with self._lock:
            self._news.append(change)

    def pace(self, every: float) -> None:
        """Seconds between readings; a faster pace starts at once."""
        if every != self._every:
            self._every = every
            self._wake.set()

    def end(self) -> None:
        """Asks the thread to finish."""
        self._ending = True
        self._wake.set()

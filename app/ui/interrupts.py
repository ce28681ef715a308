"""Ctrl+C in the terminal and a polite kill end the program as closing the window does: nothing is left running."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupts(QObject):
    """Python runs its handlers between its own steps only; a byte on a socket wakes Qt's loop for them."""

    def __init__(self, end: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._end = end
        self._read, self._write = socket.socketpair()
        for side in (self._read, self._write):
            side.setblocking(False)
        self._before = signal.set_wakeup_fd(self._write.fileno())
        self._handlers = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)

    def remove(self) -> None:
        """As it was before."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._read.close()
        self._write.close()

    def _woken(self) -> None:
        if any(number in SIGNALS for number in self._read.recv(64)):
            self._end()

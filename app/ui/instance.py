"""One window per data folder: a second start asks the first to come to the front, and touches nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal

if TYPE_CHECKING:  # loaded after the window is painted
    from PySide6.QtNetwork import QLocalServer

WAIT_MS, PAUSE_MS = 2000, 50
"""For how long, and how often, the first window is called: it listens only once it is painted."""


def server_name(lock: Path) -> str:
    """A name for the data folder's window, short enough for every system's socket."""
    return "headroom-" + hashlib.sha256(str(lock.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class FirstWindow(QObject):
    """Listens while this program holds the lock; any connection means: come to the front."""

    called = Signal()

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._server: QLocalServer | None = None

    def listen(self) -> bool:
        """From now on; whether that was possible."""
        from PySide6.QtNetwork import QLocalServer

        server = self._server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(lambda: self._answer(server))
        # A killed program leaves its socket's file; whoever holds the lock may remove it.
        QLocalServer.removeServer(self._name)
        return server.listen(self._name)

    def close(self) -> None:
        """Stops listening."""
        if self._server is not None:
            self._server.close()

    def _answer(self, server: QLocalServer) -> None:
        while (socket := server.nextPendingConnection()) is not None:
            socket.disconnectFromServer()
            socket.deleteLater()
            self.called.emit()


def call_first(name: str) -> bool:
    """Asks the window that is open to come to the front; whether it heard. It may just be starting itself."""
    from PySide6.QtNetwork import QLocalSocket

    socket, end = QLocalSocket(), QDeadlineTimer(WAIT_MS)
    while True:
        socket.connectToServer(name)
        heard = socket.waitForConnected(max(1, end.remainingTime()))
        socket.abort()
        if heard or end.hasExpired():
            return heard
        QThread.msleep(PAUSE_MS)

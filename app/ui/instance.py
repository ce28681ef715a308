"""One window per data folder: a second start asks the first to come to the front, and touches nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

WAIT_MS = 1000


def server_name(lock: Path) -> str:
    """A name for the data folder's window, short enough for every system's socket."""
    return "headroom-" + hashlib.sha256(str(lock.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class FirstWindow(QObject):
    """Listens while this program holds the lock; any connection means: come to the front."""

    called = Signal()

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)
        # A killed program leaves its socket's file; whoever holds the lock may remove it.
        QLocalServer.removeServer(name)
        self.listening = self._server.listen(name)

    def close(self) -> None:
        """Stops listening."""
        self._server.close()

    def _answer(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnectFromServer()
            socket.deleteLater()
            self.called.emit()


def call_first(name: str) -> bool:
    """Asks the window that is open to come to the front; whether it heard."""
    socket = QLocalSocket()
    socket.connectToServer(name)
    heard = socket.waitForConnected(WAIT_MS)
    socket.abort()
    return heard

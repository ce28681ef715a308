"""The window's last border: an exception that nobody caught goes to the log and into the error box."""

from __future__ import annotations

import logging
import logging.handlers
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

from app.core.errors import AppError, ErrorKind

log = logging.getLogger("headroom.window")
LOG_BYTES, LOG_FILES = 1_000_000, 3


class Trouble(QObject):
    """Python's hooks for uncaught exceptions; also those of slots (C199) and of threads."""

    happened = Signal(object)
    """A Problem."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.log_path = folder / "window.log"
        self._handler = logging.handlers.RotatingFileHandler(
            self.log_path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
        )
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._before = (sys.excepthook, threading.excepthook)

    def install(self) -> None:
        """From now on."""
        logging.getLogger().addHandler(self._handler)
        logging.getLogger().setLevel(logging.INFO)
        sys.excepthook = self._uncaught
        threading.excepthook = self._in_thread
        qInstallMessageHandler(_from_qt)

    def remove(self) -> None:
        """As it was before."""
        sys.excepthook, threading.excepthook = self._before
        qInstallMessageHandler(None)
        logging.getLogger().removeHandler(self._handler)
        self._handler.close()

    def _in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            self._before[0](kind, error, trace)
            return
        if isinstance(error, AppError):
            log.warning("A problem came up from a slot: %s", error)
            self.happened.emit(error.problem)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        log.error("Uncaught: %s", text)
        self.happened.emit(AppError(ErrorKind.UNEXPECTED, detail=text[-8000:]).problem)


_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def _from_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    logging.getLogger("qt").log(_LEVELS.get(kind, logging.WARNING), "%s", message)

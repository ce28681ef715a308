"""One window per data folder. The lock is the system's: it goes with the process, however that ends."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from app.core.errors import AppError, ErrorKind
from app.media.files import as_app_error
from app.store.paths import make_folder


class InstanceLock:
    """Held while a window is open. A file left by a killed program is no obstacle."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path, blocking=False, thread_local=False)

    def acquire(self) -> None:
        """Raises ALREADY_RUNNING when another window has it."""
        make_folder(self._path.parent)
        try:
            self._lock.acquire()
        except Timeout:
            raise AppError(ErrorKind.ALREADY_RUNNING, path=str(self._path)) from None
        except OSError as error:
            raise as_app_error(error, self._path) from error

    def release(self) -> None:
        """Gives it back; once is enough, twice is no error."""
        self._lock.release()

    def __enter__(self) -> InstanceLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

"""Keeps the system from sleeping while a job runs; the screen may still go dark. A failure is only logged."""

from __future__ import annotations

import logging
import threading

log = logging.getLogger(__name__)


class KeepAwake:
    """A thread holds the system's promise, since asking for it (over D-Bus) may take its time."""

    def __init__(self) -> None:
        self._enough: threading.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def active(self) -> bool:
        """Whether sleep is held off, or being asked to be."""
        return self._enough is not None

    def set_active(self, active: bool) -> None:
        """From the first job on, until none is left."""
        if active == self.active:
            return
        if active:
            self._enough = threading.Event()
            self._thread = threading.Thread(
                target=_hold, args=(self._enough,), name="keep-awake", daemon=True
            )
            self._thread.start()
        elif self._enough is not None:
            self._enough.set()
            self._enough = None

    def close(self) -> None:
        """Gives sleep back and waits a little for it."""
        self.set_active(False)
        if self._thread is not None:
            self._thread.join(timeout=2)


def _hold(enough: threading.Event) -> None:
    try:
        from wakepy import keep

        logging.getLogger("wakepy").setLevel(logging.WARNING)  # it tells of each way it tried
        with keep.running(on_fail="pass") as mode:
            if not mode.active:
                log.info("The system's sleep cannot be held off here")
            enough.wait()
    except Exception:  # whatever a desktop's power service does, pictures go on
        log.warning("The system's sleep cannot be held off", exc_info=True)

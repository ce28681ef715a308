"""The queue and the engine for the window: JobQueue and EngineLink behind Qt signals. Decides nothing itself."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.core.messages import (
    Cancelled,
    EngineDied,
    Failed,
    Finished,
    Hello,
    HostEvent,
    MemoryReport,
    Notice,
    PictureDone,
    Placed,
    Preview,
    Progress,
    Ready,
    StartFailed,
)
from app.core.plan import Plan
from app.core.request import GenerationRequest, OutputSpec
from app.host.link import EngineLink
from app.host.queue import JobQueue
from app.store.history import History, JobRecord, JobState


class Jobs(QObject):
    """All signals carry objects: Qt's own int would cut large numbers, its dict would lose keys (C194, C195)."""

    changed = Signal()
    """The queue is another than before."""
    started = Signal(object)
    """The JobRecord that runs now."""
    progress = Signal(object)
    preview = Signal(object)
    notice = Signal(object)
    picture = Signal(object)
    ended = Signal(object)
    """Finished, Failed or Cancelled."""
    engine = Signal(object)
    """Hello, Ready, StartFailed or EngineDied."""
    heard = Signal(object)
    """Every event, for the memory chart."""

    def __init__(self, history: History, link: EngineLink, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history, self._link = history, link
        self._was_running: str | None = None
        self._open = True
        self._queue = JobQueue(history, link.submit, link.cancel, self._changed)
        self._signals = {
            Progress: self.progress,
            Preview: self.preview,
            Notice: self.notice,
            PictureDone: self.picture,
            Finished: self.ended,
            Failed: self.ended,
            Cancelled: self.ended,
            Hello: self.engine,
            Ready: self.engine,
            StartFailed: self.engine,
            EngineDied: self.engine,
        }
        link.received.connect(self.handle)

    # ------------------------------------------------------------------ what is known

    @property
    def running(self) -> JobRecord | None:
        """The job that the engine has."""
        return self._queue.running

    @property
    def waiting(self) -> list[JobRecord]:
        """The jobs behind it, in their order."""
        return self._queue.waiting

    @property
    def paused(self) -> bool:
        """Whether no further job starts."""
        return self._queue.paused

    @property
    def log_path(self) -> Path:
        """The log of the engine that runs, or ran last."""
        return self._link.log_path

    def record(self, job: str) -> JobRecord | None:
        """One job as stored."""
        return self._history.get(job)

    def interrupted(self) -> list[JobRecord]:
        """Jobs whose program or engine died while they ran; they can be run again."""
        return [record for record in self._history.unfinished() if record.state is JobState.INTERRUPTED]

    # ------------------------------------------------------------------ what is asked

    def recover(self) -> tuple[list[JobRecord], list[JobRecord]]:
        """At the start, under the instance lock: (interrupted, waiting) from an earlier run. Nothing runs unasked."""
        self._history.recover()
        waiting = self._queue.waiting
        if waiting:
            self._queue.pause()
        return self.interrupted(), waiting

    def add(self, request: GenerationRequest, plan: Plan, output: OutputSpec) -> str:
        """Stores a job; it runs when its turn comes."""
        return self._queue.add(request, plan, output)

    def cancel(self, job: str) -> None:
        """Stops the running job after its block, or takes a waiting one out."""
        self._queue.cancel(job)

    def cancel_running(self) -> None:
        """Stops what runs, if anything does."""
        if self.running is not None:
            self._queue.cancel(self.running.id)

    def kill(self) -> None:
        """Ends the engine at once; another one starts."""
        self._link.kill()

    def remove(self, job: str) -> None:
        """Takes a waiting or interrupted job out."""
        self._queue.remove(job)

    def move(self, job: str, place: int) -> None:
        """Puts a waiting job at ``place``."""
        self._queue.move(job, place)

    def pause(self, paused: bool) -> None:
        """Holds the queue, or lets it go on."""
        if paused:
            self._queue.pause()
        else:
            self._queue.resume()

    def retry(self, job: str) -> None:
        """Runs an interrupted job again."""
        self._queue.retry(job)

    def restart_engine(self) -> None:
        """After it was given up, as the person asked."""
        self._link.restart()

    def measure(self) -> None:
        """Asks for fresh figures of free memory."""
        self._link.measure()

    def close(self) -> None:
        """The program ends: events that are still on their way reach neither history nor window (C180)."""
        self._open = False

    # ------------------------------------------------------------------ what happens

    @Slot(object)
    def handle(self, event: HostEvent) -> None:
        """The queue takes the event first, so whoever hears of it sees the queue as it is afterwards."""
        if not self._open:
            return
        self._queue.handle(event)
        self.heard.emit(event)
        signal = self._signals.get(type(event))
        if signal is not None:
            signal.emit(event)
        elif not isinstance(event, MemoryReport | Placed):
            raise TypeError(type(event).__name__)

    def _changed(self) -> None:
        record = self._queue.running
        now = record.id if record is not None else None
        if now != self._was_running:
            self._was_running = now
            if record is not None:
                self.started.emit(record)
        self.changed.emit()

"""The jobs that wait, run and ended, advanced by the engine's events. One thread calls it; knows no Qt.

A job is in the history before it runs, and its values are those of the moment it was added.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.core.errors import AppError, ErrorKind, Problem
from app.core.messages import (
    Cancelled,
    EngineDied,
    Failed,
    Finished,
    HostEvent,
    PictureDone,
    Run,
    StartFailed,
)
from app.core.plan import Plan
from app.core.request import GenerationRequest, OutputSpec
from app.store.history import History, JobRecord, JobState, new_record


class JobQueue:
    """``submit`` and ``cancel`` reach the engine's host; ``on_change`` is called after anything changed."""

    def __init__(
        self,
        history: History,
        submit: Callable[[Run], None],
        cancel: Callable[[str], None],
        on_change: Callable[[], None],
    ) -> None:
        self._history = history
        self._submit = submit
        self._cancel = cancel
        self._on_change = on_change
        self.running: JobRecord | None = None
        self.paused = False

    @property
    def waiting(self) -> list[JobRecord]:
        """The jobs that wait, in their order."""
        return self._history.waiting()

    def recover(self) -> list[JobRecord]:
        """At a window's start: takes over the jobs of a dead one and returns those that it was running.

        Nothing begins unasked: when jobs wait, the queue is paused.
        """
        interrupted = self._history.recover()
        self.paused = bool(self.waiting)
        self._changed()
        return interrupted

    def add(self, request: GenerationRequest, plan: Plan, output: OutputSpec) -> str:
        """Stores a job and starts it when nothing runs. Returns its id."""
        record = self._history.add(new_record(request, plan, output))
        self._changed()
        return record.id

    def retry(self, job: str) -> str | None:
        """Queues a job again: an interrupted one under its own id, a finished one as a new job.

        None when there is no such job, or when another program has taken it.
        """
        record = self._history.get(job)
        if record is None:
            return None
        if record.state in (JobState.WAITING, JobState.INTERRUPTED):
            claimed = self._history.claim(job)
            self._changed()
            return None if claimed is None else job
        return self.add(record.request, record.plan, record.output)

    def cancel(self, job: str) -> None:
        """Stops a running job, which ends when the engine says so; a waiting one is over at once."""
        if self.running is not None and self.running.id == job:
            self._cancel(job)
        elif any(record.id == job for record in self.waiting):
            self._history.set_state(job, JobState.CANCELLED, ended=time.time())
            self._changed()

    def remove(self, job: str) -> None:
        """Forgets a job that does not run; its files stay."""
        if self.running is None or self.running.id != job:
            self._history.remove(job)
            self._changed()

    def move(self, job: str, position: int) -> None:
        """Puts a waiting job at ``position``; 0 is the next to run."""
        self._history.move(job, position)
        self._changed()

    def pause(self) -> None:
        """Starts no further job; the running one goes on."""
        self.paused = True
        self._changed()

    def resume(self) -> None:
        """Starts the next job, if one waits."""
        self.paused = False
        self._changed()

    def handle(self, event: HostEvent) -> None:
        """Takes an event of the engine's host: ends the running job where it ended, and starts the next."""
        if isinstance(event, StartFailed):
            self._put_back(event.problem)
            return
        if isinstance(event, EngineDied):
            self._engine_died(event)
            return
        record = self.running
        if record is None or getattr(event, "job", None) != record.id:
            return
        if isinstance(event, PictureDone):
            self._keep(record, files=(*record.files, event.path))
        elif isinstance(event, Finished):
            measured = {"files": event.files, "seconds": event.seconds, "peaks": event.peaks}
            self._end(record, JobState.DONE, **measured)
        elif isinstance(event, Failed):
            self._end(record, JobState.FAILED, problem=event.problem)
        elif isinstance(event, Cancelled):
            self._end(record, JobState.CANCELLED)

    def _engine_died(self, event: EngineDied) -> None:
        """The job it had is interrupted and can be queued again. One that it had not yet stays the host's, who
        gives it to the next engine; without a next one it waits here."""
        record, problem = self.running, died_problem(event)
        if not event.restarting:
            self.paused = True
        if record is not None and event.job == record.id:
            self._end(record, JobState.INTERRUPTED, problem=problem)
        elif not event.restarting:
            self._put_back(problem)
        else:
            self._on_change()

    def _put_back(self, problem: Problem) -> None:
        """No engine can be had: nothing was lost, so the job waits again and the queue with it."""
        self.paused = True
        if self.running is not None:
            job, self.running = self.running.id, None
            self._history.set_state(job, JobState.WAITING, started=None, problem=problem)
            self._cancel(job)  # the host still holds it for an engine to come
        self._changed()

    def _keep(self, record: JobRecord, files: tuple[Path, ...]) -> None:
        self._history.set_state(record.id, JobState.RUNNING, files=files)
        self.running = self._history.get(record.id)
        self._on_change()

    def _end(self, record: JobRecord, state: JobState, **values: Any) -> None:
        self._history.set_state(record.id, state, ended=time.time(), **values)
        self.running = None
        self._changed()

    def _changed(self) -> None:
        if self.running is None and not self.paused:
            for record in self.waiting[:1]:
                self._start(record)
        self._on_change()

    def _start(self, record: JobRecord) -> None:
        self._history.set_state(record.id, JobState.RUNNING, started=time.time(), problem=None)
        self.running = self._history.get(record.id)
        self._submit(Run(record.id, record.request, record.plan, record.output))


def died_problem(event: EngineDied) -> Problem:
    """What an engine's death means for its job, or for the program when it is not started again."""
    if not event.restarting:
        return AppError(ErrorKind.ENGINE_KEEPS_DYING, log=str(event.log)).problem
    return AppError(ErrorKind.ENGINE_DIED, code=str(event.exit_code), log=str(event.log)).problem

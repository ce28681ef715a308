"""Runs one job to its end on an engine: the queue and history of the window, progress on the terminal.

Shared by ``generate`` and ``resume``; decides nothing about what runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.cli.codes import DONE, FAILED, INTERRUPTED
from app.cli.console import Console, error_json
from app.cli.progress import ProgressBar
from app.cli.session import CtrlC, EngineSession
from app.core.errors import ErrorKind, Problem
from app.core.messages import Cancelled, Failed, Finished, HostEvent, Notice, PictureDone, Progress
from app.core.plan import plan_to_json
from app.core.request import request_to_json
from app.host.queue import JobQueue
from app.store.history import History, JobRecord, JobState


@dataclass
class Ending:
    """How a job ended."""

    record: JobRecord
    log: Path
    """The engine's."""
    loaded: tuple[str, ...] = ()
    seeds: list[int] = field(default_factory=list)

    @property
    def code(self) -> int:
        """The exit code."""
        return {JobState.DONE: DONE, JobState.CANCELLED: INTERRUPTED}.get(self.record.state, FAILED)

    @property
    def problem(self) -> Problem | None:
        """Why it failed."""
        return self.record.problem


def run_job(
    engine: EngineSession, history: History, console: Console, begin: Callable[[JobQueue], str | None]
) -> Ending | None:
    """``begin`` puts a job into the queue; None when it could not. Returns how the job ended."""
    queue = JobQueue(history, engine.host.send, engine.host.cancel, lambda: None)
    job = begin(queue)
    if job is None:
        return None
    bar, asked = ProgressBar(console), 0
    seeds: list[int] = []
    loaded: tuple[str, ...] = ()
    try:
        for event in engine.events():
            if isinstance(event, CtrlC):
                asked += 1
                bar.close()
                _stop(engine, console, job, asked)
                continue
            queue.handle(event)
            _tell(event, bar, console)
            if isinstance(event, PictureDone):
                seeds.append(event.seed)
            if isinstance(event, Finished):
                loaded = event.loaded
            if queue.running is None:
                break
    finally:
        bar.close()
    record = history.get(job)
    assert record is not None  # nobody removes it here
    return Ending(record, engine.host.log_path, loaded, seeds)


def ending_json(ending: Ending, console: Console) -> dict[str, Any]:
    """The one object of ``--json``."""
    record = ending.record
    result: dict[str, Any] = {
        "job": record.id,
        "state": record.state.value,
        "files": [str(path) for path in record.files],
        "seed": record.request.seed,
        "seeds": ending.seeds,
        "seconds": dict(record.seconds),
        "peaks": dict(record.peaks),
        "loaded": list(ending.loaded),
        "request": request_to_json(record.request),
        "plan": plan_to_json(record.plan),
        "warnings": console.warnings,
    }
    if ending.problem is not None:
        result["error"] = error_json(ending.problem)
    return result


def show_ending(ending: Ending, console: Console) -> None:
    """The files' paths, or why there are none."""
    for path in ending.record.files:
        console.path(path)
    if ending.record.state is JobState.CANCELLED:
        console.note("Stopped.")
    elif ending.problem is not None:
        console.problem(ending.problem)
        if ending.problem.kind is ErrorKind.UNEXPECTED:
            console.note(f"The engine's log: {ending.log}")
    if ending.record.state is JobState.INTERRUPTED or (
        ending.code == FAILED and ending.record.state is JobState.WAITING
    ):
        console.note(f"The job is kept: headroom resume {ending.record.id[:8]}")
    console.data(ending_json(ending, console))


def _stop(engine: EngineSession, console: Console, job: str, asked: int) -> None:
    if asked == 1:
        console.note("Stopping after this block. Press Ctrl-C again to stop at once.")
        engine.host.cancel(job)
    else:
        engine.host.kill()


def _tell(event: HostEvent, bar: ProgressBar, console: Console) -> None:
    if isinstance(event, Progress):
        bar.show(event)
    elif isinstance(event, Notice):
        bar.close()
        console.warn(event.text)
    elif isinstance(event, Finished | Failed | Cancelled):
        bar.close()

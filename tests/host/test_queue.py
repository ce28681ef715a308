"""The queue: a job is on disk before it runs, and every event of the engine leaves it in the right state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import ErrorKind, Problem
from app.core.messages import (
    Cancelled,
    EngineDied,
    Failed,
    Finished,
    HostEvent,
    Notice,
    Phase,
    PictureDone,
    Progress,
    Ready,
    Run,
    StartFailed,
)  # fmt: skip
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.core.text import Text
from app.host.queue import JobQueue
from app.store.history import History, JobState

PLAN = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32)
PROBLEM = Problem(ErrorKind.OUT_OF_MEMORY, (("device", "cpu"),))


class Desk:
    """A queue with its history, and a host that only takes down what it is asked."""

    def __init__(self, path: Path, owner: str | None = None) -> None:
        self.history = History(path, owner=owner)
        self.runs: list[Run] = []
        self.cancelled: list[str] = []
        self.states_at_submit: list[JobState] = []
        self.changes = 0
        self.queue = JobQueue(self.history, self._submit, self.cancelled.append, self._changed)

    def add(self, seed: int = 1) -> str:
        request = GenerationRequest(
            model="m", prompt=f"fox {seed}", width=8, height=8, steps=1, guidance=1.0, seed=seed
        )
        return self.queue.add(request, PLAN, OutputSpec(Path("/pictures")))

    def state(self, job: str) -> JobState:
        record = self.history.get(job)
        assert record is not None
        return record.state

    def finish(self, job: str) -> None:
        self.queue.handle(Finished(job, (Path("/pictures/a.png"),), (("load", 1.0),), (("cpu", 5),)))

    def _submit(self, run: Run) -> None:
        record = self.history.get(run.job)
        assert record is not None
        self.states_at_submit.append(record.state)
        self.runs.append(run)

    def _changed(self) -> None:
        self.changes += 1


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "history.db")
    yield made
    made.history.close()


def died(job: str | None, restarting: bool = True) -> EngineDied:
    return EngineDied(-9, job, Path("/log"), restarting)


def test_a_job_is_stored_before_it_is_handed_over(desk: Desk) -> None:
    job = desk.add()
    assert desk.states_at_submit == [JobState.RUNNING]
    assert desk.queue.running is not None
    assert desk.queue.running.id == job
    assert desk.queue.waiting == []


def test_jobs_run_one_after_the_other(desk: Desk) -> None:
    first, second = desk.add(1), desk.add(2)
    assert [run.job for run in desk.runs] == [first]
    desk.finish(first)
    assert [run.job for run in desk.runs] == [first, second]
    desk.finish(second)
    assert desk.queue.running is None
    record = desk.history.get(first)
    assert record is not None
    assert (record.state, record.files) == (JobState.DONE, (Path("/pictures/a.png"),))
    assert (record.seconds, record.peaks) == ((("load", 1.0),), (("cpu", 5),))
    assert record.ended is not None


def test_c174_a_job_keeps_the_values_of_its_moment(desk: Desk) -> None:
    desk.add(1)
    desk.add(2)
    desk.finish(desk.runs[0].job)
    assert [run.request.seed for run in desk.runs] == [1, 2]
    assert desk.runs[1].request.prompt == "fox 2"


@pytest.mark.parametrize(
    ("make_event", "state"),
    [
        (lambda job: Failed(job, PROBLEM), JobState.FAILED),
        (lambda job: Cancelled(job), JobState.CANCELLED),
        (lambda job: died(job), JobState.INTERRUPTED),
    ],
)
def test_c178_after_every_kind_of_end_the_next_job_runs(make_event, state, desk: Desk) -> None:  # type: ignore[no-untyped-def]
    first, second = desk.add(1), desk.add(2)
    desk.queue.handle(make_event(first))
    assert desk.state(first) is state
    assert [run.job for run in desk.runs] == [first, second]


def test_files_written_before_an_end_stay_known(desk: Desk) -> None:
    job = desk.add()
    desk.queue.handle(PictureDone(job, 0, 1, Path("/pictures/1.png")))
    desk.queue.handle(PictureDone(job, 1, 2, Path("/pictures/2.png")))
    desk.queue.handle(Failed(job, PROBLEM))
    record = desk.history.get(job)
    assert record is not None
    assert record.files == (Path("/pictures/1.png"), Path("/pictures/2.png"))
    assert record.problem == PROBLEM


def test_events_of_other_jobs_and_other_kinds_change_nothing(desk: Desk) -> None:
    job = desk.add()
    events: list[HostEvent] = [
        Finished("other", (), (), ()),
        Failed("other", PROBLEM),
        Progress(job, Phase.LOAD),
        Notice(job, Text("x")),
        Ready(()),
    ]
    for event in events:
        desk.queue.handle(event)
    assert desk.state(job) is JobState.RUNNING


def test_a_waiting_job_is_cancelled_at_once_and_a_running_one_when_the_engine_says_so(desk: Desk) -> None:
    first, second = desk.add(1), desk.add(2)
    desk.queue.cancel(second)
    assert desk.state(second) is JobState.CANCELLED
    desk.queue.cancel(first)
    assert desk.cancelled == [first]
    assert desk.state(first) is JobState.RUNNING
    desk.queue.handle(Cancelled(first))
    assert desk.state(first) is JobState.CANCELLED
    desk.queue.cancel("nobody")


def test_pausing_holds_the_next_job(desk: Desk) -> None:
    first, second = desk.add(1), desk.add(2)
    desk.queue.pause()
    desk.finish(first)
    assert [run.job for run in desk.runs] == [first]
    desk.queue.resume()
    assert [run.job for run in desk.runs] == [first, second]


def test_order_and_removal(desk: Desk) -> None:
    first, second, third = desk.add(1), desk.add(2), desk.add(3)
    desk.queue.move(third, 0)
    assert [record.id for record in desk.queue.waiting] == [third, second]
    desk.queue.remove(first)  # it runs
    assert desk.state(first) is JobState.RUNNING
    desk.queue.remove(second)
    assert [record.id for record in desk.queue.waiting] == [third]


def test_after_the_last_death_the_queue_is_kept(desk: Desk) -> None:
    first, second = desk.add(1), desk.add(2)
    desk.queue.handle(died(first, restarting=False))
    assert desk.queue.paused
    assert desk.state(first) is JobState.INTERRUPTED
    assert [record.id for record in desk.queue.waiting] == [second]
    record = desk.history.get(first)
    assert record is not None
    assert record.problem is not None
    assert record.problem.kind is ErrorKind.ENGINE_KEEPS_DYING


def test_a_job_that_no_engine_had_yet_is_not_lost(desk: Desk) -> None:
    job = desk.add()
    desk.queue.handle(died(None))  # while starting: the host gives the job to the next engine
    assert desk.state(job) is JobState.RUNNING
    desk.queue.handle(died(None, restarting=False))
    assert desk.state(job) is JobState.WAITING
    assert desk.cancelled == [job]  # or a restarted engine would run it unasked
    desk.queue.handle(Cancelled(job))
    assert desk.state(job) is JobState.WAITING
    desk.queue.resume()
    assert [run.job for run in desk.runs] == [job, job]


def test_an_engine_that_cannot_start_puts_the_job_back(desk: Desk) -> None:
    job = desk.add()
    problem = Problem(ErrorKind.PACKAGE_MISSING, (("package", "torch"),))
    desk.queue.handle(StartFailed(problem))
    assert desk.queue.paused
    record = desk.history.get(job)
    assert record is not None
    assert (record.state, record.problem) == (JobState.WAITING, problem)


def test_c175_jobs_of_a_dead_program_are_offered_not_begun(tmp_path: Path) -> None:
    dead = Desk(tmp_path / "history.db", owner="999999999:0.0")
    first, second = dead.add(1), dead.add(2)
    dead.history.close()
    desk = Desk(tmp_path / "history.db")
    assert [record.id for record in desk.queue.recover()] == [first]
    assert desk.queue.paused
    assert desk.runs == []
    assert [record.id for record in desk.queue.waiting] == [second]
    desk.queue.resume()
    assert [run.job for run in desk.runs] == [second]
    assert desk.queue.retry(first) == first
    desk.finish(second)
    assert [run.job for run in desk.runs] == [second, first]
    desk.history.close()


def test_running_a_finished_job_again_makes_a_new_one(desk: Desk) -> None:
    job = desk.add()
    desk.finish(job)
    again = desk.queue.retry(job)
    assert again not in (None, job)
    assert desk.runs[1].request == desk.runs[0].request
    assert desk.state(job) is JobState.DONE
    assert desk.queue.retry("nobody") is None

"""The supervisor with real child processes: jobs, cancels, and every way in which an engine can end."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time

import engine_children
import psutil
import pytest
from engine_runs import make_run

from app.core.error_words import sentence
from app.core.errors import ErrorKind
from app.core.messages import Cancelled, EngineDied, Finished, Hello, Measure, Progress, Ready, StartFailed
from app.host.queue import died_problem
from app.host.supervisor import EngineState
from app.media.offload_files import PREFIX

ENDINGS = (Finished, Cancelled, EngineDied)


def ending(watched, job):
    """How a job ended."""
    return watched.until(lambda event: isinstance(event, ENDINGS) and event.job == job)


def test_an_engine_greets_is_ready_and_runs_one_job_after_the_other(watch):
    watched = watch(target=engine_children.moody)
    assert watched.supervisor.state is EngineState.STARTING
    watched.start()
    for name in ("a", "b"):
        watched.supervisor.send(make_run(name, "finish"))
    assert isinstance(watched.until(Hello), Hello)
    assert watched.until(Finished).job == "a"
    assert watched.until(Finished).job == "b"
    kinds = [type(event) for event in watched.seen]
    assert kinds == [Hello, Ready, Progress, Finished, Progress, Finished]
    assert watched.supervisor.state is EngineState.READY
    watched.stop()
    assert watched.supervisor.state is EngineState.STOPPED


@pytest.mark.parametrize("mood", ["abort", "segfault", "exit 0", "exit 7", "out of memory"])
def test_a_death_is_told_with_its_job_and_a_new_engine_greets(watch, mood):
    if mood == "out of memory" and sys.platform == "win32":
        pytest.skip("no limits on memory there")
    watched = watch(target=engine_children.moody).start()
    first = watched.ready()
    watched.supervisor.send(make_run("job", mood))
    died = ending(watched, "job")
    assert isinstance(died, EngineDied)
    assert (died.job, died.restarting) == ("job", True)
    assert died.log.is_file()
    assert watched.ready() != first
    assert died_problem(died).kind is ErrorKind.ENGINE_DIED
    watched.supervisor.send(make_run("next", "finish"))
    assert isinstance(ending(watched, "next"), Finished)


def test_what_c_code_said_before_it_died_is_in_the_log(watch):
    watched = watch(target=engine_children.moody).start()
    watched.ready()
    watched.supervisor.send(make_run("job", "segfault"))
    text = ending(watched, "job").log.read_text()
    assert "Fatal Python error" in text
    assert "engine_children.py" in text
    watched.supervisor.send(make_run("memory", "out of memory"))
    assert "MemoryError" in ending(watched, "memory").log.read_text()


def test_exit_codes_are_shown_as_they_are(watch):
    watched = watch(target=engine_children.moody).start()
    watched.supervisor.send(make_run("job", "exit 7"))
    died = ending(watched, "job")
    assert died.exit_code == 7
    assert "7" in str(sentence(died_problem(died)))


def test_a_job_that_ended_before_the_death_counts_as_done(watch):
    watched = watch(target=engine_children.moody).start()
    watched.supervisor.send(make_run("job", "finish and die"))
    assert isinstance(ending(watched, "job"), Finished)
    died = watched.until(EngineDied)
    assert died.job is None


def test_a_soft_cancel_is_quick(watch):
    watched = watch(target=engine_children.moody).start()
    pid = watched.ready()
    watched.supervisor.send(make_run("job", "obey"))
    watched.until(Progress)
    asked = time.monotonic()
    watched.supervisor.cancel("job")
    assert isinstance(ending(watched, "job"), Cancelled)
    assert time.monotonic() - asked < 1.0
    watched.supervisor.send(make_run("next", "finish"))
    ending(watched, "next")
    assert psutil.Process(pid).is_running(), "a soft cancel costs no engine"
    assert not any(isinstance(event, EngineDied) for event in watched.seen)


@pytest.mark.parametrize("mood", ["hang", "hang in C"])
def test_a_job_that_does_not_stop_is_ended_after_the_grace(watch, mood):
    watched = watch(target=engine_children.moody, grace=1.0).start()
    first = watched.ready()
    watched.supervisor.send(make_run("job", mood))
    watched.until(Progress)
    asked = time.monotonic()
    watched.supervisor.cancel("job")
    assert isinstance(ending(watched, "job"), Cancelled)
    assert 1.0 <= time.monotonic() - asked < 3.0
    assert watched.ready() != first
    assert not any(isinstance(event, EngineDied) for event in watched.seen)


def test_a_second_cancel_does_not_lengthen_the_grace_and_kill_ends_it(watch):
    watched = watch(target=engine_children.moody, grace=600.0).start()
    watched.ready()
    watched.supervisor.send(make_run("job", "hang in C"))
    watched.until(Progress)
    watched.supervisor.cancel("job")
    watched.supervisor.cancel("job")
    asked = time.monotonic()
    watched.supervisor.kill()
    assert isinstance(ending(watched, "job"), Cancelled)
    assert time.monotonic() - asked < 2.0
    watched.ready()


def test_jobs_that_wait_survive_a_hard_cancel_and_run_afterwards(watch):
    watched = watch(target=engine_children.moody).start()
    watched.ready()
    watched.supervisor.send(make_run("job", "hang"))
    watched.until(Progress)
    watched.supervisor.send(make_run("next", "finish"))
    watched.supervisor.kill()
    assert isinstance(ending(watched, "job"), Cancelled)
    assert isinstance(ending(watched, "next"), Finished)


def test_a_waiting_job_is_cancelled_without_an_engine(watch):
    watched = watch(target=engine_children.never_ready).start()
    watched.until(Hello)
    watched.supervisor.send(make_run("job", "finish"))
    watched.supervisor.cancel("job")
    assert isinstance(ending(watched, "job"), Cancelled)
    watched.supervisor.cancel("unknown")


def test_three_deaths_in_a_minute_end_it_until_asked(watch):
    watched = watch(target=engine_children.moody).start()
    for name in ("one", "two", "three"):
        watched.supervisor.send(make_run(name, "abort"))
    deaths = [watched.until(EngineDied) for _ in range(3)]
    assert [death.job for death in deaths] == ["one", "two", "three"]
    assert [death.restarting for death in deaths] == [True, True, False]
    assert watched.supervisor.state is EngineState.GIVEN_UP
    problem = died_problem(deaths[-1])
    assert problem.kind is ErrorKind.ENGINE_KEEPS_DYING
    assert str(watched.supervisor.log_path) in str(sentence(problem))
    watched.supervisor.send(make_run("kept", "finish"))
    watched.supervisor.restart()
    assert isinstance(ending(watched, "kept"), Finished)


def test_an_engine_that_dies_before_it_is_ready_keeps_the_job_waiting(watch, tmp_path):
    (tmp_path / "count").write_text("2")
    watched = watch(
        target=engine_children.dies_while_greeting, environment={"COUNT": str(tmp_path / "count")}
    )
    watched.start()
    deaths = [watched.until(EngineDied) for _ in range(2)]
    assert [(death.job, death.restarting) for death in deaths] == [(None, True), (None, True)]
    watched.ready()


def test_an_engine_that_never_greets_is_given_up(watch):
    watched = watch(target=engine_children.dies_at_once).start()
    deaths = [watched.until(EngineDied) for _ in range(3)]
    assert not deaths[-1].restarting
    assert "cannot go on" in deaths[0].log.read_text()
    assert len({death.log for death in deaths}) == 3


def test_c204_an_engine_that_lacks_a_package_says_so_and_is_not_tried_again(watch):
    watched = watch(target=engine_children.lacks_a_package).start()
    assert watched.until(StartFailed).problem.fact("package") == "diffusers"
    watched.supervisor.send(make_run("job", "finish"))
    watched.supervisor.cancel(
        "job"
    )  # answered only after the engine's end was noticed or before: either way once
    assert isinstance(ending(watched, "job"), Cancelled)
    watched.stop()
    assert not any(isinstance(event, EngineDied) for event in watched.seen)


def test_a_closed_pipe_ends_an_engine_that_hangs(watch):
    watched = watch(target=engine_children.moody).start()
    watched.ready()
    watched.supervisor.send(make_run("job", "close and hang"))
    died = ending(watched, "job")
    assert isinstance(died, EngineDied)
    watched.ready()


def test_measuring_is_answered_and_never_piles_up(watch):
    watched = watch(target=engine_children.moody).start()
    watched.ready()
    watched.supervisor.send(Measure())
    watched.until(Ready)
    watched.supervisor.send(make_run("job", "obey"))
    watched.until(Progress)
    for _ in range(10_000):  # a pipe holds some thousands: a hung engine must not block the sender
        watched.supervisor.send(Measure())
    watched.supervisor.cancel("job")
    assert isinstance(ending(watched, "job"), Cancelled)


@pytest.mark.parametrize("mood", ["hang", "hang in C", "obey", None])
def test_stopping_is_quick_whatever_the_engine_does(watch, mood):
    watched = watch(target=engine_children.moody).start()
    pid = watched.ready()
    if mood is not None:
        watched.supervisor.send(make_run("job", mood))
        watched.until(Progress)
    asked = time.monotonic()
    watched.stop()
    assert time.monotonic() - asked < 5.0
    assert not psutil.pid_exists(pid)
    if mood is not None:
        assert isinstance(ending(watched, "job"), Cancelled)
    watched.supervisor.send(make_run("late", "finish"))  # nobody is there any more: no error
    watched.supervisor.cancel("late")
    watched.supervisor.stop()


def test_stopping_while_the_engine_still_imports_does_not_wait_for_it(watch):
    watched = watch(target=engine_children.never_ready).start()
    watched.until(Hello)
    asked = time.monotonic()
    watched.stop()
    assert time.monotonic() - asked < 2.0


def test_stopping_before_starting_starts_nothing(watch):
    watched = watch(target=engine_children.moody)
    watched.supervisor.stop()
    watched.start()
    watched.stop()
    assert watched.events.empty()


def test_c205_an_engine_without_standard_streams_writes_into_its_log(watch):
    watched = watch(target=engine_children.writes_everywhere).start()
    watched.ready()
    log = watched.supervisor.log_path
    watched.stop()
    text = log.read_text(encoding="utf-8")
    for line in ("printed ☃ \\udc80", "complained", "from C on 1", "from C on 2", "most recent call first"):
        assert line in text


def test_only_the_last_logs_are_kept(watch, tmp_path):
    from app.host.logs import KEPT

    (tmp_path / "logs").mkdir()
    for number in range(30):
        (tmp_path / "logs" / f"engine-20200101-000000-{number:02}.log").write_text("old")
    watched = watch(target=engine_children.moody).start()
    watched.ready()
    kept = sorted((tmp_path / "logs").iterdir())
    assert len(kept) == KEPT
    assert kept[-1] == watched.supervisor.log_path


def test_an_engine_starts_without_a_place_for_its_log(watch, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "logs").write_text("a file where the folder should be")
    watched = watch(target=engine_children.moody).start()
    watched.ready()
    assert watched.supervisor.log_path.parent == tmp_path / "headroom-logs"


def test_a_system_that_starts_no_process_is_told_as_a_death(watch, monkeypatch):
    context = multiprocessing.get_context("spawn")

    def refuse(process):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(context.Process, "start", refuse)
    watched = watch(target=engine_children.moody).start()
    deaths = [watched.until(EngineDied) for _ in range(3)]
    assert [death.restarting for death in deaths] == [True, True, False]
    monkeypatch.undo()
    watched.supervisor.restart()
    watched.ready()


@pytest.mark.parametrize("mood", ["abort", "hang"])
def test_weights_that_a_killed_engine_left_on_disk_are_removed_at_once(watch, tmp_path, mood):
    scratch = tmp_path / "scratch"
    watched = watch(target=engine_children.moody, scratch=scratch).start()
    left, other = (scratch / f"{PREFIX}{pid}-unet-x" for pid in (watched.ready(), os.getpid()))
    for folder in (left, other):
        folder.mkdir(parents=True)
        (folder / "weights").write_bytes(bytes(8))
    watched.supervisor.send(make_run("job", mood))
    watched.until(Progress)
    if mood == "hang":
        watched.supervisor.kill()
    watched.ready()
    assert not left.exists()
    assert other.exists()


def test_weights_are_removed_also_when_the_program_ends_a_stuck_engine(watch, tmp_path):
    watched = watch(target=engine_children.moody, scratch=tmp_path / "scratch").start()
    left = tmp_path / "scratch" / f"{PREFIX}{watched.ready()}-unet-x"
    left.mkdir(parents=True)
    watched.supervisor.send(make_run("job", "close and hang"))
    watched.until(Progress)
    watched.stop()
    assert not left.exists()

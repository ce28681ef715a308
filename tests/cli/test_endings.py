"""How jobs of the command line end: done, failed, interrupted, with their codes and what is left to resume."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from app.core.errors import ErrorKind, Problem
from app.core.messages import (
    EngineDied,
    Failed,
    Hello,
    HostEvent,
    Phase,
    Progress,
    Run,
    StartFailed,
)
from app.store.history import History, JobState
from app.store.paths import default_paths

Headroom = Callable[..., Any]


def states() -> list[JobState]:
    """The states of all jobs, newest first."""
    history = History(default_paths().history)
    try:
        return [record.state for record in history.recent()]
    finally:
        history.close()


def test_a_job_that_fails_says_why_and_keeps_its_files(headroom: Headroom, script: Any, model: Path) -> None:
    problem = Problem(ErrorKind.OUT_OF_MEMORY, (("device", "cpu"), ("peak", 5 * 2**30)))
    script.job = lambda run: [Progress(run.job, Phase.LOAD), Failed(run.job, problem)]
    done = headroom("generate", "fox", "--model", str(model), "--json")
    assert (done.code, done.data["error"]["kind"], done.data["state"]) == (4, "out_of_memory", "failed")
    assert "5.0 GiB" in done.err
    assert states() == [JobState.FAILED]


def test_c200_of_an_error_nobody_foresaw_the_end_is_shown_not_all(
    headroom: Headroom, script: Any, model: Path
) -> None:
    problem = Problem(ErrorKind.UNEXPECTED, (), "Traceback\n" * 5000 + "ValueError: " + "x" * 100_000)
    script.job = lambda run: [Failed(run.job, problem)]
    done = headroom("generate", "fox", "--model", str(model))
    assert done.code == 4
    assert "ValueError: xxx" in done.err
    assert "engine.log" in done.err
    assert len(done.err) < 1000


def test_a_blank_picture_is_no_success(headroom: Headroom, script: Any, model: Path) -> None:
    problem = Problem(ErrorKind.PICTURE_BLANK, (("colour", "#000000"),))
    script.job = lambda run: [Failed(run.job, problem)]
    done = headroom("generate", "fox", "--model", str(model))
    assert (done.code, done.out) == (4, "")
    assert "not saved" in done.err


def test_an_engine_that_dies_leaves_the_job_to_be_resumed(
    headroom: Headroom, script: Any, model: Path
) -> None:
    script.job = lambda run: [EngineDied(-9, run.job, Path("/log"), True)]
    done = headroom("generate", "fox", "--model", str(model), "--seed", "5")
    assert done.code == 4
    assert "headroom resume" in done.err
    assert states() == [JobState.INTERRUPTED]
    listed = headroom("resume", "--json")
    job = listed.data["jobs"][0]
    assert (job["state"], job["request"]["seed"]) == ("interrupted", 5)
    assert job["job"][:8] in headroom("resume").out
    script.job = type(script)().job
    again = headroom("resume", job["job"][:6], "--json")
    assert (again.code, again.data["job"], again.data["seed"]) == (0, job["job"], 5)
    assert states() == [JobState.DONE]
    assert headroom("resume").out == "No job waits to be resumed.\n"
    assert headroom("resume", job["job"]).code == 3


def test_a_job_whose_files_vanished_is_not_resumed_and_stays(
    headroom: Headroom, script: Any, model: Path, tmp_path: Path
) -> None:
    photo, pictures = tmp_path / "photo.png", tmp_path / "pictures"
    Image.new("RGB", (64, 64)).save(photo)
    pictures.mkdir()
    script.job = lambda run: [EngineDied(-9, run.job, Path("/log"), True)]
    words = ("--model", str(model), "--image", str(photo), "--out", f"{pictures}/")
    assert headroom("generate", "fox", *words).code == 4
    job = headroom("resume", "--json").data["jobs"][0]["job"]
    script.start = (StartFailed(Problem(ErrorKind.UNEXPECTED)),)  # none is to be started
    for path, kind in ((photo, "picture_missing"), (pictures, "folder_missing"), (model, "model_missing")):
        path.rename(tmp_path / "away")
        done = headroom("resume", job, "--json")
        assert (done.code, done.data["error"]["kind"]) == (3, kind)
        assert str(path) in done.err
        (tmp_path / "away").rename(path)
    assert states() == [JobState.INTERRUPTED]


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([StartFailed(Problem(ErrorKind.PACKAGE_MISSING, (("package", "torch"),)))], "package_missing"),
        ([Hello(1, ()), EngineDied(1, None, Path("/log"), False)], "engine_not_starting"),
    ],
)
def test_an_engine_that_does_not_start_is_a_failure(
    events: list[HostEvent], kind: str, headroom: Headroom, script: Any, model: Path
) -> None:
    script.start = tuple(events)
    for command in (["generate", "fox", "--model", str(model)], ["doctor"]):
        done = headroom(*command, "--json")
        assert (done.code, done.data["error"]["kind"]) == (4, kind)


def test_a_fault_of_ours_is_told_without_a_traceback(
    headroom: Headroom, script: Any, model: Path, home: Path
) -> None:
    script.start, script.fault = (), ZeroDivisionError("of ours")
    done = headroom("generate", "fox", "--model", str(model), "--json")
    assert (done.code, done.data["error"]["kind"]) == (4, "unexpected")
    assert "Traceback" not in done.err + done.out
    assert "ZeroDivisionError" in (home / "logs" / "command-line.log").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to itself")
@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_stops_softly_then_at_once(presses: int, headroom: Headroom, script: Any, model: Path) -> None:
    told = threading.Event()

    def job(run: Run) -> Iterable[HostEvent]:
        os.kill(os.getpid(), signal.SIGINT)
        yield Progress(run.job, Phase.DENOISE, 1, 20)
        told.wait(10)

    def cancel(self: object, identity: str) -> None:
        script.cancelled.append(identity)
        if presses == 1:
            told.set()
            original(self, identity)
        else:
            os.kill(os.getpid(), signal.SIGINT)

    def kill(self: Any) -> None:
        script.killed += 1
        told.set()
        original(self, script.runs[-1].job)

    host = type(script(Path(), lambda event: None))
    original = host.cancel
    before = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "cancel", cancel)
        patch.setattr(host, "kill", kill)
        script.job = job
        done = headroom("generate", "fox", "--model", str(model), "--json")
    assert (done.code, done.data["state"], done.data["files"]) == (130, "cancelled", [])
    assert script.killed == presses - 1
    assert states() == [JobState.CANCELLED]
    assert "Traceback" not in done.err
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to itself")
def test_ctrl_c_before_the_engine_is_ready(headroom: Headroom, script: Any, model: Path) -> None:
    class Pressed:
        def __iter__(self) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            return iter(())

    script.start = Pressed()
    done = headroom("generate", "fox", "--model", str(model), "--json")
    assert done.code == 130
    assert done.data["files"] == []
    done = headroom("generate", "fox", "--model", str(model))
    assert (done.code, done.out, done.err) == (130, "", "Stopped before it ran.\n")

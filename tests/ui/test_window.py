"""The whole window on a scripted engine: from Generate to the strip, endings, the queue, the close in mid-run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorKind, Problem
from app.core.memory import MemorySettings
from app.core.messages import (
    Cancelled,
    EngineDied,
    Failed,
    Hello,
    Notice,
    Phase,
    Preview,
    Progress,
    StartFailed,
)
from app.core.text import say
from app.store.history import JobState
from app.ui.status_bar import Engine

if TYPE_CHECKING:
    from conftest import Studio
else:
    Studio = Any


def press(box: QMessageBox, words: str) -> None:
    next(button for button in box.findChildren(QPushButton) if button.text() == words).click()


def states(studio: Studio) -> list[JobState]:
    return [record.state for record in reversed(studio.history.recent())]


def test_from_generate_to_the_strip(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    studio.generate("a red circle")
    [run] = studio.link.runs
    assert (run.request.prompt, run.request.width, run.request.steps) == ("a red circle", 128, 12)
    assert run.plan == studio.program.session.decision, "the plan on screen is the plan that runs"
    assert run.request.seed == window.prompt.values().seed, "the drawn seed is shown"
    assert states(studio) == [JobState.RUNNING]
    studio.say(Progress(run.job, Phase.DENOISE, 3, 12))
    studio.say(Preview(run.job, 0, 2, 2, bytes(12)))
    assert window.viewer.view.isVisible()
    path = studio.finish()
    qtbot.waitUntil(lambda: window.viewer.path == path)
    assert window.gallery.current().path == path
    assert window.status.text == "Ready"
    assert states(studio) == [JobState.DONE]
    assert studio.link.asked[-1] == "measure"


@pytest.mark.parametrize("prompt", ["", " ", "\n", "\t", "\u3000", "\u200b"])
def test_c71_an_empty_prompt_is_explained_in_place(studio: Studio, prompt: str) -> None:
    window = studio.open().window
    studio.generate(prompt)
    assert not studio.link.runs
    assert window.prompt._prompt_note.isVisible()
    assert not window.errors.isVisible()


def test_a_wish_made_while_the_engine_starts_is_kept_with_its_values(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open(ready=False).window
    assert "starting" in window.status.text
    studio.generate("first")
    window.prompt.set_prompt("changed meanwhile")
    assert window.prompt._pace.text() == "Starts as soon as the engine is up"
    assert not studio.link.runs
    studio.ready()
    assert [run.request.prompt for run in studio.link.runs] == ["first"]


def test_c174_a_job_keeps_the_values_of_its_moment(studio: Studio, tmp_path: Path) -> None:
    window = studio.open().window
    studio.generate("one")
    studio.generate("two")
    window.prompt.set_values(replace(window.prompt.values(), prompt="three", width=64, steps=99, seed=5))
    studio.program.session.set_memory(MemorySettings(offload="sequential"), "fits")
    studio.program.session.folder = tmp_path / "elsewhere"
    studio.finish()
    second = studio.link.runs[1]
    assert (second.request.prompt, second.request.width, second.request.steps) == ("two", 128, 12)
    assert second.output.folder == studio.paths.pictures
    assert second.plan.offload == "none"


def test_generate_while_a_job_runs_queues_it(studio: Studio) -> None:
    window = studio.open().window
    for prompt in ("one", "two", "three"):
        studio.generate(prompt)
    assert len(studio.link.runs) == 1
    assert [record.request.prompt for record in studio.program.jobs.waiting] == ["two", "three"]
    assert window._queue_tab.text() == "Queue (3)"
    assert window.prompt._pace.text() == "Waits behind 3 jobs"
    window.queue.move_asked.emit(studio.program.jobs.waiting[1].id, 0)
    window.queue.pause_asked.emit(True)
    studio.finish()
    assert len(studio.link.runs) == 1
    assert window.status.text == "Paused with 2 jobs in the queue."
    window.queue.pause_asked.emit(False)
    assert studio.link.runs[1].request.prompt == "three"


def test_c178_after_an_error_the_next_job_works(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    studio.generate()
    studio.say(Failed(studio.job, Problem(ErrorKind.PICTURE_BLANK, (), "detail")))
    assert window.errors.isVisible()
    assert window.prompt.button.isEnabled()
    studio.generate("again")
    assert not window.errors.isVisible()
    path = studio.finish()
    qtbot.waitUntil(lambda: window.viewer.path == path)
    assert states(studio) == [JobState.FAILED, JobState.DONE]


def test_cancel_and_the_preview_goes(studio: Studio) -> None:
    window = studio.open().window
    studio.generate()
    studio.say(Preview(studio.job, 0, 2, 2, bytes(12)))
    window.status.press_cancel()
    assert studio.link.cancelled == [studio.job]
    studio.say(Cancelled(studio.job))
    assert window.viewer.empty.isVisible()
    assert window.status.text == "Ready"


def test_a_second_cancel_ends_the_engine_and_says_what_it_costs(studio: Studio) -> None:
    window = studio.open().window
    studio.generate()
    window.status.press_cancel()
    window.status.press_cancel()
    assert "kill" in studio.link.asked
    assert "loaded again" in window.status.text
    studio.say(Cancelled(studio.job))
    studio.say(Hello(pid=2, families=("sdxl",)))
    assert window.status.engine is Engine.RESTARTING


def test_a_died_engine_offers_its_job_again(studio: Studio, tmp_path: Path) -> None:
    window = studio.open().window
    studio.generate("lost")
    job = studio.job
    studio.say(EngineDied(-11, job, tmp_path / "e.log", True))
    assert window.status.engine is Engine.RESTARTING
    assert window._queue_tab.text() == "Queue (1)"
    press_action(window, "Run the job again")
    studio.ready()
    assert [run.job for run in studio.link.runs] == [job, job]


def press_action(window: Any, words: str) -> None:
    next(button for button in window.errors.findChildren(QPushButton) if button.text() == words).click()


def test_an_engine_that_is_given_up_is_restarted_by_the_person(studio: Studio, tmp_path: Path) -> None:
    window = studio.open().window
    log = tmp_path / "e.log"
    studio.say(EngineDied(1, None, log, False))
    assert window.status.engine is Engine.GIVEN_UP
    assert str(log) in window.errors.text()
    window.status.controls()[1].click()
    assert "restart" in studio.link.asked
    studio.ready()
    assert window.status.text == "Ready"
    studio.generate()
    assert studio.link.runs


def test_an_engine_that_cannot_start_says_why(studio: Studio) -> None:
    window = studio.open(ready=False).window
    studio.say(StartFailed(Problem(ErrorKind.PACKAGE_MISSING, (("package", "torch"),), "ImportError")))
    assert window.status.engine is Engine.FAILED
    assert "torch" in window.errors.text()


def test_what_is_refused_with_a_plan_can_be_run_anyway(studio: Studio) -> None:
    window = studio.open(memory=MemorySettings(device="cuda:7")).window
    studio.generate()
    assert not studio.link.runs
    assert window.errors.problem.kind is ErrorKind.DEVICE_MISSING
    press_action(window, "Run anyway")
    assert [run.plan.device for run in studio.link.runs] == ["cuda:0"]


def test_notices_are_shown_once_and_bounded(studio: Studio) -> None:
    window = studio.open().window
    studio.generate()
    for _ in range(3):
        studio.say(Notice(studio.job, say("core", "Words beyond the limit are not read.")))
    studio.say(Notice(studio.job, say("core", "x" * 5000)))
    lines = window.notices.text.split("\n")
    assert lines[0] == "Words beyond the limit are not read."
    assert len(lines) == 2
    assert len(lines[1]) == 600


def test_notices_that_were_read_go_with_the_next_job_and_done_things_by_themselves(
    studio: Studio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = studio.open().window
    window.notices.add("The size was changed.")
    studio.generate()
    assert window.notices.text == ""
    window.notices._timer.setInterval(1)
    window.notices.add_passing("Saved.")
    assert window.notices.isVisible()
    qtbot.waitUntil(lambda: not window.notices.isVisible())
    window.notices.add("Two jobs.", "Run them", lambda: None)
    studio.generate()
    assert window.notices.text == "Two jobs."


def test_a_look_at_another_picture_is_not_disturbed_by_previews(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    studio.generate()
    first = studio.finish("first.png")
    qtbot.waitUntil(lambda: window.viewer.path == first)
    studio.generate("second")
    window.gallery.chosen.emit(window.gallery.results.results()[0])
    qtbot.waitUntil(lambda: window.viewer.path == first)
    studio.say(Preview(studio.job, 0, 2, 2, bytes(12)))
    assert window.viewer.path == first
    second = studio.finish("second.png")
    assert window.gallery.results.results()[0].path == second
    assert window.viewer.path == first


def test_interrupted_jobs_are_offered_at_the_start_and_not_begun(studio: Studio) -> None:
    studio.open()
    studio.generate("lost")
    studio.generate("waited")
    lost = studio.job
    studio.program.stop()
    studio.history._connection.execute("UPDATE jobs SET owner = 'gone'")
    studio.history.close()
    window = studio.open().window
    assert not studio.link.runs
    assert window.notices.text == (
        "Interrupted when the program last ended: 1 job. Still in the queue: 1 job."
    )
    window.notices.controls()[0].click()
    assert studio.link.runs[0].request.prompt in ("lost", "waited")
    assert {studio.job, *(record.id for record in studio.program.jobs.waiting)} >= {lost}


def test_closing_at_rest_asks_nothing(studio: Studio) -> None:
    window = studio.open().window
    assert window.close()


def test_closing_in_mid_run_asks_then_stops_cleanly(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    studio.generate()
    assert not window.close()
    box = window.findChild(QMessageBox)
    press(box, "Keep working")
    assert not studio.link.cancelled
    qtbot.waitUntil(lambda: studio.program.desk._question is None)
    assert not window.close()
    press(studio.program.desk._question, "Stop and close")
    assert studio.link.cancelled == [studio.job]
    assert window.isVisible(), "it closes when the engine has stopped"
    studio.say(Cancelled(studio.job))
    assert not window.isVisible()
    assert states(studio) == [JobState.CANCELLED]


def test_a_job_that_ends_by_itself_answers_the_question(studio: Studio) -> None:
    window = studio.open().window
    studio.generate()
    assert not window.close()
    assert studio.program.desk._question is not None
    studio.finish()
    assert not window.isVisible(), "nothing is left to lose, and closing was asked for"


def test_c180_previews_that_arrive_while_closing_are_quiet(studio: Studio, qtbot: QtBot) -> None:
    studio.open()
    studio.generate()
    job, link = studio.job, studio.link
    studio.program.stop()
    studio.history.close()
    link.received.emit(Cancelled(job))
    link.received.emit(Hello(pid=3, families=()))
    studio._forget()
    for _ in range(20):
        link.received.emit(Preview(job, 0, 2, 2, bytes(12)))
    QApplication.processEvents()


def test_the_window_works_at_its_smallest(studio: Studio) -> None:
    window = studio.open().window
    window.resize(1024, 700)
    assert window.size() == QSize(1024, 700)
    assert window.viewer.width() >= 400
    studio.generate("x" * 5000)
    studio.say(Failed(studio.job, Problem(ErrorKind.UNEXPECTED, (("error", "y" * 100_000),), "z\n" * 5000)))
    assert window.size() == QSize(1024, 700)
    assert window.minimumSizeHint().width() <= 1024


def test_side_panels_fold_and_give_the_room_to_the_centre(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    window.resize(1440, 900)
    before = window.viewer.width()
    qtbot.keyClick(window, Qt.Key.Key_F9)
    qtbot.keyClick(window, Qt.Key.Key_F10)
    qtbot.waitUntil(lambda: window.viewer.width() > before + 500)

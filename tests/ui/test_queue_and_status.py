"""The queue's list and the bar at the bottom."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QProgressBar, QPushButton
from pytestqt.qtbot import QtBot

from app.core.messages import Phase, Progress
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.store.history import JobRecord, JobState
from app.ui.pace import expected_seconds
from app.ui.queue_view import QueueView
from app.ui.status_bar import Engine, StatusBar

PLAN = Plan(family="f", device="cpu", dtype=Dtype.FLOAT32)


def record(
    job: str, state: JobState = JobState.WAITING, prompt: str = "a cat", **changes: object
) -> JobRecord:
    values = {"model": "m", "width": 64, "height": 64, "steps": 10, "guidance": 5.0, "seed": 1, "count": 1}
    request = GenerationRequest(prompt=prompt, **(values | changes))  # type: ignore[arg-type]
    return JobRecord(id=job, state=state, request=request, plan=PLAN, output=OutputSpec(Path()), created=0.0)


@pytest.fixture
def queue(qtbot: QtBot) -> QueueView:
    made = QueueView()
    qtbot.addWidget(made)
    made.show()
    running = record("r", JobState.RUNNING)
    made.show_jobs(running, [record("a"), record("b")], [record("i", JobState.INTERRUPTED)], paused=False)
    return made


@pytest.fixture
def bar(qtbot: QtBot) -> StatusBar:
    made = StatusBar()
    qtbot.addWidget(made)
    made.show()
    made.set_engine(Engine.READY)
    return made


def rows(queue: QueueView) -> QListWidget:
    return queue.findChildren(QListWidget)[0]


def button(widget: QueueView | StatusBar, name: str) -> QPushButton:
    return next(b for b in widget.findChildren(QPushButton) if b.accessibleName() == name)


def choose(queue: QueueView, place: int) -> None:
    rows(queue).setCurrentRow(place)


def test_rows_say_what_runs_waits_and_was_interrupted(queue: QueueView) -> None:
    texts = [rows(queue).item(place).text() for place in range(rows(queue).count())]
    assert [text.split(" · ")[0] for text in texts] == ["Running", "Waiting", "Waiting", "Interrupted"]


def test_a_waiting_job_is_moved_by_button_and_by_keys(queue: QueueView, qtbot: QtBot) -> None:
    moves: list[tuple[str, int]] = []
    queue.move_asked.connect(lambda job, place: moves.append((job, place)))
    choose(queue, 2)
    qtbot.keyClick(rows(queue), Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(rows(queue), Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    choose(queue, 1)
    next(control for control in queue.controls() if control.accessibleName() == "Later").click()  # type: ignore[attr-defined]
    assert moves == [("b", 0), ("a", 1)]


def test_jobs_are_removed_cancelled_and_run_again(queue: QueueView, qtbot: QtBot) -> None:
    asked: list[tuple[str, str]] = []
    queue.remove_asked.connect(lambda job: asked.append(("remove", job)))
    queue.cancel_asked.connect(lambda job: asked.append(("cancel", job)))
    queue.retry_asked.connect(lambda job: asked.append(("retry", job)))
    choose(queue, 0)
    button(queue, "Cancel").click()
    choose(queue, 1)
    qtbot.keyClick(rows(queue), Qt.Key.Key_Delete)
    choose(queue, 3)
    button(queue, "Run again").click()
    assert asked == [("cancel", "r"), ("remove", "a"), ("retry", "i")]


def test_pause_is_asked_for_and_shown(queue: QueueView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(queue.pause_asked) as caught:
        button(queue, "Pause").click()
    assert caught.args == [True]
    queue.show_jobs(None, [record("a")], [], paused=True)
    assert button(queue, "Go on").isChecked()


def test_the_chosen_row_stays_chosen(queue: QueueView) -> None:
    choose(queue, 2)
    queue.show_jobs(record("a", JobState.RUNNING), [record("b")], [], paused=False)
    assert rows(queue).currentItem().data(Qt.ItemDataRole.UserRole).id == "b"


def test_an_empty_queue_says_how_it_fills(queue: QueueView) -> None:
    queue.show_jobs(None, [], [], paused=False)
    assert not rows(queue).isVisible()


def test_c74_a_prompt_is_no_markup_in_the_queue(queue: QueueView) -> None:
    prompt = "<b>cat</b> <img src=file:///etc/hostname> &lt;"
    queue.show_jobs(None, [record("a", prompt=prompt)], [], paused=False)
    item = rows(queue).item(0)
    assert prompt in item.text()
    assert "<img" not in item.toolTip()


def test_progress_says_phase_step_and_time(bar: StatusBar) -> None:
    bar.show_started()
    bar.show_progress(Progress("j", Phase.DENOISE, 12, 28, eta=19.2))
    assert bar.text == "Denoising 12 of 28 · 19 s left"
    assert bar.findChildren(QProgressBar)[0].value() == round(1000 * 12 / 28)
    bar.set_waiting(2, paused=False)
    bar.show_progress(Progress("j", Phase.DENOISE, 14, 28, picture=1, pictures=2))
    assert bar.text == "Picture 2 of 2 · Denoising 14 of 28 · 2 more in the queue"
    assert bar.findChildren(QProgressBar)[0].value() == 750


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_has_words(bar: StatusBar, phase: Phase) -> None:
    bar.show_progress(Progress("j", phase))
    assert bar.text


def test_cancel_says_so_at_once_and_a_second_press_ends_the_engine(bar: StatusBar, qtbot: QtBot) -> None:
    bar.show_started()
    with qtbot.waitSignal(bar.cancel_asked):
        button(bar, "Cancel").click()
    assert bar.text == "Stopping after this block…"
    bar.show_progress(Progress("j", Phase.DENOISE, 3, 4))
    assert bar.text == "Stopping after this block…"
    with qtbot.waitSignal(bar.kill_asked):
        button(bar, "Stop at once").click()
    assert "must be loaded again" in bar.text
    assert not button(bar, "Stop at once").isEnabled()


@pytest.mark.parametrize("engine", list(Engine))
def test_each_state_of_the_engine_has_its_sentence(bar: StatusBar, engine: Engine) -> None:
    bar.show_started()
    bar.set_engine(engine)
    bar.show_ended()
    assert bar.text
    restart = button(bar, "Restart engine")
    assert restart.isVisible() == (engine in (Engine.GIVEN_UP, Engine.FAILED))
    assert not button(bar, "Cancel").isVisible()


def test_the_expected_time_is_that_of_like_jobs_scaled() -> None:
    seconds = (("load", 30.0), ("encode", 0.5), ("denoise", 10.0), ("decode", 1.0))
    done = [JobRecord(**(vars(record(str(n), JobState.DONE)) | {"seconds": seconds})) for n in range(3)]
    twice = record("x", steps=20, count=2).request
    assert expected_seconds(done, done[0].request, PLAN) == pytest.approx(11.5)
    assert expected_seconds(done, twice, PLAN) == pytest.approx(42.5)
    assert expected_seconds(done, record("x", model="other").request, PLAN) is None
    assert expected_seconds([record("w")], twice, PLAN) is None

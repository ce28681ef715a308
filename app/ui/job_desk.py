"""Between the jobs and the window: progress, previews, endings and the engine's state each go to their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QMessageBox

from app.core.errors import ErrorKind, Problem
from app.core.messages import (
    EngineDied,
    Failed,
    Finished,
    Hello,
    Notice,
    PictureDone,
    Preview,
    Progress,
    Ready,
    StartFailed,
)
from app.core.plan import Plan
from app.core.request import Lora
from app.core.units import clock
from app.host.jobs import Jobs
from app.host.queue import died_problem
from app.store.history import JobRecord
from app.ui.awake import KeepAwake
from app.ui.error_box import OPEN_LOG, RESTART
from app.ui.gallery import Result
from app.ui.generate import RUN_ANYWAY, Generator
from app.ui.main_window import MainWindow
from app.ui.pace import expected_seconds
from app.ui.session import Session
from app.ui.status_bar import Engine
from app.ui.system import open_file
from app.ui.translate import words
from app.ui.widgets import counted

RUN_AGAIN = "run_again"
STREAM_OFF = "stream_off"


class JobDesk(QObject):
    """Hears the jobs, tells the window; hears the window's buttons, asks the jobs."""

    picture_done = Signal(object, bool)
    """A Result, and whether the viewer should show it."""
    preview_shown = Signal()
    nothing_made = Signal()
    """A job ended without a picture while its preview was on screen."""

    def __init__(
        self, window: MainWindow, session: Session, jobs: Jobs, awake: KeepAwake, records: Sequence[JobRecord]
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._jobs, self._awake = window, session, jobs, awake
        self._records = list(records)
        self._following, self._previewing = True, False
        self._size = QSize()
        self._log: Path | None = None
        self._interrupted: str | None = None
        self._question: QMessageBox | None = None
        self._closing = False
        self.generator = Generator(window.prompt, session, jobs, self)
        self._hear_jobs()
        self._hear_window()
        self.refresh()

    @property
    def busy(self) -> bool:
        """Whether closing now would lose something."""
        return self._jobs.running is not None

    def loras_used(self) -> list[Lora]:
        """The LoRA files of all jobs, the oldest first."""
        return [lora for record in reversed(self._records) for lora in record.request.loras]

    def stop_following(self) -> None:
        """The person looks at another picture: previews stay out of the way until the next job."""
        self._following = self._previewing = False

    def offer_unfinished(self) -> None:
        """At the start: what an earlier run left, shown and never begun unasked."""
        interrupted, waiting = self._jobs.recover()
        self.refresh()
        if not interrupted and not waiting:
            return
        lines = []
        if interrupted:
            count = len(interrupted)
            said = self.tr("Interrupted when the program last ended: %n job(s).", None, count)
            lines.append(counted(said, count))
        if waiting:
            said = self.tr("Still in the queue: %n job(s).", None, len(waiting))
            lines.append(counted(said, len(waiting)))
        ids = [record.id for record in interrupted]
        self._window.notices.add(" ".join(lines), self.tr("Run them"), lambda: self._run_all(ids))
        self._window.show_queue(True)

    def ask_to_close(self) -> QMessageBox:
        """In mid-run: the person decides, and the window closes once the engine has stopped."""
        if self._question is not None:
            return self._question
        box = self._question = QMessageBox(self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("Close Headroom"))
        box.setText(self.tr("A picture is being made. Closing stops it; waiting jobs stay in the queue."))
        stop = box.addButton(self.tr("Stop and close"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(self.tr("Keep working"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.buttonClicked.connect(lambda button: self._answered(button is stop))
        box.finished.connect(self._question_gone)
        box.open()
        return box

    def refresh(self) -> None:
        """Queue, its count, and the line below the main button."""
        jobs, waiting, interrupted = self._jobs, self._jobs.waiting, self._jobs.interrupted()
        self._window.queue.show_jobs(jobs.running, waiting, interrupted, paused=jobs.paused)
        self._window.set_queue_count((jobs.running is not None) + len(waiting) + len(interrupted))
        self._window.status.set_waiting(len(waiting), paused=jobs.paused)
        self._awake.set_active(jobs.running is not None)
        self.show_pace()

    def show_pace(self) -> None:
        """How long the next job will take, if jobs like it were made here; and whether it will wait."""
        parts = []
        ahead = len(self._jobs.waiting) + (1 if self._jobs.running else 0)
        if self.generator.kept:
            parts.append(self.tr("Starts as soon as the engine is up"))
        elif ahead:
            parts.append(counted(self.tr("Waits behind %n job(s)", None, ahead), ahead))
        if self._session.model is not None and isinstance(self._session.decision, Plan):
            model = self._session.model
            request = self._window.prompt.values().request(str(model.path), model.limits)
            seconds = expected_seconds(self._records, request, self._session.decision)
            if seconds is not None:
                parts.append(self.tr("about {time}").format(time=clock(max(1.0, seconds))))
        self._window.prompt.set_pace(" · ".join(parts))

    # ------------------------------------------------------------------ connections

    def _hear_jobs(self) -> None:
        jobs = self._jobs
        jobs.changed.connect(self.refresh)
        jobs.started.connect(self._started)
        jobs.progress.connect(self._progress)
        jobs.preview.connect(self._preview)
        jobs.notice.connect(self._notice)
        jobs.picture.connect(self._picture)
        jobs.ended.connect(self._ended)
        jobs.engine.connect(self._engine)

    def _hear_window(self) -> None:
        window, jobs = self._window, self._jobs
        window.status.cancel_asked.connect(jobs.cancel_running)
        window.status.kill_asked.connect(self._kill)
        window.status.restart_asked.connect(self._restart)
        window.errors.action.connect(self._act)
        window.queue.remove_asked.connect(jobs.remove)
        window.queue.cancel_asked.connect(lambda _job: window.status.press_cancel())
        window.queue.retry_asked.connect(jobs.retry)
        window.queue.move_asked.connect(jobs.move)
        window.queue.pause_asked.connect(jobs.pause)
        self.generator.pressed.connect(window.notices.clear_read)
        self.generator.refused.connect(self._refused)
        self.generator.noted.connect(lambda text: window.notices.add(words(text)))
        self.generator.queued.connect(lambda _job: window.errors.hide())
        self.generator.postponed.connect(self.show_pace)

    # ------------------------------------------------------------------ what happens to jobs

    def _started(self, record: JobRecord) -> None:
        self._following = True
        self._size = QSize(record.request.width, record.request.height)
        self._window.status.show_started()

    def _progress(self, progress: Progress) -> None:
        self._window.status.show_progress(progress)

    def _preview(self, preview: Preview) -> None:
        if self._following:
            self._previewing = True
            self._window.viewer.show_preview(preview.rgb, preview.width, preview.height, self._size)
            self.preview_shown.emit()

    def _notice(self, notice: Notice) -> None:
        self._window.notices.add(words(notice.text))

    def _picture(self, done: PictureDone) -> None:
        record = self._jobs.running
        prompt = record.request.prompt if record is not None and record.id == done.job else ""
        self._previewing = False
        self.picture_done.emit(Result(done.path, done.job, prompt, done.seed), self._following)

    def _ended(self, event: Finished | Failed | object) -> None:
        if isinstance(event, Failed):
            differs = event.problem.kind is ErrorKind.STREAM_DIFFERS
            self._show(
                event.problem, None, [(STREAM_OFF, self.tr("Turn “Stream ahead” off"))] if differs else []
            )
        if isinstance(event, Finished):
            self._finished(event)
        if self._previewing:
            self._previewing = False
            self.nothing_made.emit()
        if self._jobs.running is None:
            self._window.status.show_ended()
            if self._closing or self._question is not None:
                # Asked to close, and with the job's end there is nothing left to lose.
                if self._question is not None:
                    self._question.close()
                self._window.close()
                return
            # What is free is another figure now; the next plan should know it.
            self._jobs.measure()

    def _finished(self, event: Finished) -> None:
        record = self._jobs.record(event.job)
        if record is None:
            return
        self._records.insert(0, record)
        self.show_pace()
        if not self._jobs.waiting:
            count = len(event.files)
            title = counted(self.tr("%n picture(s) done", None, count), count)
            self._window.notifier.tell(title, record.request.prompt)

    def _run_all(self, ids: Sequence[str]) -> None:
        for job in ids:
            self._jobs.retry(job)
        self._jobs.pause(False)

    # ------------------------------------------------------------------ what happens to the engine

    def _engine(self, event: Hello | Ready | StartFailed | EngineDied) -> None:
        status = self._window.status
        if isinstance(event, Hello):
            # A second engine says hello when the first was ended at once.
            status.set_engine(Engine.STARTING if status.engine is Engine.STARTING else Engine.RESTARTING)
        elif isinstance(event, Ready):
            self._session.set_ready(event)
            self.generator.release()
            status.set_engine(Engine.READY)
        elif isinstance(event, StartFailed):
            status.set_engine(Engine.FAILED)
            self._show(event.problem, self._jobs.log_path)
        else:
            self._died(event)

    def _died(self, event: EngineDied) -> None:
        status = self._window.status
        status.set_engine(Engine.RESTARTING if event.restarting else Engine.GIVEN_UP)
        self._interrupted = event.job
        again = [(RUN_AGAIN, self.tr("Run the job again"))] if event.job and event.restarting else []
        self._show(died_problem(event), event.log, again)
        if self._previewing:
            self._previewing = False
            self.nothing_made.emit()

    def _kill(self) -> None:
        self._jobs.kill()

    def _restart(self) -> None:
        self._window.errors.hide()
        self._window.status.set_engine(Engine.RESTARTING)
        self._jobs.restart_engine()
        self._jobs.pause(False)

    def _answered(self, stop: bool) -> None:
        if not stop:
            return
        self._closing = True
        self._jobs.pause(True)
        if self._jobs.running is None:
            self._window.close()
        else:
            self._window.status.press_cancel()

    def _question_gone(self) -> None:
        self._question = None

    # ------------------------------------------------------------------ errors and their buttons

    def _refused(self, problem: Problem, anyway: bool) -> None:
        self._show(problem, None, [(RUN_ANYWAY, self.tr("Run anyway"))] if anyway else [])

    def _show(
        self, problem: Problem, log: Path | None = None, actions: Sequence[tuple[str, str]] = ()
    ) -> None:
        self._log = log
        self._window.errors.show_problem(problem, log, actions)

    def _act(self, action: str) -> None:
        if action == RUN_ANYWAY:
            self.generator.run_anyway()
        elif action == RESTART:
            self._restart()
        elif action == RUN_AGAIN and self._interrupted is not None:
            self._window.errors.hide()
            self._jobs.retry(self._interrupted)
        elif action == STREAM_OFF:
            self._window.errors.hide()
            self._session.set_memory(replace(self._session.memory, stream="off"), self._session.preset)
        elif action == OPEN_LOG and self._log is not None:
            open_file(self._log)

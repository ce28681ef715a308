"""From the press of Generate to a job in the queue; says in place what is missing, and never silently does nothing."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.core.errors import AppError, ErrorKind, Problem
from app.core.request import is_blank
from app.host.jobs import Jobs
from app.ui.prompt_panel import PromptPanel
from app.ui.session import Ask, Session
from app.ui.values import draw_seed

RUN_ANYWAY = "run_anyway"
"""The error box's action for a plan that may not fit."""


class Generator(QObject):
    """A wish made while the engine is starting waits here, with the values of its moment."""

    pressed = Signal()
    refused = Signal(object, bool)
    """A Problem, and whether it can be run anyway."""
    noted = Signal(object)
    """A Text: something was changed in what was asked."""
    queued = Signal(str)
    """The id of a job."""
    postponed = Signal()
    """The engine is not up yet; the wish is kept."""

    def __init__(self, panel: PromptPanel, session: Session, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._panel, self._session, self._jobs = panel, session, jobs
        self._kept: list[Ask] = []
        self._refused: Ask | None = None
        panel.generate.connect(self.press)

    @property
    def kept(self) -> int:
        """How many wishes wait for the engine."""
        return len(self._kept)

    def press(self) -> None:
        """Generate."""
        self.pressed.emit()
        values = self._panel.values()
        if is_blank(values.prompt):
            self._panel.complain_prompt(
                self.tr("Write here what the picture should show, then press Generate.")
            )
            return
        if not values.seed_locked:
            seed = draw_seed()
            values = replace(values, seed=seed)
            self._panel.set_seed(seed)
        if values.seed is None:
            self._panel.complain_seed()
            return
        try:
            ask = self._session.ask(values)
        except AppError as error:
            self.refused.emit(error.problem, False)
            return
        if self._session.hardware is None:
            self._kept.append(ask)
            self.postponed.emit()
            return
        self._queue(ask)

    def release(self) -> None:
        """The session knows the machine now: what was kept is planned and queued."""
        kept, self._kept = self._kept, []
        for ask in kept:
            self._queue(ask)

    def run_anyway(self) -> None:
        """The wish that was refused last, with the plan that may not fit."""
        ask, self._refused = self._refused, None
        if ask is not None:
            self._queue(ask, anyway=True)

    def _queue(self, ask: Ask, *, anyway: bool = False) -> None:
        try:
            job = self._session.prepare(ask, anyway=anyway)
            identity = self._jobs.add(job.request, job.plan, job.output)
        except AppError as error:
            self._refuse(ask, error.problem)
            return
        for note in job.notes:
            self.noted.emit(note)
        self.queued.emit(identity)

    def _refuse(self, ask: Ask, problem: Problem) -> None:
        kinds = (ErrorKind.WILL_NOT_FIT, ErrorKind.DEVICE_MISSING)
        anyway = problem.kind in kinds and self._session.can_run_anyway(ask)
        self._refused = ask if anyway else None
        self.refused.emit(problem, anyway)

"""The bar at the bottom: what the engine does, how far it is, Cancel; beside it room for the memory chart."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from app.core.messages import Phase, Progress
from app.core.phase_words import PHASES
from app.core.units import clock
from app.ui.labels import Elided, set_role
from app.ui.translate import words
from app.ui.widgets import column, counted, push, row

HEIGHT = 56
PARTS = 1000
"""The bar counts in thousandths: a Qt progress bar holds 32 bits only (C195)."""


class Engine(Enum):
    """The engine as a person needs to know it."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    GIVEN_UP = "given_up"
    FAILED = "failed"


class StatusBar(QFrame):
    """Shows one line and a thin bar. Cancel twice ends the engine at once, and the button says so before."""

    cancel_asked = Signal()
    kill_asked = Signal()
    restart_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "status")
        self.setFixedHeight(HEIGHT)
        self._engine, self._running, self._stopping = Engine.STARTING, False, False
        self._waiting, self._paused = 0, False
        self._text = Elided()
        self._bar = QProgressBar()
        self._bar.setRange(0, PARTS)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._cancel = push(self.tr("Cancel"), self._press)
        self._restart = push(self.tr("Restart engine"), self.restart_asked.emit)
        self._chart_room = row(spacing=16)
        left = column(spacing=4)
        left.addStretch(1)
        left.addWidget(self._text)
        left.addWidget(self._bar)
        left.addStretch(1)
        layout = row(self, spacing=12)
        layout.setContentsMargins(16, 4, 16, 4)
        layout.addLayout(left, 1)
        layout.addWidget(self._cancel)
        layout.addWidget(self._restart)
        layout.addSpacing(12)
        layout.addLayout(self._chart_room)
        self._show_idle()

    def add_chart(self, chart: QWidget) -> None:
        """The live memory chart, on the right."""
        self._chart_room.addWidget(chart, 1)

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._cancel, self._restart]

    @property
    def engine(self) -> Engine:
        """The engine's state."""
        return self._engine

    @property
    def text(self) -> str:
        """The line in full."""
        return self._text.text()

    # ------------------------------------------------------------------ what is told

    def set_engine(self, engine: Engine) -> None:
        """The engine came up, went down, or gave up."""
        self._engine = engine
        if engine is not Engine.READY:
            self._running = self._stopping = False
        if not self._running:
            self._show_idle()

    def set_waiting(self, count: int, *, paused: bool) -> None:
        """How many jobs wait behind this one."""
        self._waiting, self._paused = count, paused
        if not self._running:
            self._show_idle()

    def show_started(self) -> None:
        """A job was sent; its first progress is still to come."""
        self._running, self._stopping = True, False
        self._say(self.tr("Starting…"), 0)
        self._buttons()

    def show_progress(self, progress: Progress) -> None:
        """How far the running job is."""
        self._running = True
        if not self._stopping:
            self._say(self._line(progress), round(_fraction(progress) * PARTS))
        self._buttons()

    def show_ended(self) -> None:
        """No job runs any more."""
        self._running = self._stopping = False
        self._show_idle()

    def press_cancel(self) -> None:
        """Cancel by keyboard: the same as the button."""
        if self._running:
            self._press()

    # ------------------------------------------------------------------ inside

    def _press(self) -> None:
        if self._stopping:
            self._say(self.tr("Stopping at once. The model must be loaded again for the next picture."), None)
            self._cancel.setEnabled(False)
            self.kill_asked.emit()
            return
        self._stopping = True
        self._say(self.tr("Stopping after this block…"), None)
        self._buttons()
        self.cancel_asked.emit()

    def _buttons(self) -> None:
        self._cancel.setVisible(self._running)
        self._cancel.setEnabled(True)
        self._cancel.setText(self.tr("Stop at once") if self._stopping else self.tr("Cancel"))
        hint = self.tr("Ends the engine now; the model must be loaded again.") if self._stopping else ""
        self._cancel.setToolTip(hint)
        self._cancel.setAccessibleName(self._cancel.text())
        self._cancel.setAccessibleDescription(hint)
        self._restart.setVisible(self._engine in (Engine.GIVEN_UP, Engine.FAILED))
        self._bar.setVisible(self._running)

    def _say(self, text: str, parts: int | None) -> None:
        self._text.setText(text)
        self._text.setAccessibleName(text)
        if parts is not None:
            self._bar.setValue(parts)

    def _show_idle(self) -> None:
        lines = {
            Engine.STARTING: self.tr("The engine is starting: you can write your prompt meanwhile."),
            Engine.RESTARTING: self.tr("The engine stopped and is being started again."),
            Engine.GIVEN_UP: self.tr("The engine stopped three times in a minute and was not started again."),
            Engine.FAILED: self.tr("The engine cannot start."),
            Engine.READY: self.tr("Ready"),
        }
        line = lines[self._engine]
        if self._engine is Engine.READY and self._paused and self._waiting:
            line = counted(self.tr("Paused with %n job(s) in the queue.", None, self._waiting), self._waiting)
        self._say(line, 0)
        set_role(self._text, "warn" if self._engine in (Engine.GIVEN_UP, Engine.FAILED) else "body")
        self._buttons()

    def _line(self, progress: Progress) -> str:
        line = words(PHASES[progress.phase])
        if progress.phase is Phase.DENOISE and progress.steps:
            line = self.tr("Denoising {step} of {steps}").format(step=progress.step, steps=progress.steps)
        parts = [line]
        if progress.pictures > 1 and progress.phase is not Phase.LOAD:
            which = self.tr("Picture {number} of {count}")
            parts.insert(0, which.format(number=progress.picture + 1, count=progress.pictures))
        if progress.eta is not None:
            parts.append(self.tr("{time} left").format(time=clock(progress.eta)))
        if self._waiting:
            parts.append(counted(self.tr("%n more in the queue", None, self._waiting), self._waiting))
        return " · ".join(parts)


def _fraction(progress: Progress) -> float:
    """The share of the whole job that is done; loading counts from the left again, as it is another wait."""
    inside = progress.step / progress.steps if progress.steps else 0.0
    if progress.phase is Phase.LOAD:
        return inside
    if progress.phase in (Phase.DECODE, Phase.WRITE):
        inside = 1.0
    elif progress.phase is not Phase.DENOISE:
        inside = 0.0
    return min(1.0, (progress.picture + inside) / max(1, progress.pictures))

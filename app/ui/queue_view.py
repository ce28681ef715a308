"""The queue: what runs, what waits, what was interrupted; reorder, remove, pause, run again. Emits, decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from app.store.history import JobRecord, JobState
from app.ui.labels import plain_tip, soft
from app.ui.widgets import column, push, row, tool


class QueueView(QWidget):
    """Rows in the order they will run. The buttons act on the chosen row."""

    remove_asked = Signal(str)
    cancel_asked = Signal(str)
    retry_asked = Signal(str)
    move_asked = Signal(str, int)
    """Job and its new place among the waiting ones, from 0."""
    pause_asked = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[str] = []
        self._list = _Rows(self._remove, self._move)
        self._list.setAccessibleName(self.tr("Queue"))
        self._list.setAccessibleDescription(
            self.tr("Jobs in the order they run. Alt with the arrow keys moves one, Del removes it.")
        )
        self._none = soft(
            self.tr("Nothing waits. Generate while a picture is being made puts the next one here.")
        )
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pause = push(self.tr("Pause"), self._toggle)
        self._pause.setCheckable(True)
        self._up = tool("arrow-up", self.tr("Earlier"), lambda: self._move(-1), hint="Alt+↑")
        self._down = tool("arrow-down", self.tr("Later"), lambda: self._move(1), hint="Alt+↓")
        self._again = push(self.tr("Run again"), self._retry)
        self._remove_button = push(self.tr("Remove"), self._remove)
        side = column(spacing=4)
        arrows = row(spacing=4)
        for arrow in (self._up, self._down):
            arrows.addWidget(arrow)
        arrows.addStretch(1)
        for button in (self._pause, self._again, self._remove_button):
            button.setMinimumWidth(112)
            side.addWidget(button)
        side.addLayout(arrows)
        side.addStretch(1)
        layout = row(self, spacing=8)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._none, 1)
        layout.addLayout(side)
        self._list.currentRowChanged.connect(lambda _row: self._enable())
        self.show_jobs(None, [], [], paused=False)

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._list, self._pause, self._again, self._remove_button, self._up, self._down]

    def show_jobs(
        self,
        running: JobRecord | None,
        waiting: Sequence[JobRecord],
        interrupted: Sequence[JobRecord],
        *,
        paused: bool,
    ) -> None:
        """The queue as it is now; the chosen row stays chosen."""
        self._waiting = [record.id for record in waiting]
        records = [*([running] if running else []), *waiting, *interrupted]
        chosen = self._chosen()
        with QSignalBlocker(self._list):
            self._list.clear()
            for record in records:
                self._list.addItem(self._item(record))
            places = [place for place, record in enumerate(records) if chosen and record.id == chosen.id]
            self._list.setCurrentRow(places[0] if places else (0 if records else -1))
        self._list.setVisible(bool(records))
        self._none.setVisible(not records)
        self._pause.setChecked(paused)
        self._pause.setText(self.tr("Go on") if paused else self.tr("Pause"))
        self._pause.setAccessibleName(self._pause.text())
        self._pause.setToolTip(
            self.tr("Lets the running picture finish and starts no other until you go on.")
        )
        self._enable()

    # ------------------------------------------------------------------ inside

    def _item(self, record: JobRecord) -> QListWidgetItem:
        request = record.request
        prompt = " ".join(request.prompt.split())[:300]
        line = f"{self._state(record)} · {request.size} · {prompt}"
        if request.count > 1:
            line = f"{self._state(record)} · {request.count} × {request.size} · {prompt}"
        item = QListWidgetItem(line)
        item.setData(Qt.ItemDataRole.UserRole, record)
        item.setToolTip(plain_tip(request.prompt[:2000]))
        item.setSizeHint(QSize(100, 28))
        return item

    def _state(self, record: JobRecord) -> str:
        words = {
            JobState.RUNNING: self.tr("Running"),
            JobState.WAITING: self.tr("Waiting"),
            JobState.INTERRUPTED: self.tr("Interrupted"),
        }
        return words.get(record.state, "")

    def _chosen(self) -> JobRecord | None:
        item = self._list.currentItem()
        found = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        return found if isinstance(found, JobRecord) else None

    def _enable(self) -> None:
        record = self._chosen()
        waiting = record is not None and record.state is JobState.WAITING
        place = self._waiting.index(record.id) if record is not None and record.id in self._waiting else -1
        self._up.setEnabled(place > 0)
        self._down.setEnabled(waiting and place < len(self._waiting) - 1)
        self._again.setEnabled(record is not None and record.state is JobState.INTERRUPTED)
        self._remove_button.setEnabled(record is not None)
        running = record is not None and record.state is JobState.RUNNING
        self._remove_button.setText(self.tr("Cancel") if running else self.tr("Remove"))
        self._remove_button.setAccessibleName(self._remove_button.text())

    def _toggle(self) -> None:
        self.pause_asked.emit(self._pause.isChecked())

    def _retry(self) -> None:
        record = self._chosen()
        if record is not None and record.state is JobState.INTERRUPTED:
            self.retry_asked.emit(record.id)

    def _remove(self) -> None:
        record = self._chosen()
        if record is None:
            return
        if record.state is JobState.RUNNING:
            self.cancel_asked.emit(record.id)
        else:
            self.remove_asked.emit(record.id)

    def _move(self, by: int) -> None:
        record = self._chosen()
        if record is None or record.id not in self._waiting:
            return
        place = self._waiting.index(record.id) + by
        if 0 <= place < len(self._waiting):
            self.move_asked.emit(record.id, place)


class _Rows(QListWidget):
    """The list with its keys."""

    def __init__(self, remove: Callable[[], None], move: Callable[[int], None]) -> None:
        super().__init__()
        self._remove, self._move = remove, move
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Del removes; Alt with up or down moves."""
        key, alt = event.key(), event.modifiers() == Qt.KeyboardModifier.AltModifier
        if key == Qt.Key.Key_Delete:
            self._remove()
        elif alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._move(-1 if key == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

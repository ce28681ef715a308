"""The one window: where everything lies, what folds, what is remembered. What happens stands in ``conductor``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QMainWindow,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.preset import Preset
from app.store.library import ModelEntry
from app.ui import theme
from app.ui.background import Background
from app.ui.drops import dropped_path
from app.ui.error_box import ErrorBox
from app.ui.gallery import Gallery
from app.ui.header import Header
from app.ui.memory_panel import MemoryPanel
from app.ui.notice_bar import NoticeBar
from app.ui.notify import Notifier
from app.ui.prompt_panel import PromptPanel
from app.ui.queue_view import QueueView
from app.ui.status_bar import StatusBar
from app.ui.viewer import Viewer
from app.ui.vram_chart import VramChart
from app.ui.widgets import column, push, row

SMALLEST = QSize(1024, 700)
UNSEEN_MS = 1000
"""What begins after the first paint begins after this time at the latest."""
QUEUE_HEIGHT = 168
PANEL, PANEL_NARROW, NARROW = 320, 300, 1280
"""Width of the side panels, and below which window width they are the narrower one."""


class MainWindow(QMainWindow):
    """Parts, their places, and the window's own events."""

    dropped = Signal(object)
    """The path of what was dropped."""
    shown_first = Signal()
    """Once: the window has been painted, so what is slow may begin."""

    def __init__(
        self, background: Background, presets: Mapping[str, Preset], verdict: Callable[[ModelEntry], str]
    ) -> None:
        super().__init__()
        self.setWindowTitle(self.tr("Headroom"))
        self.setWindowIcon(theme.program_icon())
        self.setMinimumSize(SMALLEST)
        self.setAcceptDrops(True)
        self.may_close: Callable[[], bool] = lambda: True
        self._told = False
        self.header = Header(verdict)
        self.prompt = PromptPanel()
        self.viewer = Viewer(background)
        self.gallery = Gallery(background)
        self.queue = QueueView()
        self.memory = MemoryPanel(presets)
        self.errors, self.notices = ErrorBox(), NoticeBar()
        self.status, self.chart = StatusBar(), VramChart()
        self.notifier = Notifier(self)
        self._lay_out()
        self._order_tabs()
        self.header.left.toggled.connect(self._left.setVisible)
        self.header.right.toggled.connect(self._right.setVisible)

    # ------------------------------------------------------------------ state

    def state(self) -> dict[str, Any]:
        """What the window remembers of itself, as plain JSON."""
        geometry = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        return {
            "geometry": geometry,
            "left": self.header.left.isChecked(),
            "right": self.header.right.isChecked(),
            "memory_more": self.memory.fold.opened,
            "negative": self.prompt.negative_open,
            "queue": self._queue_tab.isChecked(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """As it was left; a first start, or nonsense, gives a size that suits the screen."""
        geometry = state.get("geometry")
        if not isinstance(geometry, str) or not self.restoreGeometry(
            QByteArray.fromBase64(geometry.encode("ascii", "ignore"))
        ):
            self._first_size()
        for button, name in ((self.header.left, "left"), (self.header.right, "right")):
            button.setChecked(state.get(name) is not False)
        self.prompt.set_negative_open(state.get("negative") is True)
        self.memory.fold.set_opened(state.get("memory_more") is True)
        self.show_queue(state.get("queue") is True)

    def show_queue(self, shown: bool) -> None:
        """The queue instead of the results."""
        (self._queue_tab if shown else self._results_tab).setChecked(True)
        self._show_shelf(1 if shown else 0)

    def set_queue_count(self, count: int) -> None:
        """How many jobs wait or were interrupted, on the tab."""
        text = self.tr("Queue ({count})").format(count=count) if count else self.tr("Queue")
        self._queue_tab.setText(text)
        self._queue_tab.setAccessibleName(text)

    def focus_ring(self) -> list[QWidget]:
        """Every control in tab order: as it is read, from the left to the right."""
        return [
            *self.prompt.controls(),
            *self.header.controls(),
            *self.notices.controls(),
            self.viewer.view,
            *self.viewer.controls(),
            self._results_tab,
            self._queue_tab,
            self.gallery,
            *self.queue.controls(),
            *self.status.controls(),
        ]

    # ------------------------------------------------------------------ events

    def showEvent(self, event: QShowEvent) -> None:
        """A window that opens behind others, or on another desktop, may not be painted for long."""
        super().showEvent(event)
        QTimer.singleShot(UNSEEN_MS, self._tell_shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The first one is told of, when the parts are painted too."""
        super().paintEvent(event)
        if not self._told:
            QTimer.singleShot(0, self._tell_shown)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closes if nothing runs; else it is asked first."""
        if self.may_close():
            self.notifier.hide()
            event.accept()
        else:
            event.ignore()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files from elsewhere; what comes from the strip itself is not taken back."""
        if event.source() is None and dropped_path(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A model or a picture."""
        path = dropped_path(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)

    def resizeEvent(self, event: Any) -> None:
        """Side panels give a little where the window is narrow."""
        super().resizeEvent(event)
        wide = PANEL if self.width() >= NARROW else PANEL_NARROW
        self._left.setFixedWidth(wide)
        self._right.setFixedWidth(wide)

    # ------------------------------------------------------------------ inside

    def _tell_shown(self) -> None:
        if not self._told:
            self._told = True
            self.shown_first.emit()

    def _lay_out(self) -> None:
        self._left, self._right = _side(self.prompt), _side(self.memory)
        middle = row(spacing=0)
        middle.addWidget(self._left)
        middle.addWidget(_edge())
        middle.addLayout(self._centre(), 1)
        middle.addWidget(_edge())
        middle.addWidget(self._right)
        inside = QWidget()
        whole = column(inside, spacing=0)
        whole.addWidget(self.header)
        whole.addWidget(_edge(flat=True))
        whole.addLayout(middle, 1)
        whole.addWidget(_edge(flat=True))
        whole.addWidget(self.status)
        self.status.add_chart(self.chart)
        self.setCentralWidget(inside)

    def _centre(self) -> QVBoxLayout:
        above = column(spacing=8)
        above.setContentsMargins(12, 8, 12, 0)
        above.addWidget(self.errors)
        above.addWidget(self.notices)
        self._results_tab, self._queue_tab = self._tab(self.tr("Results"), 0), self._tab(self.tr("Queue"), 1)
        self._results_tab.setChecked(True)
        group = QButtonGroup(self)
        tabs = row(spacing=4)
        tabs.setContentsMargins(12, 8, 12, 4)
        for button in (self._results_tab, self._queue_tab):
            group.addButton(button)
            tabs.addWidget(button)
        tabs.addStretch(1)
        self._shelf = QStackedWidget()
        self._shelf.setContentsMargins(12, 0, 12, 8)
        self._shelf.addWidget(self.gallery)
        self._shelf.addWidget(self.queue)
        self._show_shelf(0)
        centre = column(spacing=0)
        centre.addLayout(above)
        centre.addWidget(self.viewer, 1)
        centre.addWidget(_edge(flat=True))
        centre.addLayout(tabs)
        centre.addWidget(self._shelf)
        return centre

    def _tab(self, text: str, place: int) -> QPushButton:
        button = push(text, lambda: self._show_shelf(place), role="tab")
        button.setCheckable(True)
        return button

    def _show_shelf(self, place: int) -> None:
        self._shelf.setCurrentIndex(place)
        self._shelf.setFixedHeight(QUEUE_HEIGHT if place else self.gallery.maximumHeight() + 8)

    def _order_tabs(self) -> None:
        ring = self.focus_ring()
        for before, after in pairwise(ring):
            QWidget.setTabOrder(before, after)

    def _first_size(self) -> None:
        screen = QGuiApplication.primaryScreen()
        room = screen.availableSize() if screen else QSize(1440, 900)
        wanted = QSize(min(1440, room.width()), min(900, room.height()))
        self.resize(wanted.expandedTo(SMALLEST))


def _side(content: QWidget) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "panel")
    column(frame).addWidget(content)
    return frame


def _edge(*, flat: bool = False) -> QFrame:
    """A hairline between the parts."""
    line = QFrame()
    line.setProperty("role", "line" if flat else "edge")
    if flat:
        line.setFixedHeight(1)
    else:
        line.setFixedWidth(1)
    line.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return line

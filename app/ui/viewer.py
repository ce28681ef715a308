"""The centre: one picture with its tools, the growing preview, or the first state. Never blocks: files load aside."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDrag, QGuiApplication, QPixmap
from PySide6.QtWidgets import QFrame, QStackedWidget, QToolButton, QWidget

from app.core.errors import Problem
from app.ui.background import Background
from app.ui.empty_state import EmptyState, MessageState
from app.ui.labels import Elided, soft
from app.ui.picture_view import PictureView
from app.ui.pictures import Opened, load, preview_image
from app.ui.widgets import column, row, tool


class Viewer(QWidget):
    """Shows, zooms, copies, drags out; what changes files or settings is only asked for, by signal."""

    opened = Signal(object)
    """The :class:`Opened` now on screen, or None."""
    failed = Signal(object)
    """A Problem: the picture cannot be shown."""
    save_asked = Signal()
    delete_asked = Signal()
    reveal_asked = Signal()
    reuse_asked = Signal()
    copied = Signal()

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._wanted: Path | None = None
        self._shown: Opened | None = None
        self.view, self.empty, self._message = PictureView(), EmptyState(), MessageState()
        self._stack = QStackedWidget()
        for page in (self.empty, self.view, self._message):
            self._stack.addWidget(page)
        self._make_tools()
        layout = column(self, spacing=0)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._bar)
        self.view.zoom_changed.connect(self._zoomed)
        self.view.drag_out.connect(self._drag)
        self._enable()

    # ------------------------------------------------------------------ what is shown

    @property
    def path(self) -> Path | None:
        """The picture on screen."""
        return self._shown.path if self._shown else None

    @property
    def shown(self) -> Opened | None:
        """The picture on screen with its settings."""
        return self._shown

    def open(self, path: Path) -> None:
        """Loads a picture aside; only the last one asked for is shown."""
        self._wanted = path
        self._background.run(lambda: load(path), lambda result: self._loaded(path, result), priority=1)

    def show_preview(self, rgb: bytes, width: int, height: int, size: QSize) -> None:
        """The picture so far, in the place of the finished one."""
        image = preview_image(rgb, width, height)
        if image.isNull():
            return
        self._wanted = self._shown = None
        self.view.show_preview(image, size)
        self.view.setAccessibleDescription(self.tr("Preview of the picture that is being made"))
        self._caption.setText(self.tr("Preview"))
        self._stack.setCurrentWidget(self.view)
        self._enable()

    def show_empty(self) -> None:
        """The first state."""
        self._wanted = self._shown = None
        self.view.clear()
        self._stack.setCurrentWidget(self.empty)
        self._enable()

    def show_message(self, text: str) -> None:
        """One sentence instead of a picture."""
        self._wanted = self._shown = None
        self._message.setText(text)
        self._stack.setCurrentWidget(self._message)
        self._enable()

    def _loaded(self, path: Path, result: Opened | Problem) -> None:
        if path != self._wanted:
            return
        if isinstance(result, Problem):
            self.show_message(self.tr("This picture cannot be shown: {name}").format(name=path.name))
            self.failed.emit(result)
            return
        self._shown = result
        self.view.show_picture(result.picture, keep_zoom=True)
        prompt = result.settings.prompt if result.settings and result.settings.prompt else ""
        self.view.setAccessibleDescription(f"{path.name}. {prompt}"[:500])
        self._caption.setText(f"{result.width}×{result.height} · {path.name}")
        self._stack.setCurrentWidget(self.view)
        self._enable()
        self.opened.emit(result)

    # ------------------------------------------------------------------ tools

    def copy(self) -> None:
        """The picture and its file to the clipboard."""
        if self._shown is not None:
            data = QMimeData()
            data.setImageData(self._shown.picture.levels[0])
            data.setUrls([QUrl.fromLocalFile(str(self._shown.path))])
            QGuiApplication.clipboard().setMimeData(data)
            self.copied.emit()

    def _drag(self) -> None:
        if self._shown is not None:
            drag_file(self, [self._shown.path], QPixmap.fromImage(self._shown.picture.levels[-1]))

    def _make_tools(self) -> None:
        self._fit = tool(
            "corners-out", self.tr("Fit to the window"), self.view.fit, hint="Ctrl+0", checkable=True
        )
        self._actual = tool("number-square-one", self.tr("Show at 100 %"), self.view.actual, hint="Ctrl+1")
        self._out = tool("magnifying-glass-minus", self.tr("Smaller"), self.view.zoom_out, hint="Ctrl+-")
        self._in = tool("magnifying-glass-plus", self.tr("Larger"), self.view.zoom_in, hint="Ctrl++")
        self._copy = tool("copy", self.tr("Copy the picture"), self.copy, hint="Ctrl+Shift+C")
        self._reveal = tool(
            "folder-open", self.tr("Show in its folder"), self.reveal_asked.emit, hint="Ctrl+R"
        )
        self._save = tool("floppy-disk", self.tr("Save as…"), self.save_asked.emit, hint="Ctrl+S")
        self._reuse = tool(
            "arrow-u-up-left", self.tr("Use these settings again"), self.reuse_asked.emit, hint="Ctrl+T"
        )
        self._delete = tool("trash", self.tr("Delete to the trash"), self.delete_asked.emit, hint="Del")
        self._level, self._caption = soft(wrap=False), Elided(middle=True)
        self._caption.setProperty("role", "soft")
        self._level.setFixedWidth(52)
        self._bar = QFrame()
        self._bar.setProperty("role", "panel")
        line = row(self._bar, spacing=4)
        line.setContentsMargins(8, 4, 8, 4)
        for widget in (self._fit, self._actual, self._out, self._in, self._level):
            line.addWidget(widget)
        line.addWidget(self._caption, 1)
        for widget in (self._reuse, self._copy, self._reveal, self._save, self._delete):
            line.addWidget(widget)

    def controls(self) -> list[QToolButton]:
        """The tools in tab order."""
        near = [self._fit, self._actual, self._out, self._in]
        return [*near, self._reuse, self._copy, self._reveal, self._save, self._delete]

    def _enable(self) -> None:
        picture = self._shown is not None
        for button in (self._copy, self._reveal, self._save, self._reuse, self._delete):
            button.setEnabled(picture)
        visible = self._stack.currentWidget() is self.view
        for button in (self._fit, self._actual, self._out, self._in):
            button.setEnabled(visible)
        self._bar.setVisible(visible)
        if self._shown is None and not visible:
            self._caption.setText("")

    def _zoomed(self, zoom: float, fitted: bool) -> None:
        self._fit.setChecked(fitted)
        self._level.setText(f"{zoom * 100:.0f} %")


def drag_file(source: QWidget, paths: list[Path], picture: QPixmap) -> None:
    """Drags files out of the window; the receiver copies them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    drag = QDrag(source)
    drag.setMimeData(data)
    if not picture.isNull():
        drag.setPixmap(picture.scaled(QSize(96, 96), Qt.AspectRatioMode.KeepAspectRatio))
    drag.exec(Qt.DropAction.CopyAction)

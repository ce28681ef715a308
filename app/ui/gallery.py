"""The strip of results, newest first. Thumbnails load aside; a file that cannot be read gets a placeholder (C90)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QUrl,
    Signal,
)
from PySide6.QtGui import QImage, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.core.errors import Problem
from app.ui import theme
from app.ui.background import Background
from app.ui.labels import plain_tip
from app.ui.pictures import load_thumbnail

SIDE, GAP = 88, 8
KEPT = 400
"""Thumbnails kept in memory; the others are read again when they come in sight."""
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Result:
    """One finished picture."""

    path: Path
    job: str
    prompt: str = ""
    seed: int = 0


class ResultModel(QAbstractListModel):
    """The results; asks for a thumbnail when one comes in sight."""

    def __init__(self, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self._background = background
        self._results: list[Result] = []
        self._pictures: OrderedDict[Path, QImage | None] = OrderedDict()
        self._asked: set[Path] = set()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """How many."""
        return 0 if parent.isValid() else len(self._results)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names for screen readers, the thumbnail for the eye."""
        if not index.isValid() or index.row() >= len(self._results):
            return None
        result = self._results[index.row()]
        if role == Qt.ItemDataRole.DecorationRole:
            return self._picture(result.path)
        if role == Qt.ItemDataRole.UserRole:
            return result
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.tr("{name}, seed {seed}: {prompt}").format(
                name=result.path.name, seed=result.seed, prompt=result.prompt[:300]
            )
        if role == Qt.ItemDataRole.ToolTipRole:
            words = f"{result.prompt[:500]}\n{result.path.name}"
            return plain_tip(words.strip())
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Selectable, and draggable as a file."""
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        """Files."""
        return ["text/uri-list"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The files of the rows."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(self._results[index.row()].path)) for index in indexes])
        return data

    def unreadable(self, path: Path) -> bool:
        """Whether the file was tried and is no picture."""
        return path in self._pictures and self._pictures[path] is None

    def results(self) -> list[Result]:
        """All, newest first."""
        return list(self._results)

    def reset(self, results: Iterable[Result]) -> None:
        """All at once, newest first."""
        self.beginResetModel()
        self._results = list(results)
        self.endResetModel()

    def put_first(self, result: Result) -> None:
        """A new one, on the left."""
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._results.insert(0, result)
        self.endInsertRows()

    def remove(self, path: Path) -> None:
        """One that was deleted."""
        for place, result in enumerate(self._results):
            if result.path == path:
                self.beginRemoveRows(QModelIndex(), place, place)
                del self._results[place]
                self.endRemoveRows()
                return

    def _picture(self, path: Path) -> QImage | None:
        if path in self._pictures:
            self._pictures.move_to_end(path)
        elif path not in self._asked:
            self._asked.add(path)
            self._background.run(
                lambda: load_thumbnail(path, SIDE * 2), lambda found: self._have(path, found)
            )
        return self._pictures.get(path)

    def _have(self, path: Path, found: QImage | Problem) -> None:
        self._asked.discard(path)
        self._pictures[path] = None if isinstance(found, Problem) else found
        while len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)
        for place, result in enumerate(self._results):
            if result.path == path:
                index = self.index(place)
                self.dataChanged.emit(index, index)


class ThumbnailDelegate(QStyledItemDelegate):
    """A square with round corners; the current one has a frame, so the choice is not told by colour alone."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draws one cell."""
        colours = theme.tokens()
        cell: QRect = option.rect
        state: QStyle.StateFlag = option.state
        box = QRect(0, 0, SIDE, SIDE)
        box.moveCenter(cell.center())
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        path = QPainterPath()
        path.addRoundedRect(box, theme.CORNER, theme.CORNER)
        painter.fillPath(path, colours.colour("control"))
        picture = index.data(Qt.ItemDataRole.DecorationRole)
        if isinstance(picture, QImage):
            painter.setClipPath(path)
            painter.drawImage(_covered(box, picture.size()), picture)
            painter.setClipping(False)
        else:
            self._placeholder(painter, box, index)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.setPen(QPen(colours.colour("accent" if selected else "line"), 3 if selected else 1))
        painter.drawRoundedRect(box, theme.CORNER, theme.CORNER)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """One cell."""
        return QSize(SIDE + GAP, SIDE + GAP)

    def _placeholder(self, painter: QPainter, box: QRect, index: Index) -> None:
        model = index.model()
        result: Result = index.data(Qt.ItemDataRole.UserRole)
        broken = isinstance(model, ResultModel) and model.unreadable(result.path)
        if broken:
            theme.icon("image-square", "text_soft").paint(painter, box.adjusted(28, 28, -28, -28))


class Gallery(QListView):
    """The strip itself: one row, arrows move, Enter opens, Del deletes, files can be dragged out."""

    chosen = Signal(object)
    """The Result that the person moved to or clicked."""

    def __init__(self, background: Background) -> None:
        super().__init__()
        self.results = ResultModel(background, self)
        self.setModel(self.results)
        self.setItemDelegate(ThumbnailDelegate(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setUniformItemSizes(True)
        self.setProperty("role", "strip")
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.setFixedHeight(SIDE + GAP + 24)
        self.setAccessibleName(self.tr("Results"))
        self.setAccessibleDescription(
            self.tr("Finished pictures, newest first; they can be dragged out as files.")
        )
        self.selectionModel().currentChanged.connect(self._moved)

    def current(self) -> Result | None:
        """The result that is chosen."""
        index = self.currentIndex()
        return index.data(Qt.ItemDataRole.UserRole) if index.isValid() else None

    def select(self, path: Path) -> None:
        """Chooses a picture, if it is in the strip."""
        for place, result in enumerate(self.results.results()):
            if result.path == path:
                self.setCurrentIndex(self.results.index(place))
                return

    def unselect(self) -> None:
        """While a preview grows no result is the current one."""
        self.selectionModel().clear()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Empty, it says what will be here."""
        super().paintEvent(event)
        if not self.results.rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(theme.tokens().colour("text_soft"))
            words = self.tr("Finished pictures appear here, the newest first.")
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(self.viewport().rect().adjusted(12, 0, -12, 0), flags, words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the current one again."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            result = self.current()
            if result is not None:
                self.chosen.emit(result)
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel moves along the strip."""
        turn = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (turn.x() or turn.y()))
        event.accept()

    def _moved(self, current: QModelIndex, before: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(current.data(Qt.ItemDataRole.UserRole))


def _covered(box: QRect, size: QSize) -> QRect:
    shown = size.scaled(box.size(), Qt.AspectRatioMode.KeepAspectRatioByExpanding)
    covered = QRect(0, 0, shown.width(), shown.height())
    covered.moveCenter(box.center())
    return covered

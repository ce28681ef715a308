"""The model list in the header: names with a one-line verdict, and Open model… beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFileDialog,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from app.core.error_words import sentence
from app.core.planner import Decision, Rejection, explain
from app.store.library import ModelEntry
from app.ui import theme
from app.ui.fields import QuietComboBox
from app.ui.gallery import Index
from app.ui.translate import model_name, words
from app.ui.widgets import row, set_hint

VERDICT_ROLE = Qt.ItemDataRole.UserRole + 1


def verdict_line(decision: Decision | None) -> str:
    """The first sentence about a decision; empty while it cannot be known."""
    if decision is None:
        return ""
    if isinstance(decision, Rejection):
        return words(sentence(decision.problem).what)
    return words(explain(decision)[0])


class ModelDelegate(QStyledItemDelegate):
    """Two lines: the name, and the verdict in soft text."""

    def __init__(self, parent: QWidget, verdict: Callable[[ModelEntry], str]) -> None:
        super().__init__(parent)
        self._verdict = verdict

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room for both."""
        return QSize(200, 48)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Only rows in sight are judged."""
        colours = theme.tokens()
        cell: QRect = option.rect.adjusted(2, 1, -2, -1)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(cell, colours.colour("accent"))
        inside = cell.adjusted(8, 4, -8, -4)
        painter.setPen(colours.colour("on_accent" if selected else "text"))
        painter.setFont(theme.font())
        _line(painter, inside, Qt.AlignmentFlag.AlignTop, str(index.data(Qt.ItemDataRole.DisplayRole)))
        if not selected:
            painter.setPen(colours.colour("text_soft"))
        painter.setFont(theme.font(theme.SMALL))
        entry = index.data(Qt.ItemDataRole.UserRole)
        if isinstance(entry, ModelEntry):
            _line(painter, inside, Qt.AlignmentFlag.AlignBottom, self._verdict(entry))
        painter.restore()


class ModelBox(QWidget):
    """Chooses among found models; a folder or a file can be opened from elsewhere."""

    chosen = Signal(object)
    """The path of a model."""

    def __init__(self, verdict: Callable[[ModelEntry], str]) -> None:
        super().__init__()
        self._box = QuietComboBox()
        self._box.setFixedWidth(220)
        self._box.setMaxVisibleItems(12)
        set_hint(self._box, self.tr("Model"))
        view = QListView()
        view.setMinimumWidth(420)
        view.setUniformItemSizes(True)
        self._box.setView(view)
        self._box.setItemDelegate(ModelDelegate(self, verdict))
        self._open = QToolButton()
        self._open.setText(self.tr("Open model…"))
        self._open.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._open.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._open.setFixedHeight(theme.CONTROL)
        set_hint(
            self._open,
            self.tr("Open model"),
            self.tr("A diffusers folder or a single safetensors file (Ctrl+O)"),
        )
        menu = QMenu(self._open)
        menu.addAction(self.tr("Model &folder…"), self.ask_folder)
        menu.addAction(self.tr("Single &file…"), self.ask_file)
        self._open.setMenu(menu)
        layout = row(self)
        layout.addWidget(self._box)
        layout.addWidget(self._open)
        self._box.activated.connect(self._activated)

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._box, self._open]

    def set_models(self, entries: Sequence[ModelEntry]) -> None:
        """The models that were found; the one in use stays chosen, and in the list."""
        current = self._box.currentData()
        with QSignalBlocker(self._box):
            self._box.clear()
            for entry in entries:
                self._box.addItem(model_name(entry.name), entry)
        if isinstance(current, ModelEntry):
            self.set_current(current)

    def set_current(self, entry: ModelEntry) -> None:
        """The model in use; it joins the list if it was opened from elsewhere."""
        with QSignalBlocker(self._box):
            if not self._select(entry.path):
                self._box.addItem(model_name(entry.name), entry)
                self._box.setCurrentIndex(self._box.count() - 1)

    def current_path(self) -> Path | None:
        """The chosen model's path."""
        entry = self._box.currentData()
        return entry.path if isinstance(entry, ModelEntry) else None

    def show_menu(self) -> None:
        """Open model… by keyboard."""
        self._open.showMenu()

    def ask_folder(self) -> None:
        """A folder with model_index.json."""
        dialog = QFileDialog(self.window(), self.tr("Open a model folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._ask(dialog)

    def ask_file(self) -> None:
        """A single checkpoint."""
        dialog = QFileDialog(self.window(), self.tr("Open a model file"))
        dialog.setNameFilters([self.tr("Models (*.safetensors)"), self.tr("All files (*)")])
        self._ask(dialog)

    def _ask(self, dialog: QFileDialog) -> None:
        # Not modal: the window goes on behind it.
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.chosen.emit(Path(name)))
        dialog.setModal(False)
        dialog.show()

    def _select(self, path: Path | None) -> bool:
        for place in range(self._box.count()):
            entry = self._box.itemData(place)
            if isinstance(entry, ModelEntry) and entry.path == path:
                self._box.setCurrentIndex(place)
                return True
        return False

    def _activated(self, place: int) -> None:
        entry = self._box.itemData(place)
        if isinstance(entry, ModelEntry):
            self.chosen.emit(entry.path)


def _line(painter: QPainter, area: QRect, align: Qt.AlignmentFlag, text: str) -> None:
    cut = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.drawText(area, align | Qt.AlignmentFlag.AlignLeft, cut)

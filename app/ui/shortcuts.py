"""Every shortcut once: its keys, its words, what it does. F1 shows the same table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from app.ui.labels import body, head, soft
from app.ui.widgets import column, push


@dataclass(frozen=True)
class Shortcut:
    """``where``: widgets that must have the focus; empty for the whole window."""

    keys: tuple[str, ...]
    words: str
    act: Callable[[], object]
    where: tuple[QWidget, ...] = ()


def install(window: QWidget, shortcuts: Sequence[Shortcut]) -> None:
    """Makes actions of them."""
    for shortcut in shortcuts:
        for place in shortcut.where or (window,):
            action = QAction(shortcut.words, place)
            action.setShortcuts([QKeySequence(keys) for keys in shortcut.keys])
            within = Qt.ShortcutContext.WidgetWithChildrenShortcut
            action.setShortcutContext(within if shortcut.where else Qt.ShortcutContext.WindowShortcut)
            action.triggered.connect(lambda _checked=False, act=shortcut.act: act())
            place.addAction(action)


class HelpDialog(QDialog):
    """The table; stays open beside the window while one tries it."""

    def __init__(self, window: QWidget, shortcuts: Sequence[Shortcut]) -> None:
        super().__init__(window)
        self.setWindowTitle(self.tr("Help and shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = column(self, margins=24, spacing=12)
        layout.addWidget(head(self.tr("How it works")))
        text = self.tr(
            "Write what the picture should show, press Generate, and find the file in the results below the viewer. "
            "The memory panel on the right says what will run and whether it fits; it can stay on Auto."
        )
        layout.addWidget(soft(text))
        layout.addSpacing(4)
        layout.addWidget(head(self.tr("Keys")))
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(4)
        half = -(-len(shortcuts) // 2)
        for place, shortcut in enumerate(shortcuts):
            row, side = place % half, place // half * 2
            grid.addWidget(body(shortcut.words), row, side)
            keys = QKeySequence(shortcut.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
            grid.addWidget(soft(keys, wrap=False), row, side + 1)
        layout.addLayout(grid)
        layout.addSpacing(8)
        close = push(self.tr("Close"), self.close)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.setMinimumWidth(620)

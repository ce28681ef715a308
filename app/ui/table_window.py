"""A window beside the main one with a table of fields: heading, explanation, rows, one line that complains.

Not modal: what is changed there holds at once, and Escape closes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QScrollArea, QWidget

from app.core.hardware import Hardware
from app.ui import labels
from app.ui.labels import short_device
from app.ui.translate import size_words
from app.ui.widgets import Note, column, push, row


class TableWindow(QDialog):
    """What the windows of device maps and of single parts have in common."""

    def __init__(self, title: str, about: str, heads: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._owner = parent
        self.setModal(False)
        self.note = Note()
        self.rows = QWidget()
        self.grid = QGridLayout(self.rows)
        self.grid.setContentsMargins(0, 0, 8, 0)
        self.grid.setHorizontalSpacing(8)
        self.grid.setVerticalSpacing(8)
        self.heads = [labels.soft(head, wrap=False) for head in heads]
        self.buttons = row()
        self._lay_out(title, about)

    def showEvent(self, event: QShowEvent) -> None:
        """Beside the panel it belongs to, not over it."""
        super().showEvent(event)
        if not event.spontaneous():
            owner = self._owner.window()
            self.move(owner.x() + max(24, (owner.width() - self.width()) // 3), owner.y() + 96)

    def bring_up(self) -> None:
        """Shown in front, with the keyboard in it."""
        self.show()
        self.raise_()
        self.activateWindow()
        self.focus_first()

    def focus_first(self) -> None:
        """The keyboard goes where one begins; each table says where that is."""
        self.setFocus()

    def _lay_out(self, title: str, about: str) -> None:
        whole = column(self, margins=16, spacing=12)
        whole.addWidget(labels.head(title))
        whole.addWidget(labels.soft(about))
        for place, head in enumerate(self.heads):
            self.grid.addWidget(head, 0, place)
        holder = QWidget()
        inside = column(holder, spacing=0)
        inside.addWidget(self.rows)
        inside.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(holder)
        whole.addWidget(scroll, 1)
        whole.addWidget(self.note)
        self.buttons.addStretch(1)
        self.buttons.addWidget(push(self.tr("Close"), self.close))
        whole.addLayout(self.buttons)


def device_items(hardware: Hardware | None, *others: str) -> list[tuple[str, str]]:
    """(words, id) of every accelerator, then the given other places."""
    sheets = hardware.devices if hardware is not None else ()
    found = [
        (f"{sheet.id}: {short_device(sheet.name)}, {size_words(sheet.total)}", sheet.id)
        for sheet in sheets
        if not sheet.is_cpu
    ]
    return found + [(name, name) for name in others]

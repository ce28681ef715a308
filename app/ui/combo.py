"""The box of choices that stands in panels and tables: it leaves the wheel to what scrolls, and shows entries whole."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyleOptionComboBox

from app.ui.labels import plain_tip


class Combo(QComboBox):
    """A box that leaves the wheel to the panel it stands in, and shows a long entry whole as its tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling a panel must not change its settings."""
        event.ignore()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Closed, it shows as much of the entry as fits: all, the part before the colon, or its start and …"""
        super().initStyleOption(option)
        room = self.width() - 36
        text = option.currentText
        if self.fontMetrics().horizontalAdvance(text) > room:
            text = text.split(": ")[0]
        option.currentText = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)

    def showPopup(self) -> None:
        """Opened, it is as wide as its longest entry."""
        widest = max(
            (self.fontMetrics().horizontalAdvance(self.itemText(i)) for i in range(self.count())), default=0
        )
        self.view().setMinimumWidth(max(self.width(), widest + 40))
        super().showPopup()

    def select(self, value: str) -> None:
        """Chooses the entry with this value, without a signal."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(value))

    def refuse(self, value: str, reason: str) -> None:
        """Makes one entry unavailable, with the reason as its tooltip; an empty reason makes it available."""
        item = cast(QStandardItemModel, self.model()).item(self.findData(value))
        if item is not None:
            item.setEnabled(not reason)
            item.setToolTip(plain_tip(reason or item.text()))
            item.setData(reason, Qt.ItemDataRole.AccessibleDescriptionRole)

"""Tells that a job ended while the window is not in front, through the desktop's tray where there is one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.ui import theme


class Notifier(QObject):
    """The tray icon shows only while a message does; a click on it brings the window to the front."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._tray: QSystemTrayIcon | None = None

    def tell(self, title: str, text: str) -> None:
        """Says it unless the person is looking anyway."""
        if self._window.isActiveWindow():
            return
        QApplication.alert(self._window)
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(theme.program_icon(), self)
            self._tray.setToolTip(self.tr("Headroom"))
            self._tray.messageClicked.connect(self._front)
            self._tray.activated.connect(lambda _reason: self._front())
        self._tray.show()
        self._tray.showMessage(title, text[:200], theme.program_icon(), 8000)

    def hide(self) -> None:
        """The window came to the front, or goes."""
        if self._tray is not None:
            self._tray.hide()

    def _front(self) -> None:
        self.hide()
        bring_to_front(self._window)


def bring_to_front(window: QWidget) -> None:
    """Out of the task bar and over other windows, as far as the desktop allows."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()

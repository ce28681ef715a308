"""Asks of the desktop: show a file in its folder, open a file, move one to the trash."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QFile, QProcess, QUrl
from PySide6.QtGui import QDesktopServices


def reveal(path: Path) -> None:
    """Opens the folder, with the file chosen where the system can do that."""
    if sys.platform == "win32":
        QProcess.startDetached("explorer", ["/select,", str(path)])
    elif sys.platform == "darwin":
        QProcess.startDetached("open", ["-R", str(path)])
    else:
        open_file(path.parent)


def open_file(path: Path) -> None:
    """Opens it with the program that the desktop has for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def to_trash(path: Path) -> bool:
    """Moves a file to the trash; False if there is none for it (nothing is deleted then). May wait for a disk."""
    result = QFile.moveToTrash(str(path))
    return bool(result[0]) if isinstance(result, tuple) else bool(result)

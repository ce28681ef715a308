"""What can be done with a finished picture: save elsewhere, show in its folder, to the trash, its settings again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.core.errors import Problem
from app.ui.background import Background
from app.ui.system import reveal, to_trash


class ResultActions(QObject):
    """Dialogs are opened, not waited for: jobs and the window go on behind them."""

    failed = Signal(object)
    """A Problem."""
    said = Signal(str)
    """What was done, in a sentence."""
    deleted = Signal(object)
    """The path that went to the trash."""

    def __init__(self, window: QWidget, background: Background) -> None:
        super().__init__(window)
        self._window, self._background = window, background

    def save(self, source: Path) -> None:
        """Asks where to; the suffix decides the format."""
        dialog = QFileDialog(self._window, self.tr("Save the picture as"), str(source.parent), "")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(
            [self.tr("PNG (*.png)"), self.tr("JPEG (*.jpg *.jpeg)"), self.tr("WebP (*.webp)")]
        )
        dialog.setDefaultSuffix("png")
        dialog.filterSelected.connect(lambda name: dialog.setDefaultSuffix(_suffix(name)))
        dialog.selectFile(f"{source.stem}-copy.png")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.save_to(source, Path(name)))
        dialog.setModal(False)
        dialog.show()

    def save_to(self, source: Path, target: Path) -> None:
        """Writes aside. The dialog has asked before replacing a file."""
        self._background.run(lambda: _save(source, target), self._saved)

    def reveal(self, path: Path) -> None:
        """Its folder, in the desktop's file manager."""
        reveal(path)

    def delete(self, path: Path) -> QMessageBox:
        """Asks, then moves the file to the trash. Nothing is ever deleted for good."""
        box = QMessageBox(self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("Delete the picture"))
        box.setText(self.tr("Move {name} to the trash?").format(name=path.name))
        yes = box.addButton(self.tr("Move to trash"), QMessageBox.ButtonRole.AcceptRole)
        box.addButton(self.tr("Keep"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(yes)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.buttonClicked.connect(lambda button: self._delete(path) if button is yes else None)
        box.open()
        return box

    def _delete(self, path: Path) -> None:
        self._background.run(lambda: to_trash(path), lambda gone: self._trashed(path, gone))

    def _trashed(self, path: Path, gone: bool | Problem) -> None:
        if gone is True:
            self.deleted.emit(path)
            return
        line = self.tr("{name} could not be moved to the trash, so it was left where it is.")
        self.said.emit(line.format(name=path.name))

    def _saved(self, result: Path | Problem) -> None:
        if isinstance(result, Problem):
            self.failed.emit(result)
        else:
            self.said.emit(self.tr("Saved as {path}").format(path=result))


def _save(source: Path, target: Path) -> Path:
    from app.media.export import save_as  # brings Pillow, which no window needs to open

    return save_as(source, target, overwrite=True)


def _suffix(name_filter: str) -> str:
    for suffix in ("webp", "jpg", "png"):
        if f"*.{suffix}" in name_filter:
            return suffix
    return "png"

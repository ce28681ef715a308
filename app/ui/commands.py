"""The window's commands by keyboard, with the words that the help shows for them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from app.ui.main_window import MainWindow
from app.ui.result_desk import ResultDesk
from app.ui.shortcuts import Shortcut


def commands(
    window: MainWindow,
    results: ResultDesk,
    *,
    theme: Callable[[], object],
    settings: Callable[[], object],
    help_: Callable[[], object],
) -> list[Shortcut]:
    """All of them, in the order of the help."""
    viewer, view, header = window.viewer, window.viewer.view, window.header
    pictures = (viewer, window.gallery)
    translate = QCoreApplication.translate
    return [
        Shortcut(
            ("Ctrl+Return", "Ctrl+Enter"), translate("Commands", "Generate"), window.prompt.button.click
        ),
        Shortcut(("Ctrl+.",), translate("Commands", "Cancel what runs"), window.status.press_cancel),
        Shortcut(("Escape",), translate("Commands", "Close messages, go to Cancel"), lambda: _escape(window)),
        Shortcut(("Ctrl+P",), translate("Commands", "Go to the prompt"), window.prompt.focus_prompt),
        Shortcut(("Ctrl+G",), translate("Commands", "Go to the results"), lambda: _results(window)),
        Shortcut(("Ctrl+J",), translate("Commands", "Go to the queue"), lambda: _queue(window)),
        Shortcut(("Ctrl+O",), translate("Commands", "Open a model folder"), header.models.ask_folder),
        Shortcut(("Ctrl+Shift+O",), translate("Commands", "Open a model file"), header.models.ask_file),
        Shortcut(("Ctrl+S",), translate("Commands", "Save the picture as"), viewer.save_asked.emit),
        Shortcut(("Ctrl+Shift+C",), translate("Commands", "Copy the picture"), viewer.copy),
        Shortcut(("Ctrl+R",), translate("Commands", "Show in its folder"), viewer.reveal_asked.emit),
        Shortcut(("Ctrl+T",), translate("Commands", "Use its settings again"), results.reuse),
        Shortcut(
            ("Delete",), translate("Commands", "Delete to the trash"), viewer.delete_asked.emit, pictures
        ),
        Shortcut(("Ctrl+0",), translate("Commands", "Fit to the window"), view.fit),
        Shortcut(("Ctrl+1",), translate("Commands", "Show at 100 %"), view.actual),
        Shortcut(("Ctrl++", "Ctrl+="), translate("Commands", "Larger"), view.zoom_in),
        Shortcut(("Ctrl+-",), translate("Commands", "Smaller"), view.zoom_out),
        Shortcut(("F9",), translate("Commands", "Prompt panel"), header.left.toggle),
        Shortcut(("F10",), translate("Commands", "Memory panel"), header.right.toggle),
        Shortcut(("Ctrl+L",), translate("Commands", "Light or dark"), theme),
        Shortcut(("Ctrl+,",), translate("Commands", "Settings"), settings),
        Shortcut(("F1",), translate("Commands", "This help"), help_),
        Shortcut(("Ctrl+Q",), translate("Commands", "Close the program"), window.close),
    ]


def _escape(window: MainWindow) -> None:
    if window.errors.isVisible():
        window.errors.close_box()
    elif window.notices.isVisible():
        window.notices.clear()
    else:
        window.status.controls()[0].setFocus()


def _results(window: MainWindow) -> None:
    window.show_queue(False)
    window.gallery.setFocus()


def _queue(window: MainWindow) -> None:
    window.show_queue(True)
    window.queue.controls()[0].setFocus()

"""Builds the window's program and passes everything down: paths, lock, settings, history, engine, queue, window."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.error_words import sentence
from app.core.errors import AppError, Problem
from app.host.link import EngineLink
from app.host.telemetry import Telemetry
from app.store.history import History
from app.store.lock import InstanceLock
from app.store.paths import Paths, default_paths
from app.store.settings import SettingsStore
from app.ui import self_check, theme
from app.ui.instance import FirstWindow, call_first, server_name
from app.ui.interrupts import Interrupts
from app.ui.program import Program
from app.ui.translate import install_translators, words
from app.ui.trouble import Trouble

INTERRUPTED = 130
REFUSED = 3
"""The exit code of a second window, and of a start that is not possible."""


def main(argv: Sequence[str] | None = None) -> int:
    """Opens the window and returns the exit code."""
    # Workers in Python hand the interpreter over sooner, so that the window is never late for a click.
    sys.setswitchinterval(0.002)
    app = QApplication(list(sys.argv[:1] if argv is None else argv))
    app.setApplicationName("Headroom")
    app.setDesktopFileName("headroom")
    theme.prepare(app)
    install_translators(app)
    try:
        paths = default_paths()
        paths.ensure()
        lock = InstanceLock(paths.lock)
        name = server_name(paths.lock)
        try:
            lock.acquire()
        except AppError as error:
            return _refuse(app, error.problem, heard=call_first(name))
        try:
            return _run(app, paths, name)
        finally:
            lock.release()
    except AppError as error:
        return _refuse(app, error.problem, heard=False)


def _run(app: QApplication, paths: Paths, name: str) -> int:
    trouble = Trouble(paths.logs)
    trouble.install()
    try:
        store = SettingsStore(paths.settings)
        settings, notices = store.load()
        theme.prepare(app, settings.theme)
        install_translators(app, settings.language)
        history = History(paths.history)
        first = FirstWindow(name)
        program = Program(
            paths, store, settings, history, EngineLink(paths.logs, scratch=paths.scratch), Telemetry()
        )
        theme.apply(app, settings.theme)
        first.called.connect(program.bring_to_front)
        trouble.happened.connect(program.show_problem)
        program.window.shown_first.connect(first.listen)
        program.start([*notices, *history.notices])
        self_check.start(program)
        interrupts = Interrupts(lambda: app.exit(INTERRUPTED))
        code = app.exec()
        interrupts.remove()
        program.stop()
        first.close()
        history.close()
        return code
    finally:
        trouble.remove()


def _refuse(app: QApplication, problem: Problem, *, heard: bool) -> int:
    """Says why there is no window; if the first one came to the front, that is answer enough."""
    said = sentence(problem)
    text = "\n".join(words(part) for part in (said.what, said.why, said.do) if part.source)
    if sys.stderr is not None:
        print(text, file=sys.stderr)
    if not heard:
        theme.apply(app)
        box = QMessageBox()
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle("Headroom")
        box.setText(text)
        box.exec()
    return REFUSED

"""The one place where errors appear: what happened, why, what to do; details one click away; copy; close.

Everything in it is plain text and bounded: an error may carry thousands of lines, or markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.error_words import sentence
from app.core.errors import ErrorKind, Problem
from app.ui import labels, theme
from app.ui.translate import words

SENTENCE_MAX, LINE_MAX, DETAIL_MAX = 600, 400, 20_000
"""Characters of one sentence, of one line of the details, and of all details."""
RESTART, OPEN_LOG = "restart_engine", "open_log"
_LONG_WORD = re.compile(r"\S{36}")
_ENGINE = (ErrorKind.ENGINE_KEEPS_DYING, ErrorKind.ENGINE_NOT_STARTING)


class ErrorBox(QFrame):
    """Hidden until ``show_problem``; goes at its close button or Escape."""

    action = Signal(str)
    """A button for what to do was pressed: ``restart_engine``, ``open_log`` or the caller's own."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "error")
        self.problem: Problem | None = None
        self._log: Path | None = None
        self._what, self._why, self._do = (labels.body(wrap=True), labels.body(wrap=True), labels.soft())
        self._what.setProperty("role", "strong")
        for label in (self._what, self._why, self._do):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._mark = QLabel()
        self._draw_mark()
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setFixedHeight(150)
        self._details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._details.setTabChangesFocus(True)
        self._details.setAccessibleName(self.tr("Details of the error"))
        self._fold = _fold_button(self.tr("Details"))
        self._fold.toggled.connect(self._unfold)
        self._buttons: list[QPushButton] = []
        self._actions = QHBoxLayout()
        self._actions.setContentsMargins(32, 0, 0, 0)
        self._actions.setSpacing(8)
        self._actions.addStretch(1)
        self._lay_out()
        self.hide()

    def show_problem(
        self, problem: Problem, log: Path | None = None, actions: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Shows one problem in place of the last. ``actions``: further (id, words) buttons."""
        self.problem, self._log = problem, log
        said = sentence(problem)
        for label, text in ((self._what, said.what), (self._why, said.why), (self._do, said.do)):
            label.setText(breakable(shorten(words(text), SENTENCE_MAX)))
            label.setVisible(bool(label.text()))
        self.setAccessibleName(self._what.text())
        self.setAccessibleDescription(" ".join(label.text() for label in (self._why, self._do)).strip())
        self._fill_details(problem, log)
        self._set_actions([*actions, *self._own_actions(problem, log)])
        self.show()

    def text(self) -> str:
        """All of it, as the copy button gives it."""
        parts = [label.text().replace("\u200b", "") for label in (self._what, self._why, self._do)]
        return "\n".join([*(part for part in parts if part), "", self._details.toPlainText()]).strip() + "\n"

    def close_box(self) -> None:
        """Hides the box and says so."""
        self.hide()
        self.problem = None
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_box()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Another theme draws the mark anew."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_mark"):
            self._draw_mark()

    def _draw_mark(self) -> None:
        icon = theme.icon("warning-circle", "bad")
        self._mark.setPixmap(icon.pixmap(QSize(20, 20), self.devicePixelRatioF()))

    def _lay_out(self) -> None:
        copy = _button("copy", self.tr("Copy"), self.tr("Copies the message and its details"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text()))
        close = _button("x", "", self.tr("Close"))
        close.clicked.connect(self.close_box)
        sentences = QVBoxLayout()
        sentences.setSpacing(4)
        for label in (self._what, self._why, self._do):
            sentences.addWidget(label)
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(sentences, 1)
        top.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        foot = QHBoxLayout()
        foot.setContentsMargins(32, 0, 0, 0)
        foot.setSpacing(8)
        foot.addWidget(self._fold)
        foot.addStretch(1)
        foot.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(top)
        column.addLayout(self._actions)
        column.addLayout(foot)
        column.addWidget(self._details)

    def _fill_details(self, problem: Problem, log: Path | None) -> None:
        lines = [f"{problem.kind.value}", *(f"{key}: {value}" for key, value in problem.facts)]
        if log is not None:
            lines.append(self.tr("Log file: {path}").format(path=log))
        self._details.setPlainText(bounded("\n".join([*lines, "", problem.detail]).strip()))
        self._fold.setChecked(False)
        self._details.hide()

    def _own_actions(self, problem: Problem, log: Path | None) -> list[tuple[str, str]]:
        found = [(RESTART, self.tr("Restart engine"))] if problem.kind in _ENGINE else []
        return [*found, (OPEN_LOG, self.tr("Open log"))] if log is not None else found

    def _set_actions(self, actions: Sequence[tuple[str, str]]) -> None:
        for button in self._buttons:
            self._actions.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        for place, (identity, label) in enumerate(actions):
            button = QPushButton(label)
            button.clicked.connect(lambda _checked=False, chosen=identity: self.action.emit(chosen))
            self._actions.insertWidget(place, button)
            self._buttons.append(button)

    def _unfold(self, opened: bool) -> None:
        self._details.setVisible(opened)
        self._fold.setIcon(theme.icon("caret-down" if opened else "caret-right"))


def bounded(text: str) -> str:
    """Details short enough to show: long lines cut, and the middle left out (the end says most)."""
    lines = [shorten(line, LINE_MAX) for line in text.replace("\x00", "").splitlines()]
    whole = "\n".join(lines)
    if len(whole) <= DETAIL_MAX:
        return whole
    first, last = whole[: DETAIL_MAX // 4], whole[-DETAIL_MAX // 2 :]
    return f"{first}\n[…]\n{last}"


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def breakable(text: str) -> str:
    """Lets very long words (paths, hashes) break, so that one cannot widen the window."""
    return _LONG_WORD.sub(lambda found: found[0] + "\u200b", text)


def _fold_button(text: str) -> QToolButton:
    made = QToolButton()
    made.setText(text)
    made.setCheckable(True)
    made.setProperty("role", "fold")
    made.setIcon(theme.icon("caret-right"))
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return made


def _button(icon: str, text: str, tip: str) -> QToolButton:
    made = QToolButton()
    made.setIcon(theme.icon(icon))
    made.setText(text)
    made.setToolTip(tip)
    made.setAccessibleName(text or tip)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    if text:
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return made

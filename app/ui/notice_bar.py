"""One quiet line above the viewer: what was changed or should be known, with at most one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QWidget

from app.ui import theme
from app.ui.labels import body
from app.ui.widgets import push, row, tool

KEPT = 6
PASSING_MS = 6000


class NoticeBar(QFrame):
    """Shows the newest notices below each other, each once; closing takes them all."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "notice")
        self._lines: list[str] = []
        self._text = body(wrap=True)
        self._text.setFont(theme.font())
        self._act: Callable[[], object] | None = None
        self._passing: list[str] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PASSING_MS)
        self._timer.timeout.connect(self._let_pass)
        self._button = push(self.tr("Do this"), self._do)
        self._close = tool("x", self.tr("Close the notice"), self.clear)
        layout = row(self, spacing=12)
        layout.setContentsMargins(12, 4, 4, 4)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._button)
        layout.addWidget(self._close)
        self.clear()

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._button, self._close]

    @property
    def text(self) -> str:
        """All that is said."""
        return "\n".join(self._lines)

    def add(self, line: str, button: str = "", act: Callable[[], object] | None = None) -> None:
        """Says one more thing. A button replaces the last one."""
        short = line if len(line) <= 600 else line[:599] + "…"
        if short in self._lines:
            self._lines.remove(short)
        self._lines = [*self._lines, short][-KEPT:]
        self._text.setText(self.text)
        self._text.setAccessibleName(self.text)
        if button:
            self._act = act
            self._button.setText(button)
            self._button.setAccessibleName(button)
        self._button.setVisible(self._act is not None)
        self.show()

    def add_passing(self, line: str) -> None:
        """Says that something was done; goes by itself."""
        self.add(line)
        self._passing.append(line)
        self._timer.start()

    def clear(self) -> None:
        """Says nothing."""
        self._lines, self._passing, self._act = [], [], None
        self._timer.stop()
        self.hide()

    def clear_read(self) -> None:
        """The next job begins: notices that ask nothing have been read."""
        if self._act is None:
            self.clear()

    def _let_pass(self) -> None:
        self._lines = [line for line in self._lines if line not in self._passing]
        self._passing = []
        self._text.setText(self.text)
        if not self._lines:
            self.clear()

    def _do(self) -> None:
        act = self._act
        self.clear()
        if act is not None:
            act()

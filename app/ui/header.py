"""The bar on top: the program's name, the model with its verdict, theme, settings, help, and the side panels."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QWidget

from app.core.plan import Plan
from app.core.planner import Decision
from app.store.library import ModelEntry
from app.ui import theme
from app.ui.labels import Elided, body, set_role
from app.ui.model_box import ModelBox, verdict_line
from app.ui.widgets import row, tool

HEIGHT = 44


class Header(QFrame):
    """Emits what is asked for; shows the verdict about the model in use."""

    theme_asked = Signal()
    settings_asked = Signal()
    help_asked = Signal()

    def __init__(self, verdict: Callable[[ModelEntry], str]) -> None:
        super().__init__()
        self.setProperty("role", "header")
        self.setFixedHeight(HEIGHT)
        self.models = ModelBox(verdict)
        self._verdict = Elided()
        name = body(self.tr("Headroom"))
        name.setFont(theme.font(15, QFont.Weight.DemiBold))
        self.left = tool("pencil-line", self.tr("Prompt panel"), lambda: None, hint="F9", checkable=True)
        self.right = tool(
            "sliders-horizontal", self.tr("Memory panel"), lambda: None, hint="F10", checkable=True
        )
        self.left.setChecked(True)
        self.right.setChecked(True)
        self._theme = tool("circle-half", self.tr("Light or dark"), self.theme_asked.emit, hint="Ctrl+L")
        self._settings = tool("gear-six", self.tr("Settings"), self.settings_asked.emit, hint="Ctrl+,")
        self._help = tool("question", self.tr("Help and shortcuts"), self.help_asked.emit, hint="F1")
        layout = row(self, spacing=8)
        layout.setContentsMargins(12, 0, 12, 0)
        layout.addWidget(self.left)
        layout.addWidget(name)
        layout.addSpacing(12)
        layout.addWidget(self.models)
        layout.addSpacing(4)
        layout.addWidget(self._verdict, 1)
        for button in (self._theme, self._settings, self._help, self.right):
            layout.addWidget(button)

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self.left, *self.models.controls(), self._theme, self._settings, self._help, self.right]

    def set_decision(self, decision: Decision | None, *, starting: bool) -> None:
        """The verdict, or that it will come."""
        waiting = self.tr("Looking at this machine…") if starting else ""
        line = waiting if decision is None else verdict_line(decision)
        self._verdict.setText(line)
        self._verdict.setAccessibleName(line)
        set_role(self._verdict, "soft" if decision is None or isinstance(decision, Plan) else "warn")

"""What the viewer shows before the first picture: what the model draws, and prompts to click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.core.text import Text, say
from app.ui import theme
from app.ui.labels import body, plain_tip, soft
from app.ui.translate import words
from app.ui.widgets import column, push, row

WIDTH = 440
BUILT_IN = (
    say(
        "demo",
        "One flat shape (circle, square, triangle, star, heart or ring), small or big, in one of ten colours and "
        "five places, on a background of another of those colours.",
    ),
)
"""What the built-in models draw, as their own files say it; marked here so that it is translated."""


class EmptyState(QWidget):
    """Teaches by doing: a click on a prompt fills it in."""

    prompt_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._title = body(wrap=True)
        self._title.setFont(theme.font(20))
        self._text = soft()
        self._text.setFont(theme.font())
        self._buttons = column(spacing=8)
        lines = column(spacing=12)
        for label in (self._title, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setMaximumWidth(WIDTH)
            lines.addWidget(label)
        lines.addSpacing(8)
        lines.addLayout(self._buttons)
        layout = column(self, margins=24)
        middle = row()
        middle.addStretch(1)
        middle.addLayout(lines, 100)
        middle.addStretch(1)
        layout.addStretch(1)
        layout.addLayout(middle)
        layout.addStretch(1)
        self.show_model("", "", ())

    def show_model(self, name: str, draws: str, examples: Sequence[str]) -> None:
        """The words for a model; without examples the panel only says where to begin."""
        self._title.setText(self.tr("What should the picture show?"))
        self._text.setText(words(Text(draws, context="demo")) if draws else self._plain_words(name))
        while (item := self._buttons.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for example in list(examples)[:3]:
            self._buttons.addWidget(self._prompt_button(example))

    def _plain_words(self, name: str) -> str:
        if not name:
            return self.tr("Write it on the left, then press Generate.")
        return self.tr("Write it on the left, then press Generate. {model} makes it.").format(model=name)

    def _prompt_button(self, example: str) -> QWidget:
        button = push(example.replace("&", "&&"), lambda: self.prompt_chosen.emit(example))
        button.setAccessibleName(example)
        button.setToolTip(plain_tip(self.tr("Takes this prompt")))
        button.setMaximumWidth(WIDTH)
        return button


class MessageState(QLabel):
    """One quiet sentence in the middle of the viewer, as for a picture that is gone."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setProperty("role", "soft")
        self.setMargin(24)

"""The left panel: what the picture should be, and the button that makes it. It emits values and decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QMimeData, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QScrollArea, QWidget

from app.core.request import COUNT_MAX, Limits, Size, is_blank
from app.ui.clip_fields import ClipFields
from app.ui.fields import NumberField, SeedField, SizeField
from app.ui.labels import head, soft
from app.ui.lora_list import LoraList
from app.ui.values import Values
from app.ui.widgets import Fold, Note, column, push, set_hint

STEPS_USUAL, GUIDANCE_USUAL, COUNT_USUAL = 100, 20, 16


class PromptEdit(QPlainTextEdit):
    """Plain text only; Tab leaves the field, so the window can be used by keyboard."""

    def __init__(self, name: str, hint: str, lines: int) -> None:
        super().__init__()
        set_hint(self, name, hint)
        self.setToolTip("")
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 20)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text only: a dropped file is the window's to take."""
        return source.hasText() and not source.hasUrls()


class PromptPanel(QWidget):
    """Prompt, size, steps, guidance, seed, count, Generate."""

    changed = Signal()
    generate = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._prompt = PromptEdit(self.tr("Prompt"), self.tr("What the picture should show"), 6)
        self._negative = PromptEdit(self.tr("Negative prompt"), self.tr("What it should not show"), 3)
        self._prompt_note = Note()
        self._negative_fold = Fold(self.tr("&Negative prompt"), self._negative)
        self._loras = LoraList()
        self._size, self._clip, self._seed = SizeField(), ClipFields(), SeedField()
        self._make_numbers()
        self._button = push(self.tr("&Generate"), self.generate.emit, role="main")
        self._button.setMinimumHeight(40)
        self._button.setToolTip(self.tr("Generate (Ctrl+Enter)"))
        self._pace = soft()
        self._pace.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._lay_out()
        self._connect()
        self.set_limits(Limits())

    # ------------------------------------------------------------------ values

    def values(self) -> Values:
        """What stands in the panel now."""
        size = self._size.size_value()
        return Values(
            prompt=self._prompt.toPlainText(),
            negative=self._negative.toPlainText(),
            width=size.width,
            height=size.height,
            steps=int(self._steps.value()),
            guidance=float(self._guidance.value()),
            seed=self._seed.seed(),
            seed_locked=self._seed.locked,
            count=int(self._count.value()),
            frames=self._clip.frames(),
            fps=self._clip.fps(),
            loras=self._loras.values(),
        )

    def set_values(self, values: Values) -> None:
        """Shows values and tells once."""
        with QSignalBlocker(self):
            self.set_prompt(values.prompt)
            if self._negative.toPlainText() != values.negative:
                self._negative.setPlainText(values.negative)
            self._negative_fold.set_opened(self._negative_fold.opened or bool(values.negative))
            self._loras.set_values(values.loras)
            self._size.set_size(Size(values.width, values.height))
            self._steps.set_value(values.steps)
            self._guidance.set_value(values.guidance)
            self._count.set_value(values.count)
            self._clip.set_values(values.frames, values.fps)
            self._seed.set_seed(values.seed, values.seed_locked)
        self.changed.emit()

    def set_prompt(self, prompt: str) -> None:
        """Shows a prompt."""
        if self._prompt.toPlainText() != prompt:
            self._prompt.setPlainText(prompt)

    def set_seed(self, seed: int) -> None:
        """Shows the seed that was drawn for a job; the lock stays as it is."""
        self._seed.set_seed(seed, self._seed.locked)

    def set_limits(self, limits: Limits) -> None:
        """What the chosen model can be asked for."""
        with QSignalBlocker(self):
            self._size.set_limits(limits)
            self._clip.set_limits(limits)
            self._steps.set_range(1, min(STEPS_USUAL, limits.steps_max), limits.steps_max)
            self._guidance.set_range(0, GUIDANCE_USUAL, int(limits.guidance_max))
            self._guidance.setVisible(limits.guided)
            self._negative_fold.setVisible(limits.negative)

    # ------------------------------------------------------------------ words

    def set_pace(self, line: str) -> None:
        """One line below the button: how long it will take, or that it will wait."""
        self._pace.setText(line)

    def complain_prompt(self, line: str) -> None:
        """Says below the prompt why it cannot be used, and puts the cursor there."""
        self._prompt_note.say(line)
        self._prompt.setFocus(Qt.FocusReason.OtherFocusReason)

    def complain_seed(self) -> None:
        """Says what a seed is."""
        self._seed.complain()

    def focus_prompt(self) -> None:
        """The cursor into the prompt."""
        self._prompt.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def negative_open(self) -> bool:
        """Whether the negative prompt shows, to be remembered."""
        return self._negative_fold.opened

    def set_negative_open(self, opened: bool) -> None:
        """As remembered."""
        self._negative_fold.set_opened(opened)

    def controls(self) -> Sequence[QWidget]:
        """In tab order."""
        return [
            self._prompt,
            self._negative_fold.button,
            self._negative,
            *self._loras.controls(),
            *self._size.controls(),
            *self._clip.controls(),
            *self._steps.controls(),
            *self._guidance.controls(),
            *self._seed.controls(),
            *self._count.controls(),
            self._button,
        ]

    @property
    def button(self) -> QPushButton:
        """The main button."""
        return self._button

    # ------------------------------------------------------------------ inside

    def _make_numbers(self) -> None:
        self._steps = NumberField(
            self.tr("&Steps"),
            self.tr("How often the noise is thinned: more steps, finer pictures, longer waits."),
        )
        self._guidance = NumberField(
            self.tr("G&uidance"),
            self.tr("How closely the picture keeps to the prompt: too high looks harsh."),
            scale=10,
        )
        self._count = NumberField(
            self.tr("C&ount"), self.tr("How many pictures, each with the next seed."), scale=1
        )
        self._count.set_range(1, COUNT_USUAL, COUNT_MAX)

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setProperty("role", "panel")
        fields = column(inside, margins=12, spacing=8)
        fields.addWidget(head(self.tr("Prompt")))
        fields.addWidget(self._prompt)
        fields.addWidget(self._prompt_note)
        fields.addWidget(self._negative_fold)
        fields.addWidget(self._loras)
        fields.addSpacing(8)
        for field in (self._size, self._clip, self._steps, self._guidance, self._seed, self._count):
            fields.addWidget(field)
        fields.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        foot = QWidget()
        foot.setProperty("role", "panel_foot")
        below = column(foot, spacing=4)
        below.setContentsMargins(12, 12, 12, 12)
        below.addWidget(self._button)
        below.addWidget(self._pace)
        layout = column(self, spacing=0)
        layout.addWidget(scroll, 1)
        layout.addWidget(foot)

    def _connect(self) -> None:
        for field in (self._size, self._clip, self._steps, self._guidance, self._seed, self._count):
            field.changed.connect(self.changed)
        self._loras.changed.connect(self.changed)
        self._loras.rows_changed.connect(self._order_tabs)
        self._prompt.textChanged.connect(self._prompt_changed)
        self._negative.textChanged.connect(self.changed)

    def _order_tabs(self) -> None:
        for one, next_ in pairwise(self.controls()):
            QWidget.setTabOrder(one, next_)

    def _prompt_changed(self) -> None:
        if not is_blank(self._prompt.toPlainText()):
            self._prompt_note.say("")
        self.changed.emit()

"""The prompt panel's fields: a number with a slider, the size with its shapes, the seed with dice and lock."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QLineEdit, QSpinBox, QWidget

from app.core.errors import AppError
from app.core.request import SEED_MAX, Limits, Size, parse_seed, snap
from app.ui import theme
from app.ui.labels import body, plain_tip
from app.ui.values import ASPECTS, aspect_of, aspect_size, draw_seed
from app.ui.widgets import FIELD_HEIGHT, Note, PressSlider, column, row, set_hint, tool

CAPTION_WIDTH = 76


class QuietSpinBox(QSpinBox):
    """A spin box that the wheel moves only while it has the focus: scrolling the panel must change no value."""

    def __init__(self) -> None:
        super().__init__()
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(6, 0, 0, 0)
        self.setFixedHeight(FIELD_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """See the class."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class QuietDoubleSpinBox(QDoubleSpinBox):
    """The same for fractions."""

    def __init__(self) -> None:
        super().__init__()
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(6, 0, 0, 0)
        self.setFixedHeight(FIELD_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """See :class:`QuietSpinBox`."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class QuietComboBox(QComboBox):
    """The same for choices."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(FIELD_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """See :class:`QuietSpinBox`."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def caption(text: str, field: QWidget) -> QLabel:
    """The label on the left edge; its mnemonic goes to the field."""
    label = body(text)
    label.setFixedWidth(CAPTION_WIDTH)
    label.setBuddy(field)
    return label


class NumberField(QWidget):
    """A caption, a slider over the usual range, and a box that takes the whole range. ``scale`` parts per unit."""

    changed = Signal()

    def __init__(self, title: str, hint: str, *, scale: int = 1) -> None:
        super().__init__()
        self._scale = scale
        self._box: QSpinBox | QDoubleSpinBox = QuietSpinBox() if scale == 1 else QuietDoubleSpinBox()
        self._box.setFixedWidth(76)
        self._slider = PressSlider()
        set_hint(self._box, title.replace("&", ""), hint)
        set_hint(self._slider, title.replace("&", ""), hint)
        if isinstance(self._box, QDoubleSpinBox):
            self._box.setDecimals(1)
            self._box.setSingleStep(0.5)
        layout = row(self)
        layout.addWidget(caption(title, self._box))
        layout.addWidget(self._slider, 1)
        layout.addWidget(self._box)
        self._slider.valueChanged.connect(self._slid)
        self._box.valueChanged.connect(self._typed)

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._slider, self._box]

    def value(self) -> float:
        """What the box holds."""
        return self._box.value()

    def set_range(self, low: int, usual: int, high: int) -> None:
        """``usual`` is where the slider ends, ``high`` the most that can be typed."""
        with QSignalBlocker(self._slider), QSignalBlocker(self._box):
            self._box.setRange(low, high)
            self._slider.setRange(low * self._scale, min(usual, high) * self._scale)
            self._follow()

    def set_value(self, value: float) -> None:
        """Shows a value without telling anyone."""
        with QSignalBlocker(self._slider), QSignalBlocker(self._box):
            if isinstance(self._box, QDoubleSpinBox):
                self._box.setValue(value)
            else:
                self._box.setValue(int(value))
            self._follow()

    def _follow(self) -> None:
        self._slider.setValue(round(self._box.value() * self._scale))

    def _slid(self, value: int) -> None:
        if isinstance(self._box, QDoubleSpinBox):
            self._box.setValue(value / self._scale)
        else:
            self._box.setValue(value)

    def _typed(self) -> None:
        with QSignalBlocker(self._slider):
            self._follow()
        self.changed.emit()


class SizeField(QWidget):
    """Shape, width, height and swap. A side that the model cannot make is snapped in sight, with a note."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._limits = Limits()
        self._shape = QuietComboBox()
        self._width, self._height = QuietSpinBox(), QuietSpinBox()
        self._note = Note()
        self._name()
        self._fill()
        self._lay_out()
        self._shape.activated.connect(self._choose)
        for box in (self._width, self._height):
            box.setRange(1, 2**16 - 1)
            box.setMinimumWidth(64)
            box.valueChanged.connect(self._typed)
        self.set_size(Size(self._limits.width, self._limits.height))

    def size_value(self) -> Size:
        """The size that will be asked for."""
        return Size(self._width.value(), self._height.value())

    def set_limits(self, limits: Limits) -> None:
        """Another model: its factor becomes the boxes' step; the size is snapped to what it can make."""
        self._limits = limits
        for box in (self._width, self._height):
            box.setSingleStep(limits.factor)
        self._fill()
        self.set_size(self.size_value())

    def set_size(self, size: Size) -> None:
        """Shows a size, snapped, without telling anyone."""
        with QSignalBlocker(self._width), QSignalBlocker(self._height):
            self._width.setValue(snap(size.width, self._limits))
            self._height.setValue(snap(size.height, self._limits))
        self._note.say("")
        self._show_shape()

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._shape, self._width, self._swap, self._height]

    def _name(self) -> None:
        set_hint(
            self._shape,
            self.tr("Shape"),
            self.tr("Sizes of this shape with the area the model was made for."),
        )
        set_hint(self._width, self.tr("Width in pixels"))
        set_hint(self._height, self.tr("Height in pixels"))
        self._swap = tool("arrows-left-right", self.tr("Swap width and height"), self._swap_sides)

    def _lay_out(self) -> None:
        line = row()
        line.addWidget(caption(self.tr("Si&ze"), self._shape))
        line.addWidget(self._shape, 1)
        sides = row(spacing=4)
        sides.addSpacing(CAPTION_WIDTH + 8)
        sides.addWidget(self._width, 1)
        sides.addWidget(self._swap)
        sides.addWidget(self._height, 1)
        layout = column(self, spacing=8)
        layout.addLayout(line)
        layout.addLayout(sides)
        layout.addWidget(self._note)

    def _fill(self) -> None:
        with QSignalBlocker(self._shape):
            self._shape.clear()
            for aspect in ASPECTS:
                size = aspect_size(aspect, self._limits)
                self._shape.addItem(f"{aspect[0]}:{aspect[1]}   {size}", aspect)
            self._shape.addItem(self.tr("Other"), None)
        self._show_shape()

    def _show_shape(self) -> None:
        aspect = aspect_of(self.size_value(), self._limits)
        with QSignalBlocker(self._shape):
            self._shape.setCurrentIndex(ASPECTS.index(aspect) if aspect else len(ASPECTS))

    def _choose(self, index: int) -> None:
        if index < len(ASPECTS):
            self.set_size(aspect_size(ASPECTS[index], self._limits))
            self.changed.emit()

    def _swap_sides(self) -> None:
        size = self.size_value()
        self.set_size(Size(size.height, size.width))
        self.changed.emit()

    def _typed(self) -> None:
        asked = self.size_value()
        self.set_size(asked)
        used = self.size_value()
        if used != asked:
            line = self.tr(
                "Changed from {asked} to {used}: this model needs multiples of {factor}, from {low} to {high}."
            )
            low, high = snap(1, self._limits), snap(2**16, self._limits)
            self._note.say(
                line.format(asked=asked, used=used, factor=self._limits.factor, low=low, high=high)
            )
        self.changed.emit()


class SeedField(QWidget):
    """A line edit that takes 0 … 2⁶⁴−1 exactly (a spin box cannot: C65), dice that draw, a lock that keeps."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._edit = QLineEdit()
        self._edit.setFixedHeight(FIELD_HEIGHT)
        self._edit.setMaxLength(60)
        self._edit.setAcceptDrops(False)
        self._note = Note()
        set_hint(
            self._edit,
            self.tr("Seed"),
            self.tr(
                "The number that the noise is drawn from: the same seed and settings give the same picture."
            ),
        )
        self._dice = tool("dice-five", self.tr("Draw a new seed"), self.draw)
        self._lock = tool("lock-simple-open", self.tr("Keep this seed"), self._locked, checkable=True)
        line = row(spacing=4)
        line.addWidget(caption(self.tr("See&d"), self._edit))
        line.addSpacing(4)
        line.addWidget(self._edit, 1)
        line.addWidget(self._dice)
        line.addWidget(self._lock)
        layout = column(self, spacing=4)
        layout.addLayout(line)
        layout.addWidget(self._note)
        self._edit.textEdited.connect(self._edited)
        self._edit.editingFinished.connect(self._check)
        self._locked()

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [self._edit, self._dice, self._lock]

    def seed(self) -> int | None:
        """The seed, or None while what was typed is none."""
        try:
            return parse_seed(self._edit.text())
        except AppError:
            return None

    @property
    def locked(self) -> bool:
        """Whether Generate keeps the seed."""
        return self._lock.isChecked()

    def set_seed(self, seed: int | None, locked: bool) -> None:
        """Shows a seed without telling anyone."""
        self._edit.setText("" if seed is None else str(seed))
        self._lock.setChecked(locked)
        self._locked(tell=False)
        self._note.say("")

    def draw(self) -> None:
        """A new seed now."""
        self._edit.setText(str(draw_seed()))
        self._note.say("")
        self.changed.emit()

    def complain(self) -> None:
        """Says what a seed is, and takes the focus there."""
        self._check()
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edited(self) -> None:
        # Whoever types a seed wants that one: the lock closes by itself.
        self._lock.setChecked(True)
        self._locked()
        if self.seed() is not None:
            self._note.say("")

    def _check(self) -> None:
        if self.seed() is None:
            line = self.tr("A seed is a whole number from 0 to {high}.")
            self._note.say(line.format(high=SEED_MAX))
        else:
            self._edit.setText(str(self.seed()))
            self._note.say("")

    def _locked(self, *, tell: bool = True) -> None:
        shut = self._lock.isChecked()
        name = "lock-simple" if shut else "lock-simple-open"
        self._lock.setIcon(theme.icon(name))
        words = self.tr("The seed stays the same") if shut else self.tr("A new seed is drawn for each job")
        self._lock.setToolTip(plain_tip(words))
        self._lock.setAccessibleDescription(words)
        if tell:
            self.changed.emit()

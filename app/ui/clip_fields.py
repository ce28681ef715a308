"""How many frames a clip has and how fast they follow: fields that show only for models that make clips."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.core.request import FPS_MAX, Limits
from app.ui.fields import NumberField
from app.ui.widgets import column

FPS_USUAL = 30


class ClipFields(QWidget):
    """Frames, and frames a second. What a model cannot make is snapped, and said, when the job is made."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._limits = Limits()
        self._frames = NumberField(
            self.tr("&Frames"), self.tr("How many pictures the clip has: more take longer.")
        )
        self._fps = NumberField(
            self.tr("Frames a secon&d"),
            self.tr("How fast they follow one another when the clip plays."),
            scale=10,
        )
        fields = column(self, spacing=8)
        for field in (self._frames, self._fps):
            fields.addWidget(field)
            field.changed.connect(self.changed)

    def set_limits(self, limits: Limits) -> None:
        """What the model makes, and its own values."""
        self._limits = limits
        self.setVisible(limits.makes_clips)
        self._frames.set_range(1, limits.frames_max, max(1, limits.frames_max))
        self._fps.set_range(1, FPS_USUAL, FPS_MAX)
        self.set_values(0, 0)

    def set_values(self, frames: int, fps: float) -> None:
        """Shows values; 0 are the model's own."""
        self._frames.set_value(frames or self._limits.frames)
        self._fps.set_value(fps or self._limits.fps)

    def frames(self) -> int:
        """0 where the model makes no clips."""
        return int(self._frames.value()) if self._limits.makes_clips else 0

    def fps(self) -> float:
        """0 where the model makes no clips."""
        return float(self._fps.value()) if self._limits.makes_clips else 0

    def controls(self) -> list[QWidget]:
        """In tab order."""
        return [*self._frames.controls(), *self._fps.controls()]

"""The plan as one bar: weights that stay, weights that stream, working memory, reserve, what others hold, free.

Every part has a pattern beside its colour, a legend, and the same in words for tooltips and screen readers.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.hardware import DeviceSheet
from app.core.plan import Plan
from app.ui import theme
from app.ui.labels import plain_tip
from app.ui.translate import size_words

BAR, GAP, SWATCH, ROW, TILE = 20, 8, 10, 17, 6
WORK_SHARE = 0.25
"""Part of the budget drawn as working memory while it is not estimated: what the planner keeps for it."""


@dataclass(frozen=True)
class Part:
    """One region of the bar: the token that colours it, its bytes, its words and its pattern."""

    token: str
    size: int
    label: str
    figure: str
    pattern: str = "plain"
    """``plain``, ``stripes`` (comes and goes), ``hatch`` (not known yet), ``dots``, ``crosses``, ``empty``."""

    @property
    def words(self) -> str:
        """Its entry in the legend."""
        return f"{self.label} {self.figure}"


class PlanBar(QWidget):
    """Shows one plan on one device; empty without a plan."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[Part, ...] = ()
        self._total, self._room = 1, 1
        self._beside = ""
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Memory plan"))
        self.set_plan(None)

    def set_plan(self, plan: Plan | None, device: DeviceSheet | None = None) -> None:
        """Draws ``plan`` on ``device``'s memory; without a device, on what the plan itself may take."""
        self._parts = self._parts_of(plan, device) if plan is not None else ()
        self._total = max(1, sum(part.size for part in self._parts))
        self._room = device.total if device is not None else self._total
        self._beside = self._streamed(plan) if plan is not None and plan.estimate.streamed else ""
        self.setAccessibleDescription(self.description())
        self.updateGeometry()
        self.update()

    def description(self) -> str:
        """What is drawn, in words."""
        if not self._parts:
            return self.tr("No plan yet.")
        said = [f"{part.label}: {part.figure}" for part in self._parts]
        over = self.tr("{size} more than the device has").format(size=size_words(self._total - self._room))
        more = [self._beside] if self._beside else []
        return "; ".join([*said, *more, *([over] if self._total > self._room else [])]) + "."

    def hasHeightForWidth(self) -> bool:
        """The legend flows into as many rows as it needs."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The bar and its legend."""
        places = self._legend_places(width)
        return BAR + (GAP + int(places[-1].bottom()) if places else 0)

    def sizeHint(self) -> QSize:
        """As high as a usual panel makes it."""
        return QSize(276, self.heightForWidth(276))

    def minimumSizeHint(self) -> QSize:
        """Narrow panels still show it."""
        return QSize(160, BAR)

    def event(self, event: QEvent) -> bool:
        """A tooltip says what is drawn under the pointer, or all of it."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(
                event.globalPos(), plain_tip(self._tip_at(event.pos().x(), event.pos().y())), self
            )
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The bar, then the legend."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme.tokens()
        frame = QRectF(0.5, 0.5, self.width() - 1, BAR - 1)
        outline = QPainterPath()
        outline.addRoundedRect(frame, 4, 4)
        painter.fillPath(outline, colours.colour("control"))
        painter.save()
        painter.setClipPath(outline)
        for part, area in self._areas():
            draw_pattern(painter, area, part.token, part.pattern)
        painter.restore()
        painter.setPen(QPen(colours.colour("line"), 1))
        painter.drawPath(outline)
        if self._total > self._room:
            # The plan is longer than the device: a mark where the device ends.
            end = self.width() * self._room / self._total
            painter.setPen(QPen(colours.colour("bad"), 2))
            painter.drawLine(QPointF(end, -1), QPointF(end, BAR + 3))
        self._paint_legend(painter)
        painter.end()

    def _areas(self) -> list[tuple[Part, QRectF]]:
        found, left = [], 0.0
        for part in self._parts:
            wide = self.width() * part.size / self._total
            # What is there at all can be seen: at least two pixels.
            wide = max(wide, 2.0) if part.size else 0.0
            found.append((part, QRectF(left, 0, wide, BAR)))
            left += wide
        return found

    def _paint_legend(self, painter: QPainter) -> None:
        colours = theme.tokens()
        painter.setFont(theme.font(theme.SMALL))
        for part, place in zip(self._parts, self._legend_places(self.width()), strict=True):
            area = place.translated(0, BAR + GAP)
            swatch = QRectF(area.left() + 0.5, area.top() + (ROW - SWATCH) // 2 + 0.5, SWATCH, SWATCH)
            draw_pattern(painter, swatch, part.token, part.pattern)
            painter.setPen(QPen(colours.colour("line"), 1))
            painter.drawRect(swatch)
            painter.setPen(colours.colour("text_soft"))
            room = area.adjusted(SWATCH + 6, 0, 0, 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, part.words)

    def _legend_places(self, width: int) -> list[QRectF]:
        """Where each part's entry stands, from the legend's top left: side by side as they fit."""
        metrics = QFontMetricsF(theme.font(theme.SMALL))
        found: list[QRectF] = []
        x, y = 0.0, 0.0
        for part in self._parts:
            wide = SWATCH + 8 + metrics.horizontalAdvance(part.words)
            if x and x + wide > width:
                x, y = 0.0, y + ROW
            found.append(QRectF(x, y, wide, ROW))
            x += wide + 12
        return found

    def _tip_at(self, x: int, y: int) -> str:
        if y < BAR:
            for part, area in self._areas():
                if area.contains(QPointF(x, y)):
                    return f"{part.label}: {part.figure}"
        return self.description()

    def _streamed(self, plan: Plan) -> str:
        return self.tr("{size} of weights wait in main memory").format(
            size=size_words(plan.estimate.streamed)
        )

    def _parts_of(self, plan: Plan, device: DeviceSheet | None) -> tuple[Part, ...]:
        need = plan.estimate
        # With streaming, the weights on the device come and go: they are striped.
        weights = Part("resident", need.resident, self.tr("Weights"), size_words(need.resident))
        if need.streamed:
            weights = Part(
                "streamed", need.resident, self.tr("Weights, in turn"), size_words(need.resident), "stripes"
            )
        if need.work is None:
            guess = min(int(need.budget * WORK_SHARE), max(0, need.budget - need.resident))
            work = Part("work", guess, self.tr("Work"), self.tr("not estimated yet"), "hatch")
        else:
            work = Part("work", need.work, self.tr("Work"), size_words(need.work))
        reserve = Part("reserve", need.reserve, self.tr("Reserve"), size_words(need.reserve), "dots")
        others = 0 if device is None else max(0, device.total - device.free - device.held)
        whole = need.budget + need.reserve if device is None else device.total
        free = max(0, whole - others - need.resident - work.size - need.reserve)
        parts = [weights, work, reserve]
        if others:
            parts.append(Part("others", others, self.tr("Other programs"), size_words(others), "crosses"))
        if free:
            parts.append(Part("control", free, self.tr("Free"), size_words(free), "empty"))
        return tuple(parts)


def draw_pattern(painter: QPainter, area: QRectF, token: str, pattern: str) -> None:
    """Fills ``area``: a colour, and over it the pattern that says the same without colour."""
    painter.setBrushOrigin(area.topLeft())
    painter.fillRect(area, pattern_brush(token, pattern, painter.device().devicePixelRatio()))


def pattern_brush(token: str, pattern: str, ratio: float) -> QBrush:
    """A brush of the theme in force; patterns are drawn at the screen's pixel ratio, so they are crisp at 200 %."""
    colours = theme.tokens()
    if pattern in ("plain", "empty"):
        return QBrush(colours.colour(token))
    # Hatching is the colour over the ground: not there yet. The others are the ground over the colour.
    under, over = (
        (colours.control, colours.colour(token))
        if pattern == "hatch"
        else (getattr(colours, token), colours.colour("control"))
    )
    tile = QPixmap(round(TILE * ratio), round(TILE * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(under)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(over, 1.5))
    if pattern in ("stripes", "hatch", "crosses"):
        for shift in (-TILE, 0, TILE):
            painter.drawLine(QPointF(shift - 1, TILE + 1), QPointF(shift + TILE + 1, -1))
            if pattern == "crosses":
                painter.drawLine(QPointF(shift - 1, -1), QPointF(shift + TILE + 1, TILE + 1))
    if pattern == "dots":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(over)
        painter.drawEllipse(QPointF(TILE / 2, TILE / 2), 0.9, 0.9)
    painter.end()
    return QBrush(tile)

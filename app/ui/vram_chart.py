"""Live memory: for each device two minutes of what this program holds and what others hold, and the figure now."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.core.units import GIB
from app.host.telemetry import RAM, MemorySample
from app.ui import theme
from app.ui.labels import plain_tip, short_device
from app.ui.plan_bar import pattern_brush
from app.ui.translate import local, size_words

SPAN = 120.0
"""Seconds that the chart shows."""
TEXT_WIDTH, CHART_WIDTH, HEIGHT = 96, 92, 40


class VramChart(QWidget):
    """One chart per device, side by side, in the order in which their samples come."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._charts: dict[str, DeviceChart] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(16)

    def add_sample(self, sample: MemorySample) -> None:
        """Takes one device's figures; main memory stands last."""
        chart = self._charts.get(sample.device)
        if chart is None:
            chart = self._charts[sample.device] = DeviceChart()
            last = (
                self._row.count()
                if sample.device == RAM or RAM not in self._charts
                else self._row.count() - 1
            )
            self._row.insertWidget(last, chart)
        chart.add(sample)

    def charts(self) -> tuple[DeviceChart, ...]:
        """The charts there are."""
        return tuple(self._charts.values())


class DeviceChart(QWidget):
    """One device: its name, the figure, the curve."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples: deque[MemorySample] = deque()
        self._levels: deque[tuple[float, float, float]] = deque()  # time, others' share, all that is taken
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def add(self, sample: MemorySample) -> None:
        """Appends a sample and forgets what is older than the chart."""
        total = max(1, sample.total)
        self._samples.append(sample)
        self._levels.append((sample.time, sample.others / total, (sample.others + sample.held) / total))
        while self._samples[0].time < sample.time - SPAN - 5:
            self._samples.popleft()
            self._levels.popleft()
        said = self.description()
        self.setAccessibleName(f"{sample.name} {self.figure()}")
        self.setAccessibleDescription(said)
        self.setToolTip(plain_tip(said))
        self.update()

    def figure(self) -> str:
        """What is taken of what there is: ``9.3 / 12 GiB``."""
        if not self._samples:
            return ""
        now = self._samples[-1]
        return local(f"{(now.held + now.others) / GIB:.1f} / {now.total / GIB:.3g} GiB")

    def description(self) -> str:
        """What the chart shows, in words."""
        if not self._samples:
            return ""
        now = self._samples[-1]
        most = max(sample.held for sample in self._samples)
        sentence = self.tr(
            "{name}: Headroom holds {held}, other programs {others}, {free} of {total} are free. "
            "Most held in the last two minutes: {most}."
        )
        return sentence.format(
            name=now.name,
            held=size_words(now.held),
            others=size_words(now.others),
            free=size_words(now.free),
            total=size_words(now.total),
            most=size_words(most),
        )

    def sizeHint(self) -> QSize:
        """Text and chart."""
        return QSize(TEXT_WIDTH + CHART_WIDTH + 8, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """The chart may be narrow, the figure may not."""
        return QSize(TEXT_WIDTH + 48, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Name above figure, the curve beside them."""
        if not self._samples:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme.tokens()
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(colours.colour("text_soft"))
        short = short_device(self._samples[-1].name)
        cut = painter.fontMetrics().elidedText(short, Qt.TextElideMode.ElideRight, TEXT_WIDTH)
        painter.drawText(QRectF(0, 2, TEXT_WIDTH, 16), left, cut)
        painter.setFont(theme.font())
        painter.setPen(colours.colour("text"))
        painter.drawText(QRectF(0, 18, TEXT_WIDTH, 20), left, self.figure())
        self._paint_curve(painter, QRectF(TEXT_WIDTH + 8.5, 2.5, self.width() - TEXT_WIDTH - 9, HEIGHT - 5))
        painter.end()

    def _paint_curve(self, painter: QPainter, area: QRectF) -> None:
        colours = theme.tokens()
        ratio = self.devicePixelRatioF()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(area, colours.colour("control"))
        others, both = self._points(area)
        base = [QPointF(others[-1].x(), area.bottom()), QPointF(others[0].x(), area.bottom())]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pattern_brush("others", "crosses", ratio))
        painter.drawPolygon(QPolygonF(others + base))
        painter.setBrush(pattern_brush("resident", "plain", ratio))
        painter.drawPolygon(QPolygonF(both + others[::-1]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colours.colour("line"), 1))
        painter.drawRect(area)
        painter.setPen(QPen(colours.colour("text"), 0))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPolyline(QPolygonF(both))

    def _points(self, area: QRectF) -> tuple[list[QPointF], list[QPointF]]:
        """The upper edges of what others hold and of all that is taken, oldest first."""
        left, right, bottom, high = area.left(), area.right(), area.bottom(), area.height()
        end, speed = self._levels[-1][0], area.width() / SPAN
        places = [(max(left, right - (end - time) * speed), low, top) for time, low, top in self._levels]
        if right - places[0][0] < 2:
            # The first moments are a short level piece, not nothing.
            places.insert(0, (right - 2, *places[0][1:]))
        others = [QPointF(x, bottom - low * high) for x, low, _ in places]
        return others, [QPointF(x, bottom - min(top, 1.0) * high) for x, _, top in places]

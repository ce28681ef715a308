"""Paints one picture: fitted, at 100 %, zoomed and panned. Knows pixels on screen, not files."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from app.ui import theme

STEP = 1.25
SMALLEST, LARGEST = 0.02, 32.0
FIT_LARGEST = 4.0
"""Fitting enlarges a small picture at most this much: beyond, it only shows the enlarging."""
SHARP_FROM = 3.0
"""From this zoom on, asked for by the person, pixels are shown as squares."""


@dataclass(frozen=True)
class Pyramid:
    """A picture and its halves, so that painting never scales down by more than two. Made away from the window."""

    levels: tuple[QImage, ...]

    @property
    def size(self) -> QSize:
        """Of the whole picture."""
        return self.levels[0].size()

    def level(self, zoom: float) -> QImage:
        """The smallest level that still has all the detail that ``zoom`` shows."""
        wanted = self.size.width() * zoom
        return next((image for image in reversed(self.levels) if image.width() >= wanted), self.levels[0])


def pyramid(image: QImage) -> Pyramid:
    """Halves down to about the size of a thumbnail; slow for large pictures, so never in the window's thread."""
    levels = [image]
    while max(levels[-1].width(), levels[-1].height()) > 768:
        half = QSize(max(1, levels[-1].width() // 2), max(1, levels[-1].height() // 2))
        levels.append(
            levels[-1].scaled(
                half, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        )
    return Pyramid(tuple(levels))


class PictureView(QWidget):
    """The picture. Zoom counts screen pixels per picture pixel: 100 % is exact on any screen."""

    zoom_changed = Signal(float, bool)
    """The zoom, and whether it is the fitted one."""
    drag_out = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._picture: Pyramid | None = None
        self._size = QSize()
        self._zoom, self._fitted, self._smooth = 1.0, True, False
        self._centre = QPointF(0.5, 0.5)
        self._grabbed: QPoint | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(200, 160)
        self.setAccessibleName(self.tr("Picture"))

    # ------------------------------------------------------------------ what is shown

    def show_picture(self, picture: Pyramid, *, keep_zoom: bool = False) -> None:
        """A finished picture."""
        same = keep_zoom and picture.size == self._size
        self._picture, self._size, self._smooth = picture, picture.size, False
        if not same:
            self.fit()
        self.update()

    def show_preview(self, image: QImage, size: QSize) -> None:
        """A small preview, drawn where the picture of ``size`` will be."""
        self._picture, self._smooth = Pyramid((image,)), True
        if size != self._size:
            self._size = size
            self.fit()
        self.update()

    def clear(self) -> None:
        """Nothing to show."""
        self._picture = None
        self.update()

    # ------------------------------------------------------------------ zoom

    @property
    def zoom(self) -> float:
        """Screen pixels per picture pixel."""
        return self._zoom

    @property
    def fitted(self) -> bool:
        """Whether the zoom follows the window."""
        return self._fitted

    def fit(self) -> None:
        """The whole picture, as large as it goes."""
        self._fitted = True
        self._centre = QPointF(0.5, 0.5)
        self._set_zoom(self._fit_zoom())

    def actual(self) -> None:
        """One picture pixel on one screen pixel."""
        self._fitted = False
        self._set_zoom(1.0)

    def zoom_in(self) -> None:
        """A step nearer."""
        self._zoom_at(STEP, QPointF(self.rect().center()))

    def zoom_out(self) -> None:
        """A step away."""
        self._zoom_at(1 / STEP, QPointF(self.rect().center()))

    def _fit_zoom(self) -> float:
        if self._size.isEmpty():
            return 1.0
        ratio = self.devicePixelRatioF()
        across = (self.width() - 16) * ratio / self._size.width()
        down = (self.height() - 16) * ratio / self._size.height()
        return max(SMALLEST, min(across, down, FIT_LARGEST * ratio))

    def _zoom_at(self, factor: float, place: QPointF) -> None:
        if self._picture is None:
            return
        before = self._to_picture(place)
        self._fitted = False
        zoom = min(max(self._zoom * factor, SMALLEST), LARGEST)
        # Stepping over 100 % stops there, and the point below the cursor stays where it is.
        if (self._zoom < 1 < zoom) or (zoom < 1 < self._zoom):
            zoom = 1.0
        self._zoom = zoom
        after, shown = self._to_picture(place), self._shown_size()
        if not shown.isEmpty():
            self._centre += before - after
        self._set_zoom(zoom)

    def _set_zoom(self, zoom: float) -> None:
        self._zoom = zoom
        self._hold_centre()
        self._cursor()
        self.update()
        self.zoom_changed.emit(zoom, self._fitted)

    # ------------------------------------------------------------------ geometry

    def _shown_size(self) -> QSizeF:
        return QSizeF(self._size) * (self._zoom / self.devicePixelRatioF())

    def target(self) -> QRectF:
        """Where the whole picture lies, in the widget's coordinates."""
        shown = self._shown_size()
        left = self.width() / 2 - self._centre.x() * shown.width()
        top = self.height() / 2 - self._centre.y() * shown.height()
        if self._picture is not None and shown.width() <= self.width():
            left = (self.width() - shown.width()) / 2
        if self._picture is not None and shown.height() <= self.height():
            top = (self.height() - shown.height()) / 2
        return QRectF(left, top, shown.width(), shown.height())

    def _to_picture(self, place: QPointF) -> QPointF:
        target = self.target()
        if target.isEmpty():
            return QPointF(0.5, 0.5)
        return QPointF((place.x() - target.x()) / target.width(), (place.y() - target.y()) / target.height())

    def _hold_centre(self) -> None:
        """Keeps the picture over the view: its edge never comes further in than the view's edge."""
        shown = self._shown_size()
        self._centre.setX(_held(self._centre.x(), self.width(), shown.width()))
        self._centre.setY(_held(self._centre.y(), self.height(), shown.height()))

    def can_pan(self) -> bool:
        """Whether a part of the picture is out of sight."""
        shown = self._shown_size()
        return shown.width() > self.width() + 1 or shown.height() > self.height() + 1

    def _pan(self, across: float, down: float) -> None:
        shown = self._shown_size()
        if not shown.isEmpty():
            self._centre -= QPointF(across / shown.width(), down / shown.height())
            self._hold_centre()
            self.update()

    def _cursor(self) -> None:
        pan = self._picture is not None and self.can_pan()
        self.setCursor(Qt.CursorShape.OpenHandCursor if pan else Qt.CursorShape.ArrowCursor)

    # ------------------------------------------------------------------ events

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws only the part in sight, from the level that has its detail."""
        painter = QPainter(self)
        if self.hasFocus():
            painter.setPen(theme.tokens().colour("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if self._picture is None:
            return
        target = self.target()
        seen = target.intersected(QRectF(self.rect()))
        if seen.isEmpty():
            return
        _shadow(painter, target)
        level = self._picture.level(self._zoom)
        across, down = level.width() / target.width(), level.height() / target.height()
        source = QRectF(
            (seen.x() - target.x()) * across,
            (seen.y() - target.y()) * down,
            seen.width() * across,
            seen.height() * down,
        )
        sharp = not self._fitted and not self._smooth and self._zoom >= SHARP_FROM
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not sharp and self._zoom != 1.0)
        painter.drawImage(seen, level, source)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A fitted picture follows."""
        if self._fitted:
            self.fit()
        else:
            self._set_zoom(self._zoom)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel zooms at the cursor; a touchpad's fine steps add up."""
        turn = event.angleDelta().y()
        if turn and self._picture is not None:
            self._zoom_at(STEP ** (turn / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begins a pan or a drag."""
        if event.button() == Qt.MouseButton.LeftButton and self._picture is not None:
            self._grabbed = event.position().toPoint()
            if self.can_pan():
                self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pans what is larger than the view; drags the file out otherwise, or with Alt."""
        if self._grabbed is None:
            return
        place = event.position().toPoint()
        moved = place - self._grabbed
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if self.can_pan() and not alt:
            self._grabbed = place
            self._pan(moved.x(), moved.y())
        elif moved.manhattanLength() >= QApplication.startDragDistance():
            self._grabbed = None
            self.drag_out.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends it."""
        self._grabbed = None
        self._cursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Fit and 100 % in turn."""
        if self._fitted:
            self._zoom_at(1 / self._zoom, event.position())
        else:
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Plus, minus, 0 (fit), 1 (100 %), arrows to pan."""
        steps = {
            Qt.Key.Key_Left: (40, 0), Qt.Key.Key_Right: (-40, 0), Qt.Key.Key_Up: (0, 40), Qt.Key.Key_Down: (0, -40),
        }  # fmt: skip
        acts = {
            Qt.Key.Key_Plus: self.zoom_in, Qt.Key.Key_Equal: self.zoom_in, Qt.Key.Key_Minus: self.zoom_out,
            Qt.Key.Key_0: self.fit, Qt.Key.Key_1: self.actual,
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps and self.can_pan():
            self._pan(*steps[key])
        elif key in acts and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            acts[key]()
        else:
            super().keyPressEvent(event)


def _shadow(painter: QPainter, target: QRectF) -> None:
    """The window's only shadow: it lifts the picture off the ground."""
    painter.setPen(Qt.PenStyle.NoPen)
    for spread in range(4, 0, -1):
        painter.setBrush(QColor(0, 0, 0, 14))
        painter.drawRoundedRect(target.adjusted(-spread, 1 - spread, spread, spread + 1), spread, spread)


def _held(centre: float, view: float, shown: float) -> float:
    if shown <= view or shown <= 0:
        return 0.5
    half = view / 2 / shown
    return min(max(centre, half), 1 - half)

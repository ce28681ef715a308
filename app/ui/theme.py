"""Colours, fonts and icons: named tokens to a palette and a style sheet, light or dark, followed live.

No widget is laid out here, and no colour stands anywhere but in ``resources/style/tokens.json``.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from PySide6.QtCore import QDir, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtWidgets import QApplication

from app.store.resources import resources_root

SPACE = (4, 8, 12, 16, 24)
"""The spacing scale in pixels."""
CORNER, CONTROL, MAIN_BUTTON = 6, 28, 40
TEXT, SMALL, HEAD = 13.0, 11.5, 11.0
"""Text sizes in pixels."""
MODES = ("system", "light", "dark")


@dataclass(frozen=True)
class Tokens:
    """The colours of one theme, as ``#rrggbb``. The last five are the plan bar's."""

    background: str
    panel: str
    control: str
    line: str
    text: str
    text_soft: str
    accent: str
    on_accent: str
    good: str
    warn: str
    bad: str
    resident: str
    streamed: str
    work: str
    reserve: str
    others: str

    def colour(self, name: str) -> QColor:
        """One token as a colour."""
        return QColor(getattr(self, name))


def tokens(dark: bool | None = None) -> Tokens:
    """The tokens of the theme in force, or of the one asked for."""
    if dark is None:
        theme = _theme()
        dark = theme is not None and theme.dark
    return _read_tokens()["dark" if dark else "light"]


def prepare(app: QApplication, mode: str = "system") -> None:
    """Font and colours, for a window that is built next. The style sheet has to wait for ``apply``: with it in force,
    Qt styles every widget anew at each level that it is put into, which takes longer than all else of the start."""
    (_theme() or Theme(app)).set_mode(mode)


def apply(app: QApplication, mode: str = "system") -> None:
    """Puts the theme on the application; ``system`` follows the desktop's light or dark from then on."""
    (_theme() or Theme(app)).set_mode(mode, whole=True)


def icon(name: str, role: str = "text") -> QIcon:
    """A Phosphor icon (``moon``, ``gear`` …), drawn in the token ``role`` of the theme in force when painted."""
    return QIcon(_Glyph(name, role))


def program_icon() -> QIcon:
    """The program's own icon."""
    found = QIcon()
    for path in sorted((resources_root() / "icons").glob("headroom-*.png")):
        found.addFile(str(path))
    return found


def font(pixels: float = TEXT, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The system's font at a size in (logical) pixels, with figures of one width."""
    made = QFont(QGuiApplication.font().families())
    made.setPointSizeF(_points(pixels))
    made.setWeight(weight)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


class Theme(QObject):
    """The theme in force; a child of the application, which is also how it is found again."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app, self._mode, self.dark = app, "system", False
        self._painted = self._whole = False
        self._glyphs: tuple[str, dict[str, str]] | None = None
        QDir.addSearchPath("headroom-style", str(resources_root() / "style"))
        app.setStyle("Fusion")
        app.setFont(font())
        app.styleHints().colorSchemeChanged.connect(self._follow)

    def set_mode(self, mode: str, *, whole: bool = False) -> None:
        """``system``, ``light`` or ``dark``; anything else counts as ``system``. ``whole``: with the style sheet."""
        self._mode = mode if mode in MODES else "system"
        schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        # Title bars and file dialogs of the desktop follow this; the palette below is ours.
        self._app.styleHints().setColorScheme(schemes.get(self._mode, Qt.ColorScheme.Unknown))
        if whole and not self._whole:
            self._whole, self._painted = True, False
        self._paint()

    def glyphs(self) -> tuple[str, dict[str, str]]:
        """The icon font's family and its characters by name, loaded at first use."""
        if self._glyphs is None:
            folder = _icon_fonts()
            number = QFontDatabase.addApplicationFont(str(next(folder.glob("phosphor-*.ttf"))))
            names = json.loads(next(folder.glob("phosphor-charmap-*.json")).read_text(encoding="utf-8"))
            family = QFontDatabase.applicationFontFamilies(number)[0]
            self._glyphs = family, {name: chr(int(code, 16)) for name, code in names.items()}
        return self._glyphs

    def _follow(self) -> None:
        if self._mode == "system":
            self._paint()

    def _paint(self) -> None:
        scheme = self._app.styleHints().colorScheme()
        dark = self._mode == "dark" or (self._mode == "system" and scheme == Qt.ColorScheme.Dark)
        if self._painted and dark == self.dark:
            return
        self.dark, self._painted = dark, True
        colours = tokens(self.dark)
        self._app.setPalette(palette(colours))
        if self._whole:
            self._app.setStyleSheet(style_sheet(colours, self.dark))


def palette(colours: Tokens) -> QPalette:
    """The tokens as Qt's roles; what is disabled is soft but still legible."""
    roles = QPalette.ColorRole
    made = QPalette()
    for role, name in {
        roles.Window: "background", roles.WindowText: "text", roles.Base: "control", roles.AlternateBase: "panel",
        roles.Text: "text", roles.Button: "control", roles.ButtonText: "text", roles.BrightText: "bad",
        roles.Highlight: "accent", roles.HighlightedText: "on_accent", roles.Accent: "accent", roles.Link: "accent",
        roles.LinkVisited: "accent", roles.PlaceholderText: "text_soft", roles.ToolTipBase: "panel",
        roles.ToolTipText: "text", roles.Light: "panel", roles.Midlight: "line", roles.Mid: "line",
        roles.Dark: "text_soft", roles.Shadow: "line",
    }.items():  # fmt: skip
        made.setColor(role, colours.colour(name))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, colours.colour("text_soft"))
    return made


def style_sheet(colours: Tokens, dark: bool) -> str:
    """The style sheet with the tokens put in."""
    source = (resources_root() / "style" / "style.qss").read_text(encoding="utf-8")
    check = "check-dark.png" if dark else "check-light.png"
    sizes = {"small": f"{_points(SMALL):.2f}pt", "head": f"{_points(HEAD):.2f}pt"}
    return Template(source).substitute(vars(colours), check=check, **sizes)


def _points(pixels: float) -> float:
    """Logical pixels as points: Qt takes fractions only in points."""
    screen = QGuiApplication.primaryScreen()
    return pixels * 72 / (screen.logicalDotsPerInch() if screen else 96)


def _icon_fonts() -> Path:
    """qtawesome's fonts. The package is not imported: that loads Qt's modules a second time through qtpy, which
    takes as long as the rest of the window (tests/benchmarks/bench_startup.py)."""
    spec = importlib.util.find_spec("qtawesome")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("qtawesome", name="qtawesome")
    return Path(spec.submodule_search_locations[0]) / "fonts"


@cache
def _read_tokens() -> dict[str, Tokens]:
    data = json.loads((resources_root() / "style" / "tokens.json").read_text(encoding="utf-8"))
    return {name: Tokens(**values) for name, values in data.items()}


def _theme() -> Theme | None:
    app = QApplication.instance()
    return app.findChild(Theme) if app is not None else None


class _Glyph(QIconEngine):
    """Draws one character of the icon font; its colour is looked up at each painting, so themes change live."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name, self._role = name, role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        theme = _theme()
        if theme is None:
            return
        family, characters = theme.glyphs()
        drawn = QFont(family)
        drawn.setPixelSize(max(1, round(rect.height() * 0.96)))
        painter.save()
        painter.setPen(tokens().colour("text_soft" if mode == QIcon.Mode.Disabled else self._role))
        painter.setFont(drawn)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, characters[self._name])
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        made = QPixmap(size)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return made

    def clone(self) -> QIconEngine:
        return _Glyph(self._name, self._role)

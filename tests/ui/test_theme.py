"""Colours: contrast of every text pair, both themes complete, the system followed live, icons drawn in the theme."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.store.resources import resources_root
from app.ui import labels, theme

TEXTS = ("text", "text_soft", "good", "warn", "bad", "accent")
GROUNDS = ("background", "panel", "control")


@pytest.fixture(autouse=True)
def _light_again(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply(qapp, "light")


def luminance(colour: QColor) -> float:
    parts = [
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in colour.getRgbF()[:3]
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: QColor, other: QColor) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
def test_every_text_is_legible_on_every_ground(text: str, ground: str, dark: bool) -> None:
    colours = theme.tokens(dark)
    assert contrast(colours.colour(text), colours.colour(ground)) >= 4.5


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_selected_and_disabled_text_is_legible_too(dark: bool) -> None:
    colours = theme.tokens(dark)
    made = theme.palette(colours)
    assert contrast(colours.colour("on_accent"), colours.colour("accent")) >= 4.5
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        disabled = made.color(QPalette.ColorGroup.Disabled, role)
        assert all(contrast(disabled, colours.colour(ground)) >= 4.5 for ground in GROUNDS)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("part", ["resident", "streamed", "work", "reserve", "others"])
def test_the_plan_bar_s_parts_stand_out_from_their_ground(part: str, dark: bool) -> None:
    colours = theme.tokens(dark)
    assert contrast(colours.colour(part), colours.colour("control")) >= 3


def test_tokens_are_colours_and_all_places_of_the_style_sheet_are_filled() -> None:
    for dark in (False, True):
        colours = theme.tokens(dark)
        assert all(re.fullmatch("#[0-9a-f]{6}", getattr(colours, field.name)) for field in fields(colours))
        sheet = theme.style_sheet(colours, dark)
        assert "$" not in sheet
        for name in re.findall(r'url\("headroom-style:([^"]+)"\)', sheet):
            assert (resources_root() / "style" / name).is_file()


def test_no_colour_stands_outside_the_tokens() -> None:
    sheet = (resources_root() / "style" / "style.qss").read_text(encoding="utf-8")
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(", sheet)


def test_the_theme_changes_live(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light")
    label = labels.soft("text")
    qtbot.addWidget(label)
    label.show()
    light = label.palette().color(QPalette.ColorRole.WindowText)
    theme.apply(qapp, "dark")
    assert theme.tokens() == theme.tokens(True)
    assert label.palette().color(QPalette.ColorRole.WindowText) != light
    assert qapp.palette().color(QPalette.ColorRole.Window) == theme.tokens(True).colour("background")


def test_system_follows_the_desktop_and_a_choice_does_not(qapp: QApplication) -> None:
    theme.apply(qapp, "system")
    hints = qapp.styleHints()
    dark = hints.colorScheme() == Qt.ColorScheme.Dark
    assert theme.tokens() == theme.tokens(dark)
    theme.apply(qapp, "dark")
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme.tokens() == theme.tokens(True)


def test_icons_are_drawn_in_the_theme_in_force(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    moon = theme.icon("moon")

    def ink() -> QColor:
        image = moon.pixmap(32, 32).toImage()
        spots = ((x, y) for x in range(image.width()) for y in range(image.height()))
        return max((image.pixelColor(x, y) for x, y in spots), key=lambda colour: colour.alpha())

    light = ink()
    theme.apply(qapp, "dark")
    assert light.alpha() > 200
    assert luminance(ink()) > luminance(light) + 0.3


def test_the_program_has_an_icon_in_every_size(qapp: QApplication) -> None:
    assert {size.width() for size in theme.program_icon().availableSizes()} >= {16, 32, 48, 64, 128, 256, 512}
    for name in ("headroom.ico", "headroom.icns", "headroom.svg"):
        assert (resources_root() / "icons" / name).stat().st_size > 300


def test_fonts_have_the_sizes_of_the_design(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    pixels = theme.font().pointSizeF() * qapp.primaryScreen().logicalDotsPerInch() / 72
    assert pixels == pytest.approx(13)


def test_c74_tooltips_and_labels_show_markup_literally(qtbot: QtBot) -> None:
    prompt = "<b>cat</b> <img src=file:///etc/hostname> &lt;"
    label = labels.Elided(prompt)
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.text() == prompt
    shown = QLabel()
    qtbot.addWidget(shown)
    shown.setText(labels.plain_tip(prompt))
    assert "<img" not in label.toolTip()
    assert "&lt;img src" in label.toolTip()


def test_what_is_built_next_has_the_colours_and_the_style_sheet_comes_once(qapp: QApplication) -> None:
    before = qapp.findChild(theme.Theme)
    assert before is not None
    before.setParent(None)
    before.deleteLater()
    qapp.setStyleSheet("")
    theme.prepare(qapp, "dark")
    window = qapp.palette().color(QPalette.ColorRole.Window)
    assert (window, qapp.styleSheet()) == (theme.tokens(dark=True).colour("background"), "")
    theme.apply(qapp, "dark")
    assert qapp.styleSheet() == theme.style_sheet(theme.tokens(dark=True), dark=True)
    theme.prepare(qapp, "light")
    assert qapp.styleSheet() == theme.style_sheet(theme.tokens(dark=False), dark=False)


def test_wrapped_text_gives_back_the_height_that_it_no_longer_needs(qtbot: QtBot) -> None:
    label = labels.soft("one line that is long enough to be two in a narrow place")
    qtbot.addWidget(label)
    label.show()
    label.resize(120, 60)
    narrow = label.minimumHeight()
    label.resize(600, 60)
    assert 0 < label.minimumHeight() < narrow
    label.setText("")
    assert label.minimumHeight() == 0

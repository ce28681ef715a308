"""The viewer and its pictures: zoom, pan, previews that are copies, files that cannot be shown, large ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorKind
from app.ui.background import Background
from app.ui.empty_state import BUILT_IN, EmptyState
from app.ui.picture_view import PictureView, pyramid
from app.ui.pictures import SHOWN_MAX, load, preview_image, to_qimage
from app.ui.viewer import Viewer


@pytest.fixture
def viewer(qtbot: QtBot, background: Background) -> Viewer:
    made = Viewer(background)
    qtbot.addWidget(made)
    made.resize(640, 480)
    made.show()
    return made


@pytest.fixture
def view(qtbot: QtBot) -> PictureView:
    made = PictureView()
    qtbot.addWidget(made)
    made.resize(416, 316)
    made.show()
    image = QImage(1000, 500, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    made.show_picture(pyramid(image))
    return made


def shown(viewer: Viewer, qtbot: QtBot, path: Path) -> None:
    with qtbot.waitSignal(viewer.opened):
        viewer.open(path)


def test_a_picture_is_fitted_and_follows_the_window(view: PictureView) -> None:
    assert view.fitted
    assert view.zoom == pytest.approx(0.4)
    view.resize(216, 316)
    assert view.zoom == pytest.approx(0.2)


def test_a_small_picture_is_enlarged_at_most_four_times(view: PictureView) -> None:
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    view.show_picture(pyramid(image))
    assert view.zoom == 4.0


def test_zoom_stops_at_100_percent_on_its_way(view: PictureView) -> None:
    zooms = []
    view.zoom_changed.connect(lambda zoom, _fitted: zooms.append(zoom))
    for _ in range(8):
        view.zoom_in()
    assert 1.0 in zooms
    assert zooms == sorted(zooms)
    view.actual()
    assert (view.zoom, view.fitted) == (1.0, False)
    view.fit()
    assert view.fitted


def test_a_zoomed_picture_is_panned_within_its_edges(view: PictureView, qtbot: QtBot) -> None:
    view.actual()
    assert view.can_pan()
    before = view.target()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    qtbot.mouseMove(view, QPoint(230, 150))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(230, 150))
    assert view.target().x() == pytest.approx(before.x() + 30)
    for _ in range(40):
        qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.target().x() == pytest.approx(0)


def test_a_fitted_picture_is_dragged_out(view: PictureView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.drag_out):
        qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
        qtbot.mouseMove(view, QPoint(260, 150))


@pytest.mark.parametrize(("key", "zoom"), [(Qt.Key.Key_1, 1.0), (Qt.Key.Key_0, 0.4), (Qt.Key.Key_Plus, 0.5)])
def test_keys_zoom(view: PictureView, qtbot: QtBot, key: Qt.Key, zoom: float) -> None:
    qtbot.keyClick(view, key)
    assert view.zoom == pytest.approx(zoom)


def test_painting_never_scales_down_by_more_than_two() -> None:
    image = QImage(4000, 3000, QImage.Format.Format_RGB32)
    levels = pyramid(image)
    for zoom in (1.0, 0.6, 0.3, 0.2):
        wanted = 4000 * zoom
        assert wanted <= levels.level(zoom).width() <= max(2 * wanted, 768)


def test_c196_a_row_of_five_pixels_is_five_pixels() -> None:
    rows = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    for image in (preview_image(rows.tobytes(), 5, 4), to_qimage(Image.fromarray(rows))):
        assert image.pixelColor(0, 1).getRgb()[:3] == (15, 16, 17)


def test_c197_a_preview_keeps_its_pixels_when_the_buffer_is_used_again() -> None:
    block = bytearray(bytes([200]) * 8 * 8 * 3)
    image = preview_image(block, 8, 8)  # type: ignore[arg-type]
    block[:] = bytes(len(block))
    assert image.pixelColor(0, 0).red() == 200


@pytest.mark.parametrize(("width", "height", "size"), [(0, 4, 100), (4, 4, 10), (-1, 4, 100)])
def test_a_preview_of_the_wrong_length_is_passed_over(
    viewer: Viewer, width: int, height: int, size: int
) -> None:
    viewer.show_preview(bytes(size), width, height, QSize(64, 64))
    assert viewer.view.isHidden() or not viewer.view.isVisible()


def test_c198_a_large_picture_is_shown_scaled(viewer: Viewer, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    Image.new("L", (9000, 9000), 77).save(path)
    opened = load(path)
    assert (opened.width, opened.height) == (9000, 9000)
    assert opened.picture.size.width() == SHOWN_MAX
    assert not opened.picture.levels[0].isNull()


def test_c88_a_bomb_is_refused_with_its_size(viewer: Viewer, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    Image.new("1", (20000, 20000)).save(path)
    with qtbot.waitSignal(viewer.failed) as caught:
        viewer.open(path)
    problem = caught.args[0]
    assert problem.kind is ErrorKind.PICTURE_TOO_LARGE
    assert problem.fact("width") == 20000


def test_only_the_last_picture_asked_for_is_shown(
    viewer: Viewer, qtbot: QtBot, tmp_path: Path, make_picture: Callable[..., Path]
) -> None:
    first, second = make_picture(tmp_path / "a.png"), make_picture(tmp_path / "b.png")
    viewer.open(first)
    shown(viewer, qtbot, second)
    assert viewer.path == second


def test_the_picture_is_copied_with_its_file(
    viewer: Viewer, qtbot: QtBot, tmp_path: Path, make_picture: Callable[..., Path]
) -> None:
    path = make_picture(tmp_path / "a # b%20.png")
    shown(viewer, qtbot, path)
    viewer.copy()
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert [Path(url.toLocalFile()) for url in data.urls()] == [path]


def test_tools_are_there_only_for_a_finished_picture(
    viewer: Viewer, qtbot: QtBot, tmp_path: Path, make_picture: Callable[..., Path]
) -> None:
    save = next(tool for tool in viewer.controls() if tool.accessibleName() == "Save as…")
    viewer.show_preview(bytes(12), 2, 2, QSize(64, 64))
    assert not save.isEnabled()
    shown(viewer, qtbot, make_picture(tmp_path / "a.png"))
    assert save.isEnabled()
    viewer.show_empty()
    assert not save.isVisible()


def test_the_first_state_says_what_the_model_draws_and_offers_prompts(qtbot: QtBot) -> None:
    state = EmptyState()
    qtbot.addWidget(state)
    state.show_model("Shapes", "Flat shapes.", ["one & two", "three", "four", "five"])
    buttons = [button for button in state.findChildren(QPushButton) if not button.isHidden()]
    assert [button.accessibleName() for button in buttons] == ["one & two", "three", "four"]
    with qtbot.waitSignal(state.prompt_chosen) as caught:
        buttons[0].click()
    assert caught.args == ["one & two"]


def test_what_the_built_in_model_draws_is_among_the_translated_sentences(demo_model: Path) -> None:
    draws = json.loads((demo_model / "headroom.json").read_text(encoding="utf-8"))["draws"]
    assert draws in [text.source for text in BUILT_IN]

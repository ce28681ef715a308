"""The strip of results."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.ui.background import Background
from app.ui.gallery import Gallery, Result


@pytest.fixture
def gallery(qtbot: QtBot, background: Background) -> Gallery:
    made = Gallery(background)
    qtbot.addWidget(made)
    made.resize(800, 130)
    made.show()
    return made


def thumbnail(gallery: Gallery, place: int) -> object:
    return gallery.results.index(place).data(Qt.ItemDataRole.DecorationRole)


def test_c90_bad_files_get_a_placeholder_and_hide_no_others(
    gallery: Gallery, qtbot: QtBot, tmp_path: Path, make_picture: Callable[..., Path]
) -> None:
    good = make_picture(tmp_path / "good.png")
    (tmp_path / "zero.png").write_bytes(b"")
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "cut.jpg").write_bytes(b"\xff\xd8\xff\xe0cut")
    names = ["zero.png", "text.png", "folder.png", "cut.jpg", "gone.png"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo.png")
        names.append("fifo.png")
    paths = [good, *(tmp_path / name for name in names)]
    gallery.results.reset(Result(path, "job") for path in paths)
    for place in range(len(paths)):
        thumbnail(gallery, place)
    qtbot.waitUntil(lambda: isinstance(thumbnail(gallery, 0), QImage))
    qtbot.waitUntil(lambda: all(gallery.results.unreadable(path) for path in paths[1:]))
    gallery.grab()
    assert not gallery.results.unreadable(good)


def test_the_newest_stands_first(gallery: Gallery) -> None:
    for name in "abc":
        gallery.results.put_first(Result(Path(name), name))
    assert [result.job for result in gallery.results.results()] == ["c", "b", "a"]
    gallery.results.remove(Path("b"))
    assert [result.job for result in gallery.results.results()] == ["c", "a"]


def test_arrows_choose_and_enter_opens(gallery: Gallery, qtbot: QtBot) -> None:
    gallery.results.reset(Result(Path(name), name) for name in "abc")
    chosen: list[str] = []
    gallery.chosen.connect(lambda result: chosen.append(result.job))
    gallery.select(Path("a"))
    qtbot.keyClick(gallery, Qt.Key.Key_Right)
    qtbot.keyClick(gallery, Qt.Key.Key_Return)
    assert chosen == ["a", "b", "b"]


def test_results_are_dragged_out_as_files(gallery: Gallery) -> None:
    paths = [Path("/a/b#c.png"), Path("/a/d%20e.png")]
    gallery.results.reset(Result(path, "job") for path in paths)
    indexes = [gallery.results.index(place) for place in range(2)]
    data = gallery.results.mimeData(indexes)
    assert [Path(url.toLocalFile()) for url in data.urls()] == paths
    assert gallery.results.flags(indexes[0]) & Qt.ItemFlag.ItemIsDragEnabled


def test_c74_a_prompt_is_no_markup_in_the_strips_tooltip(gallery: Gallery) -> None:
    prompt = "<b>cat</b> <img src=file:///etc/hostname> &lt;"
    gallery.results.reset([Result(Path("a.png"), "job", prompt)])
    tip = str(gallery.results.index(0).data(Qt.ItemDataRole.ToolTipRole))
    assert "&lt;b&gt;cat" in tip
    assert "<img" not in tip
    assert prompt in gallery.results.index(0).data(Qt.ItemDataRole.AccessibleTextRole)

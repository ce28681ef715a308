"""What surrounds the window: models, drops, results on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QMessageBox,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorKind
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, Lora
from app.media.metadata import PictureInfo
from app.media.open import open_picture
from app.media.png import write_png
from app.ui import result_actions
from app.ui.drops import Kind, dropped_path, kind_of

if TYPE_CHECKING:
    from conftest import Studio
else:
    Studio = Any


def drop(window: QWidget, *urls: QUrl) -> bool:
    data = QMimeData()
    data.setUrls(list(urls))
    action, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPointF(9, 9).toPoint(), action, data, left, none)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), action, data, left, none))
    return enter.isAccepted()


# ---------------------------------------------------------------- models


def test_a_model_that_is_opened_brings_its_own_values(
    studio: Studio, qtbot: QtBot, tmp_path: Path, make_model: Any
) -> None:
    window = studio.open().window
    other = make_model(tmp_path / "models" / "Other", side=256)
    with qtbot.waitSignal(studio.program.session.model_changed):
        window.header.models.chosen.emit(other)
    assert window.prompt.values().width == 256
    assert window.header.models.current_path() == other
    studio.generate()
    assert studio.link.runs[0].request.model == str(other)


def test_a_model_that_cannot_be_opened_leaves_the_chosen_one(
    studio: Studio, qtbot: QtBot, tmp_path: Path
) -> None:
    window = studio.open().window
    (tmp_path / "empty").mkdir()
    with qtbot.waitSignal(studio.program.session.model_changed):
        window.header.models.chosen.emit(tmp_path / "empty")
    assert window.errors.problem.kind is ErrorKind.MODEL_EMPTY
    assert window.header.models.current_path() == studio.model
    studio.generate()
    assert studio.link.runs


def test_found_models_are_listed_with_a_verdict(studio: Studio, qtbot: QtBot, tmp_path: Path) -> None:
    bad = tmp_path / "models" / "Bad"
    bad.mkdir()
    (bad / "model_index.json").write_text("{")
    window = studio.open(model_folders=(str(tmp_path / "models"),)).window
    box = next(found for found in window.findChildren(QComboBox) if found.accessibleName() == "Model")
    qtbot.waitUntil(lambda: box.findText("Light") >= 0 and box.findText("Bad") >= 0)
    verdicts = {entry.name: studio.program._verdict(entry) for entry in studio.program._entries}
    assert verdicts["Light"].startswith("Fits")
    assert verdicts["Bad"]
    assert not verdicts["Bad"].startswith("Fits")


# ---------------------------------------------------------------- drops


def test_c122_a_dropped_picture_with_hash_and_percent_is_found(
    studio: Studio, qtbot: QtBot, tmp_path: Path
) -> None:
    window = studio.open().window
    path = studio.picture("a#b%20 c.png")
    assert drop(window, QUrl.fromLocalFile(str(path)))
    qtbot.waitUntil(lambda: window.viewer.path == path)
    qtbot.waitUntil(lambda: window.notices.text == "There are no settings in this picture.")


def test_c122_web_addresses_and_other_files_are_passed_over(studio: Studio, tmp_path: Path) -> None:
    window = studio.open().window
    assert not drop(window, QUrl("https://example.org/a.png"))
    (tmp_path / "a.lnk").write_bytes(b"x")
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "a.lnk")))
    assert "neither a model nor a picture" in window.notices.text
    assert not window.errors.isVisible()


def test_c122_of_500_files_one_is_taken(tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls(
        [QUrl("https://a.b/c"), *(QUrl.fromLocalFile(str(tmp_path / f"{n}.png")) for n in range(500))]
    )
    assert dropped_path(data) == tmp_path / "0.png"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.PNG", Kind.PICTURE),
        ("m.safetensors", Kind.MODEL),
        ("m.ckpt", Kind.MODEL),
        ("a.txt", Kind.OTHER),
        (".", Kind.MODEL),
    ],
)
def test_what_a_path_is_for(tmp_path: Path, name: str, kind: Kind) -> None:
    assert kind_of(tmp_path / name) is kind


def test_a_dropped_model_is_opened(studio: Studio, qtbot: QtBot, tmp_path: Path, make_model: Any) -> None:
    window = studio.open().window
    other = make_model(tmp_path / "models" / "a # b%20")
    with qtbot.waitSignal(studio.program.session.model_changed):
        drop(window, QUrl.fromLocalFile(str(other)))
    assert studio.program.session.model.path == other


# ---------------------------------------------------------------- results on disk


def finished(studio: Studio, qtbot: QtBot) -> Path:
    studio.generate()
    path = studio.finish()
    qtbot.waitUntil(lambda: studio.window.viewer.path == path)
    return path


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp"])
def test_save_as_writes_another_file(studio: Studio, qtbot: QtBot, tmp_path: Path, suffix: str) -> None:
    path = finished(studio.open(), qtbot)
    target = tmp_path / f"copy.{suffix}"
    studio.program.results.actions.save_to(path, target)
    qtbot.waitUntil(lambda: studio.window.notices.text == f"Saved as {target}")
    assert open_picture(target).size == open_picture(path).size


def test_save_as_into_nowhere_says_why(studio: Studio, qtbot: QtBot, tmp_path: Path) -> None:
    path = finished(studio.open(), qtbot)
    studio.program.results.actions.save_to(path, tmp_path / "missing" / "copy.png")
    qtbot.waitUntil(studio.window.errors.isVisible)
    assert studio.window.errors.problem.kind is ErrorKind.FOLDER_MISSING


@pytest.mark.parametrize("gone", [True, False])
def test_delete_asks_and_uses_the_trash(
    studio: Studio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    path = finished(studio.open(), qtbot)
    trashed: list[Path] = []

    def trash(asked: Path) -> bool:
        trashed.append(asked)
        return gone

    monkeypatch.setattr(result_actions, "to_trash", trash)
    studio.window.gallery.setFocus()
    studio.window.viewer.delete_asked.emit()
    box = studio.window.findChild(QMessageBox)
    assert path.name in box.text()
    assert box.textFormat() == Qt.TextFormat.PlainText
    next(button for button in box.findChildren(QPushButton) if button.text() == "Move to trash").click()
    if gone:
        qtbot.waitUntil(studio.window.viewer.empty.isVisible)
        assert studio.window.gallery.results.rowCount() == 0
    else:
        qtbot.waitUntil(lambda: "left where it is" in studio.window.notices.text)
    assert trashed == [path]


def test_the_settings_of_a_picture_are_taken_again(studio: Studio, qtbot: QtBot) -> None:
    window = studio.open().window
    request = GenerationRequest(
        model=str(studio.model), prompt="a <b>red</b> circle", negative="blue", width=192, height=64, steps=7,
        guidance=3.5, seed=2**64 - 1, count=3,
    )  # fmt: skip
    info = PictureInfo(
        request=request, plan=Plan(family="f", device="cpu", dtype=Dtype.FLOAT32), seed=1, index=2
    )
    import numpy as np

    pixels = np.zeros((64, 192, 3), np.uint8)
    path = write_png(pixels, studio.paths.pictures / "a.png", info)
    window.viewer.open(path)
    qtbot.waitUntil(lambda: window.viewer.path == path)
    window.viewer.reuse_asked.emit()
    values = window.prompt.values()
    assert (values.prompt, values.negative, values.width, values.height) == (request.prompt, "blue", 192, 64)
    assert (values.steps, values.guidance, values.seed, values.seed_locked, values.count) == (
        7,
        3.5,
        1,
        True,
        1,
    )


def test_a_pictures_lora_files_are_found_by_their_names(studio: Studio, qtbot: QtBot) -> None:
    """A picture names no folders; what was used here before is known, and what is not is said."""
    import numpy as np

    window = studio.open().window
    window.prompt.set_values(replace(window.prompt.values(), loras=(Lora("/l/style.v1.safetensors", 1.0),)))
    request = GenerationRequest(
        model=str(studio.model), prompt="a fox", width=64, height=64, steps=4, guidance=4.0, seed=1,
        loras=(Lora("/elsewhere/style.v1.safetensors", 0.25), Lora("/elsewhere/gone.safetensors")),
    )  # fmt: skip
    info = PictureInfo(request=request, plan=Plan(family="f", device="cpu", dtype=Dtype.FLOAT32), seed=1)
    path = write_png(np.zeros((64, 64, 3), np.uint8), studio.paths.pictures / "a.png", info)
    window.viewer.open(path)
    qtbot.waitUntil(lambda: window.viewer.path == path)
    window.viewer.reuse_asked.emit()
    assert window.prompt.values().loras == (Lora("/l/style.v1.safetensors", 0.25),)
    assert "gone.safetensors" in window.notices.text


def test_a_lora_that_is_not_there_is_said_when_generate_is_pressed(studio: Studio) -> None:
    window = studio.open().window
    window.prompt.set_values(replace(window.prompt.values(), loras=(Lora("/l/none.safetensors"),)))
    studio.generate()
    assert studio.link.runs == []
    assert window.errors.isVisible()


def test_results_of_earlier_runs_come_back_without_those_that_are_gone(studio: Studio, qtbot: QtBot) -> None:
    finished(studio.open(), qtbot)
    studio.generate()
    second = studio.finish("b.png")
    (studio.paths.pictures / "a.png").unlink()
    studio.close()
    window = studio.open().window
    qtbot.waitUntil(lambda: [result.path for result in window.gallery.results.results()] == [second])
    qtbot.waitUntil(lambda: window.viewer.path == second)
    assert window.prompt._pace.text() == "about 2 s"


def test_a_home_in_the_output_folder_is_the_persons_own(studio: Studio) -> None:
    program = studio.open(output_folder="~/pictures of mine").program
    assert program.session.folder == Path.home() / "pictures of mine"

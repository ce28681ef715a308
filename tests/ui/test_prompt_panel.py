"""The prompt panel's values: exact, snapped in sight, and complained of in place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QToolButton,
)
from pytestqt.qtbot import QtBot

from app.core.request import Limits, Lora, Size
from app.ui.lora_list import LoraList
from app.ui.prompt_panel import PromptPanel
from app.ui.values import ASPECTS, Values, aspect_size, values_from_json, values_of, values_to_json
from app.ui.widgets import Note


@pytest.fixture
def panel(qtbot: QtBot) -> PromptPanel:
    made = PromptPanel()
    qtbot.addWidget(made)
    made.set_limits(Limits(width=1024, height=1024))
    made.resize(320, 700)
    made.show()
    return made


def seed_edit(panel: PromptPanel) -> QLineEdit:
    return next(edit for edit in panel.findChildren(QLineEdit) if edit.accessibleName() == "Seed")


def box(panel: PromptPanel, name: str) -> QSpinBox:
    return next(found for found in panel.findChildren(QSpinBox) if found.accessibleName() == name)


def notes(panel: PromptPanel) -> list[str]:
    return [note.text() for note in panel.findChildren(Note) if note.isVisible()]


def test_values_come_back_as_they_were_set(panel: PromptPanel) -> None:
    values = Values(
        prompt="a\nb",
        negative="c",
        width=768,
        height=1152,
        steps=31,
        guidance=6.5,
        seed=5,
        seed_locked=True,
        count=3,
    )
    panel.set_values(values)
    assert panel.values() == values


@pytest.mark.parametrize("seed", [0, 2147483648, 4294967301, 2**53 + 1, 2**63, 2**64 - 1])
def test_c65_seeds_of_64_bits_are_kept_exactly(panel: PromptPanel, qtbot: QtBot, seed: int) -> None:
    edit = seed_edit(panel)
    edit.clear()
    qtbot.keyClicks(edit, str(seed))
    assert panel.values().seed == seed
    assert panel.values().seed_locked, "who types a seed wants that one"
    again = values_from_json(values_to_json(panel.values()), Values())
    assert again.seed == seed


@pytest.mark.parametrize("typed", ["-1", str(2**64), "1.5", "0x10", "", "seven"])
def test_c65_what_is_no_seed_is_refused_with_the_range(panel: PromptPanel, qtbot: QtBot, typed: str) -> None:
    edit = seed_edit(panel)
    edit.clear()
    qtbot.keyClicks(edit, typed)
    assert panel.values().seed is None
    panel.complain_seed()
    assert notes(panel) == ["A seed is a whole number from 0 to 18446744073709551615."]


@pytest.mark.parametrize("typed", [" 7 ", "٧", "007"])
def test_c65_blanks_and_other_digits_are_the_same_seed(panel: PromptPanel, typed: str) -> None:
    QApplication.clipboard().setText(typed)
    edit = seed_edit(panel)
    edit.clear()
    edit.paste()
    assert panel.values().seed == 7


def test_the_dice_draw_and_the_lock_keeps(panel: PromptPanel) -> None:
    panel.set_values(replace(panel.values(), seed=1, seed_locked=False))
    names = {"Draw a new seed", "Keep this seed"}
    dice, lock = sorted(
        (button for button in panel.controls() if button.accessibleName() in names),
        key=lambda button: button.accessibleName(),
    )
    dice.click()  # type: ignore[attr-defined]
    assert panel.values().seed != 1
    lock.click()  # type: ignore[attr-defined]
    assert panel.values().seed_locked


@pytest.mark.parametrize(
    ("typed", "used"), [(1000, 1000), (1001, 1000), (1005, 1008), (1, 64), (60000, 8192)]
)
def test_an_odd_size_is_snapped_in_sight(panel: PromptPanel, typed: int, used: int) -> None:
    width = box(panel, "Width in pixels")
    width.setValue(typed)
    assert (panel.values().width, width.value()) == (used, used)
    assert bool(notes(panel)) == (typed != used)
    if typed != used:
        assert str(used) in notes(panel)[0]


@pytest.mark.parametrize("aspect", ASPECTS)
def test_shapes_have_the_models_own_area(aspect: tuple[int, int]) -> None:
    size = aspect_size(aspect, Limits(width=1024, height=1024, factor=8))
    assert size.width % 8 == size.height % 8 == 0
    assert size.width * size.height == pytest.approx(1024 * 1024, rel=0.02)
    assert size.width / size.height == pytest.approx(aspect[0] / aspect[1], rel=0.02)


def test_a_shape_is_chosen_and_swapped(panel: PromptPanel) -> None:
    shape = next(found for found in panel.findChildren(QComboBox) if found.accessibleName() == "Shape")
    shape.setCurrentIndex(ASPECTS.index((16, 9)))
    shape.activated.emit(ASPECTS.index((16, 9)))
    assert Size(panel.values().width, panel.values().height) == Size(1368, 768)
    next(c for c in panel.controls() if c.accessibleName() == "Swap width and height").click()  # type: ignore[attr-defined]
    assert Size(panel.values().width, panel.values().height) == Size(768, 1368)
    assert shape.currentData() == (9, 16)


def test_another_model_brings_its_limits(panel: PromptPanel) -> None:
    panel.set_limits(Limits(width=128, height=128, factor=16, steps_max=50, negative=False, largest=256))
    values = panel.values()
    assert values.width == values.height == 256
    assert box(panel, "Steps").maximum() == 50
    edits = {edit.accessibleName(): edit for edit in panel.findChildren(QPlainTextEdit)}
    assert not edits["Negative prompt"].isVisible()
    guidance = next(
        field for field in panel.findChildren(QDoubleSpinBox) if field.accessibleName() == "Guidance"
    )
    assert guidance.isVisible()
    panel.set_limits(Limits(guided=False, guidance=0))
    assert not guidance.isVisible()


def test_c77_what_the_field_makes_of_text_is_stable(panel: PromptPanel) -> None:
    panel.set_prompt("a\u00a0b\ufeff\u2028c\u2029d\re")
    once = panel.values().prompt
    panel.set_prompt("")
    panel.set_prompt(once)
    assert panel.values().prompt == once


def test_a_dropped_file_is_left_to_the_window(panel: PromptPanel) -> None:
    files, text = QMimeData(), QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(Path("/a/b.png")))])
    text.setText("a red circle")
    edit = panel.findChildren(QPlainTextEdit)[0]
    assert not edit.canInsertFromMimeData(files)
    assert edit.canInsertFromMimeData(text)


def test_the_wheel_over_a_field_without_focus_changes_nothing(panel: PromptPanel) -> None:
    steps = box(panel, "Steps")
    before = steps.value()
    panel.focus_prompt()
    event = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(steps, event)
    assert steps.value() == before


def test_a_complaint_goes_once_something_is_written(panel: PromptPanel) -> None:
    panel.complain_prompt("Write something.")
    assert notes(panel) == ["Write something."]
    panel.set_prompt("a")
    assert notes(panel) == []


@pytest.mark.parametrize(
    "bad",
    [
        {"width": "x"},
        {"steps": 0},
        {"guidance": float("nan")},
        {"seed": 2**64},
        {"count": True},
        {"prompt": 3},
    ],
)
def test_nonsense_in_remembered_values_is_passed_over(bad: dict[str, object]) -> None:
    assert values_from_json(bad, Values(seed=3)) == Values(seed=3)


CLIPS = Limits(
    width=720, height=480, factor=16, frames=49, frames_factor=8, frames_max=49, fps=8,
    tasks=("text-to-video", "video-to-video"),
)  # fmt: skip


def test_frames_show_only_for_models_that_make_clips(panel: PromptPanel) -> None:
    frames = box(panel, "Frames")
    assert not frames.isVisible()
    request = panel.values().request("m", Limits())
    assert (request.task, request.frames, request.fps) == ("text-to-image", 1, 0)
    panel.set_limits(CLIPS)
    assert frames.isVisible()
    assert (frames.value(), frames.maximum()) == (49, 49)
    request = panel.values().request("m", CLIPS)
    assert (request.task, request.frames, request.fps) == ("text-to-video", 49, 8)
    panel.set_limits(Limits())
    assert not frames.isVisible()
    assert panel.values().frames == 0


def test_a_clips_values_come_back_as_they_were_set(panel: PromptPanel) -> None:
    panel.set_limits(CLIPS)
    values = replace(panel.values(), frames=17, fps=12.5, seed=5, seed_locked=True)
    panel.set_values(values)
    assert panel.values() == values
    assert values_from_json(values_to_json(values), Values()) == values
    panel.set_values(replace(values, frames=0, fps=0))  # the model's own
    assert (panel.values().frames, panel.values().fps) == (49, 8)


def test_typed_frames_are_told(panel: PromptPanel, qtbot: QtBot) -> None:
    panel.set_limits(CLIPS)
    with qtbot.waitSignal(panel.changed):
        box(panel, "Frames").setValue(25)
    assert panel.values().frames == 25


@pytest.mark.parametrize(("name", "bad"), [("frames", -1), ("frames", 2.5), ("fps", 1e9), ("fps", "8")])
def test_frames_that_are_none_are_not_taken_from_settings(name: str, bad: object) -> None:
    assert values_from_json({name: bad}, Values()) == Values()


def test_a_finished_clip_gives_its_values_back() -> None:
    request = replace(Values(prompt="x", seed=3).request("m", CLIPS), frames=17, fps=12)
    assert (values_of(request).frames, values_of(request).fps) == (17, 12)
    picture = Values(prompt="x", seed=3).request("m", Limits())
    assert (values_of(picture).frames, values_of(picture).fps) == (0, 0)


def test_lora_files_are_listed_weighted_and_taken_out(panel: PromptPanel, qtbot: QtBot) -> None:
    lines = panel.findChild(LoraList)
    with qtbot.waitSignal(panel.changed):
        lines.add("/loras/style.v1.safetensors")
    lines.add("/loras/thing.safetensors")
    weight = next(
        found
        for found in panel.findChildren(QDoubleSpinBox)
        if found.accessibleName() == "Weight of style.v1"
    )
    with qtbot.waitSignal(panel.changed):
        weight.setValue(-0.5)
    loras = (Lora("/loras/style.v1.safetensors", -0.5), Lora("/loras/thing.safetensors"))
    assert panel.values().loras == loras
    assert values_from_json(values_to_json(panel.values()), Values()).loras == loras
    assert values_of(panel.values().request("m", Limits())).loras == loras
    remove = next(
        found for found in panel.findChildren(QToolButton) if found.accessibleName() == "Remove style.v1"
    )
    remove.setFocus()
    qtbot.keyClick(remove, Qt.Key.Key_Space)
    assert panel.values().loras == loras[1:]
    panel.set_values(replace(panel.values(), loras=loras))
    assert panel.values().loras == loras


def test_lora_fields_are_reached_in_their_order_by_tab(panel: PromptPanel, qtbot: QtBot) -> None:
    panel.findChild(LoraList).add("/loras/style.safetensors")
    panel.activateWindow()
    with qtbot.waitActive(panel):
        pass
    chain, found = panel.findChild(LoraList).controls(), []
    chain[0].setFocus()
    for _ in chain:
        found.append(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert found == chain

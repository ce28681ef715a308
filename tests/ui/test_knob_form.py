"""The derived form: every knob has its row, only a person's change is told, refusals are disabled with the reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import knobs_of
from app.core.memory import MemorySettings
from app.core.text import say
from app.core.units import GIB
from app.ui.knob_form import KnobForm
from app.ui.size_editor import SizeEditor
from app.ui.text_editors import FolderEditor
from app.ui.translate import words

CARD = DeviceSheet(id="cuda:0", name="NVIDIA RTX A", total=12 * GIB, free=10 * GIB)
OTHER = DeviceSheet(id="cuda:1", name="NVIDIA RTX B", total=8 * GIB, free=6 * GIB)
CPU = DeviceSheet(id="cpu", name="Processor", total=32 * GIB, free=16 * GIB)
MACHINE = Hardware(devices=(CARD, OTHER, CPU))
WHY = say("core", "Apple's GPUs have no 8-bit float format.")
NO_OFFLOAD = {
    ("offload", choice): WHY
    for choice, _ in knobs_of(MemorySettings)["offload"].choices
    if choice not in ("auto", "none")
}


@pytest.fixture
def form(qtbot: QtBot) -> KnobForm:
    made = KnobForm(MemorySettings())
    qtbot.addWidget(made)
    made.set_hardware(MACHINE, CARD)
    made.show()
    return made


@pytest.fixture
def told(form: KnobForm) -> list[Any]:
    seen: list[Any] = []
    form.changed.connect(seen.append)
    return seen


def combo(form: KnobForm, name: str) -> QComboBox:
    found = form.row(name).editor.focus_widget()
    assert isinstance(found, QComboBox)
    return found


def size(form: KnobForm, name: str) -> SizeEditor:
    found = form.row(name).editor
    assert isinstance(found, SizeEditor)
    return found


def test_open_and_advanced_knobs_are_all_there(form: KnobForm, qtbot: QtBot) -> None:
    rest = KnobForm(MemorySettings(), grouped=True)
    qtbot.addWidget(rest)
    for name, knob in knobs_of(MemorySettings).items():
        row = (rest if knob.group is not None else form).row(name)
        target = row.editor.focus_widget()
        assert target.accessibleName() == words(knob.label)
        assert words(knob.price) in target.accessibleDescription()
        assert ("picture may differ" in target.accessibleDescription()) == knob.lossy


def test_showing_values_tells_nothing(form: KnobForm, told: list[Any]) -> None:
    form.set_values(MemorySettings(device="cuda:1", max_memory="6GiB", offload="model", vae_tiling="on"))
    form.set_hardware(None, None)
    form.set_hardware(MACHINE, OTHER)
    form.set_refusals({("offload", "model"): WHY})
    assert told == []
    assert form.values.offload == "model"


def test_a_choice_by_keyboard_is_told_once(form: KnobForm, told: list[Any], qtbot: QtBot) -> None:
    qtbot.keyClick(combo(form, "offload"), Qt.Key.Key_Down)
    assert told == [MemorySettings(offload="none")]


def test_the_wheel_scrolls_the_panel_and_changes_nothing(form: KnobForm, told: list[Any]) -> None:
    for name in ("offload", "device"):
        target = combo(form, name)
        place = QPointF(5, 5)
        wheel = QWheelEvent(
            place, target.mapToGlobal(place), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(target, wheel)
        assert not wheel.isAccepted()
    assert told == []


def test_single_choices_are_disabled_with_the_reason(form: KnobForm) -> None:
    form.set_refusals({("offload", "sequential"): WHY})
    box = combo(form, "offload")
    model = box.model()
    assert isinstance(model, QStandardItemModel)
    item = model.item(box.findData("sequential"))
    assert not item.isEnabled()
    assert words(WHY) in item.toolTip()
    assert form.row("offload").reason() == f"Not here: Sequential. {words(WHY)}"
    assert box.isEnabled()
    form.set_refusals({})
    assert item.isEnabled()
    assert form.row("offload").reason() == ""


def test_a_control_without_a_choice_left_is_disabled_with_the_reason(form: KnobForm) -> None:
    form.set_refusals(NO_OFFLOAD)
    assert not combo(form, "offload").isEnabled()
    assert form.row("offload").reason() == words(WHY)
    assert words(WHY) in combo(form, "offload").accessibleDescription()
    form.set_refusals({("vae_tiling", "*"): WHY})
    assert not combo(form, "vae_tiling").isEnabled()
    assert combo(form, "offload").isEnabled()


def test_a_refused_value_that_is_set_stays_changeable(form: KnobForm) -> None:
    form.set_values(MemorySettings(offload="model"))
    form.set_refusals(NO_OFFLOAD)
    assert combo(form, "offload").isEnabled()


def test_devices_are_named_with_their_memory(form: KnobForm, told: list[Any], qtbot: QtBot) -> None:
    box = combo(form, "device")
    assert [box.itemText(index) for index in range(box.count())] == [
        "Auto (RTX A)",
        "NVIDIA RTX A · 12.0 GiB",
        "NVIDIA RTX B · 8.0 GiB",
        "Processor · 32.0 GiB",
    ]
    box.setCurrentIndex(2)
    assert told == [MemorySettings(device="cuda:1")]


def test_c42_a_saved_device_that_is_missing_is_shown_as_such(form: KnobForm, told: list[Any]) -> None:
    form.set_values(MemorySettings(device="cuda:7"))
    assert combo(form, "device").currentText() == "cuda:7 (not found)"
    form.set_hardware(None, None)
    assert combo(form, "device").currentText() == "cuda:7"
    form.set_hardware(MACHINE, CARD)
    combo(form, "device").setCurrentIndex(0)
    assert told == [MemorySettings()]


def test_c42_another_spelling_of_a_device_means_the_same(form: KnobForm) -> None:
    form.set_values(MemorySettings(device="cuda"))
    assert combo(form, "device").currentText() == "NVIDIA RTX A · 12.0 GiB"


@pytest.mark.parametrize(
    ("typed", "value", "shown"),
    [
        ("10 GiB", "10GiB", "10 GiB"),
        ("10", "10GiB", "10 GiB"),
        ("80 %", "80%", "80 %"),
        ("2,5", "2,5GiB", "2.5 GiB"),
        ("512MiB", "512MiB", "0.5 GiB"),
    ],
)
def test_sizes_as_people_type_them(
    form: KnobForm, told: list[Any], typed: str, value: str, shown: str
) -> None:
    field = size(form, "max_memory").focus_widget()
    assert isinstance(field, QLineEdit)
    field.setText(typed)
    field.editingFinished.emit()
    assert told == [MemorySettings(max_memory=value)]
    assert field.text() == shown


@pytest.mark.parametrize("typed", ["ten", "-3", "0", "120%", "1e999", "NaN", "<b>1</b>"])
def test_what_is_no_size_is_put_back_and_said(form: KnobForm, told: list[Any], typed: str) -> None:
    field = size(form, "max_memory").focus_widget()
    assert isinstance(field, QLineEdit)
    field.setText(typed)
    field.editingFinished.emit()
    assert told == []
    assert field.text() == "Auto"
    assert typed in form.row("max_memory").reason()
    field.setText("4")
    field.editingFinished.emit()
    assert form.row("max_memory").reason() == ""


def test_the_slider_covers_the_device_and_ends_in_auto(form: KnobForm, told: list[Any], qtbot: QtBot) -> None:
    slider = size(form, "max_memory").slider()
    assert slider.value() == slider.maximum()
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert told[-1] == MemorySettings(max_memory="12GiB")
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    assert told[-1] == MemorySettings(max_memory="0.25GiB")
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert told[-1] == MemorySettings()


def test_bounds_follow_the_device(form: KnobForm) -> None:
    form.set_values(MemorySettings(max_memory="6GiB"))
    slider = size(form, "max_memory").slider()
    first = slider.value() / slider.maximum()
    form.set_hardware(MACHINE, OTHER)
    assert slider.value() / slider.maximum() > first
    form.set_hardware(None, None)
    assert not slider.isEnabled()
    assert form.values.max_memory == "6GiB"


def test_a_reserve_has_auto_at_its_lower_end(qtbot: QtBot) -> None:
    rest = KnobForm(MemorySettings(), grouped=True)
    qtbot.addWidget(rest)
    rest.set_hardware(MACHINE, CARD)
    slider = size(rest, "reserve").slider()
    assert slider.value() == slider.minimum()


def test_numbers_show_without_a_needless_fraction(qtbot: QtBot) -> None:
    rest = KnobForm(MemorySettings(), grouped=True)
    qtbot.addWidget(rest)
    spin = rest.row("keep_loaded").editor.focus_widget()
    assert isinstance(spin, QDoubleSpinBox)
    assert spin.text() == "10 min"
    seen: list[Any] = []
    rest.changed.connect(seen.append)
    spin.stepUp()
    assert seen == [replace(MemorySettings(), keep_loaded=11.0)]


@pytest.fixture
def rest(qtbot: QtBot) -> KnobForm:
    made = KnobForm(MemorySettings(), grouped=True)
    qtbot.addWidget(made)
    made.set_hardware(MACHINE, CARD)
    return made


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("skip_modules", " norm, ^proj ", "norm,^proj"),
        ("skip_classes", "Linear", "Linear"),
        ("vae_endpoint", "https://host/decode", "https://host/decode"),
        ("disk_folder", "/tmp", "/tmp"),
    ],
)
def test_texts_are_checked_and_told(rest: KnobForm, name: str, typed: str, value: str) -> None:
    seen: list[Any] = []
    rest.changed.connect(seen.append)
    field = rest.row(name).editor.focus_widget()
    assert isinstance(field, QLineEdit)
    field.setText(typed)
    field.editingFinished.emit()
    assert seen == [replace(MemorySettings(), **{name: value})]
    assert field.text() == value


@pytest.mark.parametrize(
    ("name", "typed"), [("skip_modules", "norm,("), ("vae_endpoint", "ftp://host"), ("vae_endpoint", "host")]
)
def test_texts_that_cannot_be_are_said_and_left_for_mending(rest: KnobForm, name: str, typed: str) -> None:
    seen: list[Any] = []
    rest.changed.connect(seen.append)
    field = rest.row(name).editor.focus_widget()
    assert isinstance(field, QLineEdit)
    field.setText(typed)
    field.editingFinished.emit()
    assert seen == []
    assert typed in rest.row(name).reason()
    assert field.text() == typed
    field.setText("")
    field.editingFinished.emit()
    assert rest.row(name).reason() == ""


def test_whole_numbers_are_whole(rest: KnobForm) -> None:
    seen: list[Any] = []
    rest.changed.connect(seen.append)
    spin = rest.row("group_blocks").editor.focus_widget()
    assert isinstance(spin, QDoubleSpinBox)
    spin.stepUp()
    assert (spin.text(), seen[-1].group_blocks, type(seen[-1].group_blocks)) == ("2", 2, int)


def test_a_chosen_folder_is_told(rest: KnobForm) -> None:
    seen: list[Any] = []
    rest.changed.connect(seen.append)
    editor = rest.row("disk_folder").editor
    assert isinstance(editor, FolderEditor)
    editor.set_folder("/tmp")
    assert seen[-1].disk_folder == "/tmp"

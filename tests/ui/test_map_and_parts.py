"""The tables of the memory panel: device maps with their files, values of single parts, sizes for each device."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import from_json, knobs_of, sizes_in_bytes, to_json
from app.core.memory import MemorySettings
from app.core.model_file import ComponentInfo
from app.core.text import Text, say
from app.core.units import GIB
from app.ui.knob_form import KnobForm
from app.ui.map_editor import MapEditor, MapWindow
from app.ui.parts_editor import PartsEditor, PartsWindow
from app.ui.size_editor import SizeEditor

CARD = DeviceSheet(id="cuda:0", name="NVIDIA RTX A", total=12 * GIB, free=10 * GIB)
OTHER = DeviceSheet(id="cuda:1", name="NVIDIA RTX B", total=8 * GIB, free=6 * GIB)
CPU = DeviceSheet(id="cpu", name="Processor", total=32 * GIB, free=16 * GIB)
MACHINE = Hardware(devices=(CARD, OTHER, CPU))
PARTS = tuple(
    ComponentInfo(name=name, role="", class_name="", label=Text(name), numbers=9)
    for name in ("text_encoder", "unet", "vae")
)
WHY = say("core", "It acts only with the custom map.")


class Both:
    """The two forms on one set of values, as the panel has them."""

    def __init__(self, qtbot: QtBot) -> None:
        self.told: list[MemorySettings] = []
        self.forms = [KnobForm(MemorySettings(), grouped=grouped) for grouped in (False, True)]
        for form in self.forms:
            qtbot.addWidget(form)
            form.set_hardware(MACHINE, CARD)
            form.set_parts(PARTS)
            form.changed.connect(self.told.append)
            form.show()

    def editor(self, name: str) -> Any:
        grouped = knobs_of(MemorySettings)[name].group is not None
        return self.forms[grouped].row(name).editor


@pytest.fixture
def both(qtbot: QtBot) -> Both:
    return Both(qtbot)


@pytest.fixture
def table(both: Both) -> MapWindow:
    editor = both.editor("device_map")
    assert isinstance(editor, MapEditor)
    editor.set_value('{"unet": "cuda:0", "vae": "cpu"}')
    return editor.open()


# ------------------------------------------------------------------ the map


def test_a_map_is_shown_row_by_row_and_nothing_is_told(both: Both, table: MapWindow) -> None:
    assert table.pairs() == [("unet", "cuda:0"), ("vae", "cpu")]
    _, place, _ = table.row_fields(0)
    assert [place.itemData(index) for index in range(place.count())] == ["cuda:0", "cuda:1", "cpu", "disk"]
    assert both.told == []


def test_rows_are_added_changed_and_removed(both: Both, table: MapWindow) -> None:
    table.add_row()
    assert json.loads(both.told[-1].device_map) == {"unet": "cuda:0", "vae": "cpu", "text_encoder": "cuda:0"}
    _, place, _ = table.row_fields(2)
    place.setCurrentIndex(place.findData("disk"))
    assert json.loads(both.told[-1].device_map)["text_encoder"] == "disk"
    table.row_fields(0)[2].click()
    assert json.loads(both.told[-1].device_map) == {"vae": "cpu", "text_encoder": "disk"}
    for _ in range(2):
        table.row_fields(0)[2].click()
    assert both.told[-1].device_map == ""


def test_a_module_inside_a_part_can_be_named(both: Both, table: MapWindow) -> None:
    part, _, _ = table.row_fields(0)
    line = part.lineEdit()
    assert line is not None
    line.setText("unet.mid_block")
    line.editingFinished.emit()
    assert json.loads(both.told[-1].device_map) == {"unet.mid_block": "cuda:0", "vae": "cpu"}
    assert not table.note.isVisible()


@pytest.mark.parametrize(
    ("typed", "words"),
    [("vae", "stands twice"), ("vae.decoder", ""), ("nothing", "no “nothing”"), ("", "no effect")],
)
def test_what_contradicts_itself_is_said(table: MapWindow, typed: str, words: str) -> None:
    line = table.row_fields(0)[0].lineEdit()
    assert line is not None
    line.setText(typed)
    line.editingFinished.emit()
    assert words in table.note.text()
    assert bool(words) == bool(table.note.text())


def test_two_rows_for_one_part_are_not_told(both: Both, table: MapWindow) -> None:
    line = table.row_fields(0)[0].lineEdit()
    assert line is not None
    line.setText("vae")
    line.editingFinished.emit()
    assert both.told == []


def test_c42_a_place_that_is_not_there_is_shown_as_such(both: Both) -> None:
    editor = both.editor("device_map")
    editor.set_value('{"unet": "cuda:7"}')
    _, place, _ = editor.open().row_fields(0)
    assert place.currentText() == "cuda:7 (not found)"


def test_a_map_goes_to_a_file_and_back(both: Both, table: MapWindow, tmp_path: Path) -> None:
    table.save(tmp_path / "map.json")
    assert json.loads((tmp_path / "map.json").read_text()) == {"unet": "cuda:0", "vae": "cpu"}
    (tmp_path / "map.json").write_text('\ufeff{"text_encoder": "cuda:1"}', encoding="utf-8")
    table.load(tmp_path / "map.json")
    assert json.loads(both.told[-1].device_map) == {"text_encoder": "cuda:1"}


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b'{"unet": null}', b"\xff\xfe\x00", b"9" * (2**20 + 1)])
def test_a_file_that_is_no_map_is_refused_in_words(
    both: Both, table: MapWindow, tmp_path: Path, text: bytes
) -> None:
    (tmp_path / "no.json").write_bytes(text)
    table.load(tmp_path / "no.json")
    assert both.told == []
    assert "“no.json” holds no map" in table.note.text()
    table.load(tmp_path / "missing.json")
    assert "missing.json" in table.note.text()


def test_a_file_that_cannot_be_written_is_said(table: MapWindow, tmp_path: Path) -> None:
    table.save(tmp_path / "no folder" / "map.json")
    assert "could not be written" in table.note.text()


def test_another_measurement_keeps_the_rows_and_the_keyboard(both: Both, table: MapWindow) -> None:
    before = table.row_fields(0)
    freer = Hardware(devices=(replace(CARD, free=GIB), OTHER, CPU))
    both.forms[1].set_hardware(freer, CARD)
    assert table.row_fields(0) == before


def test_tab_goes_through_the_rows_to_the_buttons(table: MapWindow, qtbot: QtBot) -> None:
    table.activateWindow()
    table.row_fields(0)[0].setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    seen = []
    for _ in range(7):
        focus = QApplication.focusWidget()
        assert focus is not None
        seen.append(focus.accessibleName())
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert seen == [
        "Part or module", "Place of unet", "Remove this row",
        "Part or module", "Place of vae", "Remove this row", "Add a row",
    ]  # fmt: skip


# ------------------------------------------------------------------ single parts


@pytest.fixture
def parts(both: Both) -> PartsWindow:
    editor = both.editor("component")
    assert isinstance(editor, PartsEditor)
    return editor.open()


def test_every_cell_begins_as_the_model(parts: PartsWindow) -> None:
    for part in ("text_encoder", "unet", "vae"):
        for field in ("offload", "device", "storage", "quantization"):
            box = parts.box(f"{part}.{field}")
            assert box.currentText() == "As the model"
            assert box.accessibleName().startswith(f"{part}, ")


def test_a_part_gets_a_value_and_gives_it_back(both: Both, parts: PartsWindow) -> None:
    box = parts.box("vae.device")
    box.setCurrentIndex(box.findData("cuda:1"))
    assert both.told[-1].component == (("vae.device", "cuda:1"),)
    offload = parts.box("text_encoder.offload")
    offload.setCurrentIndex(offload.findData("group_leaf"))
    assert both.told[-1].component == (("text_encoder.offload", "group_leaf"), ("vae.device", "cuda:1"))
    box.setCurrentIndex(0)
    offload.setCurrentIndex(0)
    assert both.told[-1].component == ()


def test_a_cell_says_why_a_value_cannot_apply(both: Both, parts: PartsWindow) -> None:
    both.forms[1].set_refusals({("component.vae.storage", "fp8_e4m3"): WHY})
    box = parts.box("vae.storage")
    model = box.model()
    assert isinstance(model, QStandardItemModel)
    item = model.item(box.findData("fp8_e4m3"))
    assert not item.isEnabled()
    assert str(WHY) in item.toolTip()
    assert both.forms[1].row("component").reason() == ""
    assert both.editor("component").isEnabled()
    both.forms[1].set_refusals({})
    assert item.isEnabled()


def test_a_part_of_another_model_can_be_taken_back(both: Both) -> None:
    both.forms[1].set_values(MemorySettings(component=(("transformer_2.device", "cuda:7"),)))
    box = both.editor("component").open().box("transformer_2.device")
    assert box.currentText() == "cuda:7 (not found)"
    box.setCurrentIndex(0)
    assert both.told[-1].component == ()


# ------------------------------------------------------------------ sizes for each device


@pytest.fixture
def limit(both: Both) -> SizeEditor:
    editor = both.editor("max_memory")
    assert isinstance(editor, SizeEditor)
    return editor


def test_one_size_or_one_for_each_device(both: Both, limit: SizeEditor) -> None:
    limit.set_value("6GiB")
    limit.each().setChecked(True)
    assert both.told[-1].max_memory == "cuda:0=6GiB,cuda:1=100%"
    field = limit.field_of("cpu").field
    assert field.text() == "not used"
    field.setText("24")
    field.editingFinished.emit()
    assert both.told[-1].max_memory == "cuda:0=6GiB,cuda:1=100%,cpu=24GiB"
    slider = limit.field_of("cuda:1").slider
    slider.setValue(slider.minimum())
    assert both.told[-1].max_memory == "cuda:0=6GiB,cpu=24GiB"
    limit.each().setChecked(False)
    assert both.told[-1].max_memory == "6GiB"


def test_a_limit_of_main_memory_alone_leaves_the_gpus_in_use(both: Both, limit: SizeEditor) -> None:
    limit.set_value("cpu=24GiB")
    texts = [limit.field_of(name).field.text() for name in ("cuda:0", "cuda:1", "cpu")]
    assert texts == ["100 %", "100 %", "24 GiB"]
    limit.set_value("cuda:0=6GiB,cpu=24GiB")
    before = list(both.told)
    field = limit.field_of("cuda:0").field
    field.setText("0")
    field.editingFinished.emit()
    assert both.told == before
    assert "One GPU at least is used" in both.forms[0].row("max_memory").reason()
    assert field.text() == "6 GiB"


def test_with_one_gpu_there_is_one_size(both: Both, limit: SizeEditor) -> None:
    assert limit.each().isVisible()
    both.forms[0].set_hardware(Hardware(devices=(CARD, CPU)), CARD)
    assert not limit.each().isVisible()
    limit.set_value("cuda:0=6GiB,cuda:1=4GiB")
    assert limit.each().isVisible(), "a list that was set must stay changeable"
    assert limit.field_of("cuda:1").field.text() == "4 GiB"


def test_a_size_for_one_device_is_checked(both: Both, limit: SizeEditor) -> None:
    limit.each().setChecked(True)
    before = list(both.told)
    field = limit.field_of("cuda:1").field
    field.setText("cuda:0=3GiB")
    field.editingFinished.emit()
    assert both.told == before
    assert "not a size" in both.forms[0].row("max_memory").reason()
    assert field.text() == "100 %"


def test_c31_limits_of_two_devices_survive_saving_and_signals(both: Both, limit: SizeEditor) -> None:
    """JSON turns whole-number keys into text and Qt's dict signals drop them: a limit is one text, keyed by names."""
    limit.each().setChecked(True)
    for device, size in (("cuda:0", "10"), ("cpu", "24")):
        limit.field_of(device).field.setText(size)
        limit.field_of(device).field.editingFinished.emit()
    sent = both.told[-1]  # as the signal carried it
    saved = json.loads(json.dumps(to_json(sent)))
    loaded, dropped = from_json(MemorySettings, saved)
    assert loaded == sent
    assert not dropped
    totals = {"cuda:0": 12 * GIB, "cuda:1": 8 * GIB, "cpu": 32 * GIB}
    expected = {"cuda:0": 10 * GIB, "cuda:1": 8 * GIB, "cpu": 24 * GIB}
    assert sizes_in_bytes(loaded.max_memory, totals, "cuda:0") == expected


# ------------------------------------------------------------------ what has no effect


def test_a_setting_without_effect_is_disabled_unless_it_stands_in_vain(both: Both) -> None:
    form, editor = both.forms[1], both.editor("device_map")
    form.set_refusals({("device_map", "*"): WHY})
    assert not editor.focus_widget().isEnabled()
    assert form.row("device_map").reason() == str(WHY)
    form.set_values(MemorySettings(device_map='{"unet": "cpu"}'))
    assert editor.focus_widget().isEnabled()


def test_a_reason_that_a_whole_group_shares_is_said_once(both: Both) -> None:
    form = both.forms[1]
    group = knobs_of(MemorySettings)["stream"].group
    names = [name for name, knob in knobs_of(MemorySettings).items() if knob.group == group]
    form.set_refusals({(name, "*"): WHY for name in names})
    shown = [label for label in form.findChildren(type(form.row("stream")._reason)) if label.isVisible()]
    assert [label.text() for label in shown].count(str(WHY)) == 1
    described = both.editor("stream").focus_widget().accessibleDescription()
    assert str(WHY) in described

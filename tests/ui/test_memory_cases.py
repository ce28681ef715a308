"""Cases of the memory panel in the whole window: what cannot be combined is greyed out, what is missing is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QComboBox, QPushButton
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorKind, Problem
from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import knobs_of
from app.core.memory import MemorySettings
from app.core.messages import EngineDied, Failed, Hello, Placed, Ready
from app.core.plan import Plan
from app.core.planner import Rejection
from app.core.text import Text, facts_of
from app.core.units import GIB
from app.store.presets import load_presets
from app.store.resources import resources_root
from app.ui.memory_panel import MemoryPanel

if TYPE_CHECKING:
    from conftest import Studio
else:
    Studio = Any

CPU = DeviceSheet(id="cpu", name="CPU", total=32 * GIB, free=20 * GIB)
CARDS = tuple(
    DeviceSheet(
        id=f"cuda:{number}", name="Card", total=12 * GIB, free=11 * GIB, dtypes=("bfloat16", "float32"), streams=True
    )
    for number in range(2)
)  # fmt: skip


def greet(studio: Studio, *devices: DeviceSheet) -> None:
    """The engine is up on these devices, and what cannot apply there has been found."""
    with studio.qtbot.waitSignal(studio.program.session.refusals_changed):
        studio.say(Hello(pid=1, families=("sdxl",)))
        studio.say(Ready(devices=devices, ram_total=32 * GIB, ram_free=20 * GIB))


def set_memory(studio: Studio, **values: Any) -> None:
    session = studio.program.session
    with studio.qtbot.waitSignal(session.refusals_changed):
        session.set_memory(replace(session.memory, **values), session.preset)


def box(studio: Studio, name: str) -> QComboBox:
    row = next(form.row(name) for form in studio.window.memory.forms if form.has(name))
    found = row.editor.focus_widget()
    assert isinstance(found, QComboBox)
    return found


def reason(studio: Studio, name: str) -> str:
    return str(next(form.row(name) for form in studio.window.memory.forms if form.has(name)).reason())


@pytest.fixture
def one(studio: Studio) -> Studio:
    studio.open(ready=False)
    greet(studio, CARDS[0], CPU)
    return studio


@pytest.fixture
def two(studio: Studio) -> Studio:
    studio.open(ready=False)
    greet(studio, *CARDS, CPU)
    return studio


def test_c12_without_a_gpu_modes_are_disabled_with_the_reason_and_the_line_says_what_is_in_force(
    studio: Studio,
) -> None:
    studio.open(ready=False)
    greet(studio, CPU)
    for name in ("offload", "spread", "stream", "disk_offload"):
        assert not box(studio, name).isEnabled(), name
        assert reason(studio, name), name
    assert "No GPU was found" in studio.window.memory.said
    assert {place for _, place in studio.window.memory.places.lines()} == {"in main memory; float32"}


def test_c10_a_spread_and_an_offload_mode_grey_each_other_out(two: Studio) -> None:
    set_memory(two, offload="model")
    assert not box(two, "spread").isEnabled()
    assert "cannot be offloaded as well" in reason(two, "spread")
    set_memory(two, offload="auto", spread="balanced")
    assert "cannot be offloaded as well" in reason(two, "offload")
    assert isinstance(two.program.session.decision, Plan)


def test_c10_a_pair_from_a_settings_file_is_refused_in_words_and_can_be_changed(two: Studio) -> None:
    set_memory(two, offload="model", spread="balanced")
    assert isinstance(two.program.session.decision, Rejection)
    assert "cannot be offloaded as well" in two.window.memory.said
    assert box(two, "offload").isEnabled()
    assert box(two, "spread").isEnabled()


def test_c14_a_switch_to_turn_streams_off_is_next_to_the_message(one: Studio) -> None:
    window = one.window
    one.generate()
    facts = facts_of({"part": "unet", "apart": "40%"})
    one.say(Failed(one.job, Problem(ErrorKind.STREAM_DIFFERS, facts)))
    switch = next(
        button for button in window.errors.findChildren(QPushButton) if "Stream ahead" in button.text()
    )
    switch.click()
    assert not window.errors.isVisible()
    assert one.program.session.memory.stream == "off"
    assert box(one, "stream").currentData() == "off"


def test_c22_tile_sizes_wait_for_tiling(one: Studio) -> None:
    row = one.window.memory.forms[1].row("vae_tile_size")
    assert not row.editor.isEnabled()
    assert "tiles" in row.reason()
    set_memory(one, vae_tiling="on")
    assert row.editor.isEnabled()
    decision = one.program.session.decision
    assert isinstance(decision, Plan)
    assert 0 < decision.vae_tile_size < 128


def test_c28_a_custom_map_is_asked_for_and_then_runs(two: Studio) -> None:
    set_memory(two, spread="custom")
    editor = two.window.memory.forms[1].row("device_map").editor
    assert editor.focus_widget().isEnabled()
    assert "needs a map" in two.window.memory.said
    window = editor.open()
    with two.qtbot.waitSignal(two.program.session.decision_changed):
        window.add_row()
    decision = two.program.session.decision
    assert isinstance(decision, Plan)
    assert decision.device_map == (("text_encoder", "cuda:0"),)
    assert window.row_fields(0)[0].findText("unet") >= 0


def test_c30_a_limit_below_the_weights_is_refused_with_the_figure(one: Studio) -> None:
    set_memory(one, max_memory="1B", offload="none")
    assert isinstance(one.program.session.decision, Rejection)
    assert "MiB" in one.window.memory.said


def test_c31_limits_for_two_devices_come_back_after_a_restart_and_reach_the_plan(two: Studio) -> None:
    editor = two.window.memory.forms[0].row("max_memory").editor
    editor.each().setChecked(True)
    field = editor.field_of("cuda:1").field
    field.setText("6")
    field.editingFinished.emit()
    two.program.stop()
    saved, _ = two.store.load()
    assert saved.memory.max_memory == "cuda:0=100%,cuda:1=6GiB"
    two.close()
    two.open(ready=False, memory=saved.memory)
    greet(two, *CARDS, CPU)
    assert two.window.memory.forms[0].row("max_memory").editor.field_of("cuda:1").field.text() == "6 GiB"
    decision = two.program.session.decision
    assert isinstance(decision, Plan)
    assert decision.limits == (("cuda:0", 12 * GIB), ("cuda:1", 6 * GIB))


@pytest.mark.parametrize("device", ["cuda:7", "mps", "xpu:1"])
def test_c42_a_saved_device_that_is_gone_is_said_and_another_offered(studio: Studio, device: str) -> None:
    studio.open(ready=False, memory=MemorySettings(device=device))
    greet(studio, CPU)
    assert box(studio, "device").currentText() == f"{device} (not found)"
    decision = studio.program.session.decision
    assert isinstance(decision, Rejection)
    assert decision.plan is not None
    assert device in studio.window.memory.said


def test_where_things_lie_planned_and_found(one: Studio) -> None:
    panel = one.window.memory
    assert ("Denoiser", "on cuda:0; bfloat16") in panel.places.lines()
    assert "Denoiser: on cuda:0; bfloat16" in panel.places_fold.button.accessibleDescription()
    set_memory(one, offload="model")
    assert ("Denoiser", "in main memory, whole on cuda:0 while it works; bfloat16") in panel.places.lines()
    pairs = (("unet.conv_in", "cuda:0"), ("unet.mid_block", "cpu"), ("vae", "disk"))
    one.say(Placed("job", pairs))
    assert panel.places.lines()[-3:] == [
        ("unet.conv_in", "on cuda:0"), ("unet.mid_block", "in main memory"), ("Picture decoder", "in files")
    ]  # fmt: skip
    many = tuple((f"unet.blocks.{number}", f"cuda:{number % 2}") for number in range(20))
    one.say(Placed("job", many))
    assert panel.places.lines()[-2:] == [("unet (10)", "on cuda:0"), ("unet (10)", "on cuda:1")]
    one.say(EngineDied(-9, None, one.link.log_path, True))
    assert all("on cuda:1" not in place for _, place in panel.places.lines())


def test_a_box_of_many_kernels_says_each_reason_where_it_stands(one: Studio) -> None:
    form = one.window.memory.forms[1]
    why = Text("The library flash_attn is not installed.")
    form.set_refusals({("attention", "flash"): why})
    found = box(one, "attention")
    assert found.itemText(found.findData("flash")) == f"flash: {why}"
    assert reason(one, "attention") == ""
    form.set_refusals({})
    assert found.itemText(found.findData("flash")) == "flash"


@pytest.mark.parametrize("language", ["en", "es", "pt_BR"])
def test_the_panel_fits_its_narrowest_place_in_every_language(
    language: str, qtbot: QtBot, speak: Callable[[str], object]
) -> None:
    speak(language)
    panel = MemoryPanel(load_presets(resources_root() / "presets"))
    qtbot.addWidget(panel)
    panel.set_hardware(Hardware(devices=(*CARDS, CPU)))
    panel.set_state(MemorySettings(max_memory="cuda:0=10GiB,cuda:1=6GiB,cpu=24GiB"), "fits")
    widest = {
        name: form.row(name).minimumSizeHint().width()
        for form in panel.forms
        for name in knobs_of(MemorySettings)
        if form.has(name)
    }
    assert {name: width for name, width in widest.items() if width > 300 - 24 - 10} == {}

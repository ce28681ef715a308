"""The memory panel in its states: engine starting, no GPU, a plan, a rejection; presets and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.core.errors import ErrorKind, Problem
from app.core.hardware import DeviceSheet, Hardware
from app.core.memory import MemorySettings
from app.core.plan import Dtype, Estimate, Plan
from app.core.planner import Rejection
from app.core.preset import Preset
from app.core.units import GIB
from app.store.presets import load_presets
from app.store.resources import resources_root
from app.ui.memory_panel import MemoryPanel
from app.ui.plan_bar import PlanBar

CARD = DeviceSheet(id="cuda:0", name="NVIDIA RTX A", total=12 * GIB, free=10 * GIB)
CPU = DeviceSheet(id="cpu", name="Processor", total=32 * GIB, free=16 * GIB)
MACHINE = Hardware(devices=(CARD, CPU))
PLAN = Plan(
    family="f",
    device="cuda:0",
    dtype=Dtype.FLOAT16,
    estimate=Estimate(resident=6 * GIB, reserve=GIB, budget=9 * GIB),
)


@pytest.fixture(scope="module")
def presets() -> Mapping[str, Preset]:
    return load_presets(resources_root() / "presets")


@pytest.fixture
def panel(qtbot: QtBot, presets: Mapping[str, Preset]) -> MemoryPanel:
    made = MemoryPanel(presets)
    qtbot.addWidget(made)
    made.resize(300, 700)
    made.show()
    return made


@pytest.fixture
def told(panel: MemoryPanel) -> list[Any]:
    seen: list[Any] = []
    panel.changed.connect(seen.append)
    return seen


def box(panel: MemoryPanel) -> QComboBox:
    return panel.findChildren(QComboBox)[0]


def bar(panel: MemoryPanel) -> PlanBar:
    return panel.findChildren(PlanBar)[0]


def test_while_the_engine_starts_it_says_so(panel: MemoryPanel) -> None:
    assert "engine is starting" in panel.verdict
    assert not bar(panel).isVisible()


def test_a_plan_is_drawn_and_said(panel: MemoryPanel, told: list[Any]) -> None:
    panel.set_hardware(MACHINE)
    assert "Choose a model" in panel.verdict
    panel.set_decision(PLAN)
    assert panel.verdict.startswith("Fits")
    assert "Weights: 6.0 GiB" in bar(panel).description()
    assert bar(panel).isVisible()
    assert told == []


def test_a_rejection_says_the_numbers_and_draws_what_would_run(panel: MemoryPanel) -> None:
    panel.set_hardware(MACHINE)
    facts = (("budget", "9.0 GiB"), ("device", "RTX A"), ("free", "10.0 GiB"), ("need", "13.0 GiB"))
    plan = replace(PLAN, estimate=replace(PLAN.estimate, resident=13 * GIB))
    panel.set_decision(Rejection(Problem(ErrorKind.WILL_NOT_FIT, facts), plan))
    assert panel.verdict == "This will probably not fit on RTX A."
    assert "more than the device has" in bar(panel).description()
    panel.set_decision(
        Rejection(Problem(ErrorKind.DEVICE_MISSING, (("device", "cuda:7"), ("devices", "cpu"))))
    )
    assert "cuda:7" in panel.verdict
    assert not bar(panel).isVisible()


def test_without_a_gpu_it_says_what_works_instead(panel: MemoryPanel) -> None:
    panel.set_hardware(Hardware(devices=(CPU,)))
    assert panel.verdict.startswith("No GPU was found")


def test_presets_stand_in_their_order_and_are_applied(panel: MemoryPanel, told: list[Any]) -> None:
    names = [box(panel).itemText(index) for index in range(box(panel).count())]
    assert names == ["Fits my GPU", "Fastest", "Lowest VRAM"]
    panel.set_state(MemorySettings(device="cuda:0", max_memory="6GiB", vae_tiling="off"), "fits")
    box(panel).setCurrentIndex(box(panel).findData("lowest"))
    settings, preset = told[-1]
    assert preset == "lowest"
    assert (settings.device, settings.max_memory, settings.vae_tiling) == ("cuda:0", "6GiB", "on")
    assert len(told) == 1


def test_a_changed_knob_makes_the_preset_custom_and_back(panel: MemoryPanel, told: list[Any]) -> None:
    panel.set_hardware(MACHINE)
    offload = panel.forms[0].row("offload").editor.focus_widget()
    assert isinstance(offload, QComboBox)
    offload.setCurrentIndex(offload.findData("model"))
    assert told == [(MemorySettings(offload="model"), "fits")]
    assert box(panel).currentText() == "Custom (from Fits my GPU)"
    box(panel).setCurrentIndex(box(panel).findData("fits"))
    assert told[-1] == (MemorySettings(), "fits")
    assert box(panel).currentText() == "Fits my GPU"


def test_device_and_limits_do_not_make_it_custom(panel: MemoryPanel) -> None:
    panel.set_state(MemorySettings(device="cuda:0", max_memory="6GiB"), "fastest")
    panel.set_state(MemorySettings(device="cuda:0", max_memory="6GiB", storage="none"), "fastest")
    assert box(panel).currentText() == "Fastest"


def test_an_unknown_preset_is_custom(panel: MemoryPanel) -> None:
    panel.set_state(MemorySettings(), "gone")
    assert box(panel).currentText() == "Custom"


def test_showing_a_state_tells_nothing(panel: MemoryPanel, told: list[Any]) -> None:
    panel.set_hardware(MACHINE)
    panel.set_state(MemorySettings(offload="model"), "lowest")
    panel.set_decision(PLAN)
    panel.set_refusals({})
    panel.set_hardware(None)
    assert told == []


def test_the_panel_fits_its_narrowest_place(panel: MemoryPanel) -> None:
    panel.set_hardware(MACHINE)
    panel.set_decision(PLAN)
    panel.fold.set_opened(True)
    for form in panel.forms:
        assert form.minimumSizeHint().width() <= 300 - 24 - 10

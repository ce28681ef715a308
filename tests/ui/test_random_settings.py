"""The memory panel under a person who clicks at random: every change has a plan or a reason in words, none an error."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.core.hardware import DeviceSheet, Hardware
from app.core.knobs import KnobKind, check, knobs_of
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.plan import Plan
from app.core.planner import Rejection, make_plan
from app.core.refusals import refusals
from app.core.request import GenerationRequest
from app.core.units import GIB
from app.families import all_families
from app.store.library import open_model
from app.store.presets import load_presets
from app.store.resources import resources_root
from app.ui.knob_editors import Editor
from app.ui.memory_panel import MemoryPanel
from app.ui.plan_bar import PlanBar

SEEDS, CHANGES, ASKED_EVERY = (1, 2, 3), 120, 12
"""So many walks of so many changes; what cannot apply is asked at every twelfth, as it plans for every choice."""
KNOBS = knobs_of(MemorySettings)
NUMBERS = {
    "unet": 2_567_463_684,
    "text_encoder": 123_060_480,
    "text_encoder_2": 694_659_840,
    "vae": 83_653_863,
}
MACHINES = (
    (("cuda:0", 12), ("cuda:1", 8)),
    (("cuda:0", 6),),
    (("mps", 16),),
    (),
)
TYPED = {
    KnobKind.LIST: ("norm", "Linear,Conv2d", "(", "", "a{2", "^proj_out$"),
    KnobKind.FOLDER: ("/tmp/x", "", "a\0b", "~/weights"),
    KnobKind.ADDRESS: ("", "https://host/decode", "nonsense", "http://localhost:8000"),
    KnobKind.SIZE: ("6 GiB", "auto", "80 %", "0", "-1", "lots", "300MiB", "1e9 GiB", ""),
}

OFFSCREEN = {"This plugin does not support propagateSizeHints()", "This plugin does not support raise()"}
"""What Qt says of windows where there is no screen."""


def machine(cards: tuple[tuple[str, int], ...]) -> Hardware:
    """Those cards, and a processor."""
    sheets = [
        DeviceSheet(
            id=name, name=f"{size} GB card", total=size * GIB, free=size * GIB * 9 // 10, streams=True, compiles=True,
            dtypes=("float16", "float32") if name == "mps" else ("bfloat16", "float16", "float32"),
        )
        for name, size in cards
    ]  # fmt: skip
    cpu = DeviceSheet(id="cpu", name="CPU", total=32 * GIB, free=20 * GIB)
    packages = ("torchao", "bitsandbytes")
    return Hardware(devices=(*sheets, cpu), ram_total=32 * GIB, ram_free=20 * GIB, packages=packages)


class Person:
    """Changes one thing after the other on a panel, and has the planner answer as the window does."""

    def __init__(self, panel: MemoryPanel, model: ModelInfo, seed: int) -> None:
        self.panel, self.random = panel, random.Random(seed)
        self.family, self.model = all_families()[model.family], model
        limits = model.limits
        self.request = GenerationRequest(
            model=str(model.path), prompt="a fox", width=limits.width, height=limits.height, steps=4, guidance=4.0,
            seed=1,
        )  # fmt: skip
        self.settings, self.preset = MemorySettings(), "fits"
        self.seen: list[MemorySettings] = []
        self.decisions: list[Plan | Rejection] = []
        self.hardware = machine(MACHINES[0])
        panel.changed.connect(self.heard)
        panel.set_model(model)
        panel.set_state(self.settings, self.preset)
        self.sit_at(self.hardware)

    def sit_at(self, hardware: Hardware) -> None:
        """At another machine, with the settings as they are."""
        self.hardware = hardware
        self.panel.set_hardware(hardware)
        self.answer()

    def heard(self, given: Any) -> None:
        """What the panel tells, as the session takes it."""
        self.settings, self.preset = given
        self.seen.append(self.settings)
        self.answer()

    def answer(self) -> None:
        """The planner's."""
        decision = make_plan(self.model, self.family, self.request, self.settings, self.hardware)
        self.decisions.append(decision)
        self.panel.set_decision(decision)

    def ask(self) -> None:
        """What cannot apply now."""
        found = refusals(self.model, self.family, self.request, self.settings, self.hardware)
        self.panel.set_refusals(found)

    def change(self) -> None:
        """One random thing: any setting by its own control, or now and then the preset or the machine."""
        dice = self.random.random()
        if dice < 0.04:
            self.pick(self.panel.findChildren(QComboBox)[0])
        elif dice < 0.06:
            self.sit_at(machine(self.random.choice(MACHINES)))
        elif isinstance(self.decisions[-1], Rejection) and dice < 0.6:
            self.give_way(self.decisions[-1])
        else:
            name = self.random.choice(list(KNOBS))
            form = next(form for form in self.panel.forms if form.has(name))
            HANDS[KNOBS[name].kind](self, form.row(name).editor)

    def give_way(self, refused: Rejection) -> None:
        """What was refused goes back to what it was, as the words say; or some other setting does."""
        blamed = str(refused.problem.fact("name")).partition(".")[0]
        names = [blamed] if blamed in KNOBS and self.random.random() < 0.8 else list(KNOBS)
        changes: dict[str, Any] = {
            name: getattr(MemorySettings(), name) for name in self.random.sample(names, 1)
        }
        self.settings = replace(self.settings, **changes)
        self.panel.set_state(self.settings, self.preset)
        self.answer()

    def pick(self, box: QComboBox) -> None:
        """An entry that a person can choose; now and then one that is refused, as from another machine."""
        every = range(box.count())
        able = [place for place in every if box.model().item(place).isEnabled()]
        places = able if able and self.random.random() < 0.8 else list(every)
        if places:
            box.setCurrentIndex(self.random.choice(places))

    def write(self, field: QLineEdit, kind: KnobKind) -> None:
        """Something, sensible or not."""
        field.setText(self.random.choice(TYPED[kind]))
        field.editingFinished.emit()

    def box(self, editor: Editor) -> None:
        self.pick(editor.focus_widget())

    def number(self, editor: Editor) -> None:
        spin: Any = editor.focus_widget()
        spin.setValue(self.random.uniform(spin.minimum(), min(spin.maximum(), 2000)))

    def text(self, editor: Editor) -> None:
        field = editor.focus_widget()
        assert isinstance(field, QLineEdit)
        self.write(field, editor._knob.kind)

    def size(self, editor: Any) -> None:
        if editor.each().isVisibleTo(self.panel) and self.random.random() < 0.4:
            editor.each().toggle()
        found = list(editor._fields.values()) or [editor._one]
        field = self.random.choice(found)
        if self.random.random() < 0.5:
            field.slider.setValue(self.random.randint(field.slider.minimum(), field.slider.maximum()))
        else:
            self.write(field.field, KnobKind.SIZE)

    def map(self, editor: Any) -> None:
        window = editor.open()
        rows = len(window.pairs())
        dice = self.random.random()
        if rows and dice < 0.3:
            window.row_fields(self.random.randrange(rows))[2].click()
        elif rows and dice < 0.7:
            part, place, _ = window.row_fields(self.random.randrange(rows))
            self.pick(place)
            part.setCurrentText(self.random.choice(("unet", "unet.mid_block", "banana", "", "vae")))
            part.lineEdit().editingFinished.emit()
        else:
            window.add_row()

    def parts(self, editor: Any) -> None:
        window = editor.open()
        self.pick(self.random.choice(list(window._boxes.values())))

    def look(self) -> None:
        """What must hold after every change."""
        assert self.panel.verdict.strip()
        assert not re.search(r"\{[a-z_]+\}", self.panel.said), "a place was not filled in"
        bar = self.panel.findChild(PlanBar)
        assert bar is not None
        assert bar.description().strip()
        decision = self.decisions[-1]
        plan = decision.plan if isinstance(decision, Rejection) else decision
        assert bar.isVisibleTo(self.panel) == (plan is not None)
        if plan is not None:
            assert "Weights" in bar.description()
            assert [place for _, place in self.panel.places.lines()]
        for name, known in KNOBS.items():  # what was told is a value in its normal form
            assert check(name, known, getattr(self.settings, name)) == getattr(self.settings, name)


HANDS: dict[KnobKind, Callable[[Person, Any], None]] = {
    KnobKind.CHOICE: Person.box, KnobKind.DEVICE: Person.box, KnobKind.NUMBER: Person.number,
    KnobKind.WHOLE: Person.number, KnobKind.LIST: Person.text, KnobKind.FOLDER: Person.text,
    KnobKind.ADDRESS: Person.text, KnobKind.SIZE: Person.size, KnobKind.MAP: Person.map, KnobKind.PARTS: Person.parts,
}  # fmt: skip


@pytest.fixture
def person(qtbot: QtBot, qapp: QApplication, light: Path) -> Callable[[int], Person]:
    """Makes a person at a panel of a model as large as SDXL."""
    found = open_model(light)
    parts = tuple(
        replace(
            part,
            numbers=NUMBERS.get(part.name, part.numbers),
            fp8_numbers=NUMBERS.get(part.name, 0) * 9 // 10,
        )
        for part in found.components
    )
    panel = MemoryPanel(load_presets(resources_root() / "presets"))
    qtbot.addWidget(panel)
    return lambda seed: Person(panel, replace(found, components=parts), seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_clicking_at_random_ends_in_words_and_never_in_an_error(
    person: Callable[[int], Person], qtlog: Any, seed: int
) -> None:
    clicking = person(seed)
    for number in range(CHANGES):
        clicking.change()
        if number % ASKED_EVERY == 0:
            clicking.ask()
        clicking.look()
    assert {record.message for record in qtlog.records} <= OFFSCREEN
    varied = {
        field.name
        for field in fields(MemorySettings)
        if len({getattr(one, field.name) for one in clicking.seen}) > 1
    }
    plans = {one for one in clicking.decisions if isinstance(one, Plan)}
    assert len(varied) > len(KNOBS) // 2, sorted(set(KNOBS) - varied)
    assert len(set(clicking.seen)) > CHANGES // 3
    assert len(plans) > CHANGES // 6
    assert len({one.offload for one in plans}) > 2
    assert any(isinstance(one, Rejection) for one in clicking.decisions)

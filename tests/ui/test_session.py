"""The session: values, settings and machine to a plan and a job; reading models aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.core.errors import AppError, ErrorKind, Problem
from app.core.hardware import DeviceSheet
from app.core.memory import MemorySettings
from app.core.messages import Ready
from app.core.plan import OffloadMode, Plan
from app.core.planner import Rejection
from app.families import all_families
from app.store.presets import load_presets
from app.store.resources import resources_root
from app.ui.background import Background
from app.ui.session import Session
from app.ui.values import Values

GIB = 1024**3
VALUES = Values(prompt="a red circle", width=128, height=128, steps=4, seed=7)


@pytest.fixture
def session(qtbot: QtBot, background: Background, light: Path) -> Session:
    presets = load_presets(resources_root() / "presets")
    made = Session(all_families(), presets, resources_root(), background)
    made.folder = light.parent / "out"
    made.set_values(VALUES)
    with qtbot.waitSignal(made.model_changed):
        made.open_model(light)
    return made


def ready(session: Session, free: float = 12) -> None:
    card = DeviceSheet(
        id="cuda:0", name="C", total=12 * GIB, free=int(free * GIB), dtypes=("float16", "float32")
    )
    cpu = DeviceSheet(id="cpu", name="CPU", total=32 * GIB, free=20 * GIB)
    session.set_ready(Ready(devices=(card, cpu)))


def test_there_is_no_plan_before_the_machine_is_known(session: Session) -> None:
    session.plan_now()
    assert session.decision is None
    with pytest.raises(AppError) as caught:
        session.prepare(session.ask(VALUES))
    assert caught.value.kind is ErrorKind.ENGINE_NOT_STARTING


def test_the_job_has_the_plan_on_screen_and_the_mended_request(session: Session) -> None:
    ready(session)
    session.plan_now()
    job = session.prepare(session.ask(VALUES))
    assert job.plan == session.decision
    assert job.output.folder == session.folder
    mended = session.prepare(session.ask(replace(VALUES, prompt="a\0 cat", width=129)))
    assert (mended.request.prompt, mended.request.width) == ("a cat", 128)
    assert len(mended.notes) == 2


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"prompt": " "}, ErrorKind.PROMPT_EMPTY),
        ({"prompt": "x" * 30_000}, ErrorKind.PROMPT_TOO_LONG),
        ({"steps": 0}, ErrorKind.VALUE_OUT_OF_RANGE),
        ({"guidance": float("nan")}, ErrorKind.VALUE_OUT_OF_RANGE),
        ({"count": 0}, ErrorKind.VALUE_OUT_OF_RANGE),
    ],
)
def test_what_cannot_run_is_refused(session: Session, change: dict[str, object], kind: ErrorKind) -> None:
    ready(session)
    with pytest.raises(AppError) as caught:
        session.prepare(session.ask(replace(VALUES, **change)))  # type: ignore[arg-type]
    assert caught.value.kind is kind


def test_memory_settings_and_presets_change_the_plan(session: Session, qtbot: QtBot) -> None:
    ready(session)
    with qtbot.waitSignal(session.decision_changed):
        session.set_memory(MemorySettings(offload="sequential"), "fits")
    assert isinstance(session.decision, Plan)
    assert session.decision.offload is OffloadMode.SEQUENTIAL
    assert session.goal == "fit"
    session.set_memory(MemorySettings(), "lowest")
    assert session.goal == "memory"


def test_what_cannot_apply_is_found_aside_and_told(session: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.refusals_changed) as told:
        ready(session)
        session.plan_now()
    assert ("vae_slicing", "on") in told.args[0]
    assert ("device_map", "*") in told.args[0]
    with qtbot.waitSignal(session.refusals_changed) as told:
        session.set_memory(MemorySettings(offload="sequential"), "fits")
    assert ("compile", "on") in told.args[0]


def test_a_missing_device_is_refused_unless_run_anyway(session: Session) -> None:
    ready(session)
    session.set_memory(MemorySettings(device="cuda:5"), "fits")
    session.plan_now()
    assert isinstance(session.decision, Rejection)
    ask = session.ask(VALUES)
    assert session.can_run_anyway(ask)
    assert session.prepare(ask, anyway=True).plan.device == "cuda:0"


def test_only_the_last_model_asked_for_counts(
    session: Session, qtbot: QtBot, tmp_path: Path, make_model: Callable[..., Path]
) -> None:
    first, second = make_model(tmp_path / "m" / "One"), make_model(tmp_path / "m" / "Two")
    told: list[object] = []
    session.model_changed.connect(told.append)
    session.open_model(first)
    session.open_model(second)
    qtbot.waitUntil(lambda: session.model is not None and session.model.name == "Two")
    QCoreApplication.processEvents()
    assert len(told) == 1


def test_a_bad_model_leaves_the_good_one(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    with qtbot.waitSignal(session.model_changed) as caught:
        session.open_model(tmp_path / "nowhere")
    assert isinstance(caught.args[0], Problem)
    assert session.model is not None


def test_work_that_fails_comes_back_as_a_problem_and_a_closed_pool_is_quiet(
    background: Background, qtbot: QtBot
) -> None:
    results: list[object] = []
    background.run(lambda: 1 // 0, results.append)
    qtbot.waitUntil(lambda: bool(results))
    assert isinstance(results[0], Problem)
    assert results[0].kind is ErrorKind.UNEXPECTED
    background.run(lambda: 5, results.append)
    background.close()
    QCoreApplication.processEvents()
    background.run(lambda: 6, results.append)
    assert len(results) == 1

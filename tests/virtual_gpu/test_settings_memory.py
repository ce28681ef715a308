"""Limits hold, and memory that runs out is said with its numbers and breaks nothing: in the real engine process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from vgpu_engine import Outcome, Picture, VirtualEngine

from app.core.error_words import sentence
from app.core.errors import ErrorKind
from app.core.messages import Cancelled, HostEvent, MemoryReport, Phase, Progress
from app.core.plan import GroupOptions, OffloadMode, Placement, Spread

NONE, MODEL, SEQUENTIAL = MODES = OffloadMode.NONE, OffloadMode.MODEL, OffloadMode.SEQUENTIAL
MIB = 2**20
TRACES = 4096
"""Bytes: the scheduler's times, which are as many as there are steps."""


def assert_out_of_memory(outcome: Outcome) -> None:
    """The kind, and numbers that a person can act on."""
    assert outcome.problem.kind is ErrorKind.OUT_OF_MEMORY
    words = sentence(outcome.problem)
    assert "MiB" in f"{words.what} {words.why}", words
    assert str(words.do)


@pytest.mark.parametrize("mode", MODES)
def test_a_limit_is_just_what_a_job_may_take(
    engine: VirtualEngine, reference: Picture, mode: OffloadMode
) -> None:
    """The measured peak as the limit is enough, to the byte; a block less is not, and says so."""
    need = engine.run(engine.plan(offload=mode)).devices[0]["peak"]
    engine.unload()
    within = engine.run(engine.plan(offload=mode, memory_limit=need))
    assert np.array_equal(within.picture, reference)
    assert within.devices[0]["peak"] <= need
    engine.unload()
    beyond = engine.run(engine.plan(offload=mode, memory_limit=need - 4096))
    assert_out_of_memory(beyond)
    assert beyond.devices[0]["peak"] <= need - 4096


def test_a_limit_that_is_too_low_is_said_and_the_next_job_works(
    engine: VirtualEngine, reference: Picture
) -> None:
    failed = engine.run(engine.plan(memory_limit=2 * MIB))
    assert_out_of_memory(failed)
    assert failed.devices[0]["peak"] <= 2 * MIB
    assert np.array_equal(engine.run(engine.plan()).picture, reference)


def test_a_limit_ends_with_the_plan_that_set_it(engine: VirtualEngine) -> None:
    engine.run(engine.plan(memory_limit=512 * MIB))
    assert engine.remote("limit", 0) == 512 * MIB
    engine.run(engine.plan())
    assert engine.remote("limit", 0) in (0, 1024 * MIB)


def test_a_limit_binds_its_own_device_only(engine: VirtualEngine) -> None:
    engine.run(engine.plan("vgpu:1", memory_limit=512 * MIB))
    assert engine.remote("limit", 1) == 512 * MIB
    assert engine.remote("limit", 0) in (0, 1024 * MIB)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("phase", [Phase.DENOISE, Phase.DECODE])
def test_c35_after_out_of_memory_the_next_job_is_as_good_as_the_first(
    engine: VirtualEngine, reference: Picture, mode: OffloadMode, phase: Phase
) -> None:
    plan = engine.plan(offload=mode)
    engine.run(plan)
    kept = engine.run(plan)  # the same work again, so that counts of allocations can be compared
    total = kept.devices[0]["allocs"]
    nth = {Phase.DENOISE: total // 2, Phase.DECODE: total - 5}[phase]
    failed = engine.run(plan, before=lambda: engine.remote("fail_nth", nth, 0))
    assert_out_of_memory(failed)
    assert failed.last_phase is phase
    assert failed.devices[0]["ooms"] == 1
    after = engine.run(plan)
    assert np.array_equal(after.picture, reference)
    assert after.devices[0]["live"] == kept.devices[0]["live"]
    assert after.devices[0]["peak"] == kept.devices[0]["peak"]


def test_memory_that_others_take_in_mid_run_is_said(engine: VirtualEngine, reference: Picture) -> None:
    def take(event: HostEvent, _job: str) -> None:
        if isinstance(event, Progress) and event.phase is Phase.DENOISE and event.step >= 2:
            engine.remote("set_cap", MIB, 0)

    failed = engine.run(engine.plan(), engine.request(steps=30), watch=take)
    assert_out_of_memory(failed)
    engine.remote("set_cap", None, 0)
    assert np.array_equal(engine.run(engine.plan()).picture, reference)


@pytest.mark.parametrize("mode", MODES)
def test_c34_after_a_cancel_memory_is_as_after_a_normal_end(
    engine: VirtualEngine, reference: Picture, mode: OffloadMode
) -> None:
    plan = engine.plan(offload=mode)
    normal = engine.run(plan)

    def cancel(event: HostEvent, job: str) -> None:
        if isinstance(event, Progress) and event.phase is Phase.DENOISE and event.step >= 2:
            engine.supervisor.cancel(job)

    stopped = engine.run(plan, engine.request(steps=200), watch=cancel)
    assert isinstance(stopped.end, Cancelled)
    assert stopped.devices[0]["live"] == pytest.approx(normal.devices[0]["live"], abs=TRACES)
    after = engine.run(plan)
    assert np.array_equal(after.picture, reference)
    assert after.devices[0]["live"] == normal.devices[0]["live"]


PARTS: Mapping[str, dict[str, Any]] = {
    "a part's own groups": {
        "overrides": (Placement(component="unet", device="vgpu:0", offload=OffloadMode.GROUP_LEAF),),
    },
    "groups streamed from disk": {
        "offload": OffloadMode.GROUP_LEAF,
        "group": GroupOptions(stream=True, record_stream=True, disk_folder="auto"),
    },
    "a map with main memory": {"spread": Spread.CUSTOM, "device_map": (("unet", "cpu"),)},
}


@pytest.mark.parametrize("changes", PARTS.values(), ids=PARTS)
def test_c34_after_a_cancel_no_part_stays_half_brought(
    engine: VirtualEngine, reference: Picture, changes: dict[str, Any]
) -> None:
    plan = engine.plan(**changes)

    def cancel(event: HostEvent, job: str) -> None:
        if isinstance(event, Progress) and event.phase is Phase.DENOISE and event.step >= 2:
            engine.supervisor.cancel(job)

    stopped = engine.run(plan, engine.request(steps=200), watch=cancel)
    assert isinstance(stopped.end, Cancelled)
    assert stopped.devices[0]["live"] <= TRACES
    assert np.array_equal(engine.run(plan).picture, reference)


def test_reports_for_the_chart_are_the_cards_own_figures(engine: VirtualEngine) -> None:
    """What is held, free and there, of the device that works; what others hold is what is missing."""
    engine.remote("set_cap", 256 * MIB, 1)
    outcome = engine.run(engine.plan("vgpu:1"), engine.request(steps=12))
    reports = [event for event in outcome.events if isinstance(event, MemoryReport)]
    assert reports
    for report in reports:
        held, free, total = (dict(figures)["vgpu:1"] for figures in (report.held, report.free, report.total))
        assert 0 <= held <= outcome.devices[1]["peak"]
        assert free <= 256 * MIB
        assert total == 1024 * MIB
    assert dict(reports[-1].held)["vgpu:1"] > 0

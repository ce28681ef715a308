"""Settings at random through the planner and the engine's runner: refused with a reason, or the right result and
nothing left behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import random_settings
import tiny_models
from local_engine import LocalEngine
from vgpu_engine import difference

from app.core.messages import Finished
from app.core.plan import Plan, Quantization, Storage
from app.core.planner import Rejection, make_plan
from app.engine import probe

EACH = 100 if os.environ.get("HEADROOM_NIGHTLY") == "1" else 4
"""Plans to run for each family."""
LEAVE = ("device", "dtype", "compile", "vae_endpoint", "disk_folder", "keep_loaded", "reserve", "max_memory")
"""Compiling takes ten times as long; the others are not about how a picture is made, or need a server."""
TRACES = 65_536
"""Bytes: what schedulers remember, and the tables that no mode moves."""
WORST = {
    Storage.NONE: 0, Storage.FP8_E4M3: 30, Storage.FP8_E5M2: 50,
    Quantization.NONE: 0, Quantization.TORCHAO_INT8: 5, Quantization.TORCHAO_FP8: 60,
}  # fmt: skip
"""Steps of 255 by which a format may change a number of the result, as in the matrix."""


@pytest.fixture(scope="module", params=sorted(tiny_models.BUILDERS))
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """An engine for a tiny model of each family."""
    folder = tiny_models.save(request.param, tmp_path_factory.mktemp("model") / request.param)
    with LocalEngine(folder) as found:
        yield found


def bound(plan: Plan, parts: list[str]) -> int:
    """The most by which a plan may change a number of the result."""
    if plan.vae_tiling:
        return 255  # weights at random make seams that trained ones do not
    formats = {plan.placement(part).storage for part in parts} | {
        plan.placement(part).quantization for part in parts
    }
    rounds = plan.channels_last or plan.attention != "default" or "cpu" in dict(plan.device_map).values()
    return sum(WORST[kind] for kind in formats) + 2 * rounds


def test_each_combination_is_refused_or_right_and_leaves_nothing(engine: LocalEngine) -> None:
    request = engine.request(width=64, height=64, steps=2, frames=min(5, engine.info.limits.frames_max))
    random, parts = Random(engine.family.id), [part.name for part in engine.info.components if part.numbers]
    machine = probe.ready(0).hardware
    devices = [sheet.id for sheet in machine.devices if not sheet.is_cpu]
    before = [counters["live"] for counters in engine.stats()]  # what other tests of this process left
    right = engine.run(engine.plan(sequence_length=32), request).frames
    ran = 0
    while ran < EACH:
        settings = replace(
            random_settings.draw(random, parts, devices, LEAVE), dtype="float32", device=devices[0]
        )
        decision = make_plan(engine.info, engine.family, request, settings, machine)
        if isinstance(decision, Rejection):
            assert str(decision.problem.fact("reason")) or decision.plan is not None
            continue
        plan = replace(decision, sequence_length=32)
        outcome, ran = engine.run(plan, request), ran + 1
        if not isinstance(outcome.end, Finished):
            assert settings.skip_modules or settings.skip_classes, (settings, outcome.problem)
            assert outcome.problem.kind == "combination_refused"
        else:
            assert difference(outcome.frames, right)[0] <= bound(plan, parts), settings
        engine.unplace()
        assert max(counters["live"] for counters in engine.stats()) <= TRACES, settings
        assert not list(engine.scratch.glob("*")), settings
    assert np.array_equal(engine.run(engine.plan(sequence_length=32), request).frames, right)
    engine.unload()
    assert [counters["live"] for counters in engine.stats()] == before

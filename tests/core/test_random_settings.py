"""Settings at random: each is planned as it says or refused with a reason in words, and nothing else ever happens."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from random import Random
from types import ModuleType
from typing import Any

import pytest
import random_settings

from app.core.error_words import sentence
from app.core.family import Can
from app.core.hardware import Hardware
from app.core.knobs import from_json, to_json
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.places import places
from app.core.plan import OffloadMode, Plan, plan_from_json, plan_to_json
from app.core.planner import Rejection, explain, judge, make_plan
from app.families import all_families

FAMILIES = all_families()
COMBINATIONS = 120
"""For each family."""
_HOLE = re.compile(r"\{\w+\}")


def model_of(given: ModuleType, kind: str) -> ModelInfo:
    """A model of the family with all its parts: denoisers are large and have blocks."""
    declared = [part for part in FAMILIES[kind].components if part.weights and part.required]
    found: ModelInfo = given.model(
        {part.name: 2 * 10**9 if part.role == "denoiser" else 10**9 for part in declared}
    )
    parts = tuple(
        replace(
            info,
            role=part.role,
            precise=part.precise,
            fp8_numbers=info.numbers * 9 // 10 if part.fp8 else 0,
            linear_numbers=info.numbers // 2,
            largest_block=info.numbers // 20 if Can.BLOCKS in part.can else 0,
            outside_blocks=info.numbers // 10 if Can.BLOCKS in part.can else 0,
        )
        for info, part in zip(found.components, declared, strict=True)
    )
    return replace(found, family=kind, components=parts)


def machines(given: ModuleType) -> list[Hardware]:
    """Two cards, one, Apple's, and none."""
    cards = [
        replace(given.card(size, index=place), streams=True, compiles=True)
        for place, size in enumerate((24, 12))
    ]
    packages = ("torchao", "bitsandbytes", "xformers")
    found = [
        given.machine(*cards),
        given.machine(cards[1]),
        given.machine(given.card(16, kind="mps")),
        given.machine(),
    ]
    return [replace(machine, packages=packages) for machine in found]


def assert_words(line: Any) -> None:
    assert str(line).strip()
    assert not _HOLE.search(str(line)), line


def assert_refused(decision: Rejection) -> None:
    words = sentence(decision.problem)
    assert_words(words)
    assert_words(words.do)
    if decision.problem.kind == "combination_refused":
        name = str(decision.problem.fact("name")).partition(".")[0]
        assert name in random_settings.KNOBS
        assert_words(decision.problem.fact("reason"))


def assert_as_asked(plan: Plan, settings: MemorySettings, info: ModelInfo) -> None:
    """What was asked for by name is in the plan, for the whole model at least."""
    for name in ("offload", "storage", "spread", "quantization", "dtype"):
        asked = getattr(settings, name)
        assert asked in ("auto", str(getattr(plan, name))), name
    own = {key.partition(".")[0] for key, _ in settings.component}
    for part in info.components:
        place = plan.placement(part.name)
        if part.name not in own and place.offload is not plan.offload:
            assert (plan.offload, place.offload) == (OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF)
    for key, value in settings.component:
        name, _, field = key.partition(".")
        if value != "auto" and plan.quantization == "none":
            assert str(getattr(plan.placement(name), field)) == value
    for name in ("stream", "record_stream", "low_cpu_mem", "non_blocking"):
        asked = getattr(settings, name)
        assert asked == "auto" or (asked == "on") is getattr(plan.group, name), name


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_each_combination_is_planned_as_it_says_or_refused_in_words(given: ModuleType, kind: str) -> None:
    random, info, family = Random(kind), model_of(given, kind), FAMILIES[kind]
    parts, planned = [part.name for part in info.components], 0
    for machine in machines(given):
        devices = [sheet.id for sheet in machine.devices if not sheet.is_cpu]
        for _ in range(COMBINATIONS // 4):
            settings = random_settings.draw(random, parts, devices)
            assert from_json(MemorySettings, json.loads(json.dumps(to_json(settings)))) == (settings, ())
            decision = make_plan(info, family, given.request(), settings, machine)
            plan = decision.plan if isinstance(decision, Rejection) else decision
            if isinstance(decision, Rejection):
                assert_refused(decision)
            for line in explain(decision):
                assert_words(line)
            if plan is None:
                continue
            planned += 1
            assert judge(plan, info, family, machine) == (), settings
            if settings.device in ("auto", plan.device):
                assert_as_asked(plan, settings, info)
            for _, line in places(plan, info.components):
                assert_words(line)
            assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == replace(plan, reasons=())
            assert {*plan.devices} <= {*devices, "cpu"}
    assert planned > COMBINATIONS // 10

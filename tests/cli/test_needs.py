"""``headroom plan`` says what a plan takes on each device in each phase, as the engine measured it without weights."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from app.core.errors import AppError, ErrorKind
from app.core.messages import EngineDied, Failed

SERVER = "http://127.0.0.1:9/decode"


def test_its_numbers_are_given_device_by_device(headroom, model):
    done = headroom("plan", "a fox", "--model", str(model), "--json")
    assert done.code == 0
    assert done.data["peak_gib"] == {"cpu": {"encode": 1.0, "denoise": 1.5, "decode": 1.25, "all": 1.5}}
    assert done.data["loaded_gib"] == {"cpu": 1.0}
    assert done.data["moved_gib_per_step"] == 0.0
    assert done.data["work_estimated"] is True
    assert "At work it needs at most 1.5 GiB of" in " ".join(done.data["explanation"])


def test_lines_name_the_phases(headroom, model):
    done = headroom("plan", "a fox", "--model", str(model))
    assert "encode 1.0 GiB, denoise 1.5 GiB, decode 1.2 GiB" in done.out


def test_more_than_there_is_is_said_and_not_refused(headroom, model):
    done = headroom("plan", "a fox", "--model", str(model), "--memory", "max_memory=1.25GiB")
    assert done.code == 0
    assert "needs 1.5 GiB, more than the 1.2 GiB that it may take: it may fail." in done.out


def test_what_is_not_estimated_yet_is_null(headroom, model):
    done = headroom("plan", "a fox", "--model", str(model), "--memory", f"vae_endpoint={SERVER}", "--json")
    assert done.code == 0
    assert done.data["peak_gib"] is done.data["loaded_gib"] is done.data["moved_gib_per_step"] is None
    assert done.data["work_estimated"] is False


def test_a_measurement_that_fails_costs_the_numbers_only(headroom, model, script):
    problem = AppError(ErrorKind.MODEL_MISSING, path="gone").problem
    script.measure = lambda run: Failed(run.job, problem)
    done = headroom("plan", "a fox", "--model", str(model), "--json")
    assert done.code == 0
    assert done.data["peak_gib"] is None
    assert any("could not be measured" in warning for warning in done.data["warnings"])


def test_an_engine_that_dies_measuring_costs_the_numbers_only(headroom, model, script):
    script.measure = lambda run: EngineDied(-11, run.job, Path("engine.log"), restarting=True)
    done = headroom("plan", "a fox", "--model", str(model), "--json")
    assert done.code == 0
    assert done.data["peak_gib"] is None


def test_nothing_is_measured_of_what_is_refused(headroom, model, script):
    asked = []
    real = script.measure
    script.measure = lambda run: (asked.append(dataclasses.asdict(run.plan)), real(run))[1]
    assert headroom("plan", "a fox", "--model", str(model), "--memory", "max_memory=1KiB").code == 3
    assert not asked

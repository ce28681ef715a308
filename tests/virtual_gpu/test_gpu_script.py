"""The script that measures real cards, on the virtual one: every way runs, is counted, and leaves the weights as they
were."""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import headroom_vgpu as vgpu
import pytest
import tiny_models
import torch

from app.core.plan import OffloadMode, Plan, Storage

sys.path.append(str(Path(__file__).resolve().parents[1] / "gpu"))

import gpu_models
import gpu_runs

DEVICE = "vgpu:0"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[gpu_models.Model]:
    """A tiny Flux, built and filled as the large ones are."""
    folder = tiny_models.save("flux", tmp_path_factory.mktemp("model") / "flux")
    model = gpu_models.from_configs("flux", gpu_models.read_configs(folder))
    gpu_models.fill(model)
    gc.collect()
    gc.freeze()
    yield model
    gc.unfreeze()


@pytest.fixture(autouse=True)
def unbounded() -> Iterator[None]:
    vgpu.reset()
    yield
    vgpu.set_cap(None, 0)


def perform(model: gpu_models.Model, way: str, limit: float = 1, **changes: Any) -> dict[str, Any]:
    decided = gpu_runs.decide(model, gpu_runs.Run("flux", limit, way), DEVICE)
    if changes:
        values: dict[str, Any] = {"family": "flux", "device": DEVICE, "dtype": decided.plan.dtype, **changes}
        decided = gpu_runs.Decided(decided.run, Plan(**values), "fits", {})
    return gpu_runs.perform(model, decided, DEVICE, time.monotonic() + 1000)


def at_home(model: gpu_models.Model) -> bool:
    """All weights plain on the host in their format, and no hook left."""
    modules = [module for part in model.networks.values() for module in part.modules()]
    hooked = [module for module in modules if hasattr(module, "_hf_hook") or _hooks(module)]
    weights = [weight for part in model.networks.values() for weight in part.parameters()]
    kinds = {(weight.device.type, weight.dtype, weight.is_pinned()) for weight in weights}
    return not hooked and kinds == {("cpu", torch.bfloat16, False)}


def _hooks(module: torch.nn.Module) -> bool:
    registry = getattr(module, "_diffusers_hook", None)
    return registry is not None and bool(registry.hooks)


@pytest.mark.parametrize("way", ["group_leaf", "headroom", "none", "model", "sequential"])
def test_every_way_runs_and_leaves_the_weights_as_they_were(small, way):
    before = {name: weight.clone() for name, weight in small.parts["transformer"].named_parameters()}
    line = perform(small, way)
    assert line["ended"] == "done", line
    assert line["peak_allocated"] > 0
    assert at_home(small)
    for name, weight in small.parts["transformer"].named_parameters():
        assert torch.equal(weight, before[name])


def test_a_plan_with_fp8_storage_runs_and_the_next_run_has_its_weights_anew(small):
    fp8 = {"storage": Storage.FP8_E4M3, "storage_components": ("transformer", "text_encoder_2")}
    line = perform(small, "headroom", offload=OffloadMode.MODEL, **fp8)
    assert line["ended"] == "done", line
    assert perform(small, "model")["ended"] == "done"
    assert at_home(small)


def test_a_limit_that_is_too_small_is_a_result_and_leaves_the_weights_usable(small):
    line = perform(small, "none", limit=0.0005)
    assert line["ended"].startswith("out of memory"), line
    assert at_home(small)
    assert perform(small, "sequential")["ended"] == "done"


@pytest.fixture
def script(small: gpu_models.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The script for the virtual card and the tiny model; this process keeps its environment."""
    monkeypatch.setattr("app.engine.process.set_environment", lambda _extra: None)
    found = importlib.import_module("measure")
    monkeypatch.setattr(found, "DEVICE", DEVICE)
    monkeypatch.setitem(gpu_models.HOMES, "flux", tiny_models.save("flux", tmp_path / "flux"))
    vgpu.set_total("16GiB", 0)
    yield found
    vgpu.set_total(0, 0)


def test_results_are_in_the_file_one_a_line_and_not_begun_is_said(script, tmp_path, capsys):
    file = tmp_path / "results.jsonl"
    groups = script.chosen(["flux none", "flux 24"])
    script.run_all(groups, script.Results(file), time.monotonic() + 1000)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["total"] == 16 * 2**30
    assert lines[1]["model"] == "flux"
    assert [(line["run"], line["ended"]) for line in lines[2:]] == [("flux 12 none", "done")]
    said = capsys.readouterr().out
    assert "flux 12 none: done, peak " in said
    assert "flux 24 headroom: not run, the card is smaller" in said
    script.run_all(groups, script.Results(file), time.monotonic() + script.LEAST - 1)
    assert "flux: not run, the time is over" in capsys.readouterr().out
    assert len(file.read_text(encoding="utf-8").splitlines()) == len(lines) + 1  # the card alone

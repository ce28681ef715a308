"""The measuring script without a card: what it would run, its arithmetic, and small models through its real runs."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gpu_convs
import gpu_models
import gpu_runs
import gpu_trace
import pytest
import tiny_models
import torch

DRY_RUN = """
import runpy, sys
for name in ("PySide6", "shiboken6", "qtawesome"):
    sys.modules[name] = None
script = sys.argv[1]
sys.argv[:] = [script, "--dry-run"]
runpy.run_path(script, run_name="__main__")
"""
# Of the published models' headers.
NUMBERS = {
    "sdxl unet": 2_567_463_684,
    "sdxl vae": 83_653_863,
    "cogvideox-5b transformer": 5_570_283_072,
    "cogvideox-5b text_encoder": 4_762_310_656,
    "flux transformer": 11_901_408_320,
    "flux text_encoder": 123_060_480,
}


@pytest.mark.slow
def test_a_dry_run_names_every_run_without_a_card_and_without_qt():
    script = Path(__file__).parent / "measure.py"
    done = subprocess.run(
        [sys.executable, "-c", DRY_RUN, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for part, numbers in NUMBERS.items():
        assert f"{part}: {numbers:,} numbers" in done.stdout
    for run in gpu_runs.RUNS:
        assert f"  {run.name}: " in done.stdout
    assert "flux 12 none: none, tiles of 512 px (will not fit)" in done.stdout
    assert "VAE decode, UNet pass: contiguous and channels_last" in done.stdout


# ------------------------------------------------------------------ small models, on the processor


@pytest.fixture(scope="module", autouse=True)
def quick_collections() -> Iterator[None]:
    """Each run collects several times, which takes seconds with the libraries' own objects."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> gpu_models.Model:
    """A tiny Flux, built and filled as the large ones are."""
    folder = tiny_models.save("flux", tmp_path_factory.mktemp("model") / "flux")
    model = gpu_models.from_configs("flux", gpu_models.read_configs(folder))
    assert all(weight.is_meta for part in model.networks.values() for weight in part.parameters())
    gpu_models.fill(model)
    return model


def test_weights_are_made_in_their_final_format(small):
    weights = {name: list(part.parameters()) for name, part in small.networks.items()}
    assert {weight.dtype for found in weights.values() for weight in found} == {torch.bfloat16}
    assert {weight.device.type for found in weights.values() for weight in found} == {"cpu"}
    encoder = small.parts["text_encoder_2"]
    assert encoder.encoder.embed_tokens.weight is encoder.shared.weight
    for part in small.info.components:
        assert part.numbers == sum(weight.numel() for weight in weights.get(part.name, ()))


def perform(model: gpu_models.Model, way: str, seconds: float = 1000) -> dict[str, Any]:
    decided = gpu_runs.decide(model, gpu_runs.Run("flux", 1, way), "cpu")
    return gpu_runs.perform(model, decided, "cpu", time.monotonic() + seconds)


def test_a_run_times_its_steps_and_can_be_written_down(small):
    line = perform(small, "headroom")
    assert line["ended"] == "done", line
    assert len(line["step_seconds"]) == gpu_runs.STEPS
    assert line["seconds_per_step"] == sum(line["step_seconds"][1::2]) / 2
    assert line["moved_by"] == "weights"  # no profiler without a card
    assert json.loads(json.dumps(line))["run"] == "flux 1 headroom"


def test_a_way_that_fails_is_a_result(small):
    line = perform(small, "group_leaf")  # streams need an accelerator
    assert line["ended"].startswith("ValueError before the first step's end")
    assert perform(small, "none")["ended"] == "done"  # and leaves the weights usable


def test_a_run_stops_at_a_step_when_the_time_is_over(small):
    line = perform(small, "none", seconds=0)
    assert line["ended"] == "stopped: the time was over"
    assert len(line["step_seconds"]) == 1


def test_running_out_of_memory_is_a_result(small, monkeypatch):
    def full(*_arguments: Any) -> None:
        raise torch.OutOfMemoryError("full")

    monkeypatch.setattr(gpu_runs, "_bare", full)
    assert perform(small, "none")["ended"] == "out of memory while it was placed"


def test_both_orders_of_memory_are_measured_and_taken_back(tmp_path):
    folder = tiny_models.save("sdxl", tmp_path / "sdxl")
    model = gpu_models.from_configs("sdxl", gpu_models.read_configs(folder))
    gpu_models.fill(model)
    model.of_role("denoiser").to(torch.float16)  # as a run with fp8 storage leaves it in another format
    lines = list(gpu_convs.measure(model, "cpu"))
    assert [(line["what"], line["layout"], line["ended"]) for line in lines] == [
        (what, layout, "done") for what in gpu_convs.PREDICTED for layout in ("contiguous", "channels_last")
    ]
    assert model.of_role("vae").decoder.conv_in.weight.is_contiguous()


# ------------------------------------------------------------------ a trace's arithmetic


def event(kind: str, name: str, begin: float, seconds: float, size: int = 0) -> dict[str, Any]:
    return {"cat": kind, "name": name, "ts": begin * 1e6, "dur": seconds * 1e6, "args": {"bytes": size}}


def test_a_trace_gives_bytes_each_way_and_the_share_beside_kernels():
    up, down = "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)"
    events = [
        event("gpu_memcpy", up, 0, 2, 100),
        event("gpu_memcpy", up, 1, 2, 50),  # beside the first: 0 … 3
        event("gpu_memcpy", down, 8, 1, 7),
        event("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 0, 10, 999),
        event("kernel", "gemm", 2, 1),
        event("kernel", "norm", 2.5, 5.75),
        event("cpu_op", "aten::linear", 0, 10),
    ]
    found = gpu_trace.read({"traceEvents": events})
    assert found is not None
    assert (found.up, found.down) == (150, 7)
    assert (found.copying, found.computing) == (4, 6.25)
    assert found.overlap == 1.25 / 4


def test_a_trace_without_a_device_says_nothing():
    assert gpu_trace.read({"traceEvents": [event("cpu_op", "aten::linear", 0, 10)]}) is None

"""The whole way with the real engine process: two greetings, a picture, a hard cancel, and the end of the pipe."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from app.core.messages import Cancelled, Finished, Hello, Progress, Ready, Run
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.families import all_families

pytestmark = pytest.mark.slow


@pytest.fixture
def run(root: Path, tmp_path: Path) -> Run:
    """A job with a tiny model."""
    sys.path.insert(0, str(root / "tests" / "engine"))
    try:
        import tiny
    finally:
        sys.path.pop(0)
    model = tiny.save(tmp_path / "model")
    request = GenerationRequest(
        model=str(model), prompt="a", width=64, height=64, steps=2, guidance=5.0, seed=1
    )
    (tmp_path / "pictures").mkdir()
    plan = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32)
    return Run("job", request, plan, OutputSpec(tmp_path / "pictures"))


def test_from_start_to_picture_and_over_a_hard_cancel(watch, run):
    watched = watch().start()
    hello = watched.until(Hello)
    assert hello.families == tuple(all_families())
    ready = watched.until(Ready)
    assert ready.devices[-1].id == "cpu"
    assert dict(ready.versions)["torch"]
    assert ready.ram_total >= ready.ram_free > 0
    watched.supervisor.send(run)
    with Image.open(watched.until(Finished).files[0]) as picture:
        assert picture.size == (64, 64)

    watched.supervisor.send(replace(run, job="long", request=replace(run.request, steps=1000)))
    watched.until(lambda event: isinstance(event, Progress) and event.job == "long" and event.step > 1)
    watched.supervisor.cancel("long")
    watched.until(Cancelled)
    watched.supervisor.send(replace(run, job="again"))
    assert watched.until(Finished).loaded == ()

    watched.supervisor.send(replace(run, job="killed", request=replace(run.request, steps=1000)))
    watched.until(lambda event: isinstance(event, Progress) and event.job == "killed" and event.step > 1)
    watched.supervisor.kill()
    watched.until(Cancelled)
    watched.until(Ready)
    watched.supervisor.send(replace(run, job="after"))
    assert watched.until(Finished).loaded, "a killed engine's successor must load the model again"
    parts = [path for path in run.output.folder.iterdir() if ".part." in path.name]
    assert not parts

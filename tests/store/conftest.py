"""A job to store, in the words of the values that the planner would give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.store.history import JobRecord, new_record


@pytest.fixture(scope="session")
def cases(root: Path) -> Path:
    """The public cases' small files."""
    return root / "tests" / "data" / "cases"


@pytest.fixture
def make_job(tmp_path: Path) -> Callable[..., JobRecord]:
    """A job that waits, with some of the request's values changed."""

    def make(**changes: object) -> JobRecord:
        values: dict[str, object] = {
            "model": "m", "prompt": "fox", "width": 64, "height": 64, "steps": 2, "guidance": 1.5, "seed": 7,
        }  # fmt: skip
        request = GenerationRequest(**(values | changes))  # type: ignore[arg-type]
        plan = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32)
        return new_record(request, plan, OutputSpec(folder=tmp_path, path=tmp_path / "fox.png"))

    return make

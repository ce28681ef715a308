"""What media tests write: a small picture that is no single colour, and what is said of its making."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest
from app.media.metadata import PictureInfo


@pytest.fixture(scope="session")
def cases(root: Path) -> Path:
    """The public cases' small files."""
    return root / "tests" / "data" / "cases"


@pytest.fixture
def pixels() -> NDArray[np.uint8]:
    """48 rows of 64 noisy pixels."""
    return np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)


@pytest.fixture
def make_info() -> Callable[..., PictureInfo]:
    """PictureInfo of a request with some values changed."""

    def make(settings_json: str = "{}", **changes: object) -> PictureInfo:
        values: dict[str, object] = {
            "model": "/home/somebody/models/shapes", "prompt": "a red circle", "width": 64, "height": 48,
            "steps": 12, "guidance": 4.5, "seed": 7,
        }  # fmt: skip
        request = GenerationRequest(**(values | changes))  # type: ignore[arg-type]
        plan = Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32, settings_json=settings_json)
        return PictureInfo(
            request=request, plan=plan, seed=request.seed, sampler="Euler", versions=(("headroom", "0.1.0"),)
        )

    return make

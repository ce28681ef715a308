"""Settings that meet: fp8 storage under every offload, and a VAE that float16 overflows, give one picture each."""

from __future__ import annotations

import numpy as np
import pytest
from vgpu_engine import VirtualEngine

from app.core.plan import Dtype, OffloadMode, Storage


@pytest.fixture(params=[Storage.NONE, Storage.FP8_E4M3])
def storage(request: pytest.FixtureRequest, engine: VirtualEngine) -> dict[str, object]:
    """The plan's fields for storage as it is, and in fp8 where it works."""
    if request.param is Storage.NONE:
        return {}
    covered = tuple(part.name for part in engine.info.components if part.fp8_numbers)
    return {"storage": request.param, "storage_components": covered}


@pytest.mark.parametrize("dtype", [Dtype.FLOAT32, Dtype.FLOAT16])
def test_offload_changes_no_pixel_in_any_format(
    engine: VirtualEngine, storage: dict[str, object], dtype: Dtype
) -> None:
    pictures = {
        mode: engine.run(engine.plan(offload=mode, dtype=dtype, **storage)).picture
        for mode in (OffloadMode.NONE, OffloadMode.MODEL, OffloadMode.SEQUENTIAL, OffloadMode.GROUP_LEAF)
    }
    for mode, picture in pictures.items():
        assert np.array_equal(picture, pictures[OffloadMode.NONE]), mode

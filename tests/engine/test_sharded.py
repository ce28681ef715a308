"""A model whose weights lie in parts gives the picture of the whole one, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from app.core.messages import Finished, Run
from app.core.units import MIB
from app.store.library import open_model
from app.store.model_copy import copy_model


def test_a_model_in_parts_gives_the_same_pixels(
    engine: Any, job: Callable[..., Run], demo_model: Path, tmp_path: Path
) -> None:
    parts = copy_model(open_model(demo_model), tmp_path / "parts", MIB)
    found = []
    for number, model in enumerate((demo_model, parts)):
        ending = engine.run(job(f"job{number}", model=str(model)))
        assert isinstance(ending, Finished), ending
        with Image.open(ending.files[0]) as picture:
            found.append(np.asarray(picture).astype(int))
    # weights that are mapped from a file may start anywhere there, which decides about the last bit of a product
    assert np.abs(found[0] - found[1]).max() <= 1

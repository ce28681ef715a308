"""Tasks that begin from a picture, whose autoencoder works before the denoiser: same pixels wherever the parts lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from local_engine import LocalEngine
from PIL import Image
from techniques import laid_out
from vgpu_engine import Picture, difference

from app.core.plan import Dtype, OffloadMode, Placement, Spread
from app.core.request import Task

WAYS: Mapping[str, Mapping[str, Any]] = {
    **{mode.value: {"offload": mode} for mode in OffloadMode if mode.value not in ("none", "partial")},
    "vae on the second": {
        "overrides": (Placement(component="vae", device="vgpu:1", offload=OffloadMode.NONE),),
        "limits": (("vgpu:0", 2**30), ("vgpu:1", 2**30)),
    },
    "balanced": {"spread": Spread.BALANCED, "limits": (("vgpu:0", 2**30), ("vgpu:1", 2**30))},
}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """A picture and a mask of its right half."""
    folder = tmp_path_factory.mktemp("given")
    ramp = np.linspace(0, 255, 128, dtype=np.uint8)
    picture = np.stack(
        [np.tile(ramp, (128, 1)), np.tile(ramp[:, None], (1, 128)), np.full((128, 128), 90, np.uint8)], -1
    )
    Image.fromarray(picture).save(folder / "picture.png")
    mask = np.zeros((128, 128), np.uint8)
    mask[:, 64:] = 255
    Image.fromarray(mask).save(folder / "mask.png")
    return {"image": str(folder / "picture.png"), "mask": str(folder / "mask.png")}


@pytest.fixture(scope="module", params=["sdxl", "flux"])
def painter(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalEngine]:
    """An engine for a tiny model of each family of pictures."""
    model = tiny_models.save(request.param, Path(tmp_path_factory.mktemp("tiny")) / request.param)
    with LocalEngine(model) as engine:
        yield engine


@pytest.fixture(scope="module", params=[Task.IMAGE_TO_IMAGE, Task.INPAINT], ids=str)
def asked(
    request: pytest.FixtureRequest, painter: LocalEngine, given: Mapping[str, str]
) -> tuple[Any, Picture]:
    """A request for each task, and the device's own picture of it, with all parts on it."""
    wanted = painter.request(task=request.param, strength=0.7, **given)
    picture = painter.run(painter.plan(), wanted).picture
    # the CPU computes from the file's own pages, whose alignment may round a value the other way
    worst, mean = difference(picture, painter.run(painter.plan("cpu"), wanted).picture)
    assert worst <= 1
    assert mean < 1e-3
    return wanted, picture


@pytest.mark.parametrize("way", WAYS)
def test_a_task_from_a_picture_gives_the_same_pixels_wherever_parts_lie(
    painter: LocalEngine, asked: tuple[Any, Picture], way: str
) -> None:
    request, reference = asked
    painter.unload()
    outcome = painter.run(painter.plan(**laid_out(painter, WAYS[way])), request)
    assert np.array_equal(outcome.picture, reference)
    assert outcome.devices[0]["peak"] > 0
    painter.unload()
    assert [device["live"] for device in painter.stats()] == [0, 0]


def test_d25_an_autoencoder_that_worked_first_leaves_before_the_denoiser(
    painter: LocalEngine, asked: tuple[Any, Picture]
) -> None:
    request, _ = asked
    peaks = {}
    for task in (Task.TEXT_TO_IMAGE, request.task):
        painter.unload()
        plain = painter.request(task=task, **({"image": request.image, "mask": request.mask}))
        outcome = painter.run(painter.plan(offload=OffloadMode.MODEL), plain)
        peaks[task] = outcome.devices[0]["peak"]
    vae = 4 * next(part.numbers for part in painter.info.components if part.name == "vae")
    assert peaks[request.task] < peaks[Task.TEXT_TO_IMAGE] + vae


@pytest.fixture(scope="module")
def overflowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """An engine for a tiny model whose autoencoder says that float16 is too narrow for it."""
    pipe = tiny_models.sdxl()
    pipe.vae.register_to_config(force_upcast=True)
    folder = tmp_path_factory.mktemp("tiny") / "overflowing"
    pipe.save_pretrained(folder)
    with LocalEngine(folder) as engine:
        assert engine.info.configs["vae"]["force_upcast"] is True
        yield engine


def test_an_autoencoder_that_needs_float32_has_it_in_every_mode(
    overflowing: LocalEngine, given: Mapping[str, str]
) -> None:
    engine = overflowing
    request = engine.request(task=Task.IMAGE_TO_IMAGE, strength=0.7, **given)
    reference = engine.run(engine.plan(dtype=Dtype.FLOAT16), request).picture
    assert reference.std() > 1
    for name, way in WAYS.items():
        engine.unload()
        outcome = engine.run(engine.plan(dtype=Dtype.FLOAT16, **laid_out(engine, way)), request)
        assert np.array_equal(outcome.picture, reference), name

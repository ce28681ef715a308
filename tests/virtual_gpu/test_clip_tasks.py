"""Clips from pictures and clips, whose autoencoder works before the denoiser: the same wherever the parts lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from clips import noisy_clip
from local_engine import LocalEngine
from techniques import laid_out
from vgpu_engine import difference

from app.core.plan import OffloadMode, Placement, Spread
from app.core.request import GenerationRequest, Task

WORDS = 32
"""Tokens of the text encoder: its usual hundreds would take most of the time."""
WAYS: Mapping[str, Mapping[str, Any]] = {
    **{mode.value: {"offload": mode} for mode in OffloadMode if mode.value not in ("none", "partial")},
    "vae on the second": {
        "overrides": (Placement(component="vae", device="vgpu:1", offload=OffloadMode.NONE),),
        "limits": (("vgpu:0", 2**30), ("vgpu:1", 2**30)),
    },
    "balanced": {"spread": Spread.BALANCED, "limits": (("vgpu:0", 2**30), ("vgpu:1", 2**30))},
}
MODELS: Mapping[str, tuple[str, Mapping[str, Any], Task]] = {
    "cogvideox 1.5 from a picture": ("cogvideox", {"image": True, "second": True}, Task.IMAGE_TO_VIDEO),
    "cogvideox from a clip": ("cogvideox", {}, Task.VIDEO_TO_VIDEO),
    "wan 2.1 from a picture": ("wan", {"image": True}, Task.IMAGE_TO_VIDEO),
    "wan 2.2 of two from a picture": ("wan", {"image": True, "two_transformers": True}, Task.IMAGE_TO_VIDEO),
    "small wan 2.2 from a clip": ("wan", {"dense": True}, Task.VIDEO_TO_VIDEO),
}


@pytest.fixture(scope="module", params=MODELS)
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LocalEngine, GenerationRequest, Any]]:
    """An engine for the model, what is asked of it, and the device's own frames with all parts on it."""
    kind, options, task = MODELS[request.param]
    folder = Path(tmp_path_factory.mktemp("tiny"))
    first, *others = noisy_clip(9, (48, 40))
    first.save(folder / "given.png", save_all=True, append_images=others, duration=125)
    given = {"image" if task is Task.IMAGE_TO_VIDEO else "video": str(folder / "given.png")}
    with LocalEngine(tiny_models.save(kind, folder / "model", **options)) as engine:
        wanted = engine.request(task=task, width=32, height=32, frames=9, steps=2, strength=0.8, **given)
        frames = engine.run(engine.plan(sequence_length=WORDS), wanted).frames
        assert len(frames) == 9
        worst, mean = difference(frames, engine.run(engine.plan("cpu", sequence_length=WORDS), wanted).frames)
        assert worst <= 1
        assert mean < 1e-2
        yield engine, wanted, frames


@pytest.mark.parametrize("way", WAYS)
def test_a_clip_from_what_was_given_is_the_same_wherever_parts_lie(asked: Any, way: str) -> None:
    engine, request, reference = asked
    engine.unload()
    changes = laid_out(engine, WAYS[way])
    outcome = engine.run(engine.plan(sequence_length=WORDS, **changes), request)
    assert np.array_equal(outcome.frames, reference)
    assert outcome.devices[0]["peak"] > 0
    engine.unload()
    assert [device["live"] for device in engine.stats()] == [0, 0]

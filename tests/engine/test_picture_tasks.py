"""Tasks that begin from a picture, through the engine: steps as they count, unpacked previews, bad files named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models
from PIL import Image

from app.core.errors import ErrorKind
from app.core.messages import Failed, Finished, Phase, Preview, Progress, Run
from app.core.request import Task
from app.media.metadata import read_settings

Job = Callable[..., Run]


@pytest.fixture(scope="module")
def flux(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model of packed latents, with its own colours for previews."""
    folder = tiny_models.save("flux", tmp_path_factory.mktemp("models") / "flux")
    colours = {
        "weight": [[0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3], [0.1, 0.1, 0.1]],
        "bias": [0, 0, 0],
    }
    (folder / "headroom.json").write_text(json.dumps({"latent_rgb": colours}))
    return folder


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A picture of another shape than is asked for."""
    Image.linear_gradient("L").convert("RGB").resize((200, 100)).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


def test_a_task_from_a_picture_counts_the_steps_it_takes(
    engine: Any, job: Job, flux: Path, photo: Path
) -> None:
    changes = {
        "model": str(flux),
        "task": Task.IMAGE_TO_IMAGE,
        "image": str(photo),
        "strength": 0.5,
        "steps": 6,
    }
    finished = engine.run(job(plan_changes={"family": "flux"}, width=96, height=64, **changes))
    assert isinstance(finished, Finished), finished
    with Image.open(finished.files[0]) as made:
        assert made.size == (96, 64)
    told = [event for event in engine.events if isinstance(event, Progress) and event.phase is Phase.DENOISE]
    steps = [event.step for event in told if event.step]
    assert steps[-1] == 6
    assert min(steps) >= 4
    assert {event.steps for event in told} == {6}
    previews = [event for event in engine.events if isinstance(event, Preview)]
    assert previews
    assert {(event.width, event.height) for event in previews} == {(12, 8)}
    settings = read_settings(finished.files[0])
    assert settings is not None
    assert settings.seed == 7


def test_one_model_serves_all_tasks_without_being_read_again(
    engine: Any, job: Job, flux: Path, photo: Path
) -> None:
    made = []
    for number, task in enumerate((Task.TEXT_TO_IMAGE, Task.IMAGE_TO_IMAGE, Task.TEXT_TO_IMAGE)):
        run = job(
            f"job{number}", plan_changes={"family": "flux"}, model=str(flux), task=task, image=str(photo)
        )
        finished = engine.run(run)
        assert isinstance(finished, Finished), finished
        assert bool(finished.loaded) == (number == 0)
        made.append(np.asarray(Image.open(finished.files[0])))
    assert np.array_equal(made[0], made[2])
    assert not np.array_equal(made[0], made[1])


@pytest.mark.parametrize(
    ("name", "kind"),
    [("text.png", ErrorKind.PICTURE_UNREADABLE), ("vanished.png", ErrorKind.PICTURE_MISSING)],
)
def test_a_picture_that_is_none_or_gone_is_said_before_anything_is_loaded(
    engine: Any, job: Job, flux: Path, tmp_path: Path, name: str, kind: ErrorKind
) -> None:
    (tmp_path / "text.png").write_text("no picture")
    run = job(
        plan_changes={"family": "flux"},
        model=str(flux),
        task=Task.IMAGE_TO_IMAGE,
        image=str(tmp_path / name),
    )
    failed = engine.run(run)
    assert isinstance(failed, Failed)
    assert failed.problem.kind is kind
    assert not [event for event in engine.events if isinstance(event, Progress)]

"""Pictures to begin from, by the command line: the task they mean, the size they suggest, what is refused."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from app.cli.given import own_pace, own_size, task_of
from app.core.request import Limits, Size, Task

Headroom = Callable[..., Any]
PICTURES = Limits(tasks=(Task.TEXT_TO_IMAGE, Task.IMAGE_TO_IMAGE, Task.INPAINT), factor=16)
EDITS = Limits(tasks=(Task.EDIT, Task.TEXT_TO_IMAGE))
CLIPS = Limits(tasks=(Task.TEXT_TO_VIDEO, Task.IMAGE_TO_VIDEO, Task.VIDEO_TO_VIDEO), frames_max=49)


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """Three by two."""
    Image.new("RGB", (300, 200), (200, 30, 30)).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


@pytest.mark.parametrize(
    ("given", "limits", "task"),
    [
        ({}, PICTURES, Task.TEXT_TO_IMAGE),
        ({"image": "x"}, PICTURES, Task.IMAGE_TO_IMAGE),
        ({"image": "x", "mask": "y"}, PICTURES, Task.INPAINT),
        ({"image": "x"}, EDITS, Task.EDIT),
        ({"image": "x"}, CLIPS, Task.IMAGE_TO_VIDEO),
        ({"video": "x"}, CLIPS, Task.VIDEO_TO_VIDEO),
        ({"image": "x", "task": "text-to-image"}, PICTURES, Task.TEXT_TO_IMAGE),
    ],
)
def test_what_is_given_means_a_task(given: dict[str, str], limits: Limits, task: str) -> None:
    arguments = argparse.Namespace(**({"image": None, "mask": None, "video": None, "task": None} | given))
    assert task_of(arguments, limits) == task


def test_a_picture_gives_its_shape_to_the_result(photo: Path) -> None:
    size = own_size(str(photo), PICTURES)
    assert size == Size(1248, 832)  # a megapixel, three by two, in sixteens
    assert own_size(str(photo), CLIPS) == Size(CLIPS.width, CLIPS.height)
    assert own_size("", PICTURES) == Size(1024, 1024)


def test_a_picture_is_changed_as_far_as_asked(
    headroom: Headroom, script: Any, model: Path, photo: Path
) -> None:
    done = headroom("generate", "a fox", "--model", str(model), "--image", str(photo), "--strength", "0.4")
    assert done.code == 0, done.err
    request = script.runs[0].request
    assert (request.task, request.image, request.strength) == (Task.IMAGE_TO_IMAGE, str(photo), 0.4)
    assert (request.width, request.height) == (80, 64)  # 64 is the least


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["--image", "nowhere.png"], "picture_missing"),
        (["--mask", "nowhere.png"], "picture_missing"),
        (["--video", "."], "picture_missing"),
        (["--task", "inpaint"], "input_missing"),
        (["--strength", "2"], "value_out_of_range"),
    ],
)
def test_what_cannot_be_begun_from_is_refused(
    headroom: Headroom, model: Path, arguments: list[str], kind: str
) -> None:
    done = headroom("generate", "a fox", "--model", str(model), "--json", *arguments)
    assert done.code != 0
    assert json.loads(done.out)["error"]["kind"] == kind


def test_a_clip_for_a_model_of_pictures_is_named_and_what_it_does(
    headroom: Headroom, model: Path, photo: Path
) -> None:
    done = headroom("generate", "a fox", "--model", str(model), "--video", str(photo))
    assert done.code == 3
    assert "--video cannot be used with this model." in done.err
    assert "Leave it out, or choose another model." in done.err
    assert "This model does text-to-image, image-to-image, inpaint." in done.err


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["--strength", "0.5"], "--strength"),
        (["--fps", "8"], "--fps"),
        (["--mask", "PHOTO", "--task", "text-to-image"], "--mask"),
        (["--image", "PHOTO", "--task", "text-to-image", "--size", "64x64"], "--image"),
    ],
)
def test_options_without_effect_are_said(
    headroom: Headroom, model: Path, photo: Path, arguments: list[str], option: str
) -> None:
    words = [str(photo) if word == "PHOTO" else word for word in arguments]
    done = headroom("plan", "a fox", "--model", str(model), "--json", *words)
    assert done.code == 0
    assert f"{option} changes nothing here: the task is text-to-image." in done.data["warnings"]


def test_options_with_effect_are_not_said(headroom: Headroom, model: Path, photo: Path) -> None:
    done = headroom(
        "plan", "a fox", "--model", str(model), "--json", "--image", str(photo), "--strength", "0.5"
    )
    assert not [line for line in done.data["warnings"] if "changes nothing" in line]


def test_a_folder_and_a_file_that_is_not_there_have_words_of_their_own(
    headroom: Headroom, script: Any, model: Path, tmp_path: Path
) -> None:
    script.start = ()  # an engine would never be ready
    for option in ("--image", "--mask", "--video"):
        gone = headroom("generate", "a fox", "--model", str(model), option, str(tmp_path / "gone.png"))
        assert "There is no such file." in gone.err
        assert str(tmp_path / "gone.png") in gone.err
        folder = headroom("generate", "a fox", "--model", str(model), option, str(tmp_path))
        assert "This is a folder, not a file." in folder.err
        assert "damaged" not in gone.err + folder.err


@pytest.mark.parametrize(
    ("name", "told"), [("zerros", "The nearest names are: Zeros."), ("qwxy", "headroom models")]
)
def test_a_model_that_is_not_there_is_told_with_near_names(
    headroom: Headroom, model: Path, name: str, told: str
) -> None:
    home = Path(os.environ["HEADROOM_HOME"]) / "data" / "models"
    home.mkdir(parents=True)
    model.rename(home / "mine")
    done = headroom("plan", "a fox", "--model", name)
    assert done.code == 3
    assert f"No model is called “{name}”." in done.err
    assert told in done.err
    path = headroom("plan", "a fox", "--model", "/gone/model")
    assert "There is no readable folder or file at /gone/model" in path.err


def test_frames_of_a_model_of_pictures_are_said_in_words(headroom: Headroom, model: Path) -> None:
    done = headroom("plan", "a fox", "--model", str(model), "--json", "--frames", "5")
    assert "This model makes single pictures: the number of frames is not used." in done.data["warnings"]


@pytest.mark.parametrize(("has", "used"), [(1, 9), (9, 9), (16, 9), (17, 17), (60, 49)])
def test_a_clip_gives_its_length_and_pace_to_the_result(has: int, used: int, tmp_path: Path) -> None:
    model = replace(CLIPS, frames=49, frames_factor=8, fps=8)
    first, *others = (Image.new("RGB", (8, 8), (number, 0, 0)) for number in range(has))
    path = tmp_path / "clip.png"
    first.save(path, save_all=True, append_images=others, duration=40)
    assert own_pace(str(path), model) == (used, 25 if has > 1 else 8)
    assert own_pace("", model) == (49, 8)
    assert own_pace(str(path), PICTURES) == (1, 0)

"""What a request begins from, by the command line: pictures, clips, the task they mean, the size they suggest."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from app.core.errors import AppError, ErrorKind
from app.core.request import FPS_MAX, Limits, Lora, Size, Task, parse_lora, snap, snap_frames
from app.core.text import Text, say
from app.media.names import native
from app.media.open import check_there, size_of
from app.store.paths import whole


def task_of(arguments: argparse.Namespace, limits: Limits) -> str:
    """The task as named, or the one that what was given means to this model.

    Raises COMBINATION_REFUSED for a file that this model can begin nothing from.
    """
    if arguments.task:
        return str(arguments.task)
    uses = {
        "--mask": (arguments.mask, (Task.INPAINT,)),
        "--video": (arguments.video, (Task.VIDEO_TO_VIDEO,)),
        "--image": (arguments.image, (Task.EDIT, Task.IMAGE_TO_VIDEO, Task.IMAGE_TO_IMAGE)),
    }
    for option, (file, tasks) in uses.items():
        if file:
            found = next((task for task in tasks if task in limits.tasks), None)
            if found is None:
                reason = say("core", "This model does {tasks}.").of(tasks=", ".join(limits.tasks))
                raise AppError(
                    ErrorKind.COMBINATION_REFUSED, name=option, value=file, reason=reason, case="option"
                )
            return found
    return limits.tasks[0]


def path_of(name: str | None) -> str:
    """A file that was named, as a whole path; empty if none was."""
    return str(whole(Path(native(name)))) if name else ""


def lora_of(text: str) -> Lora:
    """A LoRA file as it was named. What is a file as a whole has no weight behind it, whatever its name ends in."""
    if is_file(path_of(text)):
        return Lora(path_of(text))
    found = parse_lora(text)
    return replace(found, path=path_of(found.path))


def is_file(name: str) -> bool:
    """Whether there is such a file; False also for what can be no name."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def check_given(*names: str | None) -> None:
    """Raises PICTURE_MISSING for a file that is not there: before an engine is started for it."""
    for name in names:
        if name:
            check_there(Path(path_of(name)))


def without_effect(arguments: argparse.Namespace, task: str, limits: Limits) -> Iterator[Text]:
    """What is said of options that change nothing for this task."""
    from_words = task in (Task.TEXT_TO_IMAGE, Task.TEXT_TO_VIDEO)
    idle = {
        "--strength": arguments.strength is not None and from_words,
        "--fps": arguments.fps is not None and not limits.makes_clips,
        "--image": bool(arguments.image) and (from_words or task == Task.VIDEO_TO_VIDEO),
        "--mask": bool(arguments.mask) and task != Task.INPAINT,
        "--video": bool(arguments.video) and task != Task.VIDEO_TO_VIDEO,
    }
    for option in (name for name, is_idle in idle.items() if is_idle):
        yield say("core", "{option} changes nothing here: the task is {task}.").of(option=option, task=task)


def own_size(image: str, limits: Limits) -> Size:
    """As many pixels as the model makes by itself, in the shape of the given picture. Raises PICTURE_UNREADABLE."""
    if not image or limits.makes_clips:  # clips have a few sizes only
        return Size(limits.width, limits.height)
    found = size_of(Path(image))
    shape = found.width / found.height
    area = limits.width * limits.height
    return Size(snap(round(math.sqrt(area * shape)), limits), snap(round(math.sqrt(area / shape)), limits))


def own_pace(video: str, limits: Limits) -> tuple[int, float]:
    """Frames, and frames a second: the given clip's as far as the model can follow, else the model's own.

    Raises PICTURE_UNREADABLE.
    """
    if not video or not limits.makes_clips:
        return limits.frames, limits.fps
    from app.media.clip import read_clip  # only here: no other command needs numpy

    found = read_clip(Path(video), limits.frames_max)
    frames = snap_frames(max(2, len(found.frames)), limits)
    if frames > len(found.frames) and frames > limits.frames_factor + 1:
        frames -= limits.frames_factor  # rather a frame less than one that stands still
    return frames, min(found.fps, FPS_MAX) or limits.fps

"""What a person asks for, as frozen JSON-able values, and the mending or refusal of what they typed.

How it is computed (device, offload, formats) is not here: that is a Plan's.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.core.errors import AppError, ErrorKind
from app.core.text import Text, say

SEED_MAX = 2**64 - 1
PROMPT_MAX = 20_000  # characters; far above what any encoder reads, low enough to store and show
COUNT_MAX = 100
FRAMES_MAX = 10_000
FPS_MAX = 240
LORAS_MAX = 16
LORA_WEIGHT_MAX = 10.0
"""Either way from 0; far beyond what leaves a picture whole."""
_FILLERS = "\u034f\u115f\u1160\u2800\u3164\uffa0"  # letters, marks and symbols that are drawn as nothing
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LORA_TAG = re.compile(r"<(?:lora|lyco|hypernet):[^<>\n]*>", re.IGNORECASE)
_WEIGHTED = re.compile(r"\([^()\n]*:\s*\d+(?:\.\d+)?\s*\)|\w\w\+\+")
_SPACES = re.compile(r"[ \t\u00a0]+")


class Task(StrEnum):
    """What a job makes, and out of what."""

    TEXT_TO_IMAGE = "text-to-image"
    IMAGE_TO_IMAGE = "image-to-image"
    INPAINT = "inpaint"
    EDIT = "edit"
    """A new picture after a given one, as the prompt says."""
    TEXT_TO_VIDEO = "text-to-video"
    IMAGE_TO_VIDEO = "image-to-video"
    VIDEO_TO_VIDEO = "video-to-video"

    @property
    def makes_clip(self) -> bool:
        """Whether the result has frames."""
        return self.value.endswith("video")


@dataclass(frozen=True)
class Size:
    """A picture's size in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}×{self.height}"


@dataclass(frozen=True)
class Lora:
    """A LoRA file that changes the model, and how strongly: 1 as it was trained, 0 not at all, below 0 away from it."""

    path: str
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class GenerationRequest:
    """One job: ``count`` pictures of one prompt. Picture i (from 0) uses the seed ``seed + i``, modulo 2⁶⁴."""

    model: str
    """Path of the model's folder or file."""
    prompt: str
    negative: str = ""
    width: int
    height: int
    """Pixels."""
    steps: int
    guidance: float
    seed: int
    """0 … 2⁶⁴−1; noise is drawn on the CPU from it."""
    count: int = 1
    task: str = Task.TEXT_TO_IMAGE.value
    """One of ``Task``'s values."""
    frames: int = 1
    fps: float = 0
    """Frames per second of a clip; 0: the model's own."""
    image: str = ""
    """Path of the picture that the task begins from, where it needs one."""
    mask: str = ""
    """Path of the picture whose white parts are drawn anew."""
    video: str = ""
    strength: float = 0.8
    """How far a given picture or clip is changed: 0 not at all, 1 wholly."""
    loras: tuple[Lora, ...] = ()

    @property
    def size(self) -> Size:
        """Width and height together."""
        return Size(self.width, self.height)

    def seed_of(self, index: int) -> int:
        """The seed of picture ``index``."""
        return (self.seed + index) & SEED_MAX


@dataclass(frozen=True)
class OutputSpec:
    """Where the pictures go: a folder with names made by the program, or one path chosen by the person.

    With ``path`` and several pictures, ``-2``, ``-3`` … are put before the suffix. Never overwrites.
    """

    folder: Path
    path: Path | None = None
    format: str = "png"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a model can be asked for; a family reads it from the checkpoint's configuration.

    Sizes in pixels; ``factor`` is what both sides must be a multiple of; ``tokens`` what one encoder reads.
    """

    factor: int = 8
    smallest: int = 64
    largest: int = 8192
    width: int = 1024
    height: int = 1024
    steps: int = 30
    steps_max: int = 1000
    guidance: float = 5.0
    guidance_max: float = 100.0
    negative: bool = True
    tokens: int = 77
    tasks: tuple[str, ...] = (Task.TEXT_TO_IMAGE.value,)
    """What the model can do, its own task first."""
    frames: int = 1
    frames_factor: int = 1
    """Frame counts are a multiple of it plus 1."""
    frames_max: int = 1
    fps: float = 0
    fixed: bool = False
    """Its positions were learned for its own size and number of frames: nothing else can be made."""
    guided: bool = True
    """Whether guidance means anything to it; False for distilled models."""
    strength: float = 0.8
    """How far a given picture is changed unless a request says otherwise."""
    dtypes: tuple[str, ...] = ()
    """Compute formats it was made for, best first; empty: the device's own preference."""

    @property
    def makes_clips(self) -> bool:
        """Whether the results have frames."""
        return self.frames_max > 1


def request_to_json(request: GenerationRequest) -> dict[str, Any]:
    """The request as JSON-able data."""
    return asdict(request)


def request_from_json(data: Mapping[str, Any]) -> GenerationRequest:
    """A request from JSON. Unknown keys are ignored; a missing or wrong one raises SETTING_INVALID."""
    known = {field.name: field for field in fields(GenerationRequest)}
    values = {key: value for key, value in data.items() if key in known}
    whole = {"width", "height", "steps", "seed", "count", "frames"}
    values["loras"] = loras_from_json(values.get("loras", ()))
    for key, value in values.items():
        if key == "loras":
            continue
        kind: Any = int if key in whole else (int, float) if key in ("guidance", "fps", "strength") else str
        if isinstance(value, bool) or not isinstance(value, kind):
            raise AppError(ErrorKind.SETTING_INVALID, name=key, value=str(value)[:80])
    try:
        return GenerationRequest(**values)
    except TypeError as error:
        raise AppError(ErrorKind.SETTING_INVALID, detail=str(error), name="request", value="") from error


def loras_from_json(data: Any) -> tuple[Lora, ...]:
    """LoRAs from JSON: a list of objects. Raises SETTING_INVALID for anything else."""
    found = []
    for item in data if isinstance(data, list | tuple) else (data,):
        path, weight = (item.get("path"), item.get("weight", 1.0)) if isinstance(item, Mapping) else ("", 0)
        number = isinstance(weight, int | float) and not isinstance(weight, bool) and math.isfinite(weight)
        if not (isinstance(path, str) and path and number):
            raise AppError(ErrorKind.SETTING_INVALID, name="loras", value=str(item)[:80])
        found.append(Lora(path, float(weight)))
    return tuple(found)


def parse_lora(text: str) -> Lora:
    """``PATH`` or ``PATH:WEIGHT``. A drive's letter is no path before a weight, and only a number is a weight."""
    path, colon, last = text.rpartition(":")
    try:
        weight = float(last) if colon and path else math.nan
    except ValueError:
        weight = math.nan
    named = last.strip().lower().lstrip("+-") in ("nan", "inf", "infinity")
    if colon and path and (named or not math.isnan(weight)):
        return Lora(path, weight)
    return Lora(text)


def parse_seed(text: str) -> int:
    """A seed from what was typed: whole numbers 0 … 2⁶⁴−1, any script's digits, blanks around ignored."""
    stripped = text.strip()
    if not re.fullmatch(r"\d{1,30}", stripped) or int(stripped) > SEED_MAX:
        raise AppError(ErrorKind.VALUE_OUT_OF_RANGE, name="seed", value=stripped[:40], low=0, high=SEED_MAX)
    return int(stripped)


def parse_size_pair(text: str) -> Size:
    """``1024x768``, ``1024×768`` or ``1024*768`` as a Size."""
    match = re.fullmatch(r"\s*(-?\d{1,9})\s*[x×*X]\s*(-?\d{1,9})\s*", text)
    if not match:
        raise AppError(ErrorKind.SETTING_INVALID, name="size", value=text[:40], allowed="1024x768")
    return Size(int(match[1]), int(match[2]))


def clean_prompt(text: str) -> tuple[str, tuple[Text, ...]]:
    """The prompt as it will be used and stored, and what was changed in it.

    Line ends become ``\\n`` and blank lines go, as both only part words; control characters and halves of
    surrogate pairs cannot be encoded and are left out; tags that load networks elsewhere go too. Everything
    else (emoji, right-to-left text) stays.
    """
    notes: list[Text] = []
    clean = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")
    clean = clean.replace("\u2028", "\n").replace("\u2029", "\n")
    visible = "".join(c for c in _CONTROL.sub("", clean) if unicodedata.category(c) != "Cs")
    if visible != clean:
        notes.append(say("core", "Characters that no font or model knows were left out of the prompt."))
    notes += _foreign_marks(visible)
    visible = _LORA_TAG.sub("", visible)
    lines = (_SPACES.sub(" ", line).strip() for line in visible.split("\n"))
    return "\n".join(line for line in lines if not is_blank(line)), tuple(notes)


def _foreign_marks(text: str) -> list[Text]:
    """What other programs' marks in a prompt do here."""
    notes = []
    tags = _LORA_TAG.findall(text)
    if tags:
        line = say(
            "core", "{tags} was taken out of the prompt: this version does not load extra networks by tags."
        )
        notes.append(line.of(tags=", ".join(tags)[:200]))
    if _WEIGHTED.search(text):
        notes.append(say("core", "Weights such as (word:1.3) or word++ are read as plain text here."))
    return notes


def is_blank(text: str) -> bool:
    """Whether nothing visible is in the text: white space, zero-width characters and marks only."""
    return all(
        character.isspace()
        or character in _FILLERS
        or "\ufe00" <= character <= "\ufe0f"
        or unicodedata.category(character) in ("Cc", "Cf", "Cs")
        for character in text
    )


def mend(request: GenerationRequest, limits: Limits) -> tuple[GenerationRequest, tuple[Text, ...]]:
    """The request that will run, and what was changed; raises AppError for what cannot be mended."""
    prompt, notes = clean_prompt(request.prompt)
    negative, more = clean_prompt(request.negative)
    if is_blank(prompt):
        raise AppError(ErrorKind.PROMPT_EMPTY)
    for text in (prompt, negative):
        if len(text) > PROMPT_MAX:
            raise AppError(ErrorKind.PROMPT_TOO_LONG, length=len(text), limit=PROMPT_MAX)
    _check_task(request, limits)
    _check_numbers(request, limits)
    size = _size_for(request, limits)
    changes = [*notes, *(note for note in more if note not in notes)]
    if size != request.size:
        changes.append(_size_change(request.size, size, limits))
    if negative and not limits.negative:
        changes.append(say("core", "This model takes no negative prompt: it is not used."))
        negative = ""
    if not limits.guided and request.guidance != limits.guidance:
        changes.append(say("core", "This model takes no guidance: the value is not used."))
    frames = limits.frames if limits.fixed else snap_frames(request.frames, limits)
    if request.frames > 1 and not limits.makes_clips:
        changes.append(say("core", "This model makes single pictures: the number of frames is not used."))
    elif frames != request.frames and limits.makes_clips:
        line = say(
            "core", "The number of frames was changed from {asked} to {used}: this model makes {factor}k + 1."
        )
        changes.append(line.of(asked=request.frames, used=frames, factor=limits.frames_factor))
    mended = replace(
        request,
        prompt=prompt,
        negative=negative,
        width=size.width,
        height=size.height,
        frames=frames,
        fps=request.fps or limits.fps,
        guidance=request.guidance if limits.guided else limits.guidance,
    )
    return mended, tuple(changes)


def _size_for(request: GenerationRequest, limits: Limits) -> Size:
    """The nearest size that the model can make."""
    if limits.fixed:
        return Size(limits.width, limits.height)
    return Size(snap(request.width, limits), snap(request.height, limits))


def _size_change(asked: Size, used: Size, limits: Limits) -> Text:
    if limits.fixed:
        line = say("core", "The size was changed from {asked} to {used}, the only one that this model makes.")
        return line.of(asked=asked, used=used)
    line = say(
        "core",
        "The size was changed from {asked} to {used}: this model needs multiples of {factor}, from {low} to {high}.",
    )
    low, high = snap(0, limits), snap(limits.largest, limits)
    return line.of(asked=asked, used=used, factor=limits.factor, low=low, high=high)


def snap_frames(frames: int, limits: Limits) -> int:
    """The nearest number of frames that the model can make; of a clip more than one."""
    count = math.floor((frames - 1) / limits.frames_factor + 0.5) * limits.frames_factor + 1
    if frames > 1:
        count = max(count, limits.frames_factor + 1)
    most = (limits.frames_max - 1) // limits.frames_factor * limits.frames_factor + 1
    return min(max(1, count), most)


_NEEDS: dict[Task, tuple[str, ...]] = {
    Task.IMAGE_TO_IMAGE: ("image",),
    Task.INPAINT: ("image", "mask"),
    Task.EDIT: ("image",),
    Task.IMAGE_TO_VIDEO: ("image",),
    Task.VIDEO_TO_VIDEO: ("video",),
}


def _check_task(request: GenerationRequest, limits: Limits) -> None:
    """The model must be able to do it, and what it begins from must be there."""
    if request.task not in limits.tasks:
        allowed = ", ".join(limits.tasks)
        raise AppError(ErrorKind.SETTING_INVALID, name="task", value=request.task[:40], allowed=allowed)
    for name in _NEEDS.get(Task(request.task), ()):
        if not getattr(request, name):
            raise AppError(ErrorKind.INPUT_MISSING, task=request.task, name=name)


def snap(side: int, limits: Limits) -> int:
    """The nearest side that the model can make, in pixels."""
    nearest = math.floor(side / limits.factor + 0.5) * limits.factor
    low = math.ceil(limits.smallest / limits.factor) * limits.factor
    return min(max(nearest, low), limits.largest // limits.factor * limits.factor)


def _check_numbers(request: GenerationRequest, limits: Limits) -> None:
    if len(request.loras) > LORAS_MAX:
        raise AppError(
            ErrorKind.VALUE_OUT_OF_RANGE, name="loras", value=len(request.loras), low=0, high=LORAS_MAX
        )
    bounds: dict[str, tuple[float, float, float]] = {
        "width": (request.width, min(limits.smallest, limits.factor), limits.largest),
        "height": (request.height, min(limits.smallest, limits.factor), limits.largest),
        "steps": (request.steps, 1, limits.steps_max),
        "guidance": (request.guidance, 0, limits.guidance_max),
        "seed": (request.seed, 0, SEED_MAX),
        "count": (request.count, 1, COUNT_MAX),
        "frames": (request.frames, 1, FRAMES_MAX),
        "fps": (request.fps, 0, FPS_MAX),
        "strength": (request.strength, 0, 1),
    }
    weights = (("lora_weight", (lora.weight, -LORA_WEIGHT_MAX, LORA_WEIGHT_MAX)) for lora in request.loras)
    for name, (value, low, high) in (*bounds.items(), *weights):
        if not (math.isfinite(value) and low <= value <= high):
            raise AppError(ErrorKind.VALUE_OUT_OF_RANGE, name=name, value=value, low=low, high=high)

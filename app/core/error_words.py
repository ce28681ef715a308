"""The sentences of every kind of error: what happened, why, what to do, in that order.

A table and nothing else; which facts a kind carries is seen from the places in its sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.core.case_words import CASES
from app.core.errors import ErrorKind, Problem
from app.core.lora_words import LORA_MISFITS, LORA_UNSUPPORTED, LORA_WORDS
from app.core.picture_words import PICTURE_WORDS
from app.core.text import Text, say
from app.core.units import gib

_NONE = Text("")


@dataclass(frozen=True)
class Words:
    """An error as three sentences; ``why`` and ``do`` may be empty."""

    what: Text
    why: Text
    do: Text

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.what, self.why, self.do) if part.source)


def sentence(problem: Problem) -> Words:
    """The words of a problem, with its facts put in."""
    usual_words = _TABLE.get(problem.kind, _TABLE[ErrorKind.UNEXPECTED])
    what, why, do = CASES.get((problem.kind, str(problem.fact("case"))), usual_words)
    facts: dict[str, Any] = {key: _readable(key, value) for key, value in problem.facts}
    if problem.kind in _REASONS:
        reasons, usual = _REASONS[problem.kind]
        why = reasons.get(str(facts.get("reason")), reasons[usual])
    if problem.kind is ErrorKind.MODEL_NEEDS_PARTS and facts.get("reason") == "gguf":
        why, do = _GGUF_ALONE
    if problem.kind is ErrorKind.SETTING_INVALID and not (facts.get("allowed") or facts.get("case")):
        why = _NONE
    if problem.kind is ErrorKind.SETTINGS_DAMAGED and not facts.get("kept"):
        why = _UNOPENED
    if "name" in facts and problem.kind in _NAMED:
        facts["name"] = FIELD_NAMES.get(str(facts["name"]), Text(str(facts["name"])))
    return Words(*(text.of(**facts) if text.source else text for text in (what, why, do)))


def _readable(key: str, value: Any) -> Any:
    if (
        key in ("actual", "expected", "needed", "peak", "limit_bytes")
        and isinstance(value, int)
        and value > 2**20
    ):
        return gib(value)
    return value


FIELD_NAMES: Mapping[str, Text] = {
    "width": say("core", "width"),
    "height": say("core", "height"),
    "size": say("core", "size"),
    "steps": say("core", "steps"),
    "guidance": say("core", "guidance"),
    "seed": say("core", "seed"),
    "count": say("core", "count"),
    "frames": say("core", "frames"),
    "fps": say("core", "frames per second"),
    "strength": say("core", "strength"),
    "task": say("core", "task"),
    "image": say("core", "picture"),
    "mask": say("core", "mask"),
    "video": say("core", "clip"),
    "loras": say("core", "number of LoRAs"),
    "lora_weight": say("core", "a LoRA's weight"),
}
_NAMED = {ErrorKind.VALUE_OUT_OF_RANGE, ErrorKind.SETTING_INVALID, ErrorKind.INPUT_MISSING}

_DAMAGE: Mapping[str, Text] = {
    "size": say(
        "core",
        "The file {file} has {actual} bytes where its header says {expected}: it was cut or is still being copied.",
    ),
    "format": say("core", "The file {file} does not have the form that its name promises."),
    "json": say("core", "The file {file} is not readable as JSON."),
    "web_page": say(
        "core", "The file {file} is a web page: the download was of the site's page, not of the model."
    ),
    "lfs_pointer": say(
        "core", "The file {file} is only a Git LFS pointer: the model itself was not fetched."
    ),
    "empty": say("core", "The file {file} is empty."),
    "outside": say("core", "The file {file} names a file outside the model's folder."),
    "cut": say("core", "The file {file} breaks off in its header: it was cut or is still being copied."),
    "no_tensors": say("core", "The file {file} holds no weights."),
    "weights": say("core", "The weights in {file} could not be read."),
    "misfit": say(
        "core",
        "The weights in {file} and their configuration do not fit each other: one of the two is of another model.",
    ),
}

_UNKNOWN: Mapping[str, Text] = {
    "keys": say("core", "Its contents match no kind of model that this program runs."),
    "class": say("core", "It is made for “{name}”, which this program does not run."),
    "no_class": say("core", "Its model_index.json does not say what kind of model it is."),
    "loose_files": say("core", "The folder holds single model files ({files}) and no model_index.json."),
    "scaled": say(
        "core",
        "Its weights are stored in fp8 with scales beside them, which this program does not apply: the pictures would"
        " be white or black.",
    ),
    "no_gguf": say("core", "{name} cannot take its weights from a GGUF file."),
    "gguf_format": say(
        "core", "Its GGUF file holds weights in a format that cannot be unpacked here: {name}."
    ),
    "ggufs": say(
        "core", "There are several GGUF files ({files}) in one folder: leave only one of them there."
    ),
    "no_config": say("core", "Single files of {name} cannot be read without a configuration."),
}

_NONSENSE: Mapping[str, Text] = {
    "no_tensor": say("core", "What {address} sent is not what such a server sends."),
    "shape": say(
        "core", "What {address} sent has another size than the picture: it may serve another model."
    ),
    "cut": say("core", "What {address} sent breaks off."),
    "too_long": say("core", "{address} sent more than the picture can have."),
    "not_finite": say("core", "What {address} sent contains values that are not numbers."),
}

_NOT_COPIED: Mapping[str, Text] = {
    "exists": say("core", "{path} exists already and nothing is overwritten."),
    "inside": say("core", "{path} is the model itself, or inside it."),
    "file": say("core", "Only a model's folder of .safetensors can be written in parts."),
    "full": say("core", "It needs {needed} where {path} is to be, and {free} are free."),
    "differs": say("core", "{path} did not read back as it was written."),
    "failed": say("core", "Writing {path} failed."),
}
_GGUF_ALONE = (
    say("core", "A GGUF file holds the denoiser alone; {parts} with the other parts is not beside it."),
    say(
        "core",
        "Put it into the transformer folder of a diffusers model in place of its weights, or that folder beside it "
        "as {parts}.",
    ),
)
_UNOPENED = say(
    "core", "{path} cannot be opened. It is left as it is, and changes to the settings are not kept."
)
_AGAIN = say("core", "Download or copy the model again.")
_OTHER_SERVER = say("core", "Check the address of the server, or leave it empty to decode here.")
_FREE_FOLDER = say("core", "Choose another folder for the pictures.")

_REASONS: Mapping[ErrorKind, tuple[Mapping[str, Text], str]] = {
    ErrorKind.MODEL_DAMAGED: (_DAMAGE, "format"),
    ErrorKind.LORA_DAMAGED: (_DAMAGE, "format"),
    ErrorKind.LORA_UNSUPPORTED: (LORA_UNSUPPORTED, "kind"),
    ErrorKind.LORA_MISFIT: (LORA_MISFITS, "none"),
    ErrorKind.MODEL_UNKNOWN: (_UNKNOWN, "keys"),
    ErrorKind.MODEL_NOT_COPIED: (_NOT_COPIED, "failed"),
    ErrorKind.REMOTE_NONSENSE: (_NONSENSE, "no_tensor"),
}
"""Kinds whose middle sentence follows from a reason, with the usual one."""
_TABLE: Mapping[ErrorKind, tuple[Text, Text, Text]] = {
    ErrorKind.PROMPT_EMPTY: (
        say("core", "There is no prompt."),
        say("core", "Nothing visible is written in it."),
        say("core", "Write what the picture should show."),
    ),
    ErrorKind.PROMPT_TOO_LONG: (
        say("core", "The prompt is too long."),
        say("core", "It has {length} characters; {limit} are the most that can be stored."),
        say("core", "Shorten it: the model reads only the first few hundred words anyway."),
    ),
    ErrorKind.VALUE_OUT_OF_RANGE: (
        say("core", "The value {value} for {name} cannot be used."),
        say("core", "It must be between {low} and {high}."),
        say("core", "Change it and try again."),
    ),
    ErrorKind.SETTING_UNKNOWN: (
        say("core", "There is no setting “{name}”."),
        say("core", "The settings are: {known}."),
        say("core", "Check its spelling."),
    ),
    ErrorKind.SETTING_INVALID: (
        say("core", "“{value}” is not a value for {name}."),
        say("core", "Possible values: {allowed}."),
        say("core", "Change it and try again."),
    ),
    ErrorKind.INPUT_MISSING: (
        say("core", "Nothing was given to begin from: {name}."),
        say("core", "The task “{task}” changes something that is there already."),
        say("core", "Choose a file for it, or another task."),
    ),
    ErrorKind.COMBINATION_REFUSED: (
        say("core", "{name} cannot be “{value}” here."),
        say("core", "{reason}"),
        say("core", "Choose another value, or Auto."),
    ),
    ErrorKind.WILL_NOT_FIT: (
        say("core", "This will probably not fit on {device}."),
        say(
            "core",
            "The weights need {need} at a time, besides working memory; {budget} may be used ({free} are free).",
        ),
        say("core", "Close other programs, raise the limit, make the picture smaller, or run it anyway."),
    ),
    ErrorKind.DEVICE_MISSING: (
        say("core", "The device “{device}” is not there."),
        say("core", "This machine has: {devices}."),
        say("core", "Choose one of them, or Auto."),
    ),
    ErrorKind.MODEL_MISSING: (
        say("core", "The model was not found."),
        say("core", "There is no readable folder or file at {path}."),
        say("core", "Check the path, or choose another model; “headroom models” lists those that are found."),
    ),
    ErrorKind.MODEL_EMPTY: (
        say("core", "There is no model in this folder."),
        say("core", "{path} is empty."),
        say("core", "Choose the folder that holds model_index.json."),
    ),
    ErrorKind.MODEL_INCOMPLETE: (
        say("core", "The model is not complete."),
        say("core", "{missing} is missing in {path}."),
        _AGAIN,
    ),
    ErrorKind.MODEL_DAMAGED: (say("core", "The model is damaged."), _NONE, _AGAIN),
    ErrorKind.MODEL_UNSAFE: (
        say("core", "This model was not opened."),
        say("core", "{file} is in a format (pickle) that can run any program hidden in it."),
        say("core", "Use the same model as .safetensors."),
    ),
    ErrorKind.MODEL_UNKNOWN: (
        say("core", "This model cannot be run."),
        _NONE,
        say(
            "core", "Choose a diffusers folder or a .safetensors file of a model that is listed in the help."
        ),
    ),
    ErrorKind.MODEL_TOO_NEW: (
        say("core", "This model needs a newer version of Headroom."),
        say("core", "It was made with diffusers {made} for “{name}”; this version has {ours}."),
        say("core", "Update Headroom, or choose another model."),
    ),
    ErrorKind.MODEL_NEEDS_PARTS: (
        say("core", "This file is only a part of a {family} model."),
        say("core", "It lacks: {parts}."),
        say("core", "Choose a file or folder with all parts."),
    ),
    ErrorKind.MODEL_NOT_COPIED: (
        say("core", "The model was not copied."),
        _NONE,
        say("core", "Choose another folder, or make room; nothing half-written was kept."),
    ),
    ErrorKind.MODEL_NOT_FINITE: (
        say("core", "The picture could not be computed."),
        say("core", "The weights of {part} contain values that are not numbers: the file is damaged."),
        _AGAIN,
    ),
    **LORA_WORDS,
    ErrorKind.FOLDER_MISSING: (
        say("core", "The picture was not saved."),
        say("core", "There is no folder {path}."),
        _FREE_FOLDER,
    ),
    ErrorKind.FOLDER_READ_ONLY: (
        say("core", "The picture was not saved."),
        say("core", "Writing into {path} is not allowed."),
        _FREE_FOLDER,
    ),
    ErrorKind.FOLDER_IS_FILE: (
        say("core", "The picture was not saved."),
        say("core", "{path} is a file, not a folder."),
        _FREE_FOLDER,
    ),
    ErrorKind.FILE_EXISTS: (
        say("core", "The picture was not saved."),
        say("core", "{path} exists already and nothing is overwritten."),
        say("core", "Choose another name."),
    ),
    ErrorKind.NAME_TOO_LONG: (
        say("core", "The picture was not saved."),
        say("core", "The name or path is longer than this drive allows: {path}"),
        say("core", "Choose a shorter name."),
    ),
    ErrorKind.DISK_FULL: (
        say("core", "The disk is full."),
        say("core", "There was no room left for {path}; nothing half-written was kept."),
        say("core", "Free some space or choose a folder on another drive."),
    ),
    ErrorKind.WRITE_FAILED: (
        say("core", "The file was not saved."),
        say("core", "Writing {path} failed, or it did not read back as written."),
        say("core", "Check the drive, or choose another folder."),
    ),
    **PICTURE_WORDS,
    ErrorKind.OUT_OF_MEMORY: (
        say("core", "There was not enough memory on {device}."),
        say("core", "The work had taken {peak} when no more was to be had."),
        say("core", "Choose “Lowest VRAM”, a smaller size, or VAE tiling; or close other programs."),
    ),
    ErrorKind.STREAM_DIFFERS: (
        say("core", "Weights that are copied ahead give another result on this device: nothing was made."),
        say("core", "Two equal passes of {part} came out {apart} apart."),
        say("core", "Set “Stream ahead” to Off."),
    ),
    ErrorKind.ENGINE_DIED: (
        say("core", "The engine stopped in the middle of its work."),
        say("core", "It ended by itself (code {code}); often the system had no memory left."),
        say("core", "Run the job again from the queue, with less memory if it happens again."),
    ),
    ErrorKind.ENGINE_KEEPS_DYING: (
        say("core", "The engine stopped three times within a minute and was not started again."),
        say("core", "Its log is at {log}."),
        say("core", "Look there, then choose Restart engine. The queue is kept."),
    ),
    ErrorKind.ENGINE_NOT_STARTING: (
        say("core", "The engine did not start."),
        say("core", "Its log is at {log}."),
        say("core", "Look there, then try again."),
    ),
    ErrorKind.PACKAGE_MISSING: (
        say("core", "A part of the program is missing."),
        say("core", "The package {package} does not load."),
        say("core", "Install Headroom again."),
    ),
    ErrorKind.REMOTE_UNREACHABLE: (
        say("core", "The server that should decode was not reached."),
        say("core", "There is no connection to {address}."),
        _OTHER_SERVER,
    ),
    ErrorKind.REMOTE_SILENT: (
        say("core", "The server that should decode did not answer."),
        say("core", "{address} was silent for too long."),
        _OTHER_SERVER,
    ),
    ErrorKind.REMOTE_REFUSED: (
        say("core", "The server that should decode refused."),
        say("core", "{address} answered with code {status}."),
        _OTHER_SERVER,
    ),
    ErrorKind.REMOTE_NONSENSE: (
        say("core", "The server that should decode did not send a picture."),
        _NONE,
        _OTHER_SERVER,
    ),
    ErrorKind.SETTINGS_NEWER: (
        say("core", "The settings were not read."),
        say("core", "{path} was written by a newer version of Headroom; it is left untouched."),
        say("core", "Update Headroom. Until then changes to the settings are not kept."),
    ),
    ErrorKind.SETTINGS_DAMAGED: (
        say("core", "The settings could not be read."),
        say("core", "{path} is damaged; it was kept under another name."),
        say("core", "The settings start afresh."),
    ),
    ErrorKind.HOME_UNKNOWN: (
        say("core", "The program's files have no place."),
        say("core", "The system names no home folder for this user."),
        say("core", "Set HEADROOM_HOME to a folder that can be written."),
    ),
    ErrorKind.HISTORY_FAILED: (
        say("core", "The history of jobs cannot be used."),
        say("core", "{path} cannot be opened or written, or another program holds it."),
        say("core", "Allow writing there, or set HEADROOM_HOME to another folder."),
    ),
    ErrorKind.ALREADY_RUNNING: (
        say("core", "Headroom is running already."),
        say("core", "Two windows would write over each other's settings and queue."),
        say("core", "Use the window that is open."),
    ),
    ErrorKind.UNEXPECTED: (
        say("core", "Something went wrong that the program did not foresee."),
        _NONE,
        say("core", "The details help whoever looks into it; the log has more."),
    ),
}

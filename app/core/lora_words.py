"""The sentences of errors that LoRA files bring: a part of ``error_words``' table, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.errors import ErrorKind
from app.core.text import Text, say

LORA_UNSUPPORTED: Mapping[str, Text] = {
    "pickle": say("core", "{file} is in a format (pickle) that can run any program hidden in it."),
    "kind": say("core", "{file} is a {name}, a kind of file that this program does not apply."),
    "family": say("core", "{name} takes no LoRA files here."),
    "mixed": say(
        "core",
        "{file} holds layers that are not used here, and settings that count for all of them together.",
    ),
}
LORA_MISFITS: Mapping[str, Text] = {
    "none": say(
        "core", "It was made for {made}; the model is “{model}” ({family}). 0 of its {total} layers fit."
    ),
    "unknown": say(
        "core",
        "For which model it was made cannot be told; the model is “{model}” ({family}). 0 of its {total} layers fit.",
    ),
    "some": say(
        "core", "{misfits} of its {total} layers have another size than those of “{model}” ({family})."
    ),
    "loading": say("core", "Its weights could not be put into “{model}” ({family})."),
}
LORA_WORDS: Mapping[ErrorKind, tuple[Text, Text, Text]] = {
    ErrorKind.LORA_MISSING: (
        say("core", "The LoRA file was not found."),
        say("core", "There is no readable file at {path}."),
        say("core", "Check the path, or take the LoRA out of the list."),
    ),
    ErrorKind.LORA_DAMAGED: (
        say("core", "The LoRA file is damaged."),
        Text(""),
        say("core", "Download or copy the file again."),
    ),
    ErrorKind.LORA_UNSUPPORTED: (
        say("core", "This LoRA file cannot be used."),
        Text(""),
        say("core", "Take it out of the list, or choose another file."),
    ),
    ErrorKind.LORA_MISFIT: (
        say("core", "The LoRA file {file} does not fit the model."),
        Text(""),
        say("core", "Choose the model that it was made for, or take the LoRA out of the list."),
    ),
}

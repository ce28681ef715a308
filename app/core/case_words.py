"""Other sentences for single cases of a kind of error, which its fact ``case`` names: a table, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.errors import ErrorKind
from app.core.text import Text, say

_LISTED = say("core", "“headroom models” lists those that are found; the path of a folder or file works too.")

CASES: Mapping[tuple[ErrorKind, str], tuple[Text, Text, Text]] = {
    (ErrorKind.SETTING_INVALID, "no_value"): (
        say("core", "{name} has no value."),
        say("core", "Possible values: {allowed}."),
        say("core", "Write the setting, = and a value."),
    ),
    (ErrorKind.SETTING_INVALID, "pattern"): (
        say("core", "“{value}” is no pattern of names for {name}."),
        say("core", "It cannot be read from character {position} on."),
        say("core", "Write part of a layer's name, such as norm, or put \\ before a bracket."),
    ),
    (ErrorKind.COMBINATION_REFUSED, "part"): (
        say("core", "This model has no part “{value}”."),
        say("core", "{reason}"),
        say("core", "Name one of its parts, or leave the setting out."),
    ),
    (ErrorKind.COMBINATION_REFUSED, "option"): (
        say("core", "{name} cannot be used with this model."),
        say("core", "{reason}"),
        say("core", "Leave it out, or choose another model."),
    ),
    (ErrorKind.MODEL_MISSING, "name"): (
        say("core", "No model is called “{path}”."),
        say("core", "Nothing is at such a path either."),
        _LISTED,
    ),
    (ErrorKind.MODEL_MISSING, "near"): (
        say("core", "No model is called “{path}”."),
        say("core", "The nearest names are: {near}."),
        _LISTED,
    ),
    (ErrorKind.FOLDER_READ_ONLY, "refuses"): (
        say("core", "The picture was not saved."),
        say("core", "The folder {path} is there but takes no files: it is the system's own."),
        say("core", "Choose another folder for the pictures."),
    ),
    (ErrorKind.PICTURE_MISSING, "folder"): (
        say("core", "This is a folder, not a file."),
        say("core", "A file is wanted, and {path} is a folder."),
        say("core", "Check the path, or choose another file."),
    ),
}

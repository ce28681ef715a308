"""The sentences of errors of pictures, given ones and made ones: a part of ``error_words``' table, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.errors import ErrorKind
from app.core.text import Text, say

PICTURE_WORDS: Mapping[ErrorKind, tuple[Text, Text, Text]] = {
    ErrorKind.PICTURE_BLANK: (
        say("core", "The picture came out blank and was not saved."),
        say("core", "It is of one single colour."),
        say("core", "Try another seed, more steps, or precision float32."),
    ),
    ErrorKind.PICTURE_NOT_FINITE: (
        say("core", "The picture could not be computed and was not saved."),
        say("core", "The numbers overflowed on the way."),
        say("core", "Set the precision to float32 or bfloat16, or switch fp8 storage off."),
    ),
    ErrorKind.PICTURE_TOO_LARGE: (
        say("core", "This picture is too large to open."),
        say("core", "It has {width} × {height} pixels."),
        say("core", "Make it smaller in another program first."),
    ),
    ErrorKind.PICTURE_UNREADABLE: (
        say("core", "This picture could not be opened."),
        say("core", "{path} is damaged, or not a picture."),
        say("core", "Choose another file."),
    ),
    ErrorKind.PICTURE_MISSING: (
        say("core", "There is no such file."),
        say("core", "At {path} there is nothing that may be read."),
        say("core", "Check the path, or choose another file."),
    ),
}

"""Exit codes, and which error gives which. Numbers are a contract with scripts."""

from __future__ import annotations

from app.core.errors import ErrorKind

DONE, USAGE, REFUSED, FAILED, INTERRUPTED = 0, 2, 3, 4, 130

_USAGE = {
    ErrorKind.PROMPT_EMPTY,
    ErrorKind.PROMPT_TOO_LONG,
    ErrorKind.VALUE_OUT_OF_RANGE,
    ErrorKind.SETTING_UNKNOWN,
    ErrorKind.SETTING_INVALID,
}


def before_run(kind: ErrorKind) -> int:
    """The code of an error met before anything ran: what was typed is wrong, or cannot be done here."""
    if kind in _USAGE:
        return USAGE
    if kind in (ErrorKind.ENGINE_NOT_STARTING, ErrorKind.PACKAGE_MISSING, ErrorKind.UNEXPECTED):
        return FAILED
    return REFUSED

"""The kinds of error that people meet, as data: a kind, facts for its sentence, detail for the log.

No prose here: the sentences of each kind stand in ``error_words``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.core.text import facts_of


class ErrorKind(StrEnum):
    """Stable names: they stand in JSON output, in history and in tests, and never change their meaning."""

    # the request
    PROMPT_EMPTY = "prompt_empty"
    PROMPT_TOO_LONG = "prompt_too_long"
    VALUE_OUT_OF_RANGE = "value_out_of_range"
    SETTING_UNKNOWN = "setting_unknown"
    SETTING_INVALID = "setting_invalid"
    INPUT_MISSING = "input_missing"
    COMBINATION_REFUSED = "combination_refused"
    WILL_NOT_FIT = "will_not_fit"
    DEVICE_MISSING = "device_missing"
    # the model
    MODEL_MISSING = "model_missing"
    MODEL_EMPTY = "model_empty"
    MODEL_INCOMPLETE = "model_incomplete"
    MODEL_DAMAGED = "model_damaged"
    MODEL_UNSAFE = "model_unsafe"
    MODEL_UNKNOWN = "model_unknown"
    MODEL_TOO_NEW = "model_too_new"
    MODEL_NEEDS_PARTS = "model_needs_parts"
    MODEL_NOT_FINITE = "model_not_finite"
    MODEL_NOT_COPIED = "model_not_copied"
    # LoRA files
    LORA_MISSING = "lora_missing"
    LORA_DAMAGED = "lora_damaged"
    LORA_UNSUPPORTED = "lora_unsupported"
    LORA_MISFIT = "lora_misfit"
    # the output
    FOLDER_MISSING = "folder_missing"
    FOLDER_READ_ONLY = "folder_read_only"
    FOLDER_IS_FILE = "folder_is_file"
    FILE_EXISTS = "file_exists"
    NAME_TOO_LONG = "name_too_long"
    DISK_FULL = "disk_full"
    WRITE_FAILED = "write_failed"
    PICTURE_BLANK = "picture_blank"
    PICTURE_NOT_FINITE = "picture_not_finite"
    PICTURE_TOO_LARGE = "picture_too_large"
    PICTURE_UNREADABLE = "picture_unreadable"
    PICTURE_MISSING = "picture_missing"
    # the engine
    OUT_OF_MEMORY = "out_of_memory"
    STREAM_DIFFERS = "stream_differs"
    ENGINE_DIED = "engine_died"
    ENGINE_KEEPS_DYING = "engine_keeps_dying"
    ENGINE_NOT_STARTING = "engine_not_starting"
    PACKAGE_MISSING = "package_missing"
    UNEXPECTED = "unexpected"
    # the server that a person named
    REMOTE_UNREACHABLE = "remote_unreachable"
    REMOTE_SILENT = "remote_silent"
    REMOTE_REFUSED = "remote_refused"
    REMOTE_NONSENSE = "remote_nonsense"
    # the program
    SETTINGS_NEWER = "settings_newer"
    SETTINGS_DAMAGED = "settings_damaged"
    HOME_UNKNOWN = "home_unknown"
    HISTORY_FAILED = "history_failed"
    ALREADY_RUNNING = "already_running"


@dataclass(frozen=True)
class Problem:
    """An error as a value that crosses pipes and goes to disk."""

    kind: ErrorKind
    facts: tuple[tuple[str, Any], ...] = ()
    detail: str = ""

    def fact(self, name: str, default: Any = "") -> Any:
        """One fact by name."""
        return dict(self.facts).get(name, default)


class AppError(Exception):
    """Raised where something a person must hear of goes wrong; caught at a border and turned into a Problem."""

    def __init__(self, kind: ErrorKind, detail: str = "", **facts: Any) -> None:
        super().__init__(f"{kind}: {facts} {detail}".strip())
        self.problem = Problem(kind, facts_of(facts), detail)

    @property
    def kind(self) -> ErrorKind:
        """The stable kind."""
        return self.problem.kind

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.problem,))

    @classmethod
    def from_problem(cls, problem: Problem) -> AppError:
        """The exception of a problem that arrived as a value."""
        return cls(problem.kind, problem.detail, **dict(problem.facts))


def _rebuild(problem: Problem) -> AppError:
    return AppError.from_problem(problem)


def problem_to_json(problem: Problem) -> Mapping[str, Any]:
    """A problem as JSON-able data."""
    return {
        "kind": problem.kind.value,
        "facts": {key: _plain(value) for key, value in problem.facts},
        "detail": problem.detail,
    }


def problem_from_json(data: Mapping[str, Any]) -> Problem:
    """A problem from JSON; an unknown kind (a newer program's) reads as UNEXPECTED with the kind in its detail."""
    detail, facts = str(data.get("detail", "")), data.get("facts")
    try:
        kind = ErrorKind(str(data.get("kind")))
    except ValueError:
        kind, detail = ErrorKind.UNEXPECTED, f"{data.get('kind')}: {detail}"
    return Problem(kind, facts_of(facts if isinstance(facts, dict) else {}), detail)


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | type(None)) else str(value)

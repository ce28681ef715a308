"""Writes to the terminal so that nothing there can stop the program: no stream, a closed pipe, an ASCII locale."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from app.core.error_words import sentence
from app.core.errors import ErrorKind, Problem, problem_to_json
from app.core.text import Text

DETAIL_MAX = 300
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Console:
    """Results go to ``out``, everything else to ``err``; either may be None, as in a windowed bundle."""

    def __init__(
        self, out: TextIO | None = None, err: TextIO | None = None, *, as_json: bool = False
    ) -> None:
        self._out = _tolerant(sys.stdout if out is None else out)
        self._err = _tolerant(sys.stderr if err is None else err)
        self.as_json = as_json
        self.quiet = False
        self.warnings: list[str] = []
        """All that was said by :meth:`warn`, for the JSON."""

    @property
    def err(self) -> TextIO | None:
        """Where progress may be drawn."""
        return self._err

    @property
    def on_terminal(self) -> bool:
        """Whether a person sees ``err``."""
        return self._err is not None and _is_terminal(self._err)

    def result(self, text: str) -> None:
        """A line of the result."""
        if not self.as_json:
            self._out = _write(self._out, printable(text) + "\n")

    def path(self, path: Path) -> None:
        """A file of the result, as the bytes it has on disk: a program reads it, unless it is on a terminal."""
        if self.as_json or (self._out is not None and _is_terminal(self._out)):
            self.result(str(path))
            return
        buffer = getattr(self._out, "buffer", None)
        encoding = getattr(self._out, "encoding", None) or "utf-8"
        try:
            str(path).encode(encoding)
        except UnicodeEncodeError:
            if buffer is not None:
                self._out = _write(self._out, os.fsencode(path) + b"\n", buffer)
                return
        self._out = _write(self._out, f"{path}\n")

    def note(self, text: Text | str) -> None:
        """A line that is nice to know."""
        if not self.quiet and not self.as_json:
            self._err = _write(self._err, f"{printable(str(text))}\n")

    def warn(self, text: Text | str) -> None:
        """Something that is not as asked; also when quiet, and in the JSON."""
        self.warnings.append(str(text))
        self._err = _write(self._err, f"{printable(str(text))}\n")

    def problem(self, problem: Problem) -> None:
        """An error in words; the end of its details only where they are all there is."""
        words = sentence(problem)
        lines = [str(part) for part in (words.what, words.why, words.do) if part.source]
        details = problem.detail.strip().splitlines()
        if problem.kind is ErrorKind.UNEXPECTED and details:
            lines.append(details[-1][:DETAIL_MAX])
        self._err = _write(self._err, "\n".join(printable(line) for line in lines) + "\n")

    def data(self, value: Mapping[str, Any]) -> None:
        """The one JSON object of ``--json``; ASCII, so that every terminal and file takes it."""
        if self.as_json:
            text = json.dumps(_finite(value), indent=1, default=str, allow_nan=False)
            self._out = _write(self._out, text + "\n")


def printable(text: str) -> str:
    """``text`` with its control characters written out: a name or a prompt must not steer the terminal."""
    return _CONTROL.sub(_written_out, text)


def error_json(problem: Problem) -> dict[str, Any]:
    """An error for ``--json``: the stable kind, its facts and the three sentences."""
    words = sentence(problem)
    return {
        **problem_to_json(problem),
        "what": str(words.what),
        "why": str(words.why),
        "do": str(words.do),
    }


def _finite(value: Any) -> Any:
    """NaN and infinities as words: JSON has none."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def _tolerant(stream: TextIO | None) -> TextIO | None:
    """The stream, writing what its encoding lacks as escapes instead of raising."""
    if isinstance(stream, io.TextIOWrapper):
        with contextlib.suppress(OSError, ValueError):
            stream.reconfigure(errors="backslashreplace")
    return stream


def _write(stream: TextIO | None, text: str | bytes, into: Any = None) -> TextIO | None:
    """Writes and flushes; a reader that went away (``| head -1``) or a full disk ends the output, silently."""
    if stream is None:
        return None
    try:
        target: Any = into or stream
        target.write(text)
        stream.flush()
    except OSError:
        _to_nowhere(stream)
        return None
    except ValueError:  # closed
        return None
    return stream


def _to_nowhere(stream: TextIO) -> None:
    """The interpreter flushes its streams at the end: without this it would complain of the pipe then."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

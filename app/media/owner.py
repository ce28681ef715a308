"""Which process a job, a file or a folder belongs to: a token that names it, and whether that process still lives."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CLOCK_SLACK = 60.0
"""Seconds that a start may seem to move where the system tells it by a clock that can be set."""
_PROC = Path("/proc")


def own_token() -> str:
    """This process's token. The start time is in it because systems give process numbers out again."""
    if sys.platform == "linux":
        return f"{os.getpid()}:{_start(os.getpid())}"
    import psutil  # on Linux it would only make the start longer

    return f"{os.getpid()}:{psutil.Process().create_time():.2f}"


def is_alive(token: str) -> bool:
    """Whether the process of a token still runs."""
    number, _, started = token.partition(":")
    if "/" not in started:
        return _lives_by_clock(number, started)
    try:
        return started == _start(int(number))
    except PermissionError:
        return True  # another user's, which is there
    except (OSError, ValueError):
        return False


def _start(pid: int) -> str:
    """The boot and the clock ticks after it at which a process began: no clock that is set moves them.

    Raises FileNotFoundError for a process that has ended, also when nobody has asked for its exit code yet.
    """
    boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    # The name in brackets is the program's own choice, and may hold blanks and brackets.
    fields = (
        (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    )
    if fields[0] in "ZXx":
        raise FileNotFoundError(pid)
    return f"{boot}/{fields[19]}"


def _lives_by_clock(number: str, started: str) -> bool:
    """For systems that record the time of day, and for tokens of earlier versions."""
    import psutil

    try:
        process = psutil.Process(int(number))
        same = abs(process.create_time() - float(started)) < CLOCK_SLACK
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.AccessDenied:
        return True  # another user's, which is there
    except (ValueError, OverflowError, psutil.Error):
        return False

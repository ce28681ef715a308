"""Which process has a job: a token that names it, and whether that process still lives."""

from __future__ import annotations

import psutil

CLOCK_SLACK = 60.0
"""Seconds that a process's start may seem to move when the system's clock is set."""


def own_token() -> str:
    """This process's token. The start time is in it because systems give process numbers out again."""
    process = psutil.Process()
    return f"{process.pid}:{process.create_time():.2f}"


def is_alive(token: str) -> bool:
    """Whether the process of a token still runs."""
    number, _, started = token.partition(":")
    try:
        process = psutil.Process(int(number))
        same = abs(process.create_time() - float(started)) < CLOCK_SLACK
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.AccessDenied:
        return True  # another user's, which is there
    except (ValueError, OverflowError, psutil.Error):
        return False

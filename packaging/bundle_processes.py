"""Starts the bundle's programs for smoke.py and watches what they start: screens, closed streams, process trees.

Knows nothing of what is tried or of what is right.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def start(
    command: list[str], environment: dict[str, str], closed: bool, before: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    """A process with its output caught, or with no stdout and stderr at all, as a windowed program on Windows."""
    if closed and os.name != "nt":
        command = ["/bin/sh", "-c", 'exec "$@" >&- 2>&- <&-', "sh", *command]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen([*before, *command], env=environment, **streams)  # type: ignore[call-overload, no-any-return]


def display() -> list[str]:
    """What gives a program a screen where there is none."""
    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return []
    found = shutil.which("xvfb-run")
    tools = f"{os.defpath}:/usr/local/bin"  # xvfb-run is a script, and the program's PATH is empty
    return (
        ["/usr/bin/env", f"PATH={tools}", found, "--auto-servernum", "-s", "-screen 0 1600x1000x24"]
        if found
        else []
    )


def screen() -> dict[str, str]:
    """Which of Qt's ways to a screen."""
    if sys.platform != "linux":
        return {}
    return {"QT_QPA_PLATFORM": "xcb" if os.environ.get("DISPLAY") or display() else "offscreen"}


def descendants(root: int) -> list[int]:
    """Ids of all processes below one (Linux)."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, todo = [], [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def command_of(pid: int) -> list[str]:
    """A process's command line."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")[:-1]
    except OSError:
        return []


def busy_engine(root: int) -> int | None:
    """The engine below a process once it has torch's library mapped and a few seconds of work behind it."""
    for pid in descendants(root):
        if "--multiprocessing-fork" not in command_of(pid):
            continue
        try:
            ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK") > 1.0:
            return pid
    return None


class Watcher:
    """Every process that the program starts from its own executable must be an engine or multiprocessing's tracker."""

    def __init__(self, root: int) -> None:
        self.root, self.strange = root, set[str]()

    def look(self) -> None:
        """One glance at the process tree; on systems without /proc nothing."""
        for pid in descendants(self.root):
            words = command_of(pid)
            own = Path(words[0]).name.startswith("headroom") if words else False
            helper = "--multiprocessing-fork" in words or any(
                "multiprocessing.resource_tracker" in w for w in words
            )
            if own and len(words) > 1 and not helper:
                self.strange.add(" ".join(words))

"""Starts the bundle's programs for smoke.py and watches what they start: screens, closed streams, process trees.

Knows nothing of what is tried or of what is right.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
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


def engine_of(root: int) -> int:
    """The engine process below a program."""
    return next(pid for pid in descendants(root) if "--multiprocessing-fork" in command_of(pid))


class OnTerminal:
    """A program whose stderr is a terminal, so that it shows its progress there; stdout is kept apart."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        import fcntl
        import struct
        import termios

        self._terminal, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._stdout = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=self._stdout, stderr=theirs
        )
        os.close(theirs)
        self.shown = ""

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """Its exit code, once it has ended."""
        return self._process.poll()

    def read_until(self, pattern: re.Pattern[str] | None, seconds: float) -> bool:
        """Reads until the terminal shows a pattern, or until the program ends (None); False when time is over."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if pattern is not None and pattern.search(self.shown):
                return True
            if not select.select([self._terminal], [], [], left)[0]:
                continue
            try:
                self.shown += os.read(self._terminal, 65536).decode("utf-8", "replace")
            except OSError:  # nobody has the terminal open any more
                self._process.wait(timeout=max(1.0, left))
                return pattern is None
        return False

    def output(self) -> bytes:
        """What came on stdout."""
        self._stdout.seek(0)
        return self._stdout.read()

    def __enter__(self) -> OnTerminal:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)
        self._stdout.close()


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

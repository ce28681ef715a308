"""Runs the whole test suite in the environment: several pytest processes, one closing line at the end.

Tests on the CPU and on the virtual GPU cannot share a process, since a process knows one device type. The
tests that start real engine processes run by themselves too, so that their time can be read.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from setup_base import Place, clean_environment, say

APART = {"engine processes": "tests/host", "virtual-GPU matrix": "tests/virtual_gpu"}
"""Folders that get a process of their own."""

SPREAD = ("unit and window tests",)
"""What runs on several cores, file by file. Where memory or processes are watched, tests run one at a time."""

MOST_WORKERS = 4
"""Each holds torch and Qt, about 1 GiB."""

CLOSING = re.compile(r"^(=+ )?(no tests ran|\d+ \w+.*) in [\d.]+s\b.*$")
COLOURS = re.compile(r"\x1b\[[\d;]*m")
NO_TESTS = 5


@dataclass(frozen=True)
class Outcome:
    """How one pytest process ended."""

    name: str
    code: int
    seconds: float
    closing: str


def groups(place: Place) -> dict[str, list[str]]:
    """pytest's arguments for each process, by name."""
    apart = {name: folder for name, folder in APART.items() if any((place.root / folder).rglob("test_*.py"))}
    selections = {
        "unit and window tests": ["tests", *(f"--ignore={folder}" for folder in apart.values())],
        **{name: [folder] for name, folder in apart.items()},
    }
    workers = min(MOST_WORKERS, os.cpu_count() or 1)
    spread = ["-n", str(workers), "--dist", "loadfile"] if workers > 1 else []
    return {name: [*(spread if name in SPREAD else []), *found] for name, found in selections.items()}


def run_tests(place: Place, arguments: Sequence[str]) -> int:
    """Run everything, or one pytest with the given arguments; returns the exit code."""
    command = [str(place.python), "-s", "-m", "pytest"]
    if arguments:
        return subprocess.run(
            [*command, *arguments], cwd=place.root, env=clean_environment(), check=False
        ).returncode
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    outcomes = [
        run_group(place, name, [*command, *colour, *selection]) for name, selection in groups(place).items()
    ]
    for outcome in outcomes:
        say(f"{outcome.name}: {outcome.seconds:.1f} s, exit code {outcome.code}")
    # A failing process's line comes last, so that the last line never says less than the exit code.
    outcomes.sort(key=lambda outcome: outcome.code != 0)
    for outcome in outcomes:
        print(outcome.closing, flush=True)
    return outcomes[-1].code


def run_group(place: Place, name: str, command: Sequence[str]) -> Outcome:
    """One pytest process; its output is shown as it comes."""
    say(f"== {name}")
    begun = time.monotonic()
    process = subprocess.Popen(
        command, cwd=place.root, env=clean_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    closings: list[str] = []
    # On a thread: a process that a test left behind may hold the pipe open after pytest has ended.
    reader = threading.Thread(target=show, args=(process.stdout.fileno(), closings), daemon=True)
    reader.start()
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # pytest got the signal too, and sums up
        raise
    finally:
        reader.join(3)
    closing = closings[-1] if closings else f"{name}: pytest ended with {code} and without a closing line"
    return Outcome(name, code, time.monotonic() - begun, closing)


def show(descriptor: int, closings: list[str]) -> None:
    """Copy pytest's output to ours, and keep the lines that close a run."""
    pending = b""
    while chunk := os.read(descriptor, 65536):
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
        *lines, pending = (pending + chunk).split(b"\n")
        texts = (COLOURS.sub("", line.decode("utf-8", "replace")).strip() for line in lines)
        closings.extend(text for text in texts if CLOSING.match(text))

"""Runs pip in the environment: its noise goes to the log, a person sees one line per step.

Also reads the log when pip fails, and says in a sentence what went wrong. Knows nothing of PyTorch or Qt.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from setup_base import Place, Problem, clean_environment, say

DISK = (
    "No space left on device",
    "[Errno 28]",
    "[WinError 112]",
    "not enough space on the disk",
    "Disk quota exceeded",
)
CERTIFICATE = ("CERTIFICATE_VERIFY_FAILED", "SSLError")
PROXY = ("ProxyError", "Tunnel connection failed", "407 Proxy Authentication")
NETWORK = (
    "NewConnectionError",
    "Failed to establish a new connection",
    "name resolution",
    "getaddrinfo failed",
    "Name or service not known",
    "nodename nor servname",
    "Network is unreachable",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Read timed out",
    "ConnectionResetError",
    "RemoteDisconnected",
    "Connection aborted",
    "Connection refused",
    "IncompleteRead",
)
NO_MATCH = re.compile(r"No matching distribution found for ([^\s;(]+)")
AGAIN = "Then run the same command again; what was downloaded is kept."


@dataclass(frozen=True)
class Pip:
    """pip of one environment. `keep`: file descriptors that its processes hold open (the set-up's lock)."""

    place: Place
    keep: tuple[int, ...] = ()

    def environment(self) -> dict[str, str]:
        """pip's surroundings: unpacks beside the target, never into a user's own folder."""
        scratch = self.place.venv / "tmp"
        scratch.mkdir(exist_ok=True)
        folders = {name: str(scratch) for name in ("TMPDIR", "TMP", "TEMP")}
        return clean_environment(PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", **folders)

    def command(self, *arguments: str) -> list[str]:
        """The command line of one pip run."""
        return [str(self.place.python), "-m", "pip", *arguments]

    def install(self, what: str, *arguments: str) -> None:
        """Install, showing `what` as the step; raises Problem with a sentence when it does not work."""
        self.step(what, self.command("install", "--no-input", "--retries", "3", *arguments))

    def step(self, what: str, command: Sequence[str]) -> None:
        """Run one logged command with one line of progress."""
        code, said = self.logged(what, command)
        if code != 0:
            fetching = any(mark in said for mark in (*NETWORK, *PROXY, *CERTIFICATE)) and not disk_full(said)
            raise Problem(f"{explain(said, what, code)} Details: {self.place.log}", untouched=fetching)

    def logged(self, what: str, command: Sequence[str]) -> tuple[int, str]:
        """Run a command into the log; returns its exit code and what it said."""
        process, start = self.begun(what, command)
        code = watched(process, what)
        with self.place.log.open("rb") as log:
            log.seek(start)
            return code, log.read().decode("utf-8", "replace")

    def begun(self, what: str, command: Sequence[str], **more: str) -> tuple[subprocess.Popen, int]:
        """Start a command that speaks into the log, `more` in its environment; where in the log it begins."""
        with self.place.log.open("ab") as log:
            log.write(f"\n== {what}\n== {' '.join(command)}\n".encode())
            log.flush()
            start = log.tell()
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**self.environment(), **more},
                **posix_only(self.keep),
            )
        return process, start


def posix_only(keep: tuple[int, ...]) -> dict:
    """Popen's arguments where the system has them: hold the lock, and die with the set-up on Linux."""
    if os.name == "nt":
        return {}
    return (
        {"pass_fds": keep, "preexec_fn": die_with_parent()} if sys.platform == "linux" else {"pass_fds": keep}
    )


def die_with_parent() -> Callable[[], object]:
    """For a child: be ended by the kernel when the set-up is, even by kill -9 (PR_SET_PDEATHSIG)."""
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, signal.SIGKILL)


def watched(process: subprocess.Popen, what: str) -> int:
    """Wait for a process; in a terminal the step's line counts the seconds."""
    live, begun = sys.stderr.isatty(), time.monotonic()
    if not live:
        say(what + " ...")
    try:
        while True:
            if live:
                print(f"\r{what} ... {time.monotonic() - begun:.0f} s ", end="", file=sys.stderr, flush=True)
            try:
                return process.wait(1 if live else None)
            except subprocess.TimeoutExpired:
                continue
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        if live:
            say("")


def explain(said: str, what: str, code: int) -> str:
    """What went wrong, in a sentence, from what pip said."""
    if disk_full(said):
        return f"{what} failed: the disk is full. Free some space. {AGAIN}"
    if any(mark in said for mark in CERTIFICATE):
        return (
            f"{what} failed: the package index's certificate was not accepted. On a network that inspects "
            f"traffic, tell pip the network's own certificate (pip config set global.cert FILE). {AGAIN}"
        )
    if any(mark in said for mark in PROXY):
        return f"{what} failed: the proxy refused the connection. Check HTTPS_PROXY. {AGAIN}"
    if any(mark in said for mark in NETWORK):
        return f"{what} failed: there is no connection to the package index. Check the network. {AGAIN}"
    missing = NO_MATCH.search(said)
    if missing:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return (
            f"{what} failed: the package index offers no {missing.group(1)} for Python {version} on "
            f"{sys.platform}. Use another Python (3.11 to 3.14), or check the index that pip is set to."
        )
    if "Permission denied" in said or "[WinError 5]" in said:
        return f"{what} failed: a file could not be written. Close other running copies of Headroom. {AGAIN}"
    return f"{what} failed (pip ended with {code}): {last_error(said)}"


def disk_full(said: str) -> bool:
    """Whether pip ran out of disk."""
    return any(mark in said for mark in DISK)


def last_error(said: str) -> str:
    """The last line that pip marked as an error, or its last line at all."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(ERROR|error|\w*Error)\b", line)]
    return (errors or lines or ["it said nothing."])[-1]

"""What an engine process does about itself before it works: its log, its end with its parent, its environment.

Standard library only; imports nothing heavy, so that the greeting goes out at once.
"""

from __future__ import annotations

import ctypes
import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping
from multiprocessing.connection import wait
from pathlib import Path

GRACE_AFTER_PARENT = 1.0
"""Seconds a job gets to notice the closed pipe before the process ends with its parent."""
_PR_SET_PDEATHSIG = 1
_ENVIRONMENT = {
    # models come from the person's disk: nothing here may reach for the network, nor report home
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "DIFFUSERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
}


def prepare(log: Path | None, environment: Mapping[str, str]) -> None:
    """Makes this process an engine's: call first, before anything that writes or imports torch."""
    set_environment(environment)
    if log is not None:
        send_output_to(log)
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl+C reaches the whole terminal group; the parent decides
    end_with_parent()


def set_environment(extra: Mapping[str, str]) -> None:
    """The variables that torch and the libraries read when they are imported."""
    os.environ.update(_ENVIRONMENT)
    if sys.platform == "linux":
        os.environ.setdefault("PYTORCH_ALLOC_CONF", "expandable_segments:True")
    os.environ.update(extra)


def send_output_to(log: Path) -> None:
    """stdout, stderr (also C code's) and crash traces go to ``log``; works where a window has neither."""
    log.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for target in (1, 2):
        os.dup2(handle, target)
    stream = open(handle, "w", buffering=1, encoding="utf-8", errors="backslashreplace")  # noqa: SIM115, PTH123
    sys.stdout = sys.stderr = stream
    faulthandler.enable(file=stream)


def end_with_parent() -> None:
    """This process ends within two seconds of its parent, whatever it is doing."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        _ask_kernel_to_kill(parent.pid or 0)

    def watch() -> None:
        wait([parent.sentinel])
        threading.Event().wait(GRACE_AFTER_PARENT)
        os._exit(0)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def _ask_kernel_to_kill(parent: int) -> None:
    """SIGKILL at the parent's death, for code that holds the GIL and would keep the thread above from running.

    Linux sends it when the *thread* that started this process ends; the supervisor's outlives its child.
    """
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return  # a libc without prctl: the watching thread remains
    if os.getppid() != parent:
        os._exit(0)  # it died before the call


def keep_locks_to_threads() -> None:
    """tqdm's lock between processes is a system semaphore, which would outlive a killed engine; threads suffice."""
    from tqdm import tqdm

    tqdm.set_lock(threading.RLock())


def leave() -> None:
    """Ends this process at once: taking torch apart in order takes seconds, and the system frees all of it anyway."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(0)

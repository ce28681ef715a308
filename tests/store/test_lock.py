"""One window per data folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.core.errors import AppError, ErrorKind
from app.store.lock import InstanceLock

_HOLD = """
import sys
from pathlib import Path
from app.store.lock import InstanceLock
with InstanceLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_c120_a_second_window_is_refused_and_a_dead_one_is_no_obstacle(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "data" / "window.lock"
    command = [sys.executable, "-c", _HOLD, str(path)]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(AppError) as caught:
            InstanceLock(path).acquire()
        assert caught.value.kind is ErrorKind.ALREADY_RUNNING
        child.kill()
        child.communicate()
    lock = InstanceLock(path)
    lock.acquire()
    lock.release()
    lock.release()


def test_it_can_be_taken_again_after_release(tmp_path: Path) -> None:
    for _ in range(2):
        with InstanceLock(tmp_path / "x.lock"), pytest.raises(AppError):
            InstanceLock(tmp_path / "x.lock").acquire()

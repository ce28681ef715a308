"""The program as it is started: a process of its own, a second start beside it, Ctrl+C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.store.paths import default_paths
from app.ui.instance import call_first, server_name

WAIT = 60_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process alone")
def test_ctrl_c_ends_window_and_engine_and_a_second_start_is_refused(
    qtbot: QtBot, root: Path, home: Path
) -> None:
    command = [sys.executable, "-m", "app"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    name = server_name(default_paths().lock)
    with subprocess.Popen(command, cwd=root, env=dict(os.environ), **quiet) as first:  # type: ignore[call-overload]
        try:
            qtbot.waitUntil(lambda: call_first(name), timeout=WAIT)
            second = subprocess.run(command, cwd=root, check=False, capture_output=True, timeout=60)
            assert second.returncode == 3
            assert b"running already" in second.stderr
            qtbot.waitUntil(lambda: bool(psutil.Process(first.pid).children()), timeout=WAIT)
            engines = psutil.Process(first.pid).children(recursive=True)
            first.send_signal(signal.SIGINT)
            assert first.wait(timeout=60) == 130
            assert not psutil.wait_procs(engines, timeout=10)[1]
        finally:
            first.kill()
    assert (home / "config" / "settings.json").is_file()

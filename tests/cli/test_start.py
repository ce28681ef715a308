"""The program's entry: nothing is loaded before it can answer Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_ctrl_c_while_it_loads_ends_it_without_a_traceback(root: Path, tmp_path: Path) -> None:
    (tmp_path / "multiprocessing.py").write_text("raise KeyboardInterrupt\n")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{root}"}
    done = subprocess.run(
        [sys.executable, "-m", "app", "models"], cwd=root, env=environment, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


def test_the_entry_itself_loads_nothing(root: Path) -> None:
    code = "import sys; before = set(sys.modules); import app.__main__; print(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True, timeout=60
    )
    assert set(done.stdout.split()) <= {"__future__", "app", "app.__main__"}

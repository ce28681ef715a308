"""Time from start to a painted window over that of an empty PySide6 window, and that no torch is imported there.

Each start is a process of its own; the two take turns. Prints JSON. Bound: 4.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]
ROUNDS = 7

FILTER = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

class FirstPaint(QObject):
    def eventFilter(self, seen, event):
        if event.type() == QEvent.Type.Paint:
            seen.removeEventFilter(self)
            QTimer.singleShot(0, self.report)
        return False
    def report(self):
        print(time.monotonic(), "torch" in sys.modules, flush=True)
        QTimer.singleShot(0, QApplication.quit)
"""
EMPTY = """
app = QApplication([])
window, first = QMainWindow(), FirstPaint()
window.installEventFilter(first)
window.show()
app.exec()
"""
PROGRAM = """
import app.ui.app as program
first = FirstPaint()
program.self_check.start = lambda running: running.window.installEventFilter(first)
program.main(["headroom"])
"""


def start(script: str, home: str) -> tuple[float, bool]:
    """Seconds to the first paint, and whether torch was imported."""
    environment = os.environ | {"HEADROOM_HOME": home, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    environment.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # as on anybody's machine: compiled once, not at each start
    environment["PYTHONPYCACHEPREFIX"] = str(Path(home, "pycache"))
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", FILTER + script], env=environment, capture_output=True, text=True, timeout=120
    )
    if done.returncode or not done.stdout:
        raise SystemExit(f"the window did not start:\n{done.stderr[-2000:]}")
    painted, torch = done.stdout.split()[:2]
    return float(painted) - began, torch == "True"


def main() -> None:
    from programs import spread

    empty, program, torch = [], [], False
    with tempfile.TemporaryDirectory() as home:
        for _ in range(ROUNDS + 1):  # the first fills the disk's cache
            empty.append(start(EMPTY, home)[0])
            seconds, imported = start(PROGRAM, home)
            program.append(seconds)
            torch = torch or imported
    empty_s, program_s = spread(empty[1:]), spread(program[1:])
    ratio = round(program_s["median"] / empty_s["median"], 3)
    result = {"empty_s": empty_s, "program_s": program_s, "ratio": ratio, "bound": 4, "torch_imported": torch}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()

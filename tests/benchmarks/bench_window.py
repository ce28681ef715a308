"""Lateness of a 5 ms timer in the real window: while the engine loads, while it generates, while 1,000 models are
scanned and while a 4K picture opens. Prints JSON in milliseconds. Bounds: p99 16, none over 100.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
INTERVAL = 0.005
MODELS = 1000
STEPS = 400


class Lateness:
    """A 5 ms timer that notes how late it is, under the name of what goes on."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.phase, self.late = "start", {}
        self._last = time.perf_counter()
        self.timer = QTimer()
        self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self._tick)
        self.timer.start(round(INTERVAL * 1000))

    def enter(self, phase: str) -> None:
        """What follows goes on under this name."""
        self.phase, self._last = phase, time.perf_counter()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.late.setdefault(self.phase, []).append(max(0.0, now - self._last - INTERVAL))
        self._last = now

    def figures(self) -> dict[str, Any]:
        """p50, p99 and worst, in milliseconds."""
        found = {}
        for phase, late in self.late.items():
            ordered = sorted(late)
            at = lambda share, row=ordered: round(1000 * row[min(len(row) - 1, int(share * len(row)))], 2)  # noqa: E731
            found[phase] = {"ticks": len(late), "p50": at(0.5), "p99": at(0.99), "worst": at(1)}
        return found


class Driver:
    """Presses the buttons and goes from one phase to the next as signals come."""

    def __init__(self, program: Any, folder: Path) -> None:
        from PySide6.QtCore import QTimer

        self.program, self.folder, self.lateness = program, folder, Lateness()
        self.lateness.enter("engine loads")
        program.session.decision_changed.connect(self.ready)
        program.jobs.ended.connect(self.generated)
        self.started = False
        self.poll = QTimer()

    def ready(self, decision: object) -> None:
        """The engine is up: a first short job loads the model, a long one measures."""
        if decision is None or self.started:
            return
        self.started = True
        self.generate(1)

    def generate(self, steps: int) -> None:
        panel = self.program.window.prompt
        panel.set_values(
            replace(panel.values(), prompt="a red circle on a blue background", steps=steps, count=1)
        )
        panel.button.click()

    def generated(self, _event: object) -> None:
        from PySide6.QtCore import QTimer

        if self.lateness.phase == "engine loads":
            self.lateness.enter("generates")
            QTimer.singleShot(0, lambda: self.generate(STEPS))
        elif self.lateness.phase == "generates":
            QTimer.singleShot(300, self.scan)

    def scan(self) -> None:
        from app.store.library import find_models

        self.lateness.enter("1,000 models are scanned")
        folder, paths = self.folder / "models", self.program._paths
        self.program._background.run(lambda: find_models(paths, [folder]), self.scanned)

    def scanned(self, entries: Any) -> None:
        assert len(entries) >= MODELS, entries
        self.program.window.header.models.set_models(entries)
        self.lateness.enter("a 4K picture opens")
        self.program.window.viewer.open(self.folder / "4k.png")
        self.poll.timeout.connect(self.opened)
        self.poll.start(50)

    def opened(self) -> None:
        from PySide6.QtWidgets import QApplication

        if self.program.window.viewer.path == self.folder / "4k.png":
            self.poll.stop()
            self.lateness.timer.stop()
            QApplication.quit()


def prepare(folder: Path) -> None:
    """A thousand small model folders and files, and a 4K picture of noise."""
    import numpy as np
    from PIL import Image
    from programs import DEMO, ROOT

    models = folder / "models"
    stub = ROOT / "tests" / "data" / "cases" / "C127-sdxl-like-stub.safetensors"
    for number in range(MODELS):
        target = models / f"{number // 100}" / f"model {number}"
        if number % 10:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(stub, target.with_suffix(".safetensors"))
        else:
            shutil.copytree(DEMO, target, copy_function=os.link)
    noise = np.random.default_rng(1).integers(0, 255, (2160, 3840, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "4k.png", compress_level=1)


def main() -> None:
    import app.ui.app as program

    # beside the model, so that its files can be linked instead of copied a hundred times
    with tempfile.TemporaryDirectory(dir=Path(__file__).resolve().parent) as name:
        folder, drivers = Path(name), []
        os.environ["HEADROOM_HOME"] = str(folder / "home")
        prepare(folder)
        program.self_check.start = lambda running: drivers.append(Driver(running, folder))
        program.main(["headroom"])
        figures = drivers[0].lateness.figures()
    print(json.dumps({"ms_late": figures, "bound": {"p99": 16, "worst": 100}}, indent=1))


if __name__ == "__main__":
    main()

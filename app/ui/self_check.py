"""The packed program's check of itself: the real window makes a picture, loses its engine, and makes it again.

Runs only where HEADROOM_SELF_CHECK names a file for the report; packaging/smoke.py reads that. It judges nothing.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.core.error_words import sentence
from app.core.errors import Problem
from app.core.messages import (
    EngineDied,
    Failed,
    Finished,
    Hello,
    Phase,
    PictureDone,
    Progress,
    Ready,
    StartFailed,
)
from app.families import all_families
from app.ui.program import Program
from app.ui.translate import words

VARIABLE = "HEADROOM_SELF_CHECK"
PROMPT, SEED, STEPS = "a red circle on a blue background", 7, 12
LONG = 200
"""Steps of the run that loses its engine: it must not end before."""
PATIENCE_MS = 240_000


def start(program: Program, environment: Mapping[str, str] = os.environ) -> SelfCheck | None:
    """Begins the check if it was asked for."""
    report = environment.get(VARIABLE, "")
    return SelfCheck(program, Path(report)) if report else None


class SelfCheck(QObject):
    """Three runs: a picture, one whose engine is killed, and the first one again on the new engine."""

    def __init__(self, program: Program, report: Path) -> None:
        super().__init__(program)
        self._program, self._target, self._begun = program, report, time.monotonic()
        self._engine, self._run = 0, 0
        self._report: dict[str, Any] = {"pictures": [], "engines": [], "seconds": {}}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(lambda: self._end("nothing more happened for four minutes"))
        self._timer.start(PATIENCE_MS)
        program.session.decision_changed.connect(self._decided)
        program.jobs.engine.connect(self._heard)
        program.jobs.progress.connect(self._progressed)
        program.jobs.picture.connect(self._pictured)
        program.jobs.ended.connect(self._ended)
        program.desk.generator.refused.connect(lambda problem, _anyway: self._failed(problem))

    def _press(self, steps: int) -> None:
        """As a person would: the prompt in the panel, then the button."""
        panel = self._program.window.prompt
        values = replace(panel.values(), prompt=PROMPT, seed=SEED, seed_locked=True, steps=steps, count=1)
        panel.set_values(values)
        self._run += 1
        panel.button.click()

    def _decided(self, decision: object) -> None:
        if decision is not None and self._run == 0:
            self._note("planned")
            self._press(STEPS)

    def _heard(self, event: object) -> None:
        if isinstance(event, Hello):
            self._engine = event.pid
            self._report["engines"].append({"pid": event.pid, "families": list(event.families)})
        elif isinstance(event, Ready):
            self._note(f"ready {len(self._report['engines'])}")
            self._report["devices"] = [sheet.id for sheet in event.devices]
        elif isinstance(event, StartFailed):
            self._failed(event.problem)
        elif isinstance(event, EngineDied):
            self._report["died"] = {
                "pid": self._engine,
                "code": event.exit_code,
                "job": event.job is not None,
            }
            self._press(STEPS)

    def _progressed(self, progress: Progress) -> None:
        if (
            self._run == 2
            and progress.phase is Phase.DENOISE
            and progress.step > 1
            and "killed" not in self._report
        ):
            self._report["killed"] = self._engine
            self._note("killed")
            os.kill(self._engine, getattr(signal, "SIGKILL", signal.SIGTERM))

    def _pictured(self, done: PictureDone) -> None:
        self._report["pictures"].append(str(done.path))

    def _ended(self, event: object) -> None:
        if isinstance(event, Failed):
            self._failed(event.problem)
        elif isinstance(event, Finished):
            self._note(f"picture {len(self._report['pictures'])}")
            if self._run == 1:
                self._press(LONG)
            else:
                self._end("" if self._run == 3 else "the engine was not killed in mid-run")

    def _failed(self, problem: Problem) -> None:
        self._end(f"{words(sentence(problem).what)} {problem.detail}".strip())

    def _note(self, name: str) -> None:
        self._report["seconds"][name] = round(time.monotonic() - self._begun, 2)

    def _end(self, error: str) -> None:
        self._timer.stop()
        self._report |= {
            "error": error,
            "families": sorted(all_families()),
            "platform": QApplication.platformName(),
            "frozen": bool(getattr(sys, "frozen", False)),
            "streams": [sys.stdout is not None, sys.stderr is not None],
            "torch_in_window": "torch" in sys.modules,
        }
        self._target.write_text(json.dumps(self._report, indent=1), encoding="utf-8")
        QApplication.exit(1 if error else 0)

"""Renders the window's states to PNG, light and dark, at 100 % and 200 %: real widgets, a scripted engine.

    python packaging/screenshots.py [--out FOLDER] [--only STATE …] [--scale 1 2] [--theme light dark]

Must not be imported: Qt reads the scale at its start, so each scale is a process of its own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from screenshot_memory import MEMORY_STATES
from screenshot_pictures import demo_model, picture, preview

ROOT = Path(__file__).resolve().parent.parent
GIB = 1024**3
PROMPTS = (
    "a big yellow star on a blue background",
    "a red circle on a white background",
    "a small pink heart at the top on a black background",
    "an orange ring on the right on a purple background",
    "a green triangle on a yellow background",
    "a cyan square on the left on a red background",
    "a big white heart on a green background",
)


def main() -> int:
    """One process per scale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "screenshots")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--scale", nargs="*", default=["1", "2"])
    parser.add_argument("--theme", nargs="*", default=["light", "dark"])
    parser.add_argument("--language", default="en")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        return _render(options)
    for scale in options.scale:
        environment = os.environ | {
            "QT_QPA_PLATFORM": "offscreen",
            "QT_SCALE_FACTOR": scale,
            "OMP_NUM_THREADS": "1",
        }
        arguments = [sys.executable, __file__, "--here", *sys.argv[1:], "--scale", scale]
        code = subprocess.run(arguments, env=environment, check=False).returncode
        if code:
            return code
    return 0


def _render(options: argparse.Namespace) -> int:
    sys.path[0] = str(ROOT)  # not this folder: it has the name of a library
    from PySide6.QtWidgets import QApplication

    app = QApplication(sys.argv[:1])
    from app.ui import theme
    from app.ui.translate import install_translators

    theme.apply(app, "light")
    install_translators(app, options.language)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, act in STATES.items():
        if options.only and name not in options.only:
            continue
        for mode in options.theme:
            stage = Stage(app, mode)
            try:
                act(stage)
                stage.settle()
                target = options.out / f"{name}-{mode}-{options.scale[0]}x.png"
                stage.shown().grab().save(str(target))
                print(target)
            finally:
                stage.close()
    return 0


class Stage:
    """A program in a home of its own, its engine and its memory figures played by a script."""

    def __init__(self, app, mode: str) -> None:  # type: ignore[no-untyped-def]
        self._app, self._home = app, Path(tempfile.mkdtemp(prefix="headroom-shots-"))
        os.environ["HEADROOM_HOME"] = str(self._home)
        self.mode = mode
        self.program = None
        self._extra = None
        self.size = (1440, 900)
        self.old = 0

    def open(self, *, results: int = 0, ready: bool = True, interrupted: int = 0) -> None:
        """The window, with ``results`` pictures of earlier runs."""
        from app.store.history import History
        from app.store.paths import default_paths
        from app.store.settings import Settings, SettingsStore
        from app.ui import theme
        from app.ui.program import Program

        paths = default_paths()
        paths.ensure()
        theme.apply(self._app, self.mode)
        self.history = History(paths.history)
        self._fill_history(paths.pictures, results, interrupted)
        self.link, self.telemetry = scripted_link(), scripted_telemetry()
        settings = Settings(theme=self.mode, model=str(demo_model()))
        self.program = Program(
            paths, SettingsStore(paths.settings), settings, self.history, self.link, self.telemetry
        )
        self.window = self.program.window
        self.window.resize(*self.size)
        self.program.start()
        self.until(lambda: self.program.session.model is not None)
        if results:
            self.until(lambda: self.window.viewer.path is not None)
        if ready:
            self.ready()

    def ready(self, cards: int = 1) -> None:
        """The engine is up, on cards with 12 GiB of which another program holds a part."""
        from app.core.hardware import DeviceSheet
        from app.core.messages import Hello, Ready

        found = tuple(
            DeviceSheet(
                id=f"cuda:{number}", name="RTX 3060", total=12 * GIB, free=int(11.2 * GIB), streams=True,
                dtypes=("bfloat16", "float32"),
            )
            for number in range(cards)
        )  # fmt: skip
        cpu = DeviceSheet(id="cpu", name="Processor", total=32 * GIB, free=20 * GIB)
        self.link.received.emit(Hello(pid=os.getpid(), families=("sdxl",)))
        self.link.received.emit(Ready(devices=(*found, cpu), ram_total=32 * GIB, ram_free=20 * GIB))
        for second in range(120):
            busy = second % 60 > 25
            self.telemetry.sample("cuda:0", "GPU 0", 0.4 + 1.7 * busy + 0.1 * (second % 3), 0.8, 12, second)
            self.telemetry.sample("ram", "RAM", 2.1 + 0.3 * busy, 9.5 + 0.05 * (second % 5), 32, second)

    def job(self, prompt: str, step: int = 7, steps: int = 12) -> None:
        """A job that runs, seen at ``step``."""
        from app.core.messages import Phase, Preview, Progress

        self.ask(prompt)
        job = self.program.jobs.running.id
        self.link.received.emit(Progress(job, Phase.DENOISE, step, steps, eta=1.4))
        rgb = preview(prompt, 1 - step / steps)
        self.link.received.emit(Preview(job, 0, rgb.shape[1], rgb.shape[0], rgb.tobytes()))
        self.settle()

    def ask(self, prompt: str) -> None:
        """Generate, as a person does."""
        self.window.prompt.set_prompt(prompt)
        self.window.prompt.button.click()
        self.settle()

    def fail(self, event) -> None:  # type: ignore[no-untyped-def]
        """The engine's last word."""
        self.link.received.emit(event)
        self.settle()

    def show(self, widget) -> None:  # type: ignore[no-untyped-def]
        """A dialog is grabbed instead of the window."""
        self._extra = widget

    def shown(self):  # type: ignore[no-untyped-def]
        """What is grabbed."""
        return self._extra or self.window

    def settle(self, seconds: float = 0.5) -> None:
        """Lets timers of no length and background work come through."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._app.processEvents()

    def until(self, condition: Callable[[], bool]) -> None:
        """Waits at most 20 seconds."""
        end = time.monotonic() + 20
        while not condition():
            self._app.processEvents()
            if time.monotonic() > end:
                raise TimeoutError("the window did not come to the state asked for")

    def close(self) -> None:
        """Everything ends; the home goes."""
        if self.program is not None:
            self.program.stop()
            self.history.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _fill_history(self, folder: Path, results: int, interrupted: int) -> None:
        from app.core.plan import Dtype, Plan
        from app.core.request import GenerationRequest, OutputSpec
        from app.media.metadata import PictureInfo
        from app.media.png import write_png
        from app.store.history import JobState, new_record

        plan = Plan(family="sdxl", device="cuda:0", dtype=Dtype.BFLOAT16)
        for place in reversed(range(results + interrupted)):
            prompt = PROMPTS[place % len(PROMPTS)]
            request = GenerationRequest(
                model=str(demo_model()),
                prompt=prompt,
                width=128,
                height=128,
                steps=12,
                guidance=4.0,
                seed=4211 + place,
            )
            record = self.history.add(new_record(request, plan, OutputSpec(folder)))
            if place >= results:
                self.history.set_state(record.id, JobState.INTERRUPTED)
                continue
            info = PictureInfo(request=request, plan=plan, seed=request.seed)
            path = write_png(picture(prompt), folder / f"{prompt} {request.seed}.png", info)
            seconds = (("encode", 0.1), ("denoise", 1.6), ("decode", 0.1), ("write", 0.05))
            self.history.set_state(record.id, JobState.DONE, files=(path,), seconds=seconds)


def scripted_link():  # type: ignore[no-untyped-def]
    """Says what the script has it say."""
    from PySide6.QtCore import QObject, Signal

    class Link(QObject):
        received = Signal(object)
        log_path = Path("engine.log")

        def submit(self, run: object) -> None: ...
        def cancel(self, job: str) -> None: ...
        def measure(self) -> None: ...
        def kill(self) -> None: ...
        def restart(self) -> None: ...
        def start(self) -> None: ...
        def stop(self) -> None: ...

    return Link()


def scripted_telemetry():  # type: ignore[no-untyped-def]
    """Samples by hand."""
    from PySide6.QtCore import QObject, Signal

    from app.host.telemetry import MemorySample

    class Samples(QObject):
        sampled = Signal(object)

        def sample(self, device: str, name: str, held: float, others: float, total: float, at: float) -> None:
            sizes = [int(value * GIB) for value in (held, others, total - held - others, total)]
            self.sampled.emit(
                MemorySample(
                    device=device,
                    name=name,
                    held=sizes[0],
                    others=sizes[1],
                    free=sizes[2],
                    total=sizes[3],
                    time=at,
                )
            )

        def start(self) -> None: ...
        def stop(self) -> None: ...
        def handle(self, event: object) -> None: ...
        def set_busy(self, busy: bool) -> None: ...

    return Samples()


# ------------------------------------------------------------------ the states


def _first(stage: Stage) -> None:
    stage.open()


def _starting(stage: Stage) -> None:
    stage.open(ready=False)
    stage.window.prompt.set_prompt(PROMPTS[0])


def _generating(stage: Stage) -> None:
    stage.open(results=6)
    stage.job("a big purple star on an orange background")


def _finished(stage: Stage) -> None:
    stage.open(results=7)
    stage.program.results.reuse()


def _error(stage: Stage) -> None:
    from app.core.errors import ErrorKind, Problem
    from app.core.messages import Failed

    stage.open(results=4)
    stage.job("a big purple star on an orange background")
    job = stage.program.jobs.running.id
    facts = (("device", "RTX 3060"), ("limit", "11.2 GiB"), ("needed", 12 * GIB), ("peak", int(11.1 * GIB)))
    stage.fail(
        Failed(job, Problem(ErrorKind.OUT_OF_MEMORY, facts, "CUDA out of memory. Tried to allocate 1.20 GiB"))
    )


def _restarting(stage: Stage) -> None:
    from app.core.messages import EngineDied

    stage.open(results=4)
    stage.job("a big purple star on an orange background")
    stage.fail(EngineDied(-11, stage.program.jobs.running.id, Path("engine-20250101-101010-00.log"), True))


def _queue(stage: Stage) -> None:
    stage.open(results=4, interrupted=1)
    stage.window.notices.clear()
    stage.job("a big purple star on an orange background")
    for prompt in PROMPTS[1:4]:
        stage.ask(prompt)
    stage.window.show_queue(True)


def _offer(stage: Stage) -> None:
    stage.open(results=4, interrupted=2)


def _small(stage: Stage) -> None:
    stage.size = (1024, 700)
    stage.open(results=6)
    stage.job("a big purple star on an orange background")


def _large(stage: Stage) -> None:
    stage.size = (1920, 1080)
    stage.open(results=7)
    stage.window.memory.fold.set_opened(True)
    stage.window.prompt.set_negative_open(True)


def _settings(stage: Stage) -> None:
    from app.ui.settings_dialog import SettingsDialog

    stage.open()
    stage.program.show_settings()
    stage.show(stage.window.findChild(SettingsDialog))


def _help(stage: Stage) -> None:
    from app.ui.shortcuts import HelpDialog

    stage.open()
    stage.program.show_help()
    stage.show(stage.window.findChild(HelpDialog))


STATES: dict[str, Callable[[Stage], None]] = {
    "first-start": _first,
    "engine-starting": _starting,
    "generating": _generating,
    "finished": _finished,
    "error": _error,
    "engine-restarting": _restarting,
    "queue": _queue,
    "interrupted": _offer,
    "small": _small,
    "large": _large,
    **MEMORY_STATES,
    "settings": _settings,
    "help": _help,
}

if __name__ == "__main__":
    sys.exit(main())

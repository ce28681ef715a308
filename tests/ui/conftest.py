"""The whole window on a scripted engine: it says what a test has it say, and remembers what it was asked."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QEvent, QLocale, QObject, QTranslator, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.hardware import DeviceSheet
from app.core.messages import Finished, Hello, PictureDone, Ready, Run
from app.store.history import History
from app.store.paths import default_paths
from app.store.settings import Settings, SettingsStore
from app.ui import theme
from app.ui.background import Background
from app.ui.program import Program
from app.ui.translate import install_translators

GIB = 1024**3


class ScriptedLink(QObject):
    """An engine's host without an engine."""

    received = Signal(object)

    def __init__(self, log: Path) -> None:
        super().__init__()
        self.log_path = log
        self.runs: list[Run] = []
        self.cancelled: list[str] = []
        self.asked: list[str] = []

    def submit(self, run: Run) -> None:
        self.runs.append(run)

    def cancel(self, job: str) -> None:
        self.cancelled.append(job)

    def start(self) -> None:
        self.asked.append("start")

    def stop(self) -> None:
        self.asked.append("stop")

    def kill(self) -> None:
        self.asked.append("kill")

    def measure(self) -> None:
        self.asked.append("measure")

    def restart(self) -> None:
        self.asked.append("restart")


class ScriptedTelemetry(QObject):
    """Memory figures that never come."""

    sampled = Signal(object)

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def handle(self, event: object) -> None: ...

    def set_busy(self, busy: bool) -> None: ...


class Studio:
    """A Program and everything around it that a test pulls at."""

    def __init__(self, qtbot: QtBot, home: Path, model: Path) -> None:
        self.qtbot, self.home, self.model = qtbot, home, model
        self.settings = Settings(model=str(model), theme="light")
        self.program: Any = None

    def open(self, *, ready: bool = True, **changes: Any) -> Studio:
        """Starts the program; ``ready``: its engine is up."""
        self._forget()
        self.paths = default_paths()
        self.paths.ensure()
        self.store = SettingsStore(self.paths.settings)
        self.history = History(self.paths.history)
        self.link = ScriptedLink(self.paths.logs / "engine.log")
        telemetry: Any = ScriptedTelemetry()
        link: Any = self.link
        settings = replace(self.settings, **changes)
        self.program = Program(self.paths, self.store, settings, self.history, link, telemetry)
        self.window = self.program.window
        self.program.start()
        self.qtbot.waitUntil(lambda: self.program.session.model is not None)
        if ready:
            self.ready()
        return self

    def ready(self, gib: float = 12) -> None:
        """The engine greets: one card and the processor."""
        card = DeviceSheet(
            id="cuda:0", name="Card", total=int(gib * GIB), free=int(gib * GIB), dtypes=("float16", "float32")
        )
        cpu = DeviceSheet(id="cpu", name="CPU", total=32 * GIB, free=20 * GIB)
        self.say(Hello(pid=1, families=("sdxl",)))
        self.say(Ready(devices=(card, cpu), ram_total=32 * GIB, ram_free=20 * GIB))
        self.qtbot.waitUntil(lambda: self.program.session.decision is not None)

    def say(self, event: object) -> None:
        """The engine's word."""
        self.link.received.emit(event)

    def generate(self, prompt: str = "a red circle") -> None:
        """As a person does."""
        self.window.prompt.set_prompt(prompt)
        self.window.prompt.button.click()

    @property
    def job(self) -> str:
        """The running job."""
        return str(self.program.jobs.running.id)

    def picture(self, name: str = "a.png", colour: tuple[int, int, int] = (200, 30, 30)) -> Path:
        """A picture in the output folder."""
        return save_picture(self.paths.pictures / name, colour)

    def finish(self, name: str = "a.png") -> Path:
        """The engine finishes its job with one picture."""
        path, job = self.picture(name), self.job
        self.say(PictureDone(job, 0, 1, path))
        self.say(Finished(job, (path,), (("denoise", 2.0),), ()))
        return path

    def close(self) -> None:
        """The end of the program."""
        if self.program is not None:
            self.program.stop()
            self.history.close()
            self._forget()

    def _forget(self) -> None:
        """Deletes a stopped program's window now: a later test must not find it."""
        if self.program is not None:
            self.program.window.deleteLater()
            self.program.deleteLater()
            self.program = None
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def save_picture(path: Path, colour: tuple[int, int, int] = (200, 30, 30), side: int = 48) -> Path:
    """One colour with one other corner."""
    pixels = np.full((side, side, 3), colour, np.uint8)
    pixels[: side // 4, : side // 4] = 255 - pixels[0, 0]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)
    return path


def light_model(folder: Path, side: int = 128) -> Path:
    """An SDXL folder whose weights are a few bytes: enough for every question that headers answer."""
    index: dict[str, Any] = {"_class_name": "StableDiffusionXLPipeline", "_diffusers_version": "0.42.1"}
    parts = {
        "text_encoder": ("transformers", "CLIPTextModel", {}),
        "text_encoder_2": ("transformers", "CLIPTextModelWithProjection", {}),
        "unet": ("diffusers", "UNet2DConditionModel", {"sample_size": side // 8}),
        "vae": ("diffusers", "AutoencoderKL", {"block_out_channels": [8, 8, 8, 8]}),
    }
    for name, (library, kind, config) in parts.items():
        index[name] = [library, kind]
        _write(folder / name / "config.json", json.dumps(config))
        _write_weights(folder / name / "model.safetensors")
    for name in ("tokenizer", "tokenizer_2"):
        index[name] = ["transformers", "CLIPTokenizer"]
        _write(folder / name / "vocab.json", "{}")
        _write(folder / name / "merges.txt", "")
        _write(folder / name / "tokenizer_config.json", '{"model_max_length": 77}')
    index["scheduler"] = ["diffusers", "EulerDiscreteScheduler"]
    _write(folder / "scheduler" / "scheduler_config.json", "{}")
    _write(folder / "model_index.json", json.dumps(index))
    extra = {
        "name": folder.name,
        "draws": "Shapes.",
        "examples": ["a red circle", "a blue star", "a green ring"],
    }
    extra["defaults"] = {"width": side, "height": side, "steps": 12, "guidance": 4.0}  # type: ignore[assignment]
    _write(folder / "headroom.json", json.dumps(extra))
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_weights(path: Path) -> None:
    header = json.dumps({"a.weight": {"dtype": "F16", "shape": [2, 4], "data_offsets": [0, 16]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(16))


@pytest.fixture
def light(tmp_path: Path) -> Path:
    """A model that can be judged, not run."""
    return light_model(tmp_path / "models" / "Light")


@pytest.fixture
def studio(qtbot: QtBot, qapp: QApplication, home: Path, light: Path) -> Iterator[Studio]:
    """Not open yet."""
    theme.apply(qapp, "light")
    made = Studio(qtbot, home, light)
    yield made
    made.close()


@pytest.fixture
def background(qapp: QApplication) -> Iterator[Background]:
    """Work aside, ended after the test."""
    made = Background()
    yield made
    made.close()


@pytest.fixture
def make_picture() -> Callable[..., Path]:
    """Writes small pictures."""
    return save_picture


@pytest.fixture
def make_model() -> Callable[..., Path]:
    """Writes models that can be judged, not run."""
    return light_model


@pytest.fixture
def speak(qapp: QApplication) -> Iterator[Callable[[str], object]]:
    """Changes the language; afterwards it is what it was."""
    before = QLocale()
    yield lambda language: install_translators(qapp, language)
    for translator in qapp.findChildren(QTranslator):
        qapp.removeTranslator(translator)
        translator.deleteLater()
    QLocale.setDefault(before)

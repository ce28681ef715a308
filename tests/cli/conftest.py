"""A host with a script in place of the engine's, a model folder of headers alone, and the command line run on them."""

from __future__ import annotations

import json
import queue
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from app.core.footprint import Footprint, Moment, Part, Weights
from app.core.footprint import Phase as Stretch
from app.core.hardware import DeviceSheet
from app.core.messages import (
    Cancelled,
    DryRun,
    Finished,
    FootprintTaken,
    Hello,
    HostEvent,
    Phase,
    PictureDone,
    Progress,
    Ready,
    Run,
    ToEngine,
)
from app.core.units import GIB

CPU = DeviceSheet(id="cpu", name="CPU", total=16 * GIB, free=12 * GIB)


@pytest.fixture(scope="session")
def cases(root: Path) -> Path:
    """The public cases' small files."""
    return root / "tests" / "data" / "cases"


def picture(run: Run) -> Iterable[HostEvent]:
    """A job that goes well: one file for each picture."""
    yield Progress(run.job, Phase.LOAD, 1, 2, part="unet")
    files = []
    for index in range(run.request.count):
        yield Progress(run.job, Phase.DENOISE, 1, run.request.steps, index, run.request.count, eta=3.0)
        path = (run.output.path or run.output.folder / "fox.png").with_stem(f"fox{index}")
        path.write_bytes(b"picture")
        files.append(path)
        yield PictureDone(run.job, index, run.request.seed_of(index), path)
    yield Finished(run.job, tuple(files), (("load", 1.0), ("denoise", 2.0)), (("ram", 5 * GIB),), ("unet",))


def measured(run: DryRun) -> HostEvent:
    """A model of one layer of a GiB, which works in half of that, and decodes in a quarter."""
    layer = Weights(path="conv_in", tensors=((GIB // 4, 4),), kind="Conv2d", layer=True)
    phases = tuple(
        Stretch(
            name=name,
            moments=(Moment(part="unet", path="conv_in", last="unet", live=live),),
            passes={"unet": 4},
        )
        for name, live in (("encode", 0), ("denoise", GIB // 2), ("decode", GIB // 4))
    )
    return FootprintTaken(
        run.job, Footprint(parts=(Part(name="unet", weights=(layer,)),), phases=phases, steps=2)
    )


@dataclass
class Script:
    """What a host does when it is started, when a job comes, and what it was asked for. Call it to make the host."""

    start: tuple[HostEvent, ...] = (Hello(1, ("sdxl",)), Ready((CPU,), ram_total=16 * GIB, ram_free=12 * GIB))
    job: Callable[[Run], Iterable[HostEvent]] = picture
    measure: Callable[[DryRun], HostEvent] = measured
    fault: Exception | None = None
    runs: list[Run] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    killed: int = 0
    stopped: int = 0

    def __call__(self, log_folder: Path, on_event: Callable[[HostEvent], None]) -> Host:
        return Host(self, log_folder, on_event)


class Host:
    """Stands for Supervisor: ``run`` blocks until ``stop``."""

    def __init__(self, script: Script, log_folder: Path, on_event: Callable[[HostEvent], None]) -> None:
        self._script, self._on_event = script, on_event
        self._asked: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self.log_path = log_folder / "engine.log"

    def run(self) -> None:
        for event in self._script.start:
            self._on_event(event)
        if self._script.fault is not None:
            raise self._script.fault
        while (action := self._asked.get()) is not None:
            action()

    def send(self, message: ToEngine) -> None:
        if isinstance(message, Run):
            self._script.runs.append(message)
            self._asked.put(lambda: [self._on_event(event) for event in self._script.job(message)])
        elif isinstance(message, DryRun):
            answer = self._script.measure(message)
            self._asked.put(lambda: self._on_event(answer))

    def cancel(self, job: str) -> None:
        self._script.cancelled.append(job)
        self._asked.put(lambda: self._on_event(Cancelled(job)))

    def kill(self) -> None:
        self._script.killed += 1
        self._asked.put(lambda: self._on_event(Cancelled(self._script.runs[-1].job)))

    def stop(self) -> None:
        self._script.stopped += 1
        self._asked.put(None)


@dataclass
class Done:
    """What one command gave."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The one JSON object."""
        return json.loads(self.out)


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def headroom(script: Script, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs ``headroom ARGUMENTS`` in this process on the scripted host."""

    def run(*arguments: str) -> Done:
        code = main(arguments, script)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


def save_tensors(path: Path, tensors: dict[str, list[int]]) -> None:
    """A safetensors file of zeros in float16."""
    header: dict[str, Any] = {}
    end = 0
    for name, shape in tensors.items():
        size = 2
        for side in shape:
            size *= side
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(end))


PARTS = {
    "text_encoder": ("transformers", "CLIPTextModel", "model.safetensors"),
    "text_encoder_2": ("transformers", "CLIPTextModelWithProjection", "model.safetensors"),
    "unet": ("diffusers", "UNet2DConditionModel", "diffusion_pytorch_model.safetensors"),
    "vae": ("diffusers", "AutoencoderKL", "diffusion_pytorch_model.safetensors"),
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder whose headers say: an SDXL pipeline for 64 px. No engine could run its zeros."""
    folder = tmp_path / "my model"
    index: dict[str, Any] = {"_class_name": "StableDiffusionXLPipeline", "_diffusers_version": "0.42.1"}
    for name, (library, kind, weights) in PARTS.items():
        index[name] = [library, kind]
        (folder / name).mkdir(parents=True)
        config = {"sample_size": 8, "block_out_channels": [8, 8, 8, 8]}
        (folder / name / "config.json").write_text(json.dumps(config))
        save_tensors(folder / name / weights, {"layer.weight": [64, 64]})
    for name in ("tokenizer", "tokenizer_2"):
        index[name] = ["transformers", "CLIPTokenizer"]
        (folder / name).mkdir()
        for file in ("vocab.json", "merges.txt", "tokenizer_config.json"):
            (folder / name / file).write_text("{}")
    index["scheduler"] = ["diffusers", "EulerDiscreteScheduler"]
    (folder / "scheduler").mkdir()
    (folder / "scheduler" / "scheduler_config.json").write_text("{}")
    (folder / "model_index.json").write_text(json.dumps(index))
    (folder / "headroom.json").write_text('{"name": "Zeros", "defaults": {"steps": 3, "guidance": 2.5}}')
    return folder

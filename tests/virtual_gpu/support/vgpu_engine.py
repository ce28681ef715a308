"""A real engine process that has virtual GPUs, for tests: runs jobs one at a time, with the device's own figures.

Everything goes through the program's supervisor and messages, as from the window; only the bounds and counters of
the device are reached by its side door.
"""

from __future__ import annotations

import os
import queue
import tempfile
import threading
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from headroom_vgpu.remote import Remote
from host_memory import HostBytes
from numpy.typing import NDArray
from PIL import Image

from app.core.hardware import Hardware
from app.core.messages import (
    Cancelled,
    EngineDied,
    Failed,
    Finished,
    Hello,
    HostEvent,
    Measure,
    Phase,
    Progress,
    Ready,
    Run,
    StartFailed,
    Unload,
)
from app.core.model_file import ModelInfo, read_model
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.families import all_families
from app.host.supervisor import Supervisor
from app.media.clip import read_clip

PLUGIN = Path(__file__).resolve().parents[1] / "plugin"
PATIENCE = 120.0
"""Seconds without any event after which the engine counts as hung."""
PROMPT = "a big yellow star on a blue background"
Picture = NDArray[np.uint8]
Event = TypeVar("Event", bound=HostEvent)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One denoising step, from the end of the one before it to its own."""

    passes: int
    """How often the denoiser ran."""
    weights: int
    """Bytes of the denoiser's weights and buffers, wherever they are."""
    moved: tuple[Mapping[str, int], ...]
    """What each device's counters rose by."""
    live: tuple[int, ...]
    """Bytes on each device at its end."""
    host: HostBytes
    """Main memory at its end."""
    pinned_peak: int
    """The most that was pinned at once since the job began."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one job went."""

    end: Finished | Failed | Cancelled
    events: tuple[HostEvent, ...]
    devices: tuple[Mapping[str, int], ...]
    """Each device's counters over the job, read after its end; ``live`` is what stays."""
    step: Step | None = None
    """The last denoising step by itself, where the engine runs in this process."""
    peaks: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Phase → the most on each device, where the engine runs in this process."""

    @property
    def picture(self) -> Picture:
        """The first file's pixels."""
        assert isinstance(self.end, Finished), self.end
        with Image.open(self.end.files[0]) as image:
            return np.asarray(image.convert("RGB"))

    @property
    def frames(self) -> NDArray[np.uint8]:
        """The first file's frames (frames, height, width, 3); one of a picture."""
        assert isinstance(self.end, Finished), self.end
        return np.stack([np.asarray(frame) for frame in read_clip(self.end.files[0]).frames])

    @property
    def last_phase(self) -> Phase:
        """The phase that the job was in at its end."""
        return [event.phase for event in self.events if isinstance(event, Progress)][-1]

    @property
    def problem(self) -> Any:
        """What a failed job failed of."""
        assert isinstance(self.end, Failed), self.end
        return self.end.problem


class Asking:
    """Makes requests and plans for one model."""

    def __init__(self, model: Path) -> None:
        self.info: ModelInfo = read_model(model, all_families())
        self.family = all_families()[self.info.family]

    def request(self, **changes: Any) -> GenerationRequest:
        """A small picture, or a clip of a few frames, in a few steps."""
        limits = self.info.limits
        usual = GenerationRequest(
            model=str(self.info.path), prompt=PROMPT, width=128, height=128, steps=3, guidance=4.0, seed=7,
            task=limits.tasks[0], frames=min(9, limits.frames_max), fps=limits.fps,
        )  # fmt: skip
        return replace(usual, **changes)

    def plan(self, device: str = "vgpu:0", **changes: Any) -> Plan:
        """A plan in float32, so that the CPU's picture can be equal to the bit."""
        return Plan(family=self.info.family, device=device, **{"dtype": Dtype.FLOAT32, **changes})


class VirtualEngine(Asking):
    """Used as a context: the engine process lives inside it."""

    def __init__(self, model: Path, *, devices: int = 2, total: str = "1GiB") -> None:
        super().__init__(model)
        self.ready: Ready
        self.pid = 0
        self._events: queue.Queue[HostEvent] = queue.Queue()
        self._devices, self._total = devices, total
        self._cleanup = ExitStack()

    def __enter__(self) -> VirtualEngine:
        # a socket's path is at most 108 bytes, so these are not below pytest's folders
        self._folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="vgpu-")))
        environment = {
            "VGPU_DEVICES": str(self._devices),
            "VGPU_TOTAL": self._total,
            "VGPU_CONTROL": str(self._folder),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join([str(PLUGIN), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep),
        }
        self.scratch = self._folder / "scratch"
        self.supervisor = Supervisor(
            self._folder, self._events.put, environment=environment, scratch=self.scratch
        )
        reader = threading.Thread(target=self.supervisor.run, name="vgpu-engine")
        reader.start()
        self._cleanup.callback(reader.join)
        self._cleanup.callback(self.supervisor.stop)
        try:
            self.pid = self.wait_for(Hello).pid
            self.ready = self.wait_for(Ready)
            self.remote = Remote(self._folder, self.pid)
        except BaseException:
            self._cleanup.close()
            raise
        self._cleanup.callback(self.remote.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    # ------------------------------------------------------------------ jobs

    def run(
        self,
        plan: Plan,
        request: GenerationRequest | None = None,
        *,
        before: Callable[[], None] | None = None,
        watch: Callable[[HostEvent, str], None] | None = None,
    ) -> Outcome:
        """One job to its end; ``watch`` sees each event and the job's id as they come."""
        job, folder = uuid.uuid4().hex, self._folder / "pictures"
        folder.mkdir(exist_ok=True)
        self.remote("reset")
        if before is not None:
            before()
        self.supervisor.send(Run(job, request or self.request(), plan, OutputSpec(folder), previews=False))
        events: list[HostEvent] = []
        while True:
            event = self._next()
            events.append(event)
            if watch is not None:
                watch(event, job)
            if isinstance(event, Finished | Failed | Cancelled) and event.job == job:
                return Outcome(end=event, events=tuple(events), devices=self.stats())

    def stats(self) -> tuple[Mapping[str, int], ...]:
        """Each device's counters since the last job began."""
        return tuple(self.remote("stats", index) for index in range(self._devices))

    def unload(self) -> None:
        """The engine gives back all that it holds; returns when it has: the supervisor has it measure then."""
        self.supervisor.send(Unload())
        self.wait_for(Ready)

    def measure(self) -> Hardware:
        """What the engine says of the machine now."""
        self.supervisor.send(Measure())
        ready = self.wait_for(Ready)
        return ready.hardware

    def wait_for(self, kind: type[Event]) -> Event:
        """The next event of one kind; others are dropped."""
        while True:
            event = self._next()
            if isinstance(event, kind):
                return event

    def _next(self) -> HostEvent:
        event = self._events.get(timeout=PATIENCE)
        if isinstance(event, EngineDied | StartFailed):
            raise AssertionError(f"{event}\n{self.log()}")
        return event

    def log(self) -> str:
        """What the engine wrote."""
        texts = [path.read_text(errors="replace") for path in sorted(self._folder.rglob("*.log"))]
        return "\n".join(texts)[-4000:]


def difference(a: Picture, b: Picture) -> tuple[int, float]:
    """The largest and the mean difference of two pictures, in steps of 255."""
    apart = np.abs(a.astype(np.int16) - b.astype(np.int16))
    return int(apart.max()), float(apart.mean())

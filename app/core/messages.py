"""Every message of the engine's pipe: frozen dataclasses of plain values, enums, Paths and small bytes.

No tensors, no exceptions, nothing that needs torch or Qt to unpickle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.core.errors import Problem
from app.core.footprint import Footprint
from app.core.hardware import DeviceSheet, Hardware
from app.core.plan import Plan
from app.core.request import GenerationRequest, OutputSpec
from app.core.text import Text

# ------------------------------------------------------------------ to the engine


@dataclass(frozen=True)
class Run:
    """Run one job. The engine answers with events and ends with Finished, Failed or Cancelled."""

    job: str
    request: GenerationRequest
    plan: Plan
    output: OutputSpec
    previews: bool = True


@dataclass(frozen=True)
class DryRun:
    """Measure what a job would take, without weights: in an engine that has nothing else to do. The engine answers with
    FootprintTaken, Failed or Cancelled."""

    job: str
    request: GenerationRequest
    plan: Plan


@dataclass(frozen=True)
class Cancel:
    """Stop the job after the block that is running."""

    job: str


@dataclass(frozen=True)
class Unload:
    """Give back all that is loaded."""


@dataclass(frozen=True)
class Measure:
    """Answer with a fresh Ready: devices and free memory now."""


@dataclass(frozen=True)
class Shutdown:
    """End the process once idle."""


# ------------------------------------------------------------------ from the engine


@dataclass(frozen=True)
class Hello:
    """First word of a new engine, before torch is imported."""

    pid: int
    families: tuple[str, ...]


@dataclass(frozen=True)
class Ready:
    """torch is up: what the machine has. Also the answer to Measure."""

    devices: tuple[DeviceSheet, ...]
    versions: tuple[tuple[str, str], ...] = ()
    ram_total: int = 0
    ram_free: int = 0
    packages: tuple[str, ...] = ()

    @property
    def hardware(self) -> Hardware:
        """The same as the planner takes it."""
        return Hardware(
            devices=self.devices, ram_total=self.ram_total, ram_free=self.ram_free, packages=self.packages
        )


@dataclass(frozen=True)
class StartFailed:
    """torch or a library does not import: the engine cannot work."""

    problem: Problem


class Phase(StrEnum):
    """The stages of a job, in their order."""

    LOAD = "load"
    ENCODE = "encode"
    DENOISE = "denoise"
    DECODE = "decode"
    WRITE = "write"


@dataclass(frozen=True)
class Progress:
    """How far a phase is. ``step`` of ``steps`` (0 of 0: not countable); ``eta`` in seconds for the whole job."""

    job: str
    phase: Phase
    step: int = 0
    steps: int = 0
    picture: int = 0
    """Which picture of the job, from 0."""
    pictures: int = 1
    eta: float | None = None
    part: str = ""
    """While loading: the component."""


@dataclass(frozen=True)
class Preview:
    """The picture so far: a linear map of the latents, RGB bytes row by row."""

    job: str
    picture: int
    width: int
    height: int
    rgb: bytes


@dataclass(frozen=True)
class Notice:
    """Something the person should know that does not stop the job."""

    job: str
    text: Text


@dataclass(frozen=True)
class Placed:
    """Where a job's model really lies, once it is placed: (part or module, device or ``disk``) pairs."""

    job: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PictureDone:
    """One file is written, read back and checked."""

    job: str
    picture: int
    seed: int
    path: Path


@dataclass(frozen=True)
class Finished:
    """The job is done."""

    job: str
    files: tuple[Path, ...]
    seconds: tuple[tuple[str, float], ...]
    """Per phase, in the order of Phase."""
    peaks: tuple[tuple[str, int], ...]
    """Measured peak bytes: device id → allocated there; ``ram`` → the engine's resident set."""
    loaded: tuple[str, ...] = ()
    """Components read from disk for this job; empty when all were kept from the last one."""


@dataclass(frozen=True)
class FootprintTaken:
    """The answer to DryRun."""

    job: str
    footprint: Footprint


@dataclass(frozen=True)
class Failed:
    """The job ended with a problem; files written before it stay."""

    job: str
    problem: Problem
    files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Cancelled:
    """The job was stopped as asked; files written before it stay."""

    job: str
    files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class MemoryReport:
    """The engine's own numbers, sent every half second or so while it works: bytes by device id."""

    held: tuple[tuple[str, int], ...]
    free: tuple[tuple[str, int], ...]
    total: tuple[tuple[str, int], ...]


# ------------------------------------------------------------------ made by the host when an engine ends


@dataclass(frozen=True)
class EngineDied:
    """The process ended without being asked to. Exit codes are shown, never interpreted."""

    exit_code: int | None
    job: str | None
    log: Path
    restarting: bool
    """False after three deaths in a minute."""
    facts: tuple[tuple[str, Any], ...] = field(default=())


ToEngine = Run | DryRun | Cancel | Unload | Measure | Shutdown
FromEngine = (
    Hello
    | Ready
    | StartFailed
    | Progress
    | Preview
    | Notice
    | Placed
    | PictureDone
    | Finished
    | FootprintTaken
    | Failed
    | Cancelled
    | MemoryReport
)
HostEvent = FromEngine | EngineDied

"""MemorySettings: every control of the memory panel, declared once. The planner turns them into a Plan.

The engine must not know this module: it reads plans.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.core.knobs import KnobKind, knob
from app.core.text import say

AUTO = say("core", "Auto")
_ON_OFF = (("auto", AUTO), ("on", say("core", "On")), ("off", say("core", "Off")))


@dataclass(frozen=True)
class MemorySettings:
    """How the work is computed, as a person may set it; ``auto`` leaves the choice to the planner.

    The names are the contract of ``--memory name=value``, of presets and of ``headroom plan --json``.
    """

    device: str = knob(
        "auto",
        kind=KnobKind.DEVICE,
        label=say("core", "GPU"),
        price=say("core", "Which device does the work: Auto takes the one with the most memory."),
    )
    max_memory: str = knob(
        "auto",
        kind=KnobKind.SIZE,
        low=1,
        label=say("core", "Maximum memory"),
        price=say(
            "core",
            "The most this program may hold on that device: less leaves room for others but is slower.",
        ),
    )
    offload: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=(
            ("auto", AUTO),
            ("none", say("core", "None: all on the GPU")),
            ("model", say("core", "Model: one part at a time")),
            ("sequential", say("core", "Sequential: one layer at a time")),
        ),
        label=say("core", "Offload"),
        price=say(
            "core",
            "Keeps weights in main memory until they are needed: same picture, less GPU memory, slower.",
        ),
    )
    storage: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=(
            ("auto", AUTO),
            ("none", say("core", "Off")),
            ("fp8_e4m3", say("core", "E4M3: finer steps")),
            ("fp8_e5m2", say("core", "E5M2: wider range")),
        ),
        lossy=True,
        label=say("core", "fp8 storage"),
        price=say("core", "Keeps weights in 8 bits: half the memory, slightly different pictures."),
    )
    vae_tiling: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        lossy=True,
        label=say("core", "VAE tiling"),
        price=say(
            "core", "Decodes the picture in tiles: far less memory at the end, faint seams are possible."
        ),
    )
    vae_slicing: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        advanced=True,
        label=say("core", "VAE slicing"),
        price=say("core", "Decodes a batch one picture at a time; Headroom makes them one by one anyway."),
    )
    dtype: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=(
            ("auto", AUTO),
            ("bfloat16", say("core", "bfloat16")),
            ("float16", say("core", "float16")),
            ("float32", say("core", "float32")),
        ),
        lossy=True,
        advanced=True,
        label=say("core", "Precision"),
        price=say(
            "core", "The number format that computes: float32 doubles the memory of the 16-bit formats."
        ),
    )
    channels_last: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        lossy=True,
        advanced=True,
        label=say("core", "Channels last"),
        price=say(
            "core", "Another order of the numbers in memory: less work memory on recent GPUs, else no gain."
        ),
    )
    keep_loaded: float = knob(
        10.0,
        kind=KnobKind.NUMBER,
        low=0,
        high=1440,
        advanced=True,
        unit=say("core", "min"),
        label=say("core", "Keep loaded"),
        price=say("core", "How long the model stays in memory after a job: the next one starts at once."),
    )
    reserve: str = knob(
        "auto",
        kind=KnobKind.SIZE,
        advanced=True,
        label=say("core", "Reserve"),
        price=say("core", "Memory always left free on the device, for the screen and other programs."),
    )

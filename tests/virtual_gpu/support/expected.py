"""What one denoising step must move and what main memory must hold, from where a technique lets the weights wait."""

from __future__ import annotations

from dataclasses import dataclass

from techniques import Technique, Waits
from vgpu_engine import Step

SMALL = 64 * 1024
"""Bytes: times, latents, what a scheduler remembers; less than any component's weights."""
SPARE = 0.01
"""What may come on top: a weight that is in two groups, positions that are made anew."""
AGAIN = 0.34
"""What streamed leaves move twice where one layer runs twice in a block: CogVideoX's norms serve words and pictures,
and each run fetches the layer that comes after. Of the tiny model's weights; 5 of 12 of a real block's."""
_BACK = {Waits.TO_AND_FRO}
_SOME_BACK = {Waits.PINNED_BLOCKS, Waits.PINNED_LATE_BLOCKS}
_STILL = {Waits.NOWHERE, Waits.BY_PART}


@dataclass(frozen=True)
class Sizes:
    """Bytes of weights in the plan's format."""

    whole: int
    denoiser: int
    vae: int
    in_memory: int
    """Of the components that do not go into files when groups wait there."""


def check_step(technique: Technique, step: Step, kind: str) -> None:
    """The last step's traffic of the denoiser's card, which is the first."""
    up, back = step.moved[0]["h2d_bytes"], step.moved[0]["d2h_bytes"]
    streamed_leaves = technique.name.startswith("group_leaf") and "stream" in technique.name
    spare = AGAIN if kind == "cogvideox" and streamed_leaves else SPARE
    passes = step.passes * step.weights
    assert step.passes > 0
    if technique.waits in _STILL:
        assert up <= SMALL, f"{technique.name}: {up} bytes came in a step"
    else:
        assert passes - SMALL <= up <= (1 + spare) * passes + SMALL, f"{technique.name}: {up} of {passes}"
    if technique.waits in _BACK:
        assert passes - SMALL <= back <= (1 + SPARE) * passes + SMALL, f"{technique.name}: {back} of {passes}"
    elif technique.waits in _SOME_BACK:
        assert back < passes / 2, f"{technique.name}: {back} of {passes} went back"
    else:
        assert back <= SMALL, f"{technique.name}: {back} bytes went back in a step"


def check_host(technique: Technique, step: Step, sizes: Sizes) -> None:
    """Main memory at the step's end: how much, and how much of it is pinned."""
    host, waits = step.host, technique.waits
    waiting = sizes.whole if technique.whole else sizes.denoiser
    loose = step.moved[0]["d2h_bytes"] // step.passes if waits in _SOME_BACK else 0
    expected = {Waits.NOWHERE: 0, Waits.BY_PART: sizes.whole - sizes.denoiser}.get(waits, waiting)
    if waits is Waits.FILES:
        expected = sizes.in_memory if technique.whole else 0
    assert _near(host.all, expected), f"{technique.name}: {host} for {expected}"
    if waits in (Waits.PINNED, Waits.PINNED_BLOCKS):  # the decoder is not streamed
        assert _near(host.pinned, waiting - sizes.vae - loose), f"{technique.name}: {host}"
    elif waits is Waits.FILES:
        assert host.pinned <= sizes.in_memory + SMALL
    else:
        assert host.pinned == 0, technique.name
        late = waits in (Waits.PINNED_LATE, Waits.PINNED_LATE_BLOCKS)
        assert step.pinned_peak < (waiting / 2 if late else 1), f"{technique.name}: {step.pinned_peak}"


def _near(found: int, expected: int) -> bool:
    return expected * (1 - SPARE) - SMALL <= found <= expected * (1 + SPARE) + SMALL

"""What a model's run takes apart from any plan: every layer's weights, and the working memory at each moment of a run.

Data only, measured by the engine's dry run. ``core.estimate`` says what a plan makes of it. Bytes are counted as a
GPU's allocator gives them out, in steps of 512.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

STEP = 512
"""Bytes: the allocator's smallest step, of PyTorch's CUDA allocator and of the virtual GPU."""


def stepped(size: int) -> int:
    """The bytes that an allocation of ``size`` bytes takes."""
    return -(-size // STEP) * STEP


@dataclass(frozen=True, kw_only=True)
class Weights:
    """The weights that stand directly in one module, tensor by tensor."""

    path: str
    """The module's name inside its component; empty for the component itself."""
    tensors: tuple[tuple[int, int], ...]
    """Numbers, and bytes each, of every parameter and buffer; of one that several modules share only in the first."""
    kind: str = ""
    """The module's class name."""
    layer: bool = False
    """Whether it is one of those that group offloading moves alone and fp8 storage casts: linear, convolution."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each tensor on a device, as loaded."""
        return tuple(stepped(numbers * each) for numbers, each in self.tensors)

    @cached_property
    def bytes(self) -> int:
        """All of them together."""
        return sum(self.sizes)


@dataclass(frozen=True, kw_only=True)
class Room:
    """A module that group offloading takes apart into blocks; what is in none of them moves when the module runs."""

    path: str
    lists: tuple[tuple[str, ...], ...]
    """Paths of the blocks in each list that stands directly in it."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One component's weights, in the order in which its modules are declared, and the order in which they run."""

    name: str
    weights: tuple[Weights, ...]
    order: tuple[str, ...] = ()
    """Paths of modules as they begin in the component's first pass, each as often as it runs."""
    rooms: tuple[Room, ...] = ()

    @cached_property
    def bytes(self) -> int:
        """All of them on a device."""
        return sum(found.bytes for found in self.weights)


@dataclass(frozen=True, kw_only=True)
class Moment:
    """The most that was in use while one module ran and none inside it."""

    part: str
    """The component that ran; empty: none."""
    path: str
    last: str
    """The component that ran most lately, this one included; empty: none so far."""
    live: int
    """Bytes in use beside the weights."""
    workspace: int = 0
    """The same with the copies that cuDNN's half-precision convolutions make: input and output in another order."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Encoding, denoising or decoding."""

    name: str
    moments: tuple[Moment, ...]
    passes: Mapping[str, int]
    """How often each component runs."""


@dataclass(frozen=True, kw_only=True)
class Footprint:
    """One model with one request in one format."""

    parts: tuple[Part, ...]
    phases: tuple[Phase, ...]
    steps: int
    """Of denoising, which ``passes`` are for."""

    def part(self, name: str) -> Part | None:
        """The weights of one component."""
        return next((part for part in self.parts if part.name == name), None)

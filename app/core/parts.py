"""One part of a model, as the names and shapes of its tensors tell: sizes, blocks, what fp8 covers. Opens nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.core.family import Component
from app.core.headers import Tensor
from app.core.text import Text

_BLOCK = re.compile(r"[A-Za-z_]+\.\d+\.")
_FP8_LAYER = re.compile(r"\.(weight|bias)$")


@dataclass(frozen=True, kw_only=True)
class ComponentInfo:
    """A part of a model with its size. Numbers of weights, not bytes: bytes follow from the plan's formats."""

    name: str
    role: str
    class_name: str
    label: Text
    numbers: int = 0
    fp8_numbers: int = 0
    """How many of them fp8 storage would cover; 0 where it does not work."""
    linear_numbers: int = 0
    """How many of them stand in tables of two axes: linear layers' weights, which packing covers."""
    largest_leaf: int = 0
    """Numbers in the largest single tensor."""
    largest_block: int = 0
    """Numbers in the largest block of a list of blocks; 0 where there are no such lists at the top."""
    outside_blocks: int = 0
    """Numbers in none of those blocks."""
    disk: int = 0
    """Bytes in the files."""
    dtypes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    precise: bool = False
    """In float32 whatever the plan's format."""
    packed: bool = False
    """Its file is a GGUF: its weights stay as they are packed there, and are unpacked layer by layer."""
    lora_numbers: int = 0
    """Numbers in the LoRA layers that a request puts into it."""
    modules: tuple[str, ...] = ()
    """Names of its outermost modules and blocks, which a device map can place; empty where the file has its own."""


def measured(
    part: Component,
    class_name: str,
    tensors: Mapping[str, Tensor],
    files: tuple[Path, ...] = (),
    packed: bool = False,
) -> ComponentInfo:
    """The part that these tensors make. ``files`` of a folder: their tensors have the names of the loaded modules."""
    skip = [re.compile(pattern) for pattern in part.fp8_skip]
    sizes = {name: tensor.numbers for name, tensor in tensors.items()}
    blocks: dict[str, int] = {}
    for name, count in sizes.items():
        if found := _BLOCK.match(name):
            blocks[found[0]] = blocks.get(found[0], 0) + count
    casts = part.fp8 and not packed
    covered = sum(count for name, count in sizes.items() if casts and _fp8_covers(name, tensors, skip))
    return ComponentInfo(
        name=part.name,
        role=part.role,
        class_name=class_name,
        label=part.label,
        numbers=sum(sizes.values()),
        fp8_numbers=covered,
        linear_numbers=sum(sizes[name] for name, tensor in tensors.items() if len(tensor.shape) == 2),
        largest_leaf=max(sizes.values(), default=0),
        largest_block=max(blocks.values(), default=0),
        outside_blocks=sum(sizes.values()) - sum(blocks.values()),
        disk=sum(file.stat().st_size for file in files),
        dtypes=tuple(sorted({tensor.dtype for tensor in tensors.values()})),
        files=files,
        precise=part.precise,
        packed=packed,
        modules=_modules(sizes) if files and not packed else (),
    )


def _fp8_covers(name: str, tensors: Mapping[str, Tensor], skip: Iterable[re.Pattern[str]]) -> bool:
    """Layerwise casting casts linear and convolution layers (their weight has 2 dimensions or more) not skipped."""
    module = _FP8_LAYER.sub("", name)
    weight = tensors.get(f"{module}.weight")
    return (
        weight is not None and len(weight.shape) >= 2 and not any(pattern.search(module) for pattern in skip)
    )


def _modules(names: Iterable[str]) -> tuple[str, ...]:
    """Outermost modules and their numbered blocks, in the order of their numbers."""
    found = set()
    for name in names:
        first, _, rest = name.partition(".")
        number, dot, _ = rest.partition(".")
        if rest:
            found.add(first)
        if dot and number.isdigit():
            found.add(f"{first}.{number}")
    return tuple(sorted(found, key=_by_number))


def _by_number(name: str) -> tuple[str, int]:
    first, _, number = name.partition(".")
    return first, int(number or -1)

"""What this process's tensors hold in main memory: pinned, pageable, or pages of a model's file that it can give up."""

from __future__ import annotations

import bisect
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from diffusers.hooks.group_offloading import ModuleGroup


@dataclass(frozen=True)
class HostBytes:
    """Bytes of tensors in main memory."""

    pinned: int = 0
    pageable: int = 0
    mapped: int = 0
    """In the pages of a weights file: the system may drop them."""

    @property
    def all(self) -> int:
        """However they are held."""
        return self.pinned + self.pageable + self.mapped


def held() -> HostBytes:
    """Of all tensors that were made since the collector's last freeze and are reachable from Python.

    Not the stand-ins of weights that wait in group offload's files: memory that was asked for and is never written,
    so it has no pages (``traps`` shows it at a size at which that can be seen).
    """
    things = gc.get_objects()
    files, seen = _mapped_files(), _stand_ins(things)
    pinned = pageable = mapped = 0
    for tensor in _tensors(things):
        storage = tensor.untyped_storage()
        start, size = storage.data_ptr(), storage.nbytes()
        if not size or start in seen:
            continue
        seen.add(start)
        at = bisect.bisect_right(files, (start, 1 << 62)) - 1
        if tensor.is_pinned():
            pinned += size
        elif at >= 0 and start < files[at][1]:
            mapped += size
        else:
            pageable += size
    return HostBytes(pinned, pageable, mapped)


def _tensors(things: list[object]) -> Iterator[torch.Tensor]:
    for thing in things:
        kind = type(thing)  # isinstance() would wake lazy modules
        # those with a dispatch of their own stand for others, which are found by themselves
        if issubclass(kind, torch.Tensor) and kind.__torch_dispatch__ is torch.Tensor.__torch_dispatch__:
            assert isinstance(thing, torch.Tensor)
            if thing.device.type == "cpu" and thing.layout is torch.strided:
                yield thing


def _stand_ins(things: list[object]) -> set[int]:
    groups = [thing for thing in things if type(thing) is ModuleGroup and thing._is_offloaded_to_disk]
    waiting = (tensor for group in groups for tensor in group.tensor_to_key)
    return {tensor.untyped_storage().data_ptr() for tensor in waiting if tensor.device.type == "cpu"}


def _mapped_files() -> list[tuple[int, int]]:
    """Address ranges of weights files, in their order."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    ranges = [line.split()[0] for line in lines if line.endswith((".safetensors", ".gguf"))]
    return [(int(first, 16), int(last, 16)) for first, _, last in (part.partition("-") for part in ranges)]

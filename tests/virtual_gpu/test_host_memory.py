"""Weights that group offload put into files hold no main memory: what stands in for them is never written."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

import host_memory
import torch
from diffusers.hooks import apply_group_offloading

SIDE = 4096
"""64 MiB of weights: the system's allocator takes new pages for them, which is what can be seen."""


def resident(tensor: torch.Tensor) -> int:
    """Pages of a tensor's memory that exist, in bytes."""
    start = tensor.data_ptr() // mmap.PAGESIZE * mmap.PAGESIZE
    pages = tensor.nbytes // mmap.PAGESIZE
    present = (ctypes.c_ubyte * pages)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mincore(ctypes.c_void_p(start), ctypes.c_size_t(pages * mmap.PAGESIZE), present) == 0
    return sum(page & 1 for page in present) * mmap.PAGESIZE


def test_weights_in_files_have_no_pages(tmp_path: Path) -> None:
    before = host_memory.held().all
    model = torch.nn.Sequential(torch.nn.Linear(SIDE, SIDE, bias=False))
    weight = model[0].weight
    assert resident(weight) > 0.9 * weight.nbytes
    assert host_memory.held().pageable >= before + weight.nbytes
    apply_group_offloading(
        model, torch.device("vgpu:0"), offload_type="leaf_level", offload_to_disk_path=str(tmp_path)
    )
    for _ in range(2):
        assert weight.device.type == "cpu"
        assert resident(weight) < 0.01 * weight.nbytes
        assert host_memory.held().all < before + 0.01 * weight.nbytes
        model(torch.ones(1, SIDE, device="vgpu:0"))

"""The virtual GPU's memory: counted, capped, limited, and failing where it is told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import headroom_vgpu as vgpu
import pytest
import torch

TOTAL = 2**40


@pytest.fixture(autouse=True)
def unbounded() -> Iterator[None]:
    """Counters at zero before, no bounds after."""
    vgpu.reset()
    yield
    for index in range(2):
        vgpu.set_total(0, index)
        vgpu.set_cap(None, index)
        vgpu.fail_nth(0, index)
        torch.vgpu.set_per_process_memory_fraction(1.0, index)


def fits(count: int, device: str = "vgpu") -> bool:
    """Whether ``count`` bytes can be allocated now."""
    try:
        torch.empty(count, dtype=torch.uint8, device=device)
    except torch.OutOfMemoryError:
        return False
    return True


def test_allocations_are_counted_and_freed() -> None:
    before = vgpu.stats()["live"]
    x = torch.empty(1000, device="vgpu")
    live = vgpu.stats()["live"]
    assert live == before + 4096 == torch.vgpu.memory_allocated() == torch.accelerator.memory_allocated()
    y = x.view(10, 100)[2:].transpose(0, 1)  # views are free
    assert vgpu.stats()["live"] == before + 4096
    assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    z = y.contiguous()
    del x, y, z
    assert vgpu.stats()["live"] == before
    assert torch.vgpu.max_memory_allocated() == before + 4096 + 3584
    torch.vgpu.reset_peak_memory_stats()
    assert torch.vgpu.max_memory_allocated() == before


def oversized_request() -> torch.Tensor:
    """Refused before it is made."""
    return torch.empty(2049, device="vgpu")


def oversized_result() -> torch.Tensor:
    """A kernel's result that finds no room."""
    return torch.ones(1500, device="vgpu") + 1


@pytest.mark.parametrize("oversized", [oversized_request, oversized_result])
def test_the_cap_raises_out_of_memory_and_the_process_goes_on(oversized: Callable[[], torch.Tensor]) -> None:
    before = vgpu.stats()["live"]
    vgpu.set_cap(before + 8192)
    assert torch.vgpu.mem_get_info() == (8192, TOTAL)
    with pytest.raises(torch.OutOfMemoryError, match="out of memory"):
        oversized()
    assert vgpu.stats()["live"] == before
    assert vgpu.stats()["ooms"] == 1
    torch.ones(2000, device="vgpu")
    torch.ones(5000, device="vgpu:1")  # has no cap


def test_free_memory_is_what_cap_and_total_leave() -> None:
    live = vgpu.stats()["live"]
    vgpu.set_total("1MiB")
    assert torch.vgpu.mem_get_info() == (2**20 - live, 2**20)
    vgpu.set_cap("2MiB")  # more than the card: the card counts
    assert torch.vgpu.mem_get_info() == (2**20 - live, 2**20)
    vgpu.set_cap("64KiB")
    x = torch.empty(16 * 1024, dtype=torch.uint8, device="vgpu")
    assert torch.vgpu.mem_get_info() == (48 * 1024 - live, 2**20)
    vgpu.set_cap(x.nbytes // 2)  # others took what this one holds: nothing is free, never less than nothing
    assert torch.vgpu.mem_get_info() == (0, 2**20)
    assert torch.vgpu.get_device_properties().total_memory == 2**20


def test_the_cap_can_change_in_mid_run() -> None:
    vgpu.set_cap("1MiB")
    assert fits(900_000)
    vgpu.set_cap("512KiB")
    assert not fits(900_000)
    vgpu.set_cap(None)
    assert fits(900_000)


def test_a_process_limit_binds_but_leaves_free_memory_as_it_is() -> None:
    """As on CUDA: the fraction is of the whole card, and mem_get_info speaks of the card."""
    live = vgpu.stats(1)["live"]
    vgpu.set_total("4MiB", 1)
    torch.vgpu.set_per_process_memory_fraction(0.25, 1)
    assert torch.vgpu.get_per_process_memory_fraction(1) == 0.25
    assert torch.vgpu.mem_get_info(1) == (2**22 - live, 2**22)
    assert not fits(2**20 + 1, "vgpu:1")
    assert fits(2**20 - live, "vgpu:1")
    assert fits(2**21)  # of the first device
    torch.vgpu.set_per_process_memory_fraction(1.0, "vgpu:1")
    assert fits(2**21, "vgpu:1")
    with pytest.raises(ValueError, match="0~1"):
        torch.vgpu.set_per_process_memory_fraction(1.5, 1)


def test_the_nth_allocation_fails_once() -> None:
    vgpu.fail_nth(3)
    assert [fits(512) for _ in range(5)] == [True, True, False, True, True]
    vgpu.fail_nth(1)
    vgpu.fail_nth(0)
    assert fits(512)
    assert vgpu.stats()["ooms"] == 1


def test_out_of_memory_says_what_is_there() -> None:
    vgpu.set_total("1MiB")
    vgpu.set_cap("512KiB")
    with pytest.raises(torch.OutOfMemoryError) as caught:
        torch.empty(2**20, dtype=torch.uint8, device="vgpu")
    assert "Tried to allocate 1048576 bytes" in str(caught.value)
    assert "total capacity of 1048576 bytes" in str(caught.value)
    assert "524288 are allowed" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "size"), [("4096", 4096), ("1.5KiB", 1536), ("2MB", 2_000_000), (" 1 GiB ", 2**30)]
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert vgpu.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "lots", "3 parsecs", "-1"])
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a size"):
        vgpu.parse_size(text)

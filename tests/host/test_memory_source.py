"""Where the live memory figures come from, with a scripted NVML: order, slices, shared memory, lost cards."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from app.core.hardware import DeviceSheet, Hardware
from app.core.messages import MemoryReport
from app.core.units import GIB
from app.host.memory_source import RAM, AmdReader, MemorySource, NvmlReader

SMALL = DeviceSheet(id="cuda:1", name="Small", total=8 * GIB, free=7 * GIB, uuid="aaaa-1")
LARGE = DeviceSheet(id="cuda:0", name="Large", total=24 * GIB, free=20 * GIB, uuid="bbbb-2")
CPU = DeviceSheet(id="cpu", name="Processor", total=32 * GIB, free=16 * GIB)


class NvmlError(Exception):
    """What the fake library raises."""


@dataclass
class Memory:
    total: Any
    free: Any


@dataclass
class Process:
    pid: int
    usedGpuMemory: int | None


@dataclass
class FakeNvml:
    """Speaks like pynvml: cards by UUID in slot order, the small one first; ``script`` says what a call does."""

    cards: Mapping[str, Memory]
    processes: Mapping[str, list[Process]] = field(default_factory=dict)
    script: Mapping[str, Exception] = field(default_factory=dict)
    NVMLError: type[Exception] = NvmlError
    open: bool = False

    def _maybe_fail(self, call: str) -> None:
        if call in self.script:
            raise self.script[call]

    def nvmlInit(self) -> None:
        self._maybe_fail("init")
        self.open = True

    def nvmlShutdown(self) -> None:
        self.open = False

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:
        if uuid not in self.cards:
            raise NvmlError("Invalid Argument")
        return uuid

    def nvmlDeviceGetMemoryInfo(self, handle: str) -> Memory:
        self._maybe_fail("memory")
        return self.cards[handle]

    def nvmlDeviceGetComputeRunningProcesses(self, handle: str) -> list[Process]:
        self._maybe_fail("processes")
        return self.processes.get(handle, [])


def two_cards(**more: Any) -> FakeNvml:
    cards = {"GPU-aaaa-1": Memory(8 * GIB, 6 * GIB), "GPU-bbbb-2": Memory(24 * GIB, 15 * GIB)}
    return FakeNvml(cards, **more)


def source_with(nvml: FakeNvml, *sheets: DeviceSheet) -> MemorySource:
    source = MemorySource([NvmlReader(nvml)], clock=lambda: 5.0)
    source.set_hardware(Hardware(devices=(*sheets, CPU), ram_total=32 * GIB))
    return source


def test_c38_cards_are_matched_by_uuid_not_by_order() -> None:
    samples = source_with(two_cards(), LARGE, SMALL).read()
    assert [(sample.device, sample.total, sample.free) for sample in samples[:2]] == [
        ("cuda:0", 24 * GIB, 15 * GIB),
        ("cuda:1", 8 * GIB, 6 * GIB),
    ]
    assert samples[0].time == 5.0


@pytest.mark.parametrize("visible", [("bbbb-2",), ("aaaa-1", "bbbb-2"), ("bbbb-2", "aaaa-1")])
def test_c38_cards_follow_cuda_visible_devices(visible: tuple[str, ...]) -> None:
    """torch counts what CUDA_VISIBLE_DEVICES names, in its order; NVML counts all, in theirs."""
    sheets = [replace(LARGE, id=f"cuda:{number}", uuid=uuid, total=1) for number, uuid in enumerate(visible)]
    totals = {"aaaa-1": 8 * GIB, "bbbb-2": 24 * GIB}
    samples = source_with(two_cards(), *sheets).read()
    assert [sample.total for sample in samples[:-1]] == [totals[uuid] for uuid in visible]


@pytest.mark.parametrize("uuid", ["MIG-cccc-3", "GPU-cccc-3"])
def test_c38_a_name_that_has_its_prefix_is_asked_for_as_it_is(uuid: str) -> None:
    nvml = FakeNvml({uuid: Memory(10 * GIB, 4 * GIB), "GPU-MIG-cccc-3": Memory(1, 1)})
    slice_ = source_with(nvml, replace(LARGE, uuid=uuid)).read()[0]
    assert (slice_.total, slice_.free) == (10 * GIB, 4 * GIB)


def test_c38_a_card_that_nvml_does_not_know_is_left_to_the_engine_s_numbers() -> None:
    stranger = source_with(two_cards(), replace(LARGE, uuid="dddd-4")).read()[0]
    assert (stranger.free, stranger.total) == (LARGE.free, LARGE.total)


def test_ours_is_what_this_program_s_processes_hold() -> None:
    processes = {"GPU-bbbb-2": [Process(os.getpid(), 5 * GIB), Process(1, 3 * GIB)]}
    large = source_with(two_cards(processes=processes), LARGE).read()[0]
    assert (large.held, large.others, large.free) == (5 * GIB, 4 * GIB, 15 * GIB)


@pytest.mark.parametrize(
    "processes", [{}, {"GPU-bbbb-2": [Process(os.getpid(), None)]}], ids=["container", "windows"]
)
def test_where_processes_are_not_told_the_engine_says_what_it_holds(processes: Any) -> None:
    source = source_with(two_cards(processes=processes), LARGE)
    source.report(MemoryReport(held=(("cuda:0", 2 * GIB),), free=(), total=()))
    large = source.read()[0]
    assert (large.held, large.others) == (2 * GIB, 7 * GIB)


def test_c40_a_slice_without_permission_falls_back_to_the_engine_s_numbers() -> None:
    source = source_with(two_cards(script={"memory": NvmlError("Insufficient Permissions")}), LARGE)
    source.report(MemoryReport((("cuda:0", GIB),), (("cuda:0", 18 * GIB),), (("cuda:0", 24 * GIB),)))
    large = source.read()[0]
    assert (large.held, large.others, large.free, large.total) == (GIB, 5 * GIB, 18 * GIB, 24 * GIB)


def test_c40_a_text_where_a_number_is_expected_is_no_figure() -> None:
    nvml = FakeNvml({"GPU-bbbb-2": Memory("N/A", "N/A")})
    large = source_with(nvml, LARGE).read()[0]
    assert (large.free, large.total) == (LARGE.free, LARGE.total)


def test_c41_memory_shared_with_the_host_is_shown_once() -> None:
    shared = DeviceSheet(id="cuda:0", name="Integrated", total=32 * GIB, free=9 * GIB, uuid="cc", shared=True)
    samples = source_with(two_cards(), shared).read()
    assert [sample.device for sample in samples] == [RAM]


def test_a_card_that_is_lost_and_comes_back() -> None:
    nvml = two_cards()
    source = source_with(nvml, LARGE)
    assert source.read()[0].free == 15 * GIB
    nvml.script = {"memory": NvmlError("GPU is lost")}
    assert source.read()[0].free == LARGE.free
    nvml.script = {}
    assert source.read()[0].free == 15 * GIB


def test_no_driver_is_no_reader() -> None:
    with pytest.raises(OSError, match="not found"):
        NvmlReader(two_cards(script={"init": NvmlError("library not found")}))


def test_main_memory_counts_this_process_and_adds_up() -> None:
    (ram,) = MemorySource([]).read()
    assert ram.device == RAM
    assert ram.held > 10 * 2**20
    assert ram.held + ram.others + ram.free == ram.total


def test_an_engine_that_has_ended_is_nothing() -> None:
    source = MemorySource([])
    source.set_engine(2**22 - 3)
    assert source.read()[0].device == RAM


def test_a_new_engine_forgets_the_old_one_s_numbers() -> None:
    source = source_with(two_cards(), LARGE)
    source.report(MemoryReport((("cuda:0", 2 * GIB),), (), ()))
    source.set_engine(os.getpid())
    assert source.read()[0].held == 0


def test_closing_lets_the_library_go() -> None:
    nvml = two_cards()
    source = source_with(nvml, LARGE)
    assert nvml.open
    source.close()
    assert not nvml.open


class AmdSmiError(Exception):
    """What the fake AMD library raises."""


@dataclass
class FakeAmdSmi:
    """Speaks like amdsmi: cards by UUID, memory in MiB."""

    cards: Mapping[str, dict[str, int]]
    AmdSmiException: type[Exception] = AmdSmiError
    open: bool = False

    def amdsmi_init(self) -> None:
        self.open = True

    def amdsmi_shut_down(self) -> None:
        self.open = False

    def amdsmi_get_processor_handles(self) -> list[str]:
        return list(self.cards)

    def amdsmi_get_gpu_device_uuid(self, handle: str) -> str:
        return handle

    def amdsmi_get_gpu_vram_usage(self, handle: str) -> dict[str, int]:
        if not self.cards[handle]:
            raise AmdSmiError("not supported")
        return self.cards[handle]


def test_amd_cards_are_read_where_their_library_is() -> None:
    card = DeviceSheet(id="cuda:0", name="Radeon", total=16 * GIB, free=1, uuid="0f1e-2d")
    smi = FakeAmdSmi({"0F1E-2D": {"vram_total": 16384, "vram_used": 4096}})
    source = MemorySource([AmdReader(smi)])
    source.set_hardware(Hardware(devices=(card,)))
    source.report(MemoryReport(held=(("cuda:0", GIB),), free=(), total=()))
    sample = source.read()[0]
    assert (sample.held, sample.others, sample.free, sample.total) == (GIB, 3 * GIB, 12 * GIB, 16 * GIB)
    smi.cards = {"0F1E-2D": {}}
    assert source.read()[0].free == 1
    source.close()
    assert not smi.open

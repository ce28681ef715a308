"""Where the window's live memory figures come from: NVML, amdsmi, the engine's own numbers, or the system.

Plain: no Qt, no torch, and never a CUDA context in this process. One reading is a tuple of MemorySamples.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from app.core.hardware import DeviceSheet, Hardware
from app.core.messages import MemoryReport

RAM = "ram"
"""The id of main memory among samples."""
FAMILY_AGE = 10.0
"""Seconds for which the engine's children are taken as known: finding them reads every process of the system."""


@dataclass(frozen=True, kw_only=True)
class MemorySample:
    """One device's memory at one moment, in bytes: what this program holds, what others hold, what is free."""

    device: str
    """The DeviceSheet's id, or ``ram``."""
    name: str
    held: int
    others: int
    free: int
    total: int
    time: float
    """Seconds of a clock that only goes forward."""


class CardReader(Protocol):
    """A vendor's library: what a card, known by its UUID, holds now."""

    def read(self, sheet: DeviceSheet, pids: frozenset[int]) -> tuple[int | None, int, int] | None:
        """(held by ``pids`` or None if that is not told, free, total), or None if the card cannot be read."""
        ...

    def close(self) -> None:
        """Lets the library go."""
        ...


class NvmlReader:
    """NVIDIA's management library, through a module that speaks like ``pynvml``. Raises OSError if it is not there."""

    def __init__(self, nvml: Any) -> None:
        self._nvml = nvml
        self._handles: dict[str, Any] = {}
        try:
            nvml.nvmlInit()
        except nvml.NVMLError as error:
            raise OSError(str(error)) from error

    def read(self, sheet: DeviceSheet, pids: frozenset[int]) -> tuple[int | None, int, int] | None:
        """By UUID, since NVML counts cards by their slot and CUDA by their speed."""
        if sheet.type != "cuda" or not sheet.uuid:
            return None
        try:
            memory = self._nvml.nvmlDeviceGetMemoryInfo(self._handle(sheet.uuid))
            free, total = int(memory.free), int(memory.total)
        except (self._nvml.NVMLError, TypeError, ValueError, AttributeError):
            # A slice of a card (no permission), memory shared with the host (not supported), a card that was lost.
            self._handles.pop(sheet.uuid, None)
            return None
        return self._held(sheet.uuid, pids), free, total

    def close(self) -> None:
        """Shuts NVML down."""
        try:
            self._nvml.nvmlShutdown()
        except self._nvml.NVMLError:
            return  # it was never up, or the driver is gone: nothing is left to close

    def _handle(self, uuid: str) -> Any:
        if uuid not in self._handles:
            # torch prints UUIDs without NVML's prefix; a slice's starts with MIG-.
            named = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
            self._handles[uuid] = self._nvml.nvmlDeviceGetHandleByUUID(named)
        return self._handles[uuid]

    def _held(self, uuid: str, pids: frozenset[int]) -> int | None:
        try:
            running = self._nvml.nvmlDeviceGetComputeRunningProcesses(self._handle(uuid))
            found = [process.usedGpuMemory for process in running if process.pid in pids]
        except (self._nvml.NVMLError, AttributeError):
            return None
        # Windows' display driver and containers do not tell a process's share.
        return None if not found or any(used is None for used in found) else sum(found)


class AmdReader:
    """AMD's management library, through a module that speaks like ``amdsmi``. Raises OSError if it is not there."""

    def __init__(self, smi: Any) -> None:
        self._smi = smi
        try:
            smi.amdsmi_init()
            handles = smi.amdsmi_get_processor_handles()
            self._handles = {
                _plain_uuid(smi.amdsmi_get_gpu_device_uuid(handle)): handle for handle in handles
            }
        except smi.AmdSmiException as error:
            raise OSError(str(error)) from error

    def read(self, sheet: DeviceSheet, pids: frozenset[int]) -> tuple[int | None, int, int] | None:
        """By UUID; an unknown card is left to the engine's numbers."""
        handle = self._handles.get(_plain_uuid(sheet.uuid)) if sheet.uuid else None
        if handle is None:
            return None
        try:
            use = self._smi.amdsmi_get_gpu_vram_usage(handle)
            total, used = int(use["vram_total"]) * 2**20, int(use["vram_used"]) * 2**20
        except (self._smi.AmdSmiException, KeyError, TypeError, ValueError):
            return None
        return None, total - used, total

    def close(self) -> None:
        """Shuts the library down."""
        try:
            self._smi.amdsmi_shut_down()
        except self._smi.AmdSmiException:
            return  # already down


def find_readers() -> tuple[CardReader, ...]:
    """The vendors' libraries that work here."""
    found: list[CardReader] = []
    try:
        import pynvml

        found.append(NvmlReader(pynvml))
    except (ImportError, OSError):
        pass  # no NVIDIA driver
    try:
        import amdsmi  # type: ignore[import-not-found, unused-ignore]

        found.append(AmdReader(amdsmi))
    except (ImportError, OSError, AttributeError, KeyError):
        pass  # not installed, or no AMD driver (amdsmi raises KeyError at import where ROCm is missing)
    return tuple(found)


class MemorySource:
    """Reads all devices. Called from one thread at a time; what it is told of the engine may come from another."""

    def __init__(
        self,
        readers: Iterable[CardReader] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        ram_name: str = "RAM",
    ) -> None:
        self._readers = tuple(readers) if readers is not None else find_readers()
        self._clock, self._ram_name = clock, ram_name
        self._sheets: tuple[DeviceSheet, ...] = ()
        self._report = MemoryReport((), (), ())
        self._engine: int | None = None
        self._family: frozenset[int] = frozenset()
        self._family_from = -FAMILY_AGE

    def set_hardware(self, hardware: Hardware | None) -> None:
        """The devices to read, as the engine named them."""
        self._sheets = hardware.devices if hardware is not None else ()
        self._report = MemoryReport((), (), ())

    def set_engine(self, pid: int | None) -> None:
        """The engine's process; its memory and its children's count as this program's."""
        self._engine = pid
        self._family_from = -FAMILY_AGE
        self._report = MemoryReport((), (), ())

    def report(self, report: MemoryReport) -> None:
        """The engine's own numbers, for what no library tells."""
        self._report = report

    def read(self) -> tuple[MemorySample, ...]:
        """A sample of each accelerator that has memory of its own, then of main memory."""
        pids = self._pids()
        cards = [sheet for sheet in self._sheets if not sheet.is_cpu and not sheet.shared]
        return (*(self._card(sheet, pids) for sheet in cards), self._ram(pids))

    def close(self) -> None:
        """Lets the libraries go."""
        for reader in self._readers:
            reader.close()

    def _card(self, sheet: DeviceSheet, pids: frozenset[int]) -> MemorySample:
        own = dict(self._report.held).get(sheet.id, sheet.held)
        free, total = dict(self._report.free).get(sheet.id, sheet.free), sheet.total
        for reader in self._readers:
            found = reader.read(sheet, pids)
            if found is not None:
                free, total = found[1], found[2]
                own = found[0] if found[0] is not None else own
                break
        own = min(max(own, 0), max(total - free, 0))
        return MemorySample(
            device=sheet.id,
            name=sheet.name,
            held=own,
            others=max(total - free - own, 0),
            free=free,
            total=total,
            time=self._clock(),
        )

    def _ram(self, pids: frozenset[int]) -> MemorySample:
        import psutil  # here, as below: on the reader's thread, so that the window does not wait for it

        memory = psutil.virtual_memory()
        held = sum(_resident(pid) for pid in pids)
        used = memory.total - memory.available
        held = min(held, used)
        return MemorySample(
            device=RAM,
            name=self._ram_name,
            held=held,
            others=used - held,
            free=memory.available,
            total=memory.total,
            time=self._clock(),
        )

    def _pids(self) -> frozenset[int]:
        """This process and the engine with its children."""
        if self._engine is None:
            return frozenset({os.getpid()})
        now = self._clock()
        if now - self._family_from >= FAMILY_AGE:
            self._family, self._family_from = _with_children(self._engine), now
        return self._family | {os.getpid()}


def _with_children(pid: int) -> frozenset[int]:
    import psutil

    try:
        process = psutil.Process(pid)
        return frozenset({pid, *(child.pid for child in process.children(recursive=True))})
    except psutil.Error:
        return frozenset()  # it has just ended


def _resident(pid: int) -> int:
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def _plain_uuid(uuid: Any) -> str:
    return str(uuid).lower().removeprefix("gpu-").replace("-", "")

"""Measures memory while a job runs: peaks for its end, and a report to the host every half second. Changes nothing."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import psutil

from app.core.messages import MemoryReport
from app.engine import devices
from app.engine.mailbox import HostGone

EVERY = 0.5


class Meter:
    """Used as a context around one job."""

    def __init__(self, device: str, send: Callable[[MemoryReport], None]) -> None:
        self._device, self._send = device, send
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._report, name="memory-reports", daemon=True)
        self._sampled = 0

    def __enter__(self) -> Meter:
        devices.reset_peak(self._device)
        _reset_resident_peak()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def peaks(self) -> tuple[tuple[str, int], ...]:
        """Device id → peak bytes allocated; ``ram`` → this process's largest resident set."""
        ram = max(_resident_peak(), self._sampled, devices.held("cpu"))
        on_device = () if self._device == "cpu" else ((self._device, devices.peak(self._device)),)
        return (*on_device, ("ram", ram))

    def _report(self) -> None:
        while True:
            resident = devices.held("cpu")
            self._sampled = max(self._sampled, resident)
            with contextlib.suppress(HostGone, RuntimeError):
                self._send(report(self._device, resident))
            if self._stop.wait(EVERY):
                return


def report(device: str, resident: int) -> MemoryReport:
    """Bytes now, by device id; ``cpu`` is the host's memory."""
    memory = psutil.virtual_memory()
    held, free, total = [("cpu", resident)], [("cpu", memory.available)], [("cpu", memory.total)]
    if device != "cpu":
        now = devices.memory_info(device)
        held.insert(0, (device, devices.held(device)))
        free.insert(0, (device, now[0]))
        total.insert(0, (device, now[1]))
    return MemoryReport(held=tuple(held), free=tuple(free), total=tuple(total))


def _reset_resident_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # Linux: VmHWM starts again


def _resident_peak() -> int:
    """The kernel's own peak of the resident set, in bytes; 0 where it is not told."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0

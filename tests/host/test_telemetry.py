"""The sampling thread: emits what the source reads, takes news over, changes pace at once, ends at once."""

from __future__ import annotations

import threading
import time

from pytestqt.qtbot import QtBot

from app.core.hardware import DeviceSheet
from app.core.messages import Hello, MemoryReport, Ready
from app.host.memory_source import RAM, MemorySample, MemorySource
from app.host.telemetry import Telemetry


class Source(MemorySource):
    """The real source without vendors' libraries; remembers which thread read and that it was closed."""

    def __init__(self) -> None:
        super().__init__([])
        self.threads: set[int] = set()
        self.closed = False

    def read(self) -> tuple[MemorySample, ...]:
        self.threads.add(threading.get_ident())
        return super().read()

    def close(self) -> None:
        self.closed = True


def test_samples_come_from_a_thread_of_their_own(qtbot: QtBot) -> None:
    source = Source()
    telemetry = Telemetry(source)
    with qtbot.waitSignal(telemetry.sampled, timeout=5000) as got:
        telemetry.start()
    telemetry.stop()
    assert got.args[0].device == RAM
    assert threading.get_ident() not in source.threads
    assert source.closed


def test_the_engine_s_events_reach_the_source(qtbot: QtBot) -> None:
    telemetry = Telemetry(Source())
    seen: list[MemorySample] = []
    telemetry.sampled.connect(seen.append)
    telemetry.start()
    card = DeviceSheet(id="cuda:0", name="Card", total=100, free=60)
    telemetry.handle(Hello(1, ()))
    telemetry.handle(Ready(devices=(card,)))
    telemetry.handle(MemoryReport((("cuda:0", 30),), (("cuda:0", 50),), (("cuda:0", 100),)))
    telemetry.set_busy(True)
    qtbot.waitUntil(lambda: any(s.device == "cuda:0" and s.held == 30 for s in seen), timeout=5000)
    telemetry.stop()


def test_stopping_does_not_wait_for_the_next_reading(qtbot: QtBot) -> None:
    telemetry = Telemetry(Source())
    with qtbot.waitSignal(telemetry.sampled, timeout=5000):
        telemetry.start()
    before = time.monotonic()
    telemetry.stop()
    assert time.monotonic() - before < 1.0


def test_stopping_what_never_started_is_nothing() -> None:
    Telemetry(Source()).stop()

"""The window's side of the engine: a worker thread that brings a child process's events as a Qt signal."""

from __future__ import annotations

import time

import engine_children
import psutil
import pytest
from engine_runs import make_run
from PySide6.QtCore import QMetaMethod, QObject, QThread, QTimer, Slot

from app.core.messages import Cancelled, EngineDied, Finished, Hello, Progress, Ready
from app.host.link import EngineLink
from app.host.supervisor import EngineState


class Listener(QObject):
    """Keeps what arrives, and on which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[object] = []
        self.threads: set[QThread] = set()

    @Slot(object)
    def take(self, event: object) -> None:
        self.events.append(event)
        self.threads.add(QThread.currentThread())

    def has(self, kind: type, job: str | None = None) -> bool:
        """Whether such an event came."""
        return any(isinstance(e, kind) and (job is None or e.job == job) for e in self.events)


@pytest.fixture
def link(qapp, tmp_path):
    """A link to an engine of moods, and who listens to it."""
    found = EngineLink(tmp_path / "logs", target=engine_children.moody, grace=1.0)
    listener = Listener()
    found.received.connect(listener.take)
    found.start()
    yield found, listener
    found.stop()


def test_events_arrive_on_the_windows_thread(link, qtbot, qapp):
    engine, listener = link
    qtbot.waitUntil(lambda: listener.has(Ready), timeout=60_000)
    engine.submit(make_run("job", "finish"))
    qtbot.waitUntil(lambda: listener.has(Finished, "job"), timeout=60_000)
    assert [type(event) for event in listener.events] == [Hello, Ready, Progress, Finished]
    assert listener.threads == {qapp.thread()}


def test_c194_c195_values_arrive_as_they_were_sent(link, qtbot):
    """A dict with whole-number keys and numbers above 32 bits survive: the signal carries objects."""
    engine, listener = link
    signature = next(
        engine.metaObject().method(index)
        for index in range(engine.metaObject().methodCount())
        if engine.metaObject().method(index).name() == b"received"
    )
    assert signature.methodType() == QMetaMethod.MethodType.Signal
    assert [bytes(kind) for kind in signature.parameterTypes()] == [b"PyObject"]
    sent = {0: 5 * 2**30, "cpu": 2**64 - 1}
    engine.received.emit(sent)
    assert listener.events[-1] == sent


def test_cancel_kill_and_death_reach_the_window(link, qtbot):
    engine, listener = link
    engine.submit(make_run("soft", "obey"))
    qtbot.waitUntil(lambda: listener.has(Progress, "soft"), timeout=60_000)
    assert engine.state is EngineState.BUSY
    engine.cancel("soft")
    qtbot.waitUntil(lambda: listener.has(Cancelled, "soft"), timeout=60_000)
    engine.submit(make_run("hard", "hang in C"))
    qtbot.waitUntil(lambda: listener.has(Progress, "hard"), timeout=60_000)
    engine.kill()
    qtbot.waitUntil(lambda: listener.has(Cancelled, "hard"), timeout=60_000)
    engine.submit(make_run("dies", "abort"))
    qtbot.waitUntil(lambda: listener.has(EngineDied), timeout=60_000)
    assert engine.log_path.parent.is_dir()


def test_nothing_that_the_window_calls_blocks_it(link, qtbot):
    """With an engine that reads nothing any more."""
    engine, listener = link
    engine.submit(make_run("job", "hang in C"))
    qtbot.waitUntil(lambda: listener.has(Progress, "job"), timeout=60_000)
    started = time.monotonic()
    for number in range(2000):
        engine.submit(make_run(f"job {number}", "finish"))
        engine.measure()
        engine.unload()
    engine.cancel("job")
    assert time.monotonic() - started < 2.0
    qtbot.waitUntil(lambda: listener.has(Cancelled, "job"), timeout=60_000)


def test_c180_stopping_while_events_arrive_is_quiet(qapp, qtbot, tmp_path):
    engine = EngineLink(tmp_path / "logs", target=engine_children.moody)
    listener = Listener()
    engine.received.connect(listener.take)
    engine.start()
    for number in range(50):
        engine.submit(make_run(f"job {number}", "finish"))
    qtbot.waitUntil(lambda: listener.has(Finished), timeout=60_000)
    pid = next(event.pid for event in listener.events if isinstance(event, Hello))
    engine.stop()
    engine.deleteLater()
    QTimer.singleShot(0, lambda: None)
    qapp.processEvents()
    assert not psutil.pid_exists(pid)


def test_stopping_twice_or_unstarted_is_no_error(qapp, tmp_path):
    engine = EngineLink(tmp_path / "logs", target=engine_children.moody)
    engine.stop()
    engine.stop()

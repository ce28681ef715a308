"""A supervised engine of any behaviour, and its events in order."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.messages import Hello, Ready
from app.host.supervisor import Supervisor

# spawned children take over sys.path, so this is how they find their behaviour
sys.path.insert(0, str(Path(__file__).parent))

PATIENCE = 60.0


class Watched:
    """A Supervisor on a thread of its own; its events are taken one by one."""

    def __init__(self, log_folder: Path, **options: Any) -> None:
        self.events: queue.Queue[Any] = queue.Queue()
        self.seen: list[Any] = []
        self.supervisor = Supervisor(log_folder, self.events.put, **options)
        self._thread = threading.Thread(target=self.supervisor.run, name="supervisor")

    def start(self) -> Watched:
        """Starts the engine; does not wait for it."""
        self._thread.start()
        return self

    def until(self, wanted: type | Callable[[Any], bool]) -> Any:
        """Waits for an event of a kind, or one that fulfils a condition."""
        fits = (lambda event: isinstance(event, wanted)) if isinstance(wanted, type) else wanted
        while True:
            event = self.events.get(timeout=PATIENCE)
            self.seen.append(event)
            if fits(event):
                return event

    def ready(self) -> int:
        """Waits until an engine is ready, and gives its process id."""
        pid = self.until(Hello).pid
        self.until(Ready)
        return pid

    def stop(self) -> None:
        """Ends it all."""
        self.supervisor.stop()
        if self._thread.ident is not None:
            self._thread.join(PATIENCE)
            assert not self._thread.is_alive()


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Makes watched supervisors, not started yet; all are stopped at the end."""
    made: list[Watched] = []

    def make(**options: Any) -> Watched:
        made.append(Watched(tmp_path / "logs", **options))
        return made[-1]

    yield make
    for watched in made:
        watched.stop()

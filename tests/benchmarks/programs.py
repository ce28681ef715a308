"""Pieces that the benchmarks share: an engine under a supervisor whose events can be waited for, plans, models."""

from __future__ import annotations

import contextlib
import queue
import statistics
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.core.messages import EngineDied, Failed, Finished, HostEvent, Ready, Run
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.families import all_families
from app.host.supervisor import Supervisor

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "resources" / "demo-models" / "shapes-image"
PROMPT = "a red circle on a blue background"


class Engine:
    """A real engine process; events are read one by one."""

    def __init__(self, logs: Path) -> None:
        self.events: queue.Queue[HostEvent] = queue.Queue()
        self._supervisor = Supervisor(logs, self.events.put)
        self._thread = threading.Thread(target=self._supervisor.run, name="supervisor")
        self._thread.start()

    def send(self, run: Run) -> None:
        """Hands one job over."""
        self._supervisor.send(run)

    def cancel(self, job: str) -> None:
        """Stops it."""
        self._supervisor.cancel(job)

    def until(self, wanted: Callable[[HostEvent], bool], seconds: float = 300) -> HostEvent:
        """Reads events up to the wanted one; a failure ends the benchmark."""
        while True:
            event = self.events.get(timeout=seconds)
            if isinstance(event, Failed | EngineDied):
                raise SystemExit(f"the engine failed: {event}")
            if wanted(event):
                return event

    def close(self) -> None:
        """Ends it."""
        self._supervisor.stop()
        self._thread.join()


@contextlib.contextmanager
def engine() -> Iterator[Engine]:
    """An engine that is ready."""
    with tempfile.TemporaryDirectory() as folder:
        made = Engine(Path(folder))
        try:
            made.until(lambda event: isinstance(event, Ready))
            yield made
        finally:
            made.close()


def run_of(
    job: str, model: Path, folder: Path, *, steps: int, side: int = 128, dtype: Dtype = Dtype.FLOAT32
) -> Run:
    """One picture on the processor."""
    request = GenerationRequest(
        model=str(model), prompt=PROMPT, width=side, height=side, steps=steps, guidance=4.0, seed=1
    )
    plan = Plan(family=next(iter(all_families())), device="cpu", dtype=dtype)
    return Run(job, request, plan, OutputSpec(folder))


def finished(job: str) -> Callable[[HostEvent], bool]:
    """Whether an event is the end of that job."""
    return lambda event: isinstance(event, Finished) and event.job == job


def spread(values: list[float]) -> dict[str, Any]:
    """Median and range of seconds."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values), "runs": len(values)}

"""The engine's runner in this process, with virtual cards: as a job runs there, each step's traffic can be read.

For what is not about the process itself: it starts at once. Needs ``headroom_vgpu.install`` first.
"""

from __future__ import annotations

import gc
import tempfile
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import headroom_vgpu as vgpu
import host_memory
import torch
from vgpu_engine import Asking, Outcome, Step

from app.core.messages import Failed, Finished, FromEngine, Run
from app.core.plan import Plan
from app.core.request import GenerationRequest, OutputSpec
from app.engine import devices
from app.engine.mailbox import Mailbox
from app.engine.runner import Runner

DEVICES = 2


class _Desk(Mailbox):
    """Keeps what the runner tells; nobody asks it to stop."""

    def __init__(self, conn: Any) -> None:
        super().__init__(conn)
        self.told: list[FromEngine] = []

    def send(self, message: FromEngine) -> None:
        self.told.append(message)


class LocalEngine(Asking):
    """Used as a context. What is loaded stays until ``unload``, as in the engine's process."""

    def __enter__(self) -> LocalEngine:
        self._cleanup = ExitStack()
        folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="vgpu-"))
        self.scratch, self._pictures = Path(folder, "scratch"), Path(folder, "pictures")
        self._pictures.mkdir()
        ours, theirs = Pipe()
        self._cleanup.callback(theirs.close)
        self._cleanup.callback(ours.close)
        self._desk = _Desk(ours)
        self._step: Step | None = None
        self._peaks: dict[str, tuple[int, ...]] = {}
        watched = replace(
            self.family,
            encode=self._phase("encode", self.family.encode),
            denoise=self._phase("denoise", self._denoise),
            decode=self._phase("decode", self.family.decode),
        )
        self._runner = Runner(self._desk, {self.family.id: watched}, None, self.scratch)
        self._cleanup.callback(self.unload)
        gc.collect()
        gc.freeze()  # collections, of which each job makes several, need not walk through the libraries
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def run(self, plan: Plan, request: GenerationRequest | None = None) -> Outcome:
        """One job to its end, with the counters at zero before it."""
        vgpu.reset()
        self._pinned = vgpu.stats(0)["pinned"]  # what tests before this one left in the process
        self._desk.told.clear()
        self._step, self._peaks = None, {}
        message = Run(
            uuid.uuid4().hex, request or self.request(), plan, OutputSpec(self._pictures), previews=False
        )
        problem = None
        try:
            self._runner.run(message)
        except Exception as error:  # noqa: BLE001 (as in the engine's loop: whatever a job raises becomes a Problem)
            problem = self._runner.problem_of(error, message)
        if problem is not None:  # only now, as a live exception keeps its tensors alive
            self._runner.failed(message, problem)
        told = tuple(self._desk.told)
        end = next(event for event in reversed(told) if isinstance(event, Finished | Failed))
        for device in plan.devices:
            devices.limit(device, None)
        seen = tuple(zip(self._now(), *self._peaks.values(), strict=True))
        counters = tuple(
            {**stats, "peak": max(peaks)} for stats, peaks in zip(self.stats(), seen, strict=True)
        )
        return Outcome(end=end, events=told, devices=counters, step=self._step, peaks=dict(self._peaks))

    def stats(self) -> tuple[Mapping[str, int], ...]:
        """Each device's counters since the last job began."""
        return tuple(vgpu.stats(index) for index in range(DEVICES))

    def unload(self) -> None:
        """Gives back all that is loaded."""
        self._runner.unload()

    def unplace(self) -> None:
        """Takes the model off its devices, as before another plan; it stays in main memory."""
        self._runner._keeper.unplace()

    def _phase(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """A phase with the most that each device held in it."""

        def watched(*args: Any) -> Any:
            self._peaks[f"before {name}"] = self._now()
            for index in range(DEVICES):
                torch.accelerator.reset_peak_memory_stats(index)
            try:
                return work(*args)
            finally:
                self._peaks[name] = self._now()

        return watched

    @staticmethod
    def _now() -> tuple[int, ...]:
        """The most that each device held since it was last asked to forget."""
        return tuple(vgpu.stats(index)["peak"] for index in range(DEVICES))

    def _denoise(self, pipe: Any, request: Any, picture: int, embeds: Any, media: Any, report: Any) -> Any:
        """The family's own, with the counters read at the end of each step."""
        denoisers = [
            getattr(pipe, part.name, None) for part in self.family.components if part.role == "denoiser"
        ]
        watch = _Watch(denoisers, self._pinned)

        def step(number: int, latents: Any) -> None:
            report(number, latents)
            self._step = watch.step(last=number == request.steps)

        try:
            return self.family.denoise(pipe, request, picture, embeds, media, step)
        finally:
            watch.close()


class _Watch:
    """Reads the counters from one step to the next."""

    def __init__(self, denoisers: list[Any], pinned: int) -> None:
        self._passes, self._pinned = 0, pinned
        self._weights = [
            weight
            for denoiser in denoisers
            if denoiser is not None
            for weight in (*denoiser.parameters(), *denoiser.buffers())
        ]
        self._hooks = [
            denoiser.register_forward_pre_hook(self._count) for denoiser in denoisers if denoiser is not None
        ]
        self._before = self._now()

    def _count(self, *_: object) -> None:
        self._passes += 1

    @staticmethod
    def _now() -> list[dict[str, int]]:
        return [vgpu.stats(index) for index in range(DEVICES)]

    def step(self, *, last: bool) -> Step:
        now = self._now()
        moved = tuple(
            {name: after[name] - before[name] for name in after}
            for before, after in zip(self._before, now, strict=True)
        )
        found = Step(
            passes=self._passes,
            weights=sum(weight.numel() * weight.element_size() for weight in self._weights),
            moved=moved,
            live=tuple(counters["live"] for counters in now),
            host=host_memory.held() if last else host_memory.HostBytes(),
            pinned_peak=now[0]["pinned_peak"] - self._pinned,
        )
        self._before, self._passes = now, 0
        return found

    def close(self) -> None:
        for hook in self._hooks:
            hook.remove()

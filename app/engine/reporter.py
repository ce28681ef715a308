"""What a running job tells of itself: phases, steps, time left, previews. Sends; measures only clocks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from app.core.messages import Phase, Preview, Progress
from app.engine.mailbox import Mailbox

PROGRESS_EVERY = 0.05
PREVIEW_EVERY = 0.2


class Reporter:
    """Progress of one job of ``pictures`` times ``steps``."""

    def __init__(self, mail: Mailbox, job: str, steps: int, pictures: int) -> None:
        self._mail, self._job, self._steps, self._pictures = mail, job, steps, pictures
        self._spent: dict[Phase, float] = {}
        self._picture = 0
        self._last_sent = 0.0
        self._step_started = 0.0
        self._step_times: list[float] = []
        self._tails: list[float] = []

    @contextmanager
    def phase(self, phase: Phase, picture: int = 0) -> Iterator[None]:
        """A phase begins and ends; its time counts into the job's seconds."""
        self._picture = picture
        started = self._step_started = time.monotonic()
        self.progress(phase, 0, self._steps if phase is Phase.DENOISE else 0)
        try:
            yield
        finally:
            seconds = time.monotonic() - started
            self._spent[phase] = self._spent.get(phase, 0.0) + seconds
            if phase in (Phase.DECODE, Phase.WRITE):
                self._tails.append(seconds)

    def progress(self, phase: Phase, step: int, steps: int, part: str = "") -> None:
        """Tells where the job is: not more often than people can read.

        A phase's last step is never missed, nor a part: that may be read from disk for minutes.
        """
        now = time.monotonic()
        if 0 < step < steps and not part and now - self._last_sent < PROGRESS_EVERY:
            return
        self._last_sent = now
        eta = self._eta(step) if phase is Phase.DENOISE and step else None
        self._mail.send(Progress(self._job, phase, step, steps, self._picture, self._pictures, eta, part))

    def step(self, step: int) -> None:
        """A denoising step is done."""
        now = time.monotonic()
        self._step_times.append(now - self._step_started)
        self._step_started = now
        self.progress(Phase.DENOISE, step, self._steps)

    def seconds(self) -> tuple[tuple[str, float], ...]:
        """Time spent per phase, in their order."""
        return tuple((phase.value, round(self._spent[phase], 4)) for phase in Phase if phase in self._spent)

    def _eta(self, step: int) -> float:
        """Seconds for what is left of the whole job, from the steps and pictures so far."""
        # the first step warms up caches and says little about the rest
        times = self._step_times[1:] if len(self._step_times) > 1 else self._step_times
        per_step = sum(times) / len(times)
        later = self._pictures - self._picture - 1
        per_picture = sum(self._tails) / max(1, self._picture)
        return per_step * (self._steps - step + later * self._steps) + per_picture * (later + 1)


class Previews:
    """Small pictures from latents by a linear map, at most a few a second; never a VAE."""

    def __init__(self, mail: Mailbox, job: str, rows: tuple[tuple[float, ...], ...]) -> None:
        self._mail, self._job = mail, job
        self._map = torch.tensor(rows, dtype=torch.float32) if rows else None
        self._next = 0.0

    def offer(self, picture: int, latents: Any) -> None:
        """Sends a preview of ``latents`` (1, C, h, w) if the last one is old enough."""
        now = time.monotonic()
        if self._map is None or now < self._next or latents.shape[1] != len(self._map) - 1:
            return
        self._next = now + PREVIEW_EVERY
        shown = to_rgb(latents, self._map)
        height, width = shown.shape[:2]
        self._mail.send(Preview(self._job, picture, width, height, shown.tobytes()))


def to_rgb(latents: torch.Tensor, rows: torch.Tensor) -> np.ndarray:
    """Latents (1, C, h, w) as 8-bit RGB (h, w, 3): ``rows`` are C rows of weights and a last one, the bias."""
    points = latents[0].detach().to("cpu", torch.float32).permute(1, 2, 0)
    colours = torch.nan_to_num(points @ rows[:-1] + rows[-1])
    return ((colours.clamp(-1, 1) + 1) * 127.5).to(torch.uint8).contiguous().numpy()

"""The progress bar of a terminal: one per phase, gone when the phase is over. Draws nothing when piped."""

from __future__ import annotations

from typing import Any

from tqdm import tqdm

from app.cli.console import Console, printable
from app.core.messages import Phase, Progress
from app.core.phase_words import PHASES
from app.core.units import clock


class ProgressBar:
    """Shows Progress events; :meth:`close` before anything else is written to the terminal."""

    def __init__(self, console: Console) -> None:
        self._stream = console.err if console.on_terminal and not console.quiet else None
        self._bar: Any = None
        self._shown: tuple[Phase, int] | None = None

    def show(self, event: Progress) -> None:
        """Draws one event."""
        if self._stream is None:
            return
        if self._bar is None or self._shown != (event.phase, event.picture):
            self.close()
            self._shown = (event.phase, event.picture)
            self._bar = tqdm(
                total=event.steps or None, desc=_label(event), file=self._stream, leave=False,
                dynamic_ncols=True, bar_format="{desc} {bar} {n_fmt}/{total_fmt} {postfix}",
            )  # fmt: skip
        if event.steps:
            self._bar.total = event.steps
        self._bar.n = event.step
        words = [printable(event.part)] if event.part else []
        if event.eta is not None:
            words.append(f"{clock(event.eta)} left")
        self._bar.set_postfix_str(", ".join(words), refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        """Takes the bar off the terminal."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _label(event: Progress) -> str:
    label = str(PHASES[event.phase])
    if event.pictures > 1 and event.phase not in (Phase.LOAD, Phase.ENCODE):
        return f"{label} {event.picture + 1} of {event.pictures}"
    return label

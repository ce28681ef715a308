"""One family's engine in this process and what its techniques are held against: shared by the matrix and the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import headroom_vgpu as vgpu
import numpy as np
import tiny_models
from expected import Sizes, check_host, check_step
from local_engine import LocalEngine
from techniques import ROOM, Technique, others_away, plan_of, swapped, techniques
from vgpu_engine import Outcome, difference

from app.core.errors import ErrorKind
from app.core.estimate import estimate
from app.core.family import Media
from app.core.footprint import Footprint
from app.core.hardware import Hardware
from app.core.messages import Failed, Finished
from app.core.plan import SPLIT_SHARE, Plan, Spread
from app.core.rules import Case, conflicts
from app.engine.dry_run import footprint_of
from app.engine.offloading import waits_on_disk

KINDS = tuple(tiny_models.BUILDERS)
TRACES = 131_072
"""Bytes: what schedulers remember of the last steps; less than the smallest component's weights."""
WORK = 1 << 20
"""Bytes that a denoiser works in besides its weights, at most."""
WORDS = 32
"""Tokens of the long text encoders: their usual hundreds cost more than all else here, in time and in memory."""
FRAMES = 5
LARGE = 96
"""Pixels a side where tiles are tried: two of them each way, and still little to compute."""
AMPLE = 1 << 30
UNKNOWN = {"quantization", "attention", "compile", "spread"}
"""Fields of plans whose need is not estimated yet."""
SLACK = 8192
"""Bytes by which an estimate may be off beside its two parts in a hundred: less than any layer."""
UNEQUAL = ("64MiB", "1GiB")
"""Two cards' totals where they are to differ."""
_MIRRORED = ("peak", "live", "h2d_bytes", "d2h_bytes", "p2p_bytes")


@dataclass
class Bench:
    """A family's engine with what the CPU makes and what everything on the device takes."""

    engine: LocalEngine
    kind: str = ""
    seen: dict[str, tuple[Mapping[str, int], ...]] = field(default_factory=dict)
    """Each row's counters on the first card, when it was tried."""
    footprints: dict[Any, Footprint] = field(default_factory=dict)

    @cached_property
    def present(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.engine.info.components if part.numbers)

    @cached_property
    def rows(self) -> list[Technique]:
        largest = 4 * max(part.numbers for part in self.engine.info.components)
        return list(techniques(self.engine.family, self.present, max(ROOM, largest * 4 // 5)))

    def named(self, name: str) -> Technique:
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)

    @cached_property
    def reference(self) -> np.ndarray:
        """The CPU's result."""
        return self._on_cpu(64)

    @cached_property
    def large(self) -> np.ndarray:
        """The same larger, for tiles."""
        return self._on_cpu(LARGE)

    def _on_cpu(self, side: int) -> np.ndarray:
        """From weights that were on a device before: those in a file's mapping may start anywhere, and the last bit
        of a product depends on where its rows start."""
        self.run(Technique("none"))
        plan = plan_of(Technique("cpu", {"device": "cpu"}), self.plan)
        return self.engine.run(plan, self._request(side)).frames

    def _request(self, side: int) -> object:
        frames = min(FRAMES, self.engine.info.limits.frames_max)
        return self.engine.request(width=side, height=side, steps=2, frames=frames)

    @property
    def plan(self) -> Plan:
        """Everything on the first card."""
        return self.engine.plan(sequence_length=WORDS)

    def apart(self, technique: Technique, outcome: Outcome) -> tuple[int, float]:
        """The largest and the mean difference from the CPU's result, in steps of 255."""
        return difference(outcome.frames, self.large if "tiles" in technique.name else self.reference)

    @cached_property
    def whole(self) -> int:
        return self.run(Technique("none")).devices[0]["peak"]

    @cached_property
    def sizes(self) -> Sizes:
        """Bytes of weights, in float32."""
        role = {part.name: part.role for part in self.engine.family.components}
        numbers = {part.name: 4 * part.numbers for part in self.engine.info.components if part.numbers}
        plan = plan_of(self.named("group_leaf, disk"), self.plan)
        return Sizes(
            whole=sum(numbers.values()),
            denoiser=sum(size for name, size in numbers.items() if role[name] == "denoiser"),
            vae=sum(size for name, size in numbers.items() if role[name] == "vae"),
            in_memory=sum(
                size
                for name, size in numbers.items()
                if not waits_on_disk(plan.placement(name), plan, self.engine.family)
            ),
        )

    def run(self, technique: Technique, plan: Plan | None = None, *, fresh: bool = True) -> Outcome:
        """One job; ``fresh``: with nothing loaded before."""
        if fresh:
            self.engine.unload()
        side = LARGE if "tiles" in technique.name else 64
        return self.engine.run(plan or plan_of(technique, self.plan), self._request(side))

    def refusal(self, plan: Plan) -> str:
        """Why the rules refuse it; empty where it applies."""
        case = Case(plan, self.engine.family, self.present)
        return next((str(found.reason) for found in conflicts(case)), "")

    def check(self, technique: Technique, plan: Plan | None = None, *, fresh: bool = True) -> Outcome | None:
        """Right picture, saved memory, nothing left; or a refusal before anything is loaded, and no outcome."""
        plan = plan or plan_of(technique, self.plan)
        outcome, reason = self.run(technique, plan, fresh=fresh), self.refusal(plan)
        card = int(plan.device[-1])
        if reason:
            assert isinstance(outcome.end, Failed), f"{technique.name} ran although: {reason}"
            assert outcome.end.problem.kind is ErrorKind.COMBINATION_REFUSED
            assert outcome.devices[card]["h2d_bytes"] == 0
            return None
        assert isinstance(outcome.end, Finished), outcome.end
        worst, mean = self.apart(technique, outcome)
        assert worst <= technique.worst, technique.name
        assert mean <= technique.mean, technique.name
        if technique.saves:
            assert outcome.devices[card]["peak"] < self.whole
        if technique.empties:
            assert outcome.devices[card]["live"] <= TRACES
        self.engine.unload() if fresh else self.engine.unplace()
        left = [stats["live"] for stats in self.engine.stats()]
        assert max(left) <= (0 if fresh else TRACES), technique.name
        assert not list(self.engine.scratch.glob("*"))
        return outcome

    def check_row(self, technique: Technique) -> None:
        """A row by itself: also what a step moves and what main memory holds."""
        outcome = self.check(technique)
        if outcome is not None:
            assert outcome.step is not None
            self.seen[technique.name] = outcome.devices
            check_step(technique, outcome.step, self.kind)
            check_host(technique, outcome.step, self.sizes)
            self.check_estimate(technique, outcome)

    def footprint(self, technique: Technique) -> Footprint:
        """What the dry run says of the technique's request: once for all that share its tiles."""
        plan = plan_of(technique, self.plan)
        side, tiles = LARGE if "tiles" in technique.name else 64, (plan.vae_tiling, plan.vae_tile_size)
        if (side, tiles) not in self.footprints:
            self.footprints[side, tiles] = footprint_of(
                self.engine.info, self.engine.family, self._request(side), plan, Media()
            )
        return self.footprints[side, tiles]

    def check_estimate(self, technique: Technique, outcome: Outcome) -> None:
        """What was foretold without weights is what was measured, device by device and phase by phase."""
        plan = plan_of(technique, self.plan)
        need = estimate(self.footprint(technique), plan, self.engine.family, Hardware(devices=()))
        if need is None:
            assert set(technique.changes) & UNKNOWN, f"{technique.name} has no estimate"
            return
        for device, phases in need.peaks.items():
            for phase, foretold in phases.items():
                measured = outcome.peaks[phase][int(device[-1])]
                line = f"{technique.name}: {phase} on {device} took {measured}, not {foretold}"
                assert abs(foretold - measured) <= 0.02 * measured + SLACK, line
        assert outcome.step is not None
        moved = sum(counters["h2d_bytes"] for counters in outcome.step.moved)
        assert abs(need.moved - moved) <= 0.01 * moved + SLACK, (
            f"{technique.name} moved {moved}, not {need.moved}"
        )

    def check_swapped(self, technique: Technique) -> None:
        """The second, larger card in the place of the first: the same to the byte, and the first has none of it."""
        plain = plan_of(technique, self.plan)
        for index, total in enumerate(UNEQUAL):
            vgpu.set_total(total, index)
        try:
            here = self.check(technique, swapped(plain), fresh=False)
        finally:
            for index in range(len(UNEQUAL)):
                vgpu.set_total(0, index)
        if here is None:
            return
        if technique.name not in self.seen:
            self.seen[technique.name] = self.run(technique).devices
            self.engine.unplace()
        for first, second in zip(self.seen[technique.name], reversed(here.devices), strict=True):
            for name in _MIRRORED:  # not exactly: the job before left a scheduler's traces on a card
                assert abs(first[name] - second[name]) <= TRACES, f"{technique.name}: {name}"

    def check_away(self, technique: Technique) -> None:
        """Encoders and decoder on the second card: the denoiser's traffic is what it was, the rest lies there."""
        plan = others_away(plan_of(technique, self.plan), self.engine.family, self.present)
        if plan.spread is not Spread.SINGLE:
            return
        outcome = self.check(technique, plan, fresh=False)
        if outcome is not None:
            assert outcome.step is not None
            check_step(technique, outcome.step, self.kind)
            others = self.sizes.whole - self.sizes.denoiser
            assert outcome.step.live[1] >= others / 4  # fp8 storage is a quarter of float32
            assert outcome.step.live[0] <= self.sizes.denoiser + 4 * TRACES

    def check_split(self, main: int) -> None:
        """The denoiser cut over two cards, the main one with ever more room: what lies there follows the room, what is
        allowed is never passed, and the rest is on the other card."""
        technique, other = self.named("split"), 1 - main
        lying = []
        for share in (0.2, 0.5, 1.6):
            limit = int(share * self.sizes.denoiser / SPLIT_SHARE) + WORK
            limits = ((f"vgpu:{main}", limit), (f"vgpu:{other}", AMPLE))
            plan = plan_of(technique, self.plan)
            plan = replace(plan if main == 0 else swapped(plan), limits=limits)
            outcome = self.check(technique, plan, fresh=False)
            assert outcome is not None
            assert outcome.step is not None
            assert outcome.devices[main]["peak"] <= limit
            lying.append(outcome.step.live[main])
            assert lying[-1] <= SPLIT_SHARE * limit + 2 * TRACES
            assert sum(outcome.step.live) >= self.sizes.whole
        assert lying == sorted(lying)
        assert lying[0] < lying[-1]

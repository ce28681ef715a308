"""Prints what each technique does with each family on the virtual GPU, by the engine's runner: the README's tables.

``python tests/virtual_gpu/report.py [KIND …]`` prints the one of all families (tiny random models); ``--whole`` each
family's own with more columns, and ``--trained`` that of the built-in model. KiB everywhere.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE / "plugin"), str(HERE / "support"), str(ROOT / "tests" / "support"), str(ROOT)]

from headroom_vgpu import install  # noqa: E402 (found where the line above says)

install(devices=2)

import tiny_models  # noqa: E402 (the device comes first)
from bench import Bench  # noqa: E402
from local_engine import LocalEngine  # noqa: E402
from techniques import Technique, plan_of  # noqa: E402

COLUMNS = (
    "technique", "result: worst, mean difference", "peak", "stays", "a step: to the card", "back", "host: pinned",
    "pageable", "file's pages", "pinned at most", "second card's peak",
)  # fmt: skip
NAMES = {"sdxl": "SDXL", "flux": "Flux", "cogvideox": "CogVideoX", "wan": "Wan"}


@dataclass(frozen=True)
class Row:
    """One technique's figures; ``reason`` instead where it is refused."""

    name: str
    reason: str = ""
    result: str = ""
    figures: tuple[int, ...] = ()
    """In the order of the columns."""

    @property
    def whole(self) -> str:
        """A line with all columns."""
        if self.reason:
            return f"| {self.name} | refused: {self.reason} |{' |' * (len(COLUMNS) - 2)}"
        return f"| {self.name} | {self.result} | {' | '.join(f'{figure:,}' for figure in self.figures)} |"

    @property
    def cell(self) -> str:
        """Peak · to the card / back in a step · pinned / other main memory · difference."""
        if self.reason:
            return "refused"
        peak, _, up, back, pinned, pageable, mapped, *_ = self.figures
        apart = "" if self.result == "equal" else f" · {self.result}"
        return f"{peak:,} · {up:,} / {back:,} · {pinned:,} / {pageable + mapped:,}{apart}"


def measured(bench: Bench, technique: Technique) -> Row:
    """One row."""
    reason = bench.refusal(plan_of(technique, bench.plan))
    if reason:
        return Row(technique.name, reason)
    outcome = bench.run(technique)
    worst, mean = bench.apart(technique, outcome)
    first, second = outcome.devices
    assert outcome.step is not None
    step, host = outcome.step, outcome.step.host
    figures = (
        first["peak"], first["live"], step.moved[0]["h2d_bytes"], step.moved[0]["d2h_bytes"], host.pinned,
        host.pageable, host.mapped, step.pinned_peak, second["peak"],
    )  # fmt: skip
    result = "equal" if worst == 0 else f"{worst}, {mean:.2f}"
    return Row(technique.name, "", result, tuple(figure // 1024 for figure in figures))


def rows_of(model: Path, title: str, *, whole: bool) -> tuple[int, list[Row]]:
    """A family's weights in KiB and its rows; its own table is printed as they come."""
    with LocalEngine(model) as engine:
        bench = Bench(engine)
        weights = bench.sizes.whole // 1024
        if whole:
            print(
                f"\n{title}: float32, {weights:,} KiB of weights, two steps\n\n{line(COLUMNS)}\n{rule(COLUMNS, 2)}"
            )
        rows = []
        for technique in bench.rows:
            rows.append(measured(bench, technique))
            if whole:
                print(rows[-1].whole, flush=True)
        return weights, rows


def line(cells: Iterable[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def rule(columns: tuple[str, ...], words: int) -> str:
    """The line under a table's head; figures stand to the right."""
    return line("---" if number < words else "---:" for number in range(len(columns)))


def main() -> None:
    """The tables, a family at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="families; all of them when none is named")
    parser.add_argument("--whole", action="store_true", help="each family's own table, with all columns")
    parser.add_argument("--trained", action="store_true", help="the built-in model, trained, instead")
    options = parser.parse_args()
    if options.trained:
        rows_of(ROOT / "resources/demo-models/shapes-image", "The built-in model", whole=True)
        return
    found = {}
    for kind in options.kinds or tiny_models.BUILDERS:
        with tempfile.TemporaryDirectory() as folder:
            model = tiny_models.save(kind, Path(folder) / kind)
            found[kind] = rows_of(model, f"{kind}, a tiny random model", whole=options.whole)
    if options.whole:
        return
    head = ("technique", *(NAMES.get(kind, kind) for kind in found))
    print(f"{line(head)}\n{rule(head, 1)}")
    print(line(["weights", *(f"{weights:,}" for weights, _ in found.values())]))
    for same in zip(*(rows for _, rows in found.values()), strict=True):
        print(line([same[0].name, *(row.cell for row in same)]))


if __name__ == "__main__":
    main()

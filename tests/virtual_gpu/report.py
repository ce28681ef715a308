"""Prints what each technique does with each family on the virtual GPU, through the real engine process: a table.

``python tests/virtual_gpu/report.py [--trained] [KIND …]``; tiny random models, or the built-in one with ``--trained``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE / "plugin"), str(HERE / "support"), str(ROOT / "tests" / "support"), str(ROOT)]

# The engine's process imports this file again, before its environment is set: nothing here may import torch.
if TYPE_CHECKING:
    from bench import Bench
    from techniques import Technique

HEAD = (
    "| technique | result: worst, mean difference | peak KiB | stays KiB | to the card KiB | back KiB | second card KiB"
    " |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |"
)


def row(bench: Bench, technique: Technique) -> str:
    """One line of the table."""
    reason = bench.refusal(technique)
    if reason:
        return f"| {technique.name} | refused: {reason} | | | | | |"
    outcome = bench.run(technique)
    worst, mean = bench.apart(technique, outcome)
    result = "equal" if worst == 0 else f"{worst}, {mean:.2f} of 255"
    first, second = outcome.devices
    figures = [first[key] // 1024 for key in ("peak", "live", "h2d_bytes", "d2h_bytes")]
    cells = [f"| {technique.name}", result, *(f"{figure:,}" for figure in (*figures, second["peak"] // 1024))]
    return " | ".join(cells) + " |"


def table(model: Path, title: str) -> None:
    """One family's rows, printed as they come."""
    from bench import Bench
    from vgpu_engine import VirtualEngine

    with VirtualEngine(model) as engine:
        bench = Bench(engine)
        weights = 4 * sum(part.numbers for part in engine.info.components) // 1024
        print(f"\n{title}: float32, {weights:,} KiB of weights, two steps\n\n{HEAD}")
        for technique in bench.rows:
            print(row(bench, technique), flush=True)


def main() -> None:
    """The tables, a family at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="families; all of them when none is named")
    parser.add_argument("--trained", action="store_true", help="the built-in model, trained, instead")
    options = parser.parse_args()
    if options.trained:
        table(ROOT / "resources/demo-models/shapes-image", "The built-in model")
        return
    import tiny_models

    for kind in options.kinds or tiny_models.BUILDERS:
        with tempfile.TemporaryDirectory() as folder:
            table(tiny_models.save(kind, Path(folder) / kind), f"{kind}, a tiny random model")


if __name__ == "__main__":
    main()

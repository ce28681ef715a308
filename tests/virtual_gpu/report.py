"""Prints what each technique does on the virtual GPU, through the real engine process: a table for the README.

``python tests/virtual_gpu/report.py [MODEL] [--size 128] [--steps 12]``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE / "plugin"), str(HERE / "support"), str(ROOT)]

# The engine's process imports this file again, before its environment is set: nothing here may import torch.
if TYPE_CHECKING:
    from vgpu_engine import Outcome, Picture, VirtualEngine

from app.core.plan import OffloadMode, Storage  # noqa: E402
from app.core.resolve import tile_size  # noqa: E402

HEAD = (
    "| technique | picture: worst, mean difference | peak KiB | stays KiB | to the card KiB | back KiB |\n"
    "| --- | --- | ---: | ---: | ---: | ---: |"
)


def techniques(engine: VirtualEngine, size: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and plan of each row."""
    covered = tuple(part.name for part in engine.info.components if part.fp8_numbers)
    tiling = {"vae_tiling": True, "vae_tile_size": tile_size(size, engine.info.limits.factor)}
    for mode in OffloadMode:
        yield f"offload {mode.value}", {"offload": mode}
    for kind in (Storage.FP8_E4M3, Storage.FP8_E5M2):
        for mode in (OffloadMode.NONE, OffloadMode.MODEL):
            storage = {"storage": kind, "storage_components": covered, "offload": mode}
            yield f"{kind.value}, offload {mode.value}", storage
    for mode in OffloadMode:
        yield f"tiles of {tiling['vae_tile_size']} px, offload {mode.value}", {**tiling, "offload": mode}


def row(name: str, outcome: Outcome, reference: Picture) -> str:
    """One line of the table."""
    from vgpu_engine import difference

    stats = outcome.devices[0]
    worst, mean = difference(outcome.picture, reference)
    picture = "equal" if worst == 0 else f"{worst}, {mean:.2f} of 255"
    figures = [stats[key] // 1024 for key in ("peak", "live", "h2d_bytes", "d2h_bytes")]
    return " | ".join([f"| {name}", picture, *(f"{figure:,}" for figure in figures)]) + " |"


def main() -> None:
    """The table, a row at a time."""
    from vgpu_engine import VirtualEngine

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path, default=ROOT / "resources/demo-models/shapes-image")
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--steps", type=int, default=12)
    options = parser.parse_args()
    with VirtualEngine(options.model, devices=1) as engine:
        request = engine.request(width=options.size, height=options.size, steps=options.steps)
        reference = engine.run(engine.plan("cpu"), request).picture
        weights = 4 * sum(part.numbers for part in engine.info.components) // 1024
        print(
            f"{engine.info.name}: {options.size} px, {options.steps} steps, float32, weights {weights:,} KiB"
        )
        print(HEAD)
        for name, plan in techniques(engine, options.size):
            engine.unload()
            print(row(name, engine.run(engine.plan(**plan), request), reference), flush=True)


if __name__ == "__main__":
    main()

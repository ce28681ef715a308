"""Measures on a CUDA card what the virtual GPU cannot show: real memory, time, copies beside computing.

``python tests/gpu/measure.py [--only WORDS]… [--seconds 450] [--out FILE] [--dry-run]``. Full architectures with random
weights, made once per model; no downloads. Each result is a line of JSON, on disk before the next run begins. Flux
wants about 100 GiB of main memory: its weights, and pinned copies of them in blocks that torch rounds up.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

BEGUN = time.monotonic()  # the imports below belong to the time that is given
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(ROOT)]

from app.engine.process import set_environment  # noqa: E402

set_environment({})  # the engine's own, before torch is imported

import gpu_convs  # noqa: E402
import gpu_models  # noqa: E402
import gpu_runs  # noqa: E402
import torch  # noqa: E402

from app.core.units import GIB  # noqa: E402
from app.engine import devices, probe  # noqa: E402

DEVICE = "cuda:0"
CONVS = gpu_runs.Run("sdxl", 0, gpu_convs.NAME)
"""Not a run of the pipeline: without a limit, after SDXL's."""
LEAST = 40
"""Seconds that must be left to begin with a model or a run: filling and placing cannot be stopped half-way."""


def chosen(only: Sequence[str]) -> list[tuple[str, list[gpu_runs.Run]]]:
    """The runs by model, in order; ``only`` keeps those with all words of any of its texts."""
    runs = [*gpu_runs.RUNS]
    last = max(number for number, run in enumerate(runs) if run.model == CONVS.model)
    runs.insert(last + 1, CONVS)
    wanted = [
        run for run in runs if not only or any(set(text.split()) <= set(run.name.split()) for text in only)
    ]
    return [(model, list(found)) for model, found in groupby(wanted, key=lambda run: run.model)]


class Results:
    """Appends to a file, a line at a time, and shows it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)

    def add(self, line: dict[str, Any]) -> None:
        """On disk when this returns."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
        print(summary(line), flush=True)


def summary(line: dict[str, Any]) -> str:
    """One line for a person."""
    if "work_bytes" in line:
        work = f"{line['work_bytes'] / GIB:.2f} GiB of work memory"
        return f"{line['what']}, {line['layout']}: {work}, {line['seconds']:.3f} s"
    if "peak_allocated" not in line:
        return ", ".join(f"{name} {value}" for name, value in line.items())
    pace, moved = line.get("seconds_per_step"), line.get("moved")
    words = [f"{line['run']}: {line['ended']}", f"peak {line['peak_allocated'] / GIB:.2f} GiB"]
    words += [f"{pace:.2f} s a step"] if pace else []
    if moved:
        words.append(f"{moved['up'] / GIB:.2f} GiB up a step, {moved['overlap']:.0%} of it beside kernels")
    return ", ".join(words)


def dry_run(groups: Sequence[tuple[str, list[gpu_runs.Run]]]) -> None:
    """Builds every model without memory, makes every plan and says what would run."""
    for name, runs in groups:
        model = gpu_models.published(name)
        for part in model.info.components:
            if part.numbers:
                print(f"{name} {part.name}: {part.numbers:,} numbers, {2 * part.numbers / GIB:.2f} GiB")
        for run in runs:
            print(f"  {run.name}: {would(model, run)}")


def would(model: gpu_models.Model, run: gpu_runs.Run) -> str:
    """What a run would do."""
    if run == CONVS:
        return f"{', '.join(gpu_convs.PREDICTED)}: contiguous and {gpu_convs.NAME}"
    decided = gpu_runs.decide(model, run, DEVICE)
    sizes = ", ".join(f"{name} {size / GIB:.2f} GiB" for name, size in decided.predicted.items())
    plan, said = decided.plan, decided.says.replace("_", " ")
    if plan is None:
        return said
    formats = "" if plan.storage.value == "none" else f" with {plan.storage.value}"
    tiles = f", tiles of {plan.vae_tile_size} px" if plan.vae_tiling else ""
    return f"{plan.offload.value}{formats}{tiles} ({said}); weights: {sizes}"


def run_all(groups: Sequence[tuple[str, list[gpu_runs.Run]]], results: Results, deadline: float) -> None:
    """Model after model, until all is done or the time is over."""
    results.add(machine())
    for name, runs in groups:
        if time.monotonic() > deadline - LEAST:
            print(f"{name}: not run, the time is over")
            continue
        begun = time.perf_counter()
        model = gpu_models.published(name)
        decided = {run: gpu_runs.decide(model, run, DEVICE) for run in runs if run != CONVS}
        gpu_models.fill(model)
        results.add({"model": name, "made_in_seconds": round(time.perf_counter() - begun, 1)})
        for run in runs:
            if time.monotonic() > deadline - LEAST:
                print(f"{run.name}: not run, the time is over")
            elif run.limit * GIB > devices.memory_info(DEVICE)[1]:
                print(f"{run.name}: not run, the card is smaller")
            elif run == CONVS:
                for line in gpu_convs.measure(model, DEVICE):
                    results.add(line)
            else:
                results.add(gpu_runs.perform(model, decided[run], DEVICE, deadline))
        del model
        devices.give_back(DEVICE)
        gpu_runs.free_pinned()


def machine() -> dict[str, Any]:
    """What the figures hold for."""
    card = next(sheet for sheet in probe.accelerators() if sheet.id == DEVICE)
    return {
        "card": card.name, "total": card.total, "allocator": os.environ.get("PYTORCH_ALLOC_CONF", ""),
        "at": datetime.now(UTC).isoformat(timespec="seconds"), **dict(probe.versions()),
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 2 where there is no card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORDS", help="such as 'flux 12 headroom'"
    )
    parser.add_argument("--seconds", type=float, default=450, help="it stops then, with what it has")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "gpu-results.jsonl", help="lines are appended"
    )
    parser.add_argument("--dry-run", action="store_true", help="needs no card: what would run")
    options = parser.parse_args(arguments)
    deadline, groups = BEGUN + options.seconds, chosen(options.only)
    if options.dry_run:
        dry_run(groups)
        return 0
    if not torch.cuda.is_available():
        print("torch finds no CUDA card here; --dry-run says what would run.", file=sys.stderr)
        return 2
    run_all(groups, Results(options.out), deadline)
    return 0


if __name__ == "__main__":
    sys.exit(main())

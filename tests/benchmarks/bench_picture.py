"""Seconds for a picture through the program, previews on, over the same pipeline called bare in one process.

The two take turns, so that whatever else the machine does falls on both. Prints JSON. Bound: 1.03.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]
os.environ.setdefault("OMP_NUM_THREADS", "1")

STEPS, ROUNDS = 50, 5


def bare(conn: Connection, model: str, prompt: str) -> None:
    """The pipeline alone in a process: answers every message with the seconds of one picture."""
    import torch
    from diffusers import StableDiffusionXLPipeline

    pipe = StableDiffusionXLPipeline.from_pretrained(model, dtype=torch.float32, local_files_only=True)
    pipe.set_progress_bar_config(disable=True)
    while conn.recv():
        start = time.perf_counter()
        generator = torch.Generator("cpu").manual_seed(1)
        pipe(
            prompt, width=128, height=128, num_inference_steps=STEPS, guidance_scale=4.0, generator=generator
        )
        conn.send(time.perf_counter() - start)


def main() -> None:
    from programs import DEMO, PROMPT, engine, finished, run_of, spread

    here, there = multiprocessing.get_context("spawn").Pipe()
    child = multiprocessing.get_context("spawn").Process(target=bare, args=(there, str(DEMO), PROMPT))
    child.start()
    program, alone = [], []
    with tempfile.TemporaryDirectory() as folder, engine() as running:
        for turn in range(ROUNDS + 1):  # the first warms both up and loads the model
            here.send(True)
            alone.append(here.recv())
            start = time.perf_counter()
            running.send(run_of(str(turn), DEMO, Path(folder), steps=STEPS))
            running.until(finished(str(turn)))
            program.append(time.perf_counter() - start)
    here.send(False)
    child.join()
    through, bare_seconds = spread(program[1:]), spread(alone[1:])
    ratio = through["median"] / bare_seconds["median"]
    print(
        json.dumps(
            {"program_s": through, "bare_s": bare_seconds, "ratio": round(ratio, 4), "bound": 1.03}, indent=1
        )
    )


if __name__ == "__main__":
    main()

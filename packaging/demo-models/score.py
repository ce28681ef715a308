"""Scores the demo model on its sixty held-out prompts and prints the result as JSON.

    python packaging/demo-models/score.py --guidance 4 --sheet build/demo-models/sheet.png

Each prompt has a fixed seed; the pictures come from the stock pipeline and are judged by `checker.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import checker
import numpy as np
import scenes

if TYPE_CHECKING:
    from diffusers import StableDiffusionXLPipeline

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "demo-models" / "shapes-image"
STEPS = 12
BATCH = 12
WORDS = ("background", "colour", "shape")
BOUNDS = {"background": 0.98, "colour": 0.98, "shape": 0.92}
"""What a finished model reaches at least."""


def prompts() -> list[dict[str, Any]]:
    """The held-out prompts with their seeds and what they ask for."""
    return json.loads(scenes.HELD_OUT_FILE.read_text(encoding="utf-8"))["prompts"]


def load(folder: Path) -> StableDiffusionXLPipeline:
    """The saved 16-bit pipeline, computing in 32 bits on the CPU."""
    import torch
    from diffusers import StableDiffusionXLPipeline

    return StableDiffusionXLPipeline.from_pretrained(folder, dtype=torch.float32, local_files_only=True)


def draw(pipeline: StableDiffusionXLPipeline, entries: list[dict[str, Any]], guidance: float) -> np.ndarray:
    """One picture of every entry, as uint8."""
    import torch

    pipeline.set_progress_bar_config(disable=True)
    batches = []
    for start in range(0, len(entries), BATCH):
        batch = entries[start : start + BATCH]
        result = pipeline(
            [entry["prompt"] for entry in batch],
            width=scenes.SIDE,
            height=scenes.SIDE,
            num_inference_steps=STEPS,
            guidance_scale=guidance,
            generator=[torch.Generator().manual_seed(entry["seed"]) for entry in batch],
            output_type="np",
        )
        batches.append((result.images * 255).round().astype(np.uint8))
    return np.concatenate(batches)


def rate(entries: list[dict[str, Any]], pictures: np.ndarray) -> dict[str, float]:
    """How many of the pictures show what was asked, for each word and for size and position."""
    findings = [checker.check(picture) for picture in pictures]
    pairs = list(zip(entries, findings, strict=True))
    scores = {word: sum(e[word] == getattr(f, word) for e, f in pairs) / len(pairs) for word in WORDS}
    scores["all_three"] = sum(all(e[w] == getattr(f, w) for w in WORDS) for e, f in pairs) / len(pairs)
    scores["size"] = sum((e["size"] or "medium") == f.size for e, f in pairs if f.shape) / len(pairs)
    scores["position"] = sum(_place(e["position"]) == f.position for e, f in pairs if f.shape) / len(pairs)
    return scores


def _place(position: str) -> str:
    return (position.split() or ["centre"])[-1]


def misses(scores: dict[str, float]) -> dict[str, float]:
    """The scores that are below their bounds; empty for a finished model."""
    return {word: scores[word] for word, bound in BOUNDS.items() if scores[word] < bound}


def score(pipeline: StableDiffusionXLPipeline, guidance: float) -> dict[str, float]:
    """Draw all the held-out prompts and rate them."""
    entries = prompts()
    return rate(entries, draw(pipeline, entries, guidance))


def save_sheet(pictures: np.ndarray, path: Path, columns: int = 10) -> None:
    """All the pictures side by side in one image, to look at."""
    from PIL import Image

    rows = [np.concatenate(list(pictures[i : i + columns]), axis=1) for i in range(0, len(pictures), columns)]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.concatenate(rows)).save(path)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Score the demo model on its held-out prompts.")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--guidance", type=float, default=4.0)
    parser.add_argument("--shift", type=int, default=0, help="added to every seed: another set of pictures")
    parser.add_argument("--sheet", type=Path, help="write all the pictures to this file")
    options = parser.parse_args()
    entries = [{**entry, "seed": entry["seed"] + options.shift} for entry in prompts()]
    pipeline = load(options.folder)
    started = time.monotonic()
    pictures = draw(pipeline, entries, options.guidance)
    seconds = (time.monotonic() - started) / len(entries)
    scores = {name: round(value, 4) for name, value in rate(entries, pictures).items()}
    if options.sheet:
        save_sheet(pictures, options.sheet)
    print(json.dumps({**scores, "guidance": options.guidance, "seconds_each": round(seconds, 3)}))


if __name__ == "__main__":
    main()

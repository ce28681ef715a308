"""Writes heldout.json: the sixty prompts a model is scored on, whose triples training never shows.

Run once, before any training; the file it wrote is committed and read by the sampler and by the score.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import scenes

SEED = 2026
FIRST_IMAGE_SEED = 1000
PER_SHAPE = 10


def choose(rng: random.Random) -> Iterator[dict[str, str | int]]:
    """Ten triples of every shape; each colour is the shape's once and the background's once per shape."""
    colours = list(scenes.COLOURS)
    layouts = [(size, position) for size in scenes.SIZES for position in scenes.POSITIONS] * 4
    rng.shuffle(layouts)
    for row, shape in enumerate(scenes.SHAPES):
        backgrounds = _derangement(colours, rng)
        for column, (colour, background) in enumerate(zip(colours, backgrounds, strict=True)):
            index = row * PER_SHAPE + column
            size, position = layouts[index]
            scene = scenes.Scene(shape, colour, background, size, position)
            wording = scenes.WORDINGS[index % len(scenes.WORDINGS)]
            yield {
                "prompt": scenes.caption(scene, rng, wording),
                "seed": FIRST_IMAGE_SEED + index,
                "shape": shape,
                "colour": colour,
                "background": background,
                "size": size,
                "position": position,
            }


def _derangement(words: list[str], rng: random.Random) -> list[str]:
    """The words shuffled so that none stays in its place."""
    while True:
        shuffled = rng.sample(words, len(words))
        if all(a != b for a, b in zip(words, shuffled, strict=True)):
            return shuffled


def main() -> None:
    """Write the file beside this script."""
    entries = list(choose(random.Random(SEED)))
    lines = ",\n".join("  " + json.dumps(entry) for entry in entries)
    scenes.HELD_OUT_FILE.write_text('{"prompts": [\n' + lines + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes the demo model's card, README.md in its folder, with scores measured as it is written.

python packaging/demo-models/card.py --vae-minutes 30 --denoiser-minutes 80
"""

from __future__ import annotations

import argparse
from pathlib import Path

import manifest
import scenes
import score
import vae_stage

CARD = """---
license: apache-2.0
pipeline_tag: text-to-image
library_name: diffusers
---

# Shapes (built in)

A text-to-image model of the smallest useful size, so that the program can be tried before any other model is
there. Its build is that of Stable Diffusion XL with every part made small, so it loads with
`StableDiffusionXLPipeline.from_pretrained`. It was trained from nothing for this program.

## What it draws

{draws}

Words it knows: {shapes}; {colours}; small, big; {positions}; a few ways to put them in a sentence. All other
text is read byte by byte and changes little. Examples:

{examples}

Best at {side} x {side} pixels, {steps} steps and guidance {guidance}. The weights are 16-bit numbers,
{megabytes:.1f} MB in all.

## Parts

| Part | Parameters |
|---|---|
{parts}

The autoencoder's posterior has a fixed standard deviation of {std}, so that a sampled latent is as good as the
mode. An empty negative prompt is fed as zeros, as in Stable Diffusion XL; the model was trained with those.

## Data and training

Every training picture and its caption is drawn by `packaging/demo-models/scenes.py`; nothing was collected.
{held_out} of the {triples} combinations of shape, colour and background are held out of training
(`packaging/demo-models/heldout.json`). On one CPU thread:

{trained}

{notes}

## Scores

Measured by `packaging/demo-models/score.py` on {held_out} prompts, one for every held-out combination, in
{steps} steps at guidance {guidance}. An independent checker (`checker.py`) reads each picture by its pixels.

| Seeds | Background | Colour | Shape | All three | Size | Position |
|---|---|---|---|---|---|---|
{scores}

## Limits

It draws one flat shape and nothing else, with soft edges; how often it misses is in the table above. Other
sizes than {side} pixels were not trained. It is for trying the program, not for making pictures.

## Licence

Apache-2.0, like the program.
"""

COLUMNS = ("background", "colour", "shape", "all_three", "size", "position")
SEED_SHIFTS = (0, 10_000)


def parameters(folder: Path) -> dict[str, int]:
    """How many numbers each part holds."""
    import math

    from safetensors import safe_open

    counts = {}
    for file in sorted(folder.rglob("*.safetensors")):
        with safe_open(file, "np") as weights:
            shapes = [weights.get_slice(key).get_shape() for key in weights.keys()]  # noqa: SIM118
        counts[file.parent.name] = sum(math.prod(shape) for shape in shapes)
    return counts


def score_rows(folder: Path, guidance: float) -> list[str]:
    """One table row for each set of seeds."""
    pipeline, rows = score.load(folder), []
    for shift in SEED_SHIFTS:
        entries = [{**entry, "seed": entry["seed"] + shift} for entry in score.prompts()]
        scores = score.rate(entries, score.draw(pipeline, entries, guidance))
        first = entries[0]["seed"]
        cells = [f"{first} to {first + len(entries) - 1}", *(f"{scores[c]:.1%}" for c in COLUMNS)]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description="Write the demo model's card.")
    parser.add_argument("--folder", type=Path, default=score.FOLDER)
    parser.add_argument(
        "--trained", action="append", required=True, help="the arguments of one run of train.py"
    )
    parser.add_argument("--notes", default="", help="a sentence on how the run went")
    options = parser.parse_args()
    settings = manifest.read(options.folder)
    guidance = settings["defaults"]["guidance"]
    text = CARD.format(
        draws=settings["draws"],
        shapes=", ".join(scenes.SHAPES),
        colours=", ".join(scenes.COLOURS),
        positions=", ".join(filter(None, scenes.POSITIONS)),
        examples="\n".join(f"- {example}" for example in settings["examples"]),
        side=scenes.SIDE,
        steps=settings["defaults"]["steps"],
        guidance=f"{guidance:g}",
        megabytes=sum(file.stat().st_size for file in options.folder.rglob("*") if file.is_file()) / 1e6,
        parts="\n".join(f"| {name} | {count:,} |" for name, count in parameters(options.folder).items()),
        std=vae_stage.POSTERIOR_STD,
        held_out=len(score.prompts()),
        triples=len(scenes.all_triples()),
        trained="\n".join(f"    python packaging/demo-models/train.py {run}" for run in options.trained),
        notes=options.notes,
        scores="\n".join(score_rows(options.folder, guidance)),
    )
    (options.folder / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

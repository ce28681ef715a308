"""Trains the built-in demo model from nothing on one CPU thread: autoencoder, text, denoiser, decoder.

    python packaging/demo-models/train.py vae --minutes 30
    python packaging/demo-models/train.py text --steps 400
    python packaging/demo-models/train.py denoiser --minutes 55 --resume build/demo-models/text
    python packaging/demo-models/train.py decoder --minutes 15

Pictures are drawn by `scenes.py`. What a run needs between its stages (the trained autoencoder, cached
latents, logs) lies under `--work`; the finished pipeline goes to `--output`. With `--resume` a stage starts
from weights that are there already: the output's, or those of the folder named.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from diffusers import AutoencoderKL
    from model import Parts

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "resources" / "demo-models" / "shapes-image"
WORK = ROOT / "build" / "demo-models"

# glibc gives large blocks back to the system at once and faults them in again at the next step; keeping them
# halves the time of a forward pass. Other systems ignore these names.
ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": "2000000000",
    "MALLOC_TRIM_THRESHOLD_": "4000000000",
    "MALLOC_TOP_PAD_": "268435456",
}


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Train the built-in demo model.")
    parser.add_argument("stage", choices=("vae", "text", "denoiser", "decoder", "untrained"))
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--steps", type=int, default=400, help="of the text stage")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--pictures", type=int, default=16_000, help="how many scenes the denoiser learns from"
    )
    parser.add_argument("--score-minutes", type=float, default=10.0, help="time between two scores")
    parser.add_argument(
        "--resume", type=Path, nargs="?", const=OUTPUT, help="a folder of weights to start from; the output's"
    )
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    return parser.parse_args()


def keep_memory() -> None:
    """Start again with the allocator's settings, which are only read at a process's start."""
    if sys.platform == "linux" and "MALLOC_TOP_PAD_" not in os.environ:
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ALLOCATOR})


def prepare_torch(threads: int) -> None:
    """The number of threads, and no slow arithmetic on numbers that are as good as zero."""
    import torch

    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)


def train_vae(options: argparse.Namespace) -> None:
    """The first stage; its result lies in the work folder until the denoiser's stage exports it."""
    import vae_stage
    from diffusers import AutoencoderKL

    vae = AutoencoderKL.from_pretrained(options.resume / "vae") if options.resume else vae_stage.build()
    vae_stage.fix_variance(vae)
    vae_stage.train(vae, options.minutes, options.seed, options.work)
    vae.save_pretrained(options.work / "vae")


def refine_decoder(options: argparse.Namespace) -> None:
    """The last stage: a sharper decoder for the same latents, put in place in the output."""
    import torch
    import vae_stage
    from diffusers import AutoencoderKL

    source = (options.resume or options.output) / "vae"
    vae = AutoencoderKL.from_pretrained(source, dtype=torch.float32)
    vae_stage.refine_decoder(vae, options.minutes, options.seed, options.work)
    vae.to(torch.float16).save_pretrained(options.output / "vae")


def train_text(options: argparse.Namespace) -> None:
    """The encoders' stage; a whole pipeline lies in the work folder for the denoiser's stage to resume from."""
    import model
    import text_stage
    import torch
    from diffusers import AutoencoderKL

    parts = model.load(options.resume) if options.resume else model.build(options.work / "tokenizer")
    text_stage.train(parts, options.steps, options.seed, options.work)
    vae = AutoencoderKL.from_pretrained(options.work / "vae", dtype=torch.float32)
    model.export(parts, vae, options.work / "text")


def train_denoiser(options: argparse.Namespace) -> None:
    """The second stage; the best-scored weights are exported to the output."""
    import denoiser_stage
    import manifest
    import model
    import torch
    from diffusers import AutoencoderKL

    source = options.work if (options.work / "vae").is_dir() else options.resume
    vae = AutoencoderKL.from_pretrained(source / "vae", dtype=torch.float32).eval()
    parts = model.load(options.resume) if options.resume else model.build(options.work / "tokenizer")
    started = time.monotonic()
    cache = denoiser_stage.cached(vae, options.pictures, options.seed, options.work / "latents.pt")
    print(f"{options.pictures} pictures ready after {time.monotonic() - started:.0f} s", flush=True)
    best = Best(vae, options.work / "best", denoiser_stage.preview_map(cache))
    denoiser_stage.train(
        parts,
        vae,
        cache,
        best.score,
        minutes=options.minutes,
        score_minutes=options.score_minutes,
        seed=options.seed,
        folder=options.work,
    )
    shutil.copytree(best.folder, options.output, dirs_exist_ok=True)
    print(f"best: {best.scores}, guidance {manifest.GUIDANCE}")


class Best:
    """Keeps the weights with the best score so far; of equals the later."""

    def __init__(self, vae: AutoencoderKL, folder: Path, preview: dict[str, list]) -> None:
        self.vae, self.folder, self.preview = vae, folder, preview
        self.scores: dict[str, float] = {"all_three": -1.0}

    def score(self, parts: Parts) -> dict[str, float]:
        """Score these weights and export them if none before were better."""
        import manifest
        import model
        import score

        scores = score.score(model.pipeline(parts, self.vae), manifest.GUIDANCE)
        if scores["all_three"] >= self.scores["all_three"]:
            self.scores = scores
            model.export(parts, self.vae, self.folder)
            manifest.write(self.folder, self.preview)
        return scores


def export_untrained(options: argparse.Namespace) -> None:
    """The same files with random weights, for tests of loading."""
    import manifest
    import model
    import vae_stage

    vae = vae_stage.build()
    model.export(model.build(options.work / "tokenizer"), vae, options.output)
    manifest.write(options.output, {"weight": [[0.0] * 3] * vae_stage.CHANNELS, "bias": [0.0] * 3})


def main() -> None:
    """Run one stage."""
    keep_memory()
    options = arguments()
    prepare_torch(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    stages = {
        "vae": train_vae,
        "text": train_text,
        "denoiser": train_denoiser,
        "decoder": refine_decoder,
        "untrained": export_untrained,
    }
    stages[options.stage](options)


if __name__ == "__main__":
    main()

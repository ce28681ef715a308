"""Writes headroom.json, which tells the program what the demo model is and how to draw with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import scenes

NAME = "headroom.json"
STEPS = 12
GUIDANCE = 3.0
DRAWS = (
    "One flat shape (circle, square, triangle, star, heart or ring), small or big, in one of ten colours and "
    "five places, on a background of another of those colours."
)
EXAMPLES = (
    "a big yellow star on a blue background",
    "a small pink heart at the top on a black background",
    "an orange ring on the right on a purple background",
)


def write(folder: Path, preview: dict[str, list], guidance: float = GUIDANCE) -> None:
    """Write the file into the pipeline's folder."""
    content: dict[str, Any] = {
        "name": "Shapes (built in)",
        "draws": DRAWS,
        "examples": list(EXAMPLES),
        "defaults": {"width": scenes.SIDE, "height": scenes.SIDE, "steps": STEPS, "guidance": guidance},
        "latent_rgb": preview,
    }
    (folder / NAME).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read(folder: Path) -> dict[str, Any]:
    """The file's content."""
    return json.loads((folder / NAME).read_text(encoding="utf-8"))

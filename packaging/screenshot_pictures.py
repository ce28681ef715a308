"""Pictures for the rendered window states: the demo model's own scenes, finished and as previews. No Qt here."""

from __future__ import annotations

import importlib.util
import os
import random
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


def demo_model() -> Path:
    """The built-in model, or another with the same layout."""
    return Path(os.environ.get("HEADROOM_SHOTS_MODEL", ROOT / "resources" / "demo-models" / "shapes-image"))


def scenes() -> ModuleType:
    """The demo model's scenes, by path: their folder is no package."""
    if "scenes" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "scenes", ROOT / "packaging" / "demo-models" / "scenes.py"
        )
        module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
        sys.modules["scenes"] = module
        spec.loader.exec_module(module)  # type: ignore[union-attr]
    return sys.modules["scenes"]


def picture(prompt: str):  # type: ignore[no-untyped-def]
    """The scene that a prompt describes."""
    known, words = scenes(), prompt.split()
    colours = [word for word in words if word in known.COLOURS]
    scene = known.Scene(
        shape=next(word for word in words if word in known.SHAPES),
        colour=colours[0],
        background=colours[1],
        size=next((word for word in words if word in ("small", "big")), ""),
        position=next((place for place in known.POSITIONS if place and place in prompt), ""),
    )
    return known.render(scene, random.Random(7))


def preview(prompt: str, noise: float):  # type: ignore[no-untyped-def]
    """What a preview looks like on the way: small, and with noise in it."""
    import numpy as np
    from PIL import Image

    small = np.asarray(Image.fromarray(picture(prompt)).resize((16, 16), Image.Resampling.BOX)).astype(float)
    rain = np.random.default_rng(3).normal(127, 60, small.shape)
    return np.clip(small * (1 - noise * 0.5) + rain * noise * 0.5, 0, 255).astype(np.uint8)

"""Captioned scenes drawn by code: the whole training set of the built-in demo model.

A scene is one flat shape in one colour on a background of another colour, in one of three sizes and five
places. Everything is drawn from a seeded `random.Random`, so a training run can be repeated from nothing.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SIDE = 128
OVERSAMPLING = 3
MARGIN = 0.03
HELD_OUT_FILE = Path(__file__).with_name("heldout.json")

Triple = tuple[str, str, str]
Point = tuple[float, float]

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (220, 40, 40),
    "green": (50, 170, 70),
    "blue": (50, 90, 220),
    "yellow": (245, 210, 50),
    "orange": (245, 140, 30),
    "purple": (140, 60, 180),
    "pink": (245, 150, 190),
    "cyan": (60, 200, 220),
    "white": (245, 245, 245),
    "black": (25, 25, 25),
}
SHAPES = ("circle", "square", "triangle", "star", "heart", "ring")
SIZES = {"small": 0.18, "": 0.25, "big": 0.33}
POSITIONS: dict[str, Point] = {
    "": (0.5, 0.5),
    "on the left": (0.3, 0.5),
    "on the right": (0.7, 0.5),
    "at the top": (0.5, 0.3),
    "at the bottom": (0.5, 0.7),
}
WORDINGS = (
    "{a} {size} {colour} {shape} {position} on {ab} {background} background",
    "{size} {colour} {shape} {position}, {background} background",
    "{a} {size} {colour} {shape} on {ab} {background} background {position}",
    "{a} {size} {colour} {shape} {position} on {background}",
    "a picture of {a} {size} {colour} {shape} {position} on {ab} {background} background",
    "{ab} {background} background with {a} {size} {colour} {shape} {position}",
    "{background} background, {size} {colour} {shape} {position}",
)
CENTRE_WORDS = ("", "", "", "in the middle")


@dataclass(frozen=True)
class Scene:
    """What one picture shows. An empty size or position means medium or centred."""

    shape: str
    colour: str
    background: str
    size: str = ""
    position: str = ""

    @property
    def triple(self) -> Triple:
        """The three words by which scenes are held out of training."""
        return self.shape, self.colour, self.background


def all_triples() -> list[Triple]:
    """Every shape, colour and background whose two colours differ, in a fixed order."""
    return [(s, c, b) for s in SHAPES for c in COLOURS for b in COLOURS if c != b]


def held_out_triples(path: Path = HELD_OUT_FILE) -> frozenset[Triple]:
    """The triples that no training picture may show."""
    entries = json.loads(path.read_text(encoding="utf-8"))["prompts"]
    return frozenset((e["shape"], e["colour"], e["background"]) for e in entries)


class Sampler:
    """Draws scenes at random, never one whose triple is held out."""

    def __init__(self, rng: random.Random, held_out: frozenset[Triple]) -> None:
        self.rng = rng
        self._triples = [t for t in all_triples() if t not in held_out]

    def scene(self) -> Scene:
        """One scene, all its words drawn evenly."""
        shape, colour, background = self.rng.choice(self._triples)
        return Scene(
            shape, colour, background, self.rng.choice(list(SIZES)), self.rng.choice(list(POSITIONS))
        )

    def examples(self, count: int) -> Iterator[tuple[Scene, np.ndarray]]:
        """`count` scenes with their pictures."""
        for _ in range(count):
            scene = self.scene()
            yield scene, render(scene, self.rng)


def caption(scene: Scene, rng: random.Random, wording: str | None = None) -> str:
    """A caption of the scene in one of several wordings, with the right article before a vowel."""
    words = {
        "size": scene.size,
        "colour": scene.colour,
        "shape": scene.shape,
        "background": scene.background,
        "position": scene.position or rng.choice(CENTRE_WORDS),
        "a": _article(scene.size or scene.colour),
        "ab": _article(scene.background),
    }
    text = (wording or rng.choice(WORDINGS)).format(**words)
    return " ".join(text.split()).replace(" ,", ",")


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def render(scene: Scene, rng: random.Random, side: int = SIDE) -> np.ndarray:
    """Draw the scene as uint8 RGB, with a little play in size and place."""
    radius = SIZES[scene.size] * rng.uniform(0.93, 1.07)
    low, high = radius + MARGIN, 1 - radius - MARGIN
    x, y = (min(max(v + rng.uniform(-0.03, 0.03), low), high) for v in POSITIONS[scene.position])
    size = side * OVERSAMPLING
    image = Image.new("RGB", (size, size), COLOURS[scene.background])
    draw = ImageDraw.Draw(image)
    centre, r = (x * size, y * size), radius * size
    if scene.shape in ("circle", "ring"):
        _disc(draw, centre, r, COLOURS[scene.colour])
    else:
        draw.polygon(outline_points(scene.shape, centre, r), fill=COLOURS[scene.colour])
    if scene.shape == "ring":
        _disc(draw, centre, r * 0.55, COLOURS[scene.background])
    return np.asarray(image.resize((side, side), Image.Resampling.BOX))


def _disc(draw: ImageDraw.ImageDraw, centre: Point, radius: float, fill: tuple[int, int, int]) -> None:
    x, y = centre
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)


def outline_points(shape: str, centre: Point, radius: float) -> list[Point]:
    """The corners of a straight-edged shape, or the points along a heart."""
    x, y = centre
    if shape == "square":
        q = radius * 0.88
        return [(x - q, y - q), (x + q, y - q), (x + q, y + q), (x - q, y + q)]
    if shape == "triangle":
        angles = (-math.pi / 2, math.pi / 6, 5 * math.pi / 6)
        return [(x + radius * math.cos(a), y + radius * (math.sin(a) + 0.15)) for a in angles]
    if shape == "star":
        spokes = [(radius * (0.42 if i % 2 else 1.0), -math.pi / 2 + i * math.pi / 5) for i in range(10)]
        return [(x + r * math.cos(a), y + r * math.sin(a)) for r, a in spokes]
    if shape == "heart":
        return [_heart_point(centre, radius, 2 * math.pi * i / 60) for i in range(60)]
    raise ValueError(f"no outline for the shape {shape!r}")


def _heart_point(centre: Point, radius: float, t: float) -> Point:
    across = math.sin(t) ** 3
    up = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
    return centre[0] + across * radius, centre[1] - up / 16 * radius

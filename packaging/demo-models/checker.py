"""Says what a picture of the demo model shows, by pixel statistics alone.

Shares no code with the scenes it judges: it knows the ten colours and, for each shape, an ideal silhouette
of its own. A picture that is unclear (mottled background, more than one blob, a silhouette like none of the
six) gets an empty word, which counts as wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

PALETTE = {
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
NAMES = tuple(PALETTE)
VALUES = np.array(list(PALETTE.values()), dtype=np.float32)

MAX_COLOUR_DISTANCE = 60.0  # a median further than this from every colour has no name
MIN_SHARE = 0.85  # of the border, or of the shape's inside, that must have the colour named
MIN_AREA = 0.01  # of the picture; less is no shape
MAX_LITTER = 0.10  # area of all other blobs, as a share of the shape
MIN_OVERLAP = 0.80  # of the silhouette with the best ideal one (intersection over union)
BLUNT = {"star": (0.0, 0.04, 0.08), "triangle": (0.0, 0.04, 0.08)}  # how much of a box its tips may lack
GRID = 64  # side of the square in which silhouettes are compared


@dataclass(frozen=True)
class Finding:
    """What the picture shows; an empty word where it is not clear."""

    background: str = ""
    colour: str = ""
    shape: str = ""
    radius: float = 0.0
    centre: tuple[float, float] = (0.0, 0.0)

    @property
    def size(self) -> str:
        """small, medium or big, by half the longer side of the shape's box."""
        return "small" if self.radius < 0.197 else "medium" if self.radius < 0.267 else "big"

    @property
    def position(self) -> str:
        """left, right, top, bottom or centre, by the middle of the shape's box."""
        dx, dy = self.centre[0] - 0.5, self.centre[1] - 0.5
        if max(abs(dx), abs(dy)) < 0.07:
            return "centre"
        if abs(dx) >= abs(dy):
            return "left" if dx < 0 else "right"
        return "top" if dy < 0 else "bottom"


def check(picture: np.ndarray) -> Finding:
    """Judge one uint8 RGB picture of any square size."""
    pixels = np.asarray(picture, dtype=np.float32)
    background, ground = _background(pixels)
    if not background:
        return Finding()
    colour, paint = _shape_colour(pixels, ground)
    if paint is None:
        return Finding(background=background)
    blob = _only_blob(_nearer(pixels, paint, ground))
    if blob is None:
        return Finding(background=background, colour=colour)
    rows, columns = _box(blob)
    height, width = blob.shape
    return Finding(
        background=background,
        colour=colour,
        shape=_shape(blob[rows, columns]),
        radius=max((rows.stop - rows.start) / height, (columns.stop - columns.start) / width) / 2,
        centre=((columns.start + columns.stop) / 2 / width, (rows.start + rows.stop) / 2 / height),
    )


def _nearest(pixels: np.ndarray) -> np.ndarray:
    """The index of the nearest palette colour of each pixel."""
    distances = ((pixels[..., None, :] - VALUES) ** 2).sum(-1)
    return distances.argmin(-1)


def _name(pixels: np.ndarray) -> tuple[str, np.ndarray]:
    """The colour of a list of pixels, if their median and most of them agree on it; and the median."""
    median = np.median(pixels, axis=0)
    index = int(_nearest(median))
    near = np.linalg.norm(median - VALUES[index]) <= MAX_COLOUR_DISTANCE
    agree = (_nearest(pixels) == index).mean() >= MIN_SHARE
    return (NAMES[index] if near and agree else ""), median


def _background(pixels: np.ndarray) -> tuple[str, np.ndarray]:
    """The colour of the outermost pixels."""
    edge = np.ones(pixels.shape[:2], dtype=bool)
    edge[2:-2, 2:-2] = False
    return _name(pixels[edge])


def _shape_colour(pixels: np.ndarray, ground: np.ndarray) -> tuple[str, np.ndarray | None]:
    """The colour of what clearly differs from the background, its soft edge left out."""
    distance = np.linalg.norm(pixels - ground, axis=-1)
    strong = np.quantile(distance, 1 - MIN_AREA)
    if strong < 40:
        return "", None
    inside = _shrunk(distance > strong / 2)
    if inside.mean() < MIN_AREA / 4:
        return "", None
    return _name(pixels[inside])


def _nearer(pixels: np.ndarray, paint: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """True where a pixel lies more than half way from the background's colour to the shape's."""
    axis = paint - ground
    return ((pixels - ground) @ axis) / float(axis @ axis) > 0.5


def _neighbours(mask: np.ndarray) -> list[np.ndarray]:
    padded = np.pad(mask, 1)
    return [padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]]


def _shrunk(mask: np.ndarray) -> np.ndarray:
    """The mask without its outermost two pixels."""
    for _ in range(2):
        mask = np.logical_and.reduce([mask, *_neighbours(mask)])
    return mask


def _flood(seed: np.ndarray, within: np.ndarray) -> np.ndarray:
    """All of `within` that is joined to `seed`."""
    padded = np.pad(seed & within, 1)
    middle = padded[1:-1, 1:-1]
    sides = padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]
    count = -1
    while count != (count := int(np.count_nonzero(middle))):
        for _ in range(8):
            grown = (middle | sides[0] | sides[1] | sides[2] | sides[3]) & within
            middle[...] = grown
    return middle.copy()


def _only_blob(mask: np.ndarray) -> np.ndarray | None:
    """The largest connected part, unless it is too small or the rest is too large."""
    total, left, best = int(mask.sum()), mask.copy(), np.zeros_like(mask)
    while left.sum() > best.sum():
        seed = np.zeros_like(mask)
        seed[np.unravel_index(int(left.argmax()), mask.shape)] = True
        blob = _flood(seed, left)
        left &= ~blob
        best = blob if blob.sum() > best.sum() else best
    area = int(best.sum())
    if area < MIN_AREA * mask.size or total - area > MAX_LITTER * area:
        return None
    return best


def _box(mask: np.ndarray) -> tuple[slice, slice]:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _shape(silhouette: np.ndarray) -> str:
    """The ideal silhouette that overlaps best, if it overlaps enough; a hole makes or unmakes a ring."""
    height, width = silhouette.shape
    if not 0.75 < height / width < 1.33:
        return ""
    hole = _hole(silhouette)
    if 0.02 < hole < 0.10:
        return ""
    grid = _stretched(silhouette)
    overlaps = {name: max(_overlap(grid, ideal) for ideal in ideals) for name, ideals in _ideals().items()}
    best = max(overlaps, key=lambda name: overlaps[name])
    if overlaps[best] < MIN_OVERLAP or (best == "ring") != (hole >= 0.10):
        return ""
    return best


def _hole(silhouette: np.ndarray) -> float:
    """The share of the filled silhouette that is not joined to the outside."""
    outside = np.pad(~silhouette, 1, constant_values=True)
    seed = np.zeros_like(outside)
    seed[0, 0] = True
    enclosed = outside & ~_flood(seed, outside)
    return float(enclosed.sum() / (enclosed.sum() + silhouette.sum()))


def _stretched(silhouette: np.ndarray) -> np.ndarray:
    """The silhouette sampled on the comparison grid."""
    height, width = silhouette.shape
    rows = ((np.arange(GRID) + 0.5) * height / GRID).astype(int)
    columns = ((np.arange(GRID) + 0.5) * width / GRID).astype(int)
    return silhouette[np.ix_(rows, columns)]


def _overlap(one: np.ndarray, other: np.ndarray) -> float:
    return float((one & other).sum() / (one | other).sum())


@cache
def _ideals() -> dict[str, list[np.ndarray]]:
    """For each shape the inside of its ideal outline, stretched to fill the comparison grid.

    A soft edge takes the tips off a pointed shape, so that its box is smaller than the ideal one; of those the
    list also holds the outline with its tips cut off.
    """
    axis = (np.arange(4 * GRID) + 0.5) / (2 * GRID) - 1
    x, y = np.meshgrid(axis, axis)
    radius = np.hypot(x, y)
    insides = {
        "circle": radius < 1,
        "square": np.ones_like(x, dtype=bool),
        "triangle": np.abs(x) < (y + 1) / 2,
        "star": _star(x, y),
        "heart": _heart(x, y),
        "ring": (radius < 1) & (radius > 0.55),
    }
    return {
        name: [_stretched(_cut(inside[_box(inside)], cut, name == "star")) for cut in BLUNT.get(name, (0.0,))]
        for name, inside in insides.items()
    }


def _cut(inside: np.ndarray, cut: float, all_sides: bool) -> np.ndarray:
    """The outline without the outermost part of its box, on all sides or on all but the lowest."""
    height, width = inside.shape
    top, side = round(cut * height), round(cut * width)
    return inside[top : height - top if all_sides else height, side : width - side]


def _star(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A five-pointed star: in each of ten wedges, the side of the line from a tip to a notch."""
    notch = 0.42
    wedge = np.pi / 5
    angle = np.abs((np.arctan2(x, -y) + wedge) % (2 * wedge) - wedge)
    limit = notch * np.sin(wedge) / (notch * np.sin(wedge - angle) + np.sin(angle))
    return np.hypot(x, y) < limit


def _heart(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Two round lobes above a point, as the height of the outline over each place across."""
    across = np.arcsin(np.clip(np.cbrt(np.abs(x)), 0, 1))
    top, bottom = (_heart_height(t) for t in (across, np.pi - across))
    return (-y < top) & (-y > bottom)


def _heart_height(t: np.ndarray) -> np.ndarray:
    return (13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)) / 17

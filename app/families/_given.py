"""What several families do with given pictures, clips and strengths; no family stands here, and torch is not needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def fitted(picture: Any, width: int, height: int) -> Any:
    """The largest middle part of a Pillow image that has the asked proportions, scaled to them: nothing is stretched.

    A picture of that size already comes back as it is.
    """
    from PIL import Image, ImageOps

    if picture.size == (width, height):
        return picture
    return ImageOps.fit(picture, (width, height), Image.Resampling.LANCZOS)


def fitted_mask(mask: Any, picture: Any, width: int, height: int) -> Any:
    """The mask, "L" with white where it is drawn anew, laid over its whole picture and then cut as the picture is."""
    from PIL import Image, ImageOps

    laid = mask.convert("L").resize(picture.size, Image.Resampling.BILINEAR)
    return ImageOps.fit(laid, (width, height), Image.Resampling.BILINEAR)


def fitted_clip(frames: Sequence[Any], count: int, width: int, height: int) -> list[Any]:
    """The first ``count`` frames, each fitted; a shorter clip stands still at its end."""
    shown = [fitted(frame, width, height) for frame in frames[:count]]
    return shown + [shown[-1]] * (count - len(shown))


def usable_strength(strength: float, steps: int) -> float:
    """The strength with which a pipeline takes at least one step: it rounds ``steps × strength`` down."""
    return strength if int(steps * strength) >= 1 else min(1.0, 1.001 / steps)

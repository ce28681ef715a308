"""The checker of the demo models is right on drawn scenes and is not fooled by wrong captions."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

SCRIPTS = Path(__file__).parents[2] / "packaging" / "demo-models"


@pytest.fixture(scope="module")
def drawn() -> Iterator[SimpleNamespace]:
    """A thousand drawn scenes with what the checker found in them."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        import checker
        import scenes

        sampler = scenes.Sampler(random.Random(7), frozenset())
        pairs = [(scene, checker.check(picture)) for scene, picture in sampler.examples(1000)]
        yield SimpleNamespace(pairs=pairs, checker=checker, scenes=scenes)
    finally:
        sys.path.remove(str(SCRIPTS))


def _right(scene, finding) -> bool:
    return (finding.shape, finding.colour, finding.background) == scene.triple


def test_right_on_drawn_scenes(drawn: SimpleNamespace) -> None:
    assert sum(_right(scene, finding) for scene, finding in drawn.pairs) >= 990


def test_size_and_position_of_drawn_scenes(drawn: SimpleNamespace) -> None:
    sizes = sum((scene.size or "medium") == finding.size for scene, finding in drawn.pairs)
    places = sum((scene.position.split() or ["centre"])[-1] == f.position for scene, f in drawn.pairs)
    assert sizes >= 950
    assert places >= 990


@pytest.mark.parametrize("word", ["shape", "colour", "background"])
def test_shuffled_captions_are_wrong(drawn: SimpleNamespace, word: str) -> None:
    scenes = [scene for scene, _ in drawn.pairs]
    random.Random(8).shuffle(scenes)
    agreeing = sum(
        getattr(scene, word) == getattr(finding, word)
        for scene, (_, finding) in zip(scenes, drawn.pairs, strict=True)
    )
    assert agreeing <= 250


def test_noise_and_empty_pictures_show_nothing(drawn: SimpleNamespace) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (128, 128, 3), dtype=np.uint8)
    plain = np.full((128, 128, 3), (50, 90, 220), dtype=np.uint8)
    assert drawn.checker.check(noise).shape == ""
    assert drawn.checker.check(noise).background == ""
    finding = drawn.checker.check(plain)
    assert (finding.background, finding.colour, finding.shape) == ("blue", "", "")


def test_two_shapes_are_no_shape(drawn: SimpleNamespace) -> None:
    scene = drawn.scenes.Scene("circle", "red", "blue", "small", "on the left")
    picture = drawn.scenes.render(scene, random.Random(1))
    assert drawn.checker.check(picture).shape == "circle"
    assert drawn.checker.check(np.maximum(picture, picture[:, ::-1])).shape == ""


def test_a_blurred_scene_is_still_read(drawn: SimpleNamespace) -> None:
    from PIL import Image, ImageFilter

    right = 0
    sampler = drawn.scenes.Sampler(random.Random(9), frozenset())
    for scene, picture in sampler.examples(100):
        soft = Image.fromarray(picture).filter(ImageFilter.GaussianBlur(1.0))
        right += _right(scene, drawn.checker.check(np.asarray(soft)))
    assert right >= 97


def test_sampler_never_draws_held_out_triples(drawn: SimpleNamespace) -> None:
    held_out = drawn.scenes.held_out_triples()
    assert len(held_out) == 60
    sampler = drawn.scenes.Sampler(random.Random(3), held_out)
    assert not {sampler.scene().triple for _ in range(20_000)} & held_out


def test_no_ideal_silhouette_passes_for_another(drawn: SimpleNamespace) -> None:
    ideals = drawn.checker._ideals()
    overlaps = [
        drawn.checker._overlap(one, other)
        for name, ones in ideals.items()
        for rest, others in ideals.items()
        for one in ones
        for other in others
        if name != rest
    ]
    assert max(overlaps) < drawn.checker.MIN_OVERLAP

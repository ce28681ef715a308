"""Placements are always undone, and VAE tiling really tiles. Offloading itself is proved on the virtual GPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from diffusers.models.autoencoders.vae import Decoder

from app.core.messages import Finished
from app.core.plan import Dtype, Plan
from app.engine.placement import PLACES, models_of, placed, places_of
from app.engine.scratch import Scratch
from app.families import all_families
from app.media.open import open_picture

TILED = {"vae_tiling": True, "vae_tile_size": 32}


@pytest.fixture(scope="module")
def pipe(tmp_path_factory):
    """A pipeline on the host."""
    import tiny

    return tiny.pipeline(tmp_path_factory.mktemp("placement"))


def plan(**changes) -> Plan:
    """A plan for the CPU."""
    return Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32, **changes)


def state(pipe):
    """What a placement may change."""
    vae = pipe.vae
    formats = [weight.stride() for model in models_of(pipe).values() for weight in model.parameters()]
    return (vae.use_tiling, vae.use_slicing, vae.tile_sample_min_size, vae.tile_latent_min_size, formats)


@pytest.mark.parametrize(
    "changes",
    [TILED, {"vae_slicing": True}, {"channels_last": True}, {"vae_tiling": True, "vae_tile_size": 0}],
)
def test_all_is_undone_after_the_end_and_after_an_error(pipe, changes):
    family, before = all_families()["sdxl"], state(pipe)
    with placed(pipe, plan(**changes), family, Scratch()):
        assert state(pipe) != before
    assert state(pipe) == before
    with pytest.raises(ZeroDivisionError), placed(pipe, plan(**changes), family, Scratch()):
        raise ZeroDivisionError
    assert state(pipe) == before


@pytest.mark.parametrize(("size", "tiles"), [(0, 1), (64, 1), (48, 4), (32, 9)])
def test_c22_tiling_makes_tiles_of_the_planned_size(engine, job, monkeypatch, size, tiles):
    calls, real = [], Decoder.forward

    def count(self, sample, *args, **options):
        calls.append(tuple(sample.shape[-2:]))
        return real(self, sample, *args, **options)

    monkeypatch.setattr(Decoder, "forward", count)
    finished = engine.run(job(plan_changes={"vae_tiling": True, "vae_tile_size": size}))
    assert isinstance(finished, Finished)
    assert len(calls) == tiles
    assert max(max(shape) for shape in calls) * 8 <= max(size, 64)


def test_a_tiled_picture_has_the_same_size_and_the_next_is_untiled_again(engine, job):
    whole = np.asarray(open_picture(engine.run(job()).files[0]))
    tiled = np.asarray(open_picture(engine.run(job(plan_changes=TILED)).files[0]))
    again = np.asarray(open_picture(engine.run(job()).files[0]))
    assert tiled.shape == whole.shape
    assert not np.array_equal(tiled, whole)
    assert np.array_equal(again, whole)


def test_the_order_of_numbers_in_memory_changes_the_picture_by_rounding_only(engine, job):
    plain = np.asarray(open_picture(engine.run(job()).files[0])).astype(int)
    turned = np.asarray(open_picture(engine.run(job(plan_changes={"channels_last": True})).files[0])).astype(
        int
    )
    assert np.abs(plain - turned).max() <= 2


def test_plans_that_differ_only_in_words_share_a_placement():
    one, other = plan(), plan(keep_loaded=3.0, reserve=5, settings_json='{"a": 1}')
    assert places_of(one) == places_of(other)
    assert places_of(one) != places_of(plan(vae_tiling=True))
    fields = set(Plan.__dataclass_fields__)
    assert set(PLACES) <= fields
    # a field added to Plan must be sorted: into the placement, or here (LoRA layers are compared by their files)
    assert fields - set(PLACES) == {
        "adapted_components", "family", "keep_loaded", "sequence_length", "memory_limit", "reserve", "estimate",
        "reasons", "settings_json",
    }  # fmt: skip


def test_a_vae_in_float16_is_float16_again_after_a_picture(engine, job):
    import gc

    from diffusers import AutoencoderKL

    engine.run(job(plan_changes={"dtype": Dtype.FLOAT16}))
    gc.collect()
    formats = {
        weight.dtype for thing in gc.get_objects() if isinstance(thing, AutoencoderKL) and thing.dtype == torch.float16
        for weight in thing.parameters()
    }  # fmt: skip
    assert formats == {torch.float16}

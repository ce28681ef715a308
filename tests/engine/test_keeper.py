"""What stays between jobs, what is read again, and that what is given up is really gone."""

from __future__ import annotations

import gc
import os
import shutil
import threading
import weakref
from pathlib import Path

import pytest
import torch
from diffusers import UNet2DConditionModel

from app.core.messages import Finished, Measure, Ready, Unload
from app.core.plan import Dtype, Storage
from app.engine import loader

ALL = {"text_encoder", "text_encoder_2", "unet", "vae", "tokenizer", "tokenizer_2", "scheduler"}
FP8 = {"storage": Storage.FP8_E4M3, "storage_components": ("unet",)}


def unets() -> list[UNet2DConditionModel]:
    """Those that live in this process."""
    gc.collect()
    return [thing for thing in gc.get_objects() if isinstance(thing, UNet2DConditionModel)]


def test_another_prompt_or_seed_reads_nothing(engine, job):
    assert set(engine.run(job()).loaded) == ALL
    for changes in ({"prompt": "a blue star"}, {"seed": 8}, {"width": 72}, {"steps": 3}, {"guidance": 2.0}):
        assert engine.run(job(**changes)).loaded == ()


def test_another_precision_reads_the_weights_again(engine, job):
    engine.run(job())
    again = engine.run(job(plan_changes={"dtype": Dtype.BFLOAT16}))
    assert set(again.loaded) == {"text_encoder", "text_encoder_2", "unet", "vae"}
    assert len(unets()) == 1


def test_fp8_storage_reads_only_what_it_covers_and_can_be_left_again(engine, job):
    plain = engine.run(job())
    assert set(engine.run(job(plan_changes=FP8)).loaded) == {"unet"}
    formats = {weight.dtype for weight in unets()[0].parameters()}
    assert formats == {torch.float8_e4m3fn, torch.float32}
    assert engine.run(job(plan_changes=FP8, seed=8)).loaded == ()
    back = engine.run(job())
    assert set(back.loaded) == {"unet"}
    assert back.files[0].read_bytes()[-200:] == plain.files[0].read_bytes()[-200:]


def test_a_model_replaced_on_disk_is_another_model(engine, job, model):
    engine.run(job(model=str(model)))
    weights = model / "unet" / "diffusion_pytorch_model.safetensors"
    os.utime(weights, ns=(1, 1))
    assert set(engine.run(job(model=str(model))).loaded) == ALL


def test_c182_the_old_model_is_gone_before_the_new_one_is_read(engine, job, model, monkeypatch):
    engine.run(job())
    alive_while_reading = []
    real = loader.load_part

    def watched(info, part, plan, family):
        alive_while_reading.append((part.name, len(unets())))
        return real(info, part, plan, family)

    monkeypatch.setattr(loader, "load_part", watched)
    assert isinstance(engine.run(job(model=str(model))), Finished)
    before_its_own = [count for name, count in alive_while_reading if name != "vae"][:3]
    assert alive_while_reading[0][1] == 0
    assert before_its_own == [0, 0, 0]


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux lists a process's maps")
def test_c118_no_file_stays_mapped_after_unloading(engine, job, model):
    engine.run(job(model=str(model)))
    engine.conn.send(Unload())
    fresh = engine.run(job("other"))  # its own file may be mapped
    assert isinstance(fresh, Finished)
    maps = Path("/proc/self/maps").read_text()
    assert str(model) not in maps
    shutil.rmtree(model)


def test_an_idle_engine_gives_its_model_back_in_time(engine, job):
    engine.run(job(plan_changes={"keep_loaded": 1 / 60}))
    gone = threading.Event()
    alive = unets()
    if alive:  # a slow machine may have used up the second already
        weakref.finalize(alive.pop(), gone.set)
        assert gone.wait(60)
    assert set(engine.run(job()).loaded) == ALL


def test_a_job_that_follows_at_once_finds_the_model(engine, job):
    for name in ("one", "two"):
        engine.conn.send(job(name, plan_changes={"keep_loaded": 0.0}))
    engine.until(Finished)
    assert engine.until(Finished).loaded == ()


def test_unload_gives_everything_back(engine, job):
    engine.run(job())
    assert unets()
    engine.conn.send(Unload())
    engine.conn.send(Measure())
    engine.until(Ready)
    assert not unets()

"""LoRA files on a real engine: put in, weighted, swapped, taken out again; a bad file leaves nothing behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import lora_files
import lora_model
import numpy as np
import pytest
import torch
from diffusers import StableDiffusionXLPipeline
from lora_bench import LoraBench, lora_bench
from PIL import Image
from safetensors.torch import load_file, save_file

from app.core.errors import AppError, ErrorKind
from app.core.family import Media
from app.core.messages import Failed, Finished, Progress
from app.core.plan import Quantization, Storage
from app.core.request import Lora

KOHYA = "C151-kohya-unet-te1-te2.safetensors"
FP8 = {"storage": Storage.FP8_E4M3, "storage_components": ("unet",)}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lora_model.save(tmp_path_factory.mktemp("loras") / "base")


@pytest.fixture(scope="session")
def cases(root: Path) -> Path:
    return root / "tests" / "data" / "cases"


@pytest.fixture(scope="module")
def small(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few of the case's layers of every component: each takes the library its time."""
    kept = (
        "lora_te1_text_model_encoder_layers_0",
        "lora_te2_text_model_encoder_layers_0",
        "lora_unet_mid_block",
    )
    tensors = {key: weight for key, weight in load_file(cases / KOHYA).items() if key.startswith(kept)}
    path = tmp_path_factory.mktemp("files") / "small.safetensors"
    save_file(tensors, path)
    return path


@pytest.fixture(scope="module")
def bench(base: Path) -> Iterator[LoraBench]:
    with lora_bench(base) as bench:
        yield bench


@pytest.fixture(scope="module")
def plain(bench: LoraBench) -> np.ndarray:
    """Without any file."""
    return bench.run()


@pytest.fixture(scope="module")
def changed(bench: LoraBench, plain: np.ndarray, small: Path) -> np.ndarray:
    """With the small one."""
    return bench.run(small)


def test_a_lora_changes_the_picture_and_leaves_no_trace(bench, plain, cases):
    assert (bench.run(cases / KOHYA) != plain).any()
    assert bench.loaded == ()  # the base was not read again
    assert np.array_equal(bench.run(), plain)
    assert bench.loaded == ()


def test_weights_scale_it_and_nothing_is_put_in_for_them(bench, plain, changed, small):
    path = str(small)
    assert np.array_equal(bench.run(Lora(path)), changed)
    layers = bench.lora_layers()
    assert np.array_equal(bench.run(Lora(path, 0.0)), plain)
    half = bench.run(Lora(path, 0.5))
    assert (half != plain).any()
    assert (half != changed).any()
    assert bench.lora_layers() == layers


def test_the_same_file_twice_is_twice_as_strong(bench, changed, small):
    """C155: each has a name of its own inside."""
    twice = bench.run(Lora(str(small), 0.5), Lora(str(small), 0.5))
    assert np.abs(twice - changed).max() < 1e-4  # sums are rounded in another order


def test_file_names_mean_nothing_inside(bench, changed, small, tmp_path):
    """C154: the library takes dots in a name for paths of modules."""
    odd = tmp_path / "style.v1.0 (copy) 🐈.safetensors"
    odd.write_bytes(small.read_bytes())
    assert np.array_equal(bench.run(odd), changed)


def test_c18_fp8_storage_and_lora_have_one_order(bench, small):
    """Whichever came first: the LoRA's own layers stay in the compute format, and asking twice is harmless."""
    bare = bench.run(**FP8)
    late = bench.run(small, **FP8)
    assert bench.loaded == ()
    assert bench.lora_formats() == {torch.float32}
    assert (late != bare).any()
    bench.run(small)  # into plain weights, which fp8 then replaces
    assert np.array_equal(bench.run(small, **FP8), late)
    assert np.array_equal(bench.run(small, **FP8), late)
    assert np.array_equal(bench.run(**FP8), bare)


def test_c18_it_is_what_fp8_storage_over_all_but_the_lora_gives(base, bench, small):
    """The other order, by the library's own means: LoRA first, then fp8 with the library's own patterns."""
    ours = bench.run(small, **FP8)
    pipe = StableDiffusionXLPipeline.from_pretrained(base)
    pipe.load_lora_weights(str(small))
    pipe.unet.enable_layerwise_casting(torch.float8_e4m3fn, torch.float32)
    request = bench.request()
    pipe.set_progress_bar_config(disable=True)
    with torch.no_grad():
        embeds = bench.family.encode(pipe, request, bench.plan, Media())
        latents = bench.family.denoise(pipe, request, 0, embeds, Media(), lambda *_: None)
        theirs = bench.family.decode(pipe, request, latents)
    assert np.abs(theirs - ours).max() < 1e-4  # file-mapped weights may differ in the last bit of a product


def test_packed_weights_carry_it_without_being_packed_anew(bench, changed, small):
    packed = {"quantization": Quantization.TORCHAO_INT8, "quantized_components": ("unet",)}
    bare = bench.run(**packed)
    assert np.abs(bench.run(small, **packed) - changed).mean() < 0.01
    assert bench.loaded == ()
    assert bench.lora_formats() == {torch.float32}
    assert np.array_equal(bench.run(**packed), bare)


def test_c32_what_fails_half_way_in_is_taken_out(bench, plain, changed, small, tmp_path):
    """Its header is right as far as it can be judged: names of the first publication, the right width."""
    tensors = {key: weight for key, weight in load_file(small).items() if key.startswith("lora_te1_")}
    name = "lora_unet_middle_block_1_transformer_blocks_0_attn1_to_q"
    tensors |= {f"{name}.lora_down.weight": torch.ones(4, 64), f"{name}.lora_up.weight": torch.ones(96, 4)}
    save_file(tensors, tmp_path / "half.safetensors")
    assert np.array_equal(bench.run(), plain)
    with pytest.raises(AppError) as raised:
        bench.run(tmp_path / "half.safetensors")
    assert (raised.value.kind, raised.value.problem.fact("reason")) == (ErrorKind.LORA_MISFIT, "loading")
    assert bench.lora_layers() == set()
    assert np.array_equal(bench.run(), plain)
    assert bench.loaded == ()
    assert np.array_equal(bench.run(small), changed)


def test_layers_that_are_not_used_are_left_out(bench, changed, small, tmp_path):
    """C151: the library's converter fails on a text projection among them."""
    name = "lora_te2_text_projection"
    extra = {f"{name}.lora_down.weight": torch.ones(4, 32), f"{name}.lora_up.weight": torch.ones(32, 4)}
    save_file(load_file(small) | extra, tmp_path / "more.safetensors")
    assert np.array_equal(bench.run(tmp_path / "more.safetensors"), changed)


def test_settings_in_the_files_header_count(bench, tmp_path):
    """The library writes a LoRA's alpha there: 2 of rank 4 is half as strong."""
    layer = "mid_block.attentions.0.transformer_blocks.0.attn1.to_q"
    whole = lora_files.write(tmp_path / "whole.safetensors", {f"unet.{layer}": (64, 64)}, size=1.0)
    settings = {"unet.r": 4, "unet.lora_alpha": 2, "unet.target_modules": [layer]}
    save_file(
        load_file(whole), tmp_path / "halved.safetensors", {"lora_adapter_metadata": json.dumps(settings)}
    )
    halved = bench.run(tmp_path / "halved.safetensors")
    assert np.array_equal(halved, bench.run(Lora(str(whole), 0.5)))
    assert (halved != bench.run(whole)).any()


def test_c32_a_job_with_a_bad_file_says_so_and_the_next_is_as_the_one_before(engine, job, base, cases):
    before = engine.run(job(model=str(base)))
    bad = (Lora(str(cases / "C153-kohya-bad-shape.safetensors")),)
    end = engine.run(job("bad", model=str(base), loras=bad))
    assert isinstance(end, Failed)
    assert (end.problem.kind, end.problem.fact("reason")) == (ErrorKind.LORA_MISFIT, "some")
    after = engine.run(job("after", model=str(base)))
    assert after.loaded == ()
    assert pixels(before) == pixels(after)


def test_the_wrong_base_is_refused_before_anything_is_loaded(engine, job, base, cases):
    end = engine.run(job(model=str(base), loras=(Lora(str(cases / "C150-flux-lora.safetensors")),)))
    assert isinstance(end, Failed)
    assert (end.problem.fact("made"), end.problem.fact("model")) == ("Flux.1", "base")
    assert not [event for event in engine.events if isinstance(event, Progress) and event.part]


def pixels(end: Finished) -> bytes:
    with Image.open(end.files[0]) as picture:
        return picture.tobytes()

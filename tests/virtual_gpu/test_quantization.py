"""int8 and fp8 weights by torchao on the virtual GPU: the bits of the CPU, half the bytes, in each mode that can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_models
from vgpu_engine import Outcome, VirtualEngine, difference

from app.core.errors import ErrorKind
from app.core.messages import Failed, Finished
from app.core.plan import GroupOptions, OffloadMode, Quantization, Spread, Storage

KINDS = (Quantization.TORCHAO_INT8, Quantization.TORCHAO_FP8)
STREAM = GroupOptions(stream=True, non_blocking=True)
MODES: dict[str, dict[str, Any]] = {
    "none": {},
    "model": {"offload": OffloadMode.MODEL},
    "sequential": {"offload": OffloadMode.SEQUENTIAL},
    "group_leaf": {"offload": OffloadMode.GROUP_LEAF},
    "group_leaf, stream": {"offload": OffloadMode.GROUP_LEAF, "group": STREAM},
    "map with cpu": {"spread": Spread.CUSTOM, "device_map": (("transformer.transformer_blocks", "cpu"),)},
    "map over two": {"spread": Spread.CUSTOM, "device_map": (("transformer.transformer_blocks", "vgpu:1"),)},
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualEngine]:
    """A Flux of random weights: three quarters of its numbers stand in the denoiser's linear layers."""
    folder: Path = tiny_models.save("flux", tmp_path_factory.mktemp("model") / "flux")
    with VirtualEngine(folder) as engine:
        yield engine


@pytest.fixture(scope="module")
def plain(engine: VirtualEngine) -> Outcome:
    """Nothing packed, everything on the device."""
    return run(engine)


@pytest.fixture(scope="module", params=KINDS)
def packed(request: pytest.FixtureRequest, engine: VirtualEngine) -> tuple[Quantization, Outcome]:
    """A way of packing, and what the CPU makes with it."""
    return request.param, run(engine, device="cpu", **packing(request.param))


def packing(kind: Quantization) -> dict[str, Any]:
    """What a plan says of packing its denoiser."""
    return {"quantization": kind, "quantized_components": ("transformer",)}


def run(engine: VirtualEngine, **changes: Any) -> Outcome:
    """One small picture with nothing loaded before."""
    engine.unload()
    plan = engine.plan(**{"device": "vgpu:0", **changes})
    return engine.run(plan, engine.request(width=64, height=64, steps=2))


@pytest.mark.parametrize("mode", MODES)
def test_a_packed_denoiser_gives_the_cpus_bits_and_takes_less(
    engine: VirtualEngine, plain: Outcome, packed: tuple[Quantization, Outcome], mode: str
) -> None:
    kind, reference = packed
    found = run(engine, **packing(kind), **MODES[mode])
    assert isinstance(found.end, Finished), found.end
    assert difference(found.frames, reference.frames)[0] == 0
    assert found.devices[0]["peak"] < plain.devices[0]["peak"]
    if mode == "none":
        saved = plain.devices[0]["h2d_bytes"] - found.devices[0]["h2d_bytes"]
        assert saved > 0.6 * 4 * transformer_numbers(engine)  # of four bytes a number one is left
    engine.unload()
    assert [stats["live"] for stats in engine.stats()] == [0, 0]


def transformer_numbers(engine: VirtualEngine) -> int:
    """The denoiser's size."""
    return next(part.numbers for part in engine.info.components if part.name == "transformer")


def test_packing_changes_the_picture_but_little(plain: Outcome, packed: tuple[Quantization, Outcome]) -> None:
    worst, mean = difference(packed[1].frames, plain.frames)
    assert worst > 0
    assert mean < 2


def test_a_text_encoder_can_be_packed_too(engine: VirtualEngine, plain: Outcome) -> None:
    both = {**packing(KINDS[0]), "quantized_components": ("transformer", "text_encoder_2")}
    found = run(engine, **both, offload=OffloadMode.MODEL)
    one = run(engine, **packing(KINDS[0]), offload=OffloadMode.MODEL)
    assert isinstance(found.end, Finished), found.end
    assert found.devices[0]["h2d_bytes"] < one.devices[0]["h2d_bytes"]


REFUSED: dict[str, dict[str, Any]] = {
    "disk": {"offload": OffloadMode.GROUP_LEAF, "group": GroupOptions(disk_folder="auto")},
    "map with disk": {"spread": Spread.CUSTOM, "device_map": (("transformer", "disk"),)},
    "split": {"spread": Spread.AUTO},
    "fp8 storage": {"storage": Storage.FP8_E4M3, "storage_components": ("transformer",)},
    "a decoder": {"quantized_components": ("vae",)},
    "bitsandbytes": {"quantization": Quantization.BNB_NF4},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_packed_weights_cannot_do_is_refused(engine: VirtualEngine, what: str) -> None:
    found = run(engine, **{**packing(KINDS[0]), **REFUSED[what]})
    assert isinstance(found.end, Failed)
    assert found.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert found.devices[0]["h2d_bytes"] == 0


def test_compiled_blocks_compute_with_packed_weights(engine: VirtualEngine) -> None:
    reference = run(engine, **packing(KINDS[0]))
    found = run(engine, **packing(KINDS[0]), compile=True)
    assert isinstance(found.end, Finished), found.end
    assert difference(found.frames, reference.frames)[0] <= 2


def test_d4_a_packing_that_is_asked_for_acts_on_every_component_that_is_named(engine: VirtualEngine) -> None:
    """diffusers leaves a component that it is handed as an object as it was; here the bytes say that it is packed."""
    plan = engine.plan(**packing(KINDS[0]))
    engine.unload()
    first = engine.run(plan, engine.request(width=64, height=64, steps=2))
    engine.run(replace(plan, quantization=Quantization.NONE), engine.request(width=64, height=64, steps=2))
    again = engine.run(plan, engine.request(width=64, height=64, steps=2))
    assert again.devices[0]["h2d_bytes"] <= first.devices[0]["h2d_bytes"]
    assert difference(first.frames, again.frames)[0] == 0

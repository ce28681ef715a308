"""Denoisers out of GGUF files on the virtual GPU: the bits of the CPU, fewer bytes, and where they do not go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf_files
import pytest
import tiny_models
from local_engine import LocalEngine
from safetensors.torch import load_file
from vgpu_engine import Outcome, difference

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.messages import Failed, Finished
from app.core.model_file import read_model
from app.core.plan import GroupOptions, OffloadMode, Quantization, Spread
from app.families import all_families

MODES: dict[str, dict[str, Any]] = {
    "none": {},
    "model": {"offload": OffloadMode.MODEL},
    "group_leaf": {"offload": OffloadMode.GROUP_LEAF},
    "group_leaf, stream": {
        "offload": OffloadMode.GROUP_LEAF, "group": GroupOptions(stream=True, non_blocking=True),
    },
}  # fmt: skip
REFUSED: dict[str, dict[str, Any]] = {
    "sequential": {"offload": OffloadMode.SEQUENTIAL},
    "disk": {"offload": OffloadMode.GROUP_LEAF, "group": GroupOptions(disk_folder="auto")},
    "split": {"spread": Spread.AUTO},
    "another packing": {"quantization": Quantization.TORCHAO_INT8},
    "none": {"quantization": Quantization.NONE},
}
PACKED = {"quantization": Quantization.GGUF, "quantized_components": ("transformer",)}


@dataclass
class Bench:
    """A family's model with its transformer as a GGUF file, and what its unpacked self takes on the device."""

    engine: LocalEngine
    plain: int
    reference: Outcome

    def run(self, **changes: Any) -> Outcome:
        """One small job with nothing loaded before."""
        return run(self.engine, **{**PACKED, **changes})


def run(engine: LocalEngine, **changes: Any) -> Outcome:
    engine.unload()
    plan = engine.plan(**{"device": "vgpu:0", **changes})
    return engine.run(plan, engine.request(width=64, height=64, steps=2))


def with_gguf(kind: str, folder: Path, packing: str) -> Path:
    """A model's folder whose transformer is a GGUF file; Wan's has its makers' names."""
    (weights,) = (folder / "transformer").glob("*.safetensors")
    tensors = load_file(weights)
    weights.unlink()
    names = gguf_files.wan_names(tensors) if kind == "wan" else tensors
    gguf_files.write(names, folder / "transformer" / f"{kind}-{packing}.gguf", packing)
    return folder


@pytest.fixture(scope="module", params=[("flux", "Q8_0"), ("wan", "Q4_0")], ids=lambda param: "-".join(param))
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Each family that can, in one packing."""
    kind, packing = request.param
    folder = tiny_models.save(kind, tmp_path_factory.mktemp("model") / kind)
    (weights,) = (folder / "transformer").glob("*.safetensors")
    plain = weights.stat().st_size
    with LocalEngine(with_gguf(kind, folder, packing)) as engine:
        yield Bench(engine, plain, run(engine, device="cpu", **PACKED))


@pytest.mark.parametrize("mode", MODES)
def test_a_gguf_gives_the_cpus_bits_and_moves_its_own_bytes(bench: Bench, mode: str) -> None:
    found = bench.run(**MODES[mode])
    assert isinstance(found.end, Finished), found.end
    assert difference(found.frames, bench.reference.frames)[0] == 0
    if mode == "model":  # each component goes there once
        sizes = {part.name: 4 * part.numbers for part in bench.engine.info.components}
        sizes["transformer"] = next(part.disk for part in bench.engine.info.components if part.packed)
        assert sizes["transformer"] < 0.5 * bench.plain
        assert found.devices[0]["h2d_bytes"] <= 1.1 * sum(sizes.values())


@pytest.mark.parametrize("what", REFUSED)
def test_where_a_gguf_cannot_go_is_refused(bench: Bench, what: str) -> None:
    found = bench.run(**REFUSED[what])
    assert isinstance(found.end, Failed)
    assert found.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert found.devices[0]["h2d_bytes"] == 0


def test_d19_a_gguf_computes_in_the_plans_format(tmp_path: Path) -> None:
    import torch

    from app.core.plan import Dtype, Plan
    from app.engine.loader import load_part

    folder = with_gguf("flux", tiny_models.save("flux", tmp_path / "flux"), "Q8_0")
    family = all_families()["flux"]
    part = family.component("transformer")
    plan = Plan(family="flux", device="cpu", dtype=Dtype.BFLOAT16, **PACKED)
    model = load_part(read_model(folder, all_families()), part, plan, family)
    assert {layer.compute_dtype for layer in model.modules() if hasattr(layer, "compute_dtype")} == {
        torch.bfloat16
    }
    assert {weight.dtype for weight in model.parameters()} == {torch.uint8, torch.bfloat16}


def test_a_gguf_beside_its_other_parts_is_a_model(tmp_path: Path) -> None:
    folder = with_gguf("flux", tiny_models.save("flux", tmp_path / "my.config"), "Q8_0")
    (folder / "transformer" / "flux-Q8_0.gguf").rename(tmp_path / "my.gguf")
    info = read_model(tmp_path / "my.gguf", all_families())
    assert (info.family, info.name, info.path) == ("flux", "my", tmp_path / "my.gguf")
    with LocalEngine(tmp_path / "my.gguf") as engine:
        assert isinstance(run(engine, **PACKED).end, Finished)


def test_a_family_that_takes_no_gguf_says_so(tmp_path: Path) -> None:
    folder = with_gguf("cogvideox", tiny_models.save("cogvideox", tmp_path / "cog"), "Q8_0")
    with pytest.raises(AppError) as caught:
        read_model(folder, all_families())
    assert "CogVideoX cannot take its weights from a GGUF file" in str(sentence(caught.value.problem))

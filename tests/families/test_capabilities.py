"""What each component declares to be able to do is what its class can do, no more and no less, tried on tiny models."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tiny_models
import torch
from diffusers.hooks import apply_layerwise_casting
from diffusers.loaders.single_file_model import SINGLE_FILE_LOADABLE_CLASSES
from diffusers.models.attention_dispatch import _AttentionBackendRegistry
from family_call import call
from transformers import CLIPVisionConfig

from app.core.family import Can, Component, Family
from app.core.request import GenerationRequest, Task
from app.families import all_families

pytestmark = pytest.mark.filterwarnings(
    # diffusers' schedulers call np.array() on tensors; torch 2.13 has no copy keyword yet
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
FAMILIES = all_families()
PARTS = [(family, part) for family in FAMILIES.values() for part in family.components if part.weights]
IDS = [f"{family.id}-{part.name}" for family, part in PARTS]
OPTIONS: dict[str, dict[str, Any]] = {"wan": {"two_transformers": True}}


@pytest.fixture
def attention_restored() -> Iterator[None]:
    """Setting a backend on one model changes the process, and no reset takes that back."""
    before = _AttentionBackendRegistry.get_active_backend()[0]
    yield
    _AttentionBackendRegistry.set_active_backend(before)


def instance(family: Family, part: Component) -> torch.nn.Module:
    """The component of the family's tiny pipeline."""
    found = getattr(tiny_models.BUILDERS[family.id](**OPTIONS.get(family.id, {})), part.name, None)
    if found is None:
        assert part.role == "image_encoder"
        import transformers

        # small patches: the convolution that cuts them is next to nothing, as in the real ones
        config = CLIPVisionConfig(
            hidden_size=64, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4, image_size=16,
            patch_size=4,
        )  # fmt: skip
        found = getattr(transformers, family.classes[part.name][0])(config)
    assert type(found).__name__ in family.classes[part.name]
    return found


def flag_works(model: torch.nn.Module, name: str) -> bool:
    """Whether ``enable_NAME`` exists, raises nothing, and its flag is read somewhere in the class (D9: not in all)."""
    try:
        getattr(model, f"enable_{name}")()
    except (AttributeError, NotImplementedError):
        return False
    source = "".join(inspect.getsource(cls) for cls in type(model).__mro__ if "diffusers" in cls.__module__)
    return bool(re.search(rf"self\.use_{name}(?!\s*=[^=])", source))


def backends_set(model: torch.nn.Module) -> int:
    """How many of its attention layers follow ``set_attention_backend`` (D5: in some classes none)."""
    if not hasattr(model, "set_attention_backend"):
        return 0
    model.set_attention_backend("_native_math")
    processors = (getattr(module, "processor", None) for module in model.modules())
    return sum(getattr(processor, "_attention_backend", None) is not None for processor in processors)


def finds_blocks(model: torch.nn.Module) -> bool:
    """Whether group offloading finds blocks: lists at the top, or in what the class names (D3, D26)."""
    lists = (torch.nn.ModuleList, torch.nn.Sequential)
    named = getattr(model, "_group_offload_block_modules", None)
    return bool(named) or any(isinstance(child, lists) and len(child) for child in model.children())


def shares_no_leaf_weight(model: torch.nn.Module) -> bool:
    """Whether no two leaf modules hold the same tensor (D1)."""
    leaves = [module for module in model.modules() if not list(module.children())]
    weights = [id(weight) for leaf in leaves for weight in leaf.parameters(recurse=False)]
    return len(weights) == len(set(weights))


def linear_share(model: torch.nn.Module) -> float:
    """How much of it lies in linear layers: all that a GGUF file's packed weights can stand for."""
    layers = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
    return sum(layer.weight.numel() for layer in layers) / sum(
        weight.numel() for weight in model.parameters()
    )


def share_of_2d(model: torch.nn.Module) -> float:
    """How much of it the channels-last order concerns (D22: often next to nothing)."""
    sizes = [(weight.numel(), weight.ndim == 4) for weight in model.parameters()]
    return sum(size for size, is_2d in sizes if is_2d) / sum(size for size, _ in sizes)


@pytest.mark.parametrize(("family", "part"), PARTS, ids=IDS)
@pytest.mark.usefixtures("attention_restored")
def test_a_component_can_do_what_it_declares(family: Family, part: Component):
    model = instance(family, part)
    able = {
        Can.TILE: flag_works(model, "tiling"),
        Can.SLICE: flag_works(model, "slicing"),
        Can.ATTENTION: backends_set(model) > 0,
        Can.COMPILE: bool(getattr(model, "_repeated_blocks", None)),
        Can.BLOCKS: finds_blocks(model),
        Can.SPLIT: bool(getattr(model, "_no_split_modules", None)),
        Can.CONV2D: share_of_2d(model) > 0.1,
        Can.GGUF: type(model).__name__ in SINGLE_FILE_LOADABLE_CLASSES and linear_share(model) > 0.9,
        Can.LEAF_DISK: shares_no_leaf_weight(model),
    }
    assert set(able) == set(Can)
    assert part.can == {can for can, is_able in able.items() if is_able}


def cast(pipe: Any, part: Component) -> float:
    """Puts a component's weights into fp8 and gives the share of its numbers that are."""
    model = getattr(pipe, part.name)
    apply_layerwise_casting(model, torch.float8_e4m3fn, torch.float32, skip_modules_pattern=part.fp8_skip)
    sizes = [(weight.numel(), weight.dtype is torch.float8_e4m3fn) for weight in model.parameters()]
    return sum(size for size, is_cast in sizes if is_cast) / sum(size for size, _ in sizes)


STORED = [(family, part) for family, part in PARTS if part.fp8]


def run(family: Family, pipe: Any) -> Any:
    """What the family makes of a prompt in two steps."""
    clips = family.id in ("cogvideox", "wan")
    request = GenerationRequest(
        model="", prompt="a red cat", width=64, height=64, steps=2, guidance=3.0, seed=1, frames=9 if clips else 1,
        task=Task.TEXT_TO_VIDEO if clips else Task.TEXT_TO_IMAGE,
    )  # fmt: skip
    return call(family, pipe, request, sequence_length=16).picture


@pytest.mark.parametrize(("family", "part"), STORED, ids=[f"{f.id}-{p.name}" for f, p in STORED])
def test_a_component_with_fp8_storage_computes(family: Family, part: Component):
    pipe = tiny_models.BUILDERS[family.id](**OPTIONS.get(family.id, {}))
    plain = run(family, pipe)
    assert cast(pipe, part) > 0.5
    stored = run(family, pipe)
    assert np.isfinite(stored).all()
    assert 0 < np.abs(stored - plain).max() < 0.5


@pytest.mark.parametrize("name", ["sdxl", "flux"])
def test_clip_with_fp8_storage_fails(name: str):
    """Its users ask for the type of its weights and compute in it. When this fails that is mended: declare fp8 then."""
    parts = [part for part in FAMILIES[name].components if part.role == "text_encoder" and not part.fp8]
    pipe = tiny_models.BUILDERS[name]()
    for part in parts:
        cast(pipe, part)
    with pytest.raises((RuntimeError, NotImplementedError), match="Float8"):
        run(FAMILIES[name], pipe)

"""Published architectures with random weights: built without memory, filled once on the host. Places and runs nothing.

Their configurations stand in the program's catalogue, or in ``configs/`` where the program has none of its own.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tiny_models
import torch
from accelerate import init_empty_weights

from app.core.family import Component, Family, ModelSource
from app.core.headers import Tensor
from app.core.model_file import ModelInfo
from app.core.parts import ComponentInfo, measured
from app.core.request import GenerationRequest
from app.families import all_families

HERE = Path(__file__).resolve().parent
CATALOGUE = HERE.parents[1] / "resources" / "catalogue"
HOMES = {
    "sdxl": CATALOGUE / "sdxl-base",
    "flux": CATALOGUE / "flux-dev",
    "cogvideox-5b": HERE / "configs" / "cogvideox-5b.json",
}
"""Model → a folder of configurations, or one file with all of them."""
DTYPE = torch.bfloat16
CHUNK = 1 << 24
"""Random numbers that are drawn once; larger weights repeat them, since drawing twelve billion takes minutes."""


@dataclass(frozen=True)
class Model:
    """One model: what a planner reads of it, and its components, on the meta device till they are filled."""

    family: Family
    info: ModelInfo
    parts: dict[str, Any]

    @property
    def networks(self) -> dict[str, torch.nn.Module]:
        """The components with weights."""
        return {name: part for name, part in self.parts.items() if isinstance(part, torch.nn.Module)}

    def of_role(self, role: str) -> Any:
        """The one component of a role."""
        return self.parts[next(part.name for part in self.info.components if part.role == role)]

    def renew(self) -> None:
        """Makes anew what a run has left in another format: fp8 storage cannot be taken off again."""
        changed = [
            name
            for name, network in self.networks.items()
            if any(weight.dtype is not DTYPE for weight in network.parameters())
        ]
        for name in changed:
            del self.parts[name]  # first: both would not fit
            self.parts[name] = _built(self.info.configs["model_index"][name], self.info.configs[name])
            _fill_network(self.parts[name], _noise())

    def pipe(self, request: GenerationRequest) -> Any:
        """A new pipeline around the components: nothing of an earlier run's lies in it."""
        return self.family.build(self.parts, request.task)

    def request(self, steps: int) -> GenerationRequest:
        """One picture or clip of the model's own size."""
        limits = self.info.limits
        return GenerationRequest(
            model=self.info.name, prompt="a red cat on a blue sofa", width=limits.width, height=limits.height,
            steps=steps, guidance=limits.guidance, seed=1, frames=limits.frames, fps=limits.fps,
            task=limits.tasks[0],
        )  # fmt: skip


def published(name: str) -> Model:
    """A model of full size on the meta device."""
    return from_configs(name, read_configs(HOMES[name]))


def read_configs(home: Path) -> dict[str, dict[str, Any]]:
    """Component → its configuration, of a folder as models have it or of one file with all of them."""
    if home.is_file():
        return dict(json.loads(home.read_text(encoding="utf-8")))
    files = {"model_index": home / "model_index.json"}
    files |= {file.parent.name: file for file in sorted(home.glob("*/*config.json"))}
    return {part: json.loads(file.read_text(encoding="utf-8")) for part, file in files.items()}


def from_configs(name: str, configs: Mapping[str, Mapping[str, Any]]) -> Model:
    """The model that these configurations describe, ``model_index`` among them."""
    index = configs["model_index"]
    kinds = {pipeline: family for family in all_families().values() for pipeline in family.pipelines}
    family = kinds[index["_class_name"]]
    parts = {part.name: _built(index[part.name], configs.get(part.name, {})) for part in family.components}
    return Model(family, _info(name, family, configs, parts), parts)


def _info(
    name: str, family: Family, configs: Mapping[str, Mapping[str, Any]], parts: Mapping[str, Any]
) -> ModelInfo:
    return ModelInfo(
        path=Path(name), name=name, family=family.id, source=ModelSource(path=Path(name)),
        components=tuple(_component(part, parts[part.name]) for part in family.components),
        limits=family.limits(configs), configs=configs,
    )  # fmt: skip


def _component(part: Component, built: Any) -> ComponentInfo:
    weights = built.named_parameters() if isinstance(built, torch.nn.Module) else ()
    tensors = {
        name: Tensor("BF16", tuple(weight.shape), weight.numel() * DTYPE.itemsize) for name, weight in weights
    }
    return measured(part, type(built).__name__, tensors)


def _built(entry: tuple[str, str], config: Mapping[str, Any]) -> Any:
    """One component without memory. Tokenizers are small ones of another vocabulary: what is read does not matter."""
    library, name = entry
    if "Tokenizer" in name:
        return tiny_models.clip_tokenizer() if "CLIP" in name else tiny_models.t5_tokenizer()
    kind = getattr(importlib.import_module(library), name)
    if not issubclass(kind, torch.nn.Module):
        return kind.from_config(dict(config))
    with init_empty_weights(include_buffers=False):
        ours = library == "diffusers"
        network = kind.from_config(dict(config)) if ours else kind(kind.config_class(**config))
    if library == "transformers":
        network.tie_weights()  # they were parted when they were moved to the meta device one by one
    return network.eval().requires_grad_(False)


def fill(model: Model) -> None:
    """Gives every weight memory on the host, in its final format at once, and random numbers."""
    noise = _noise()
    for network in model.networks.values():
        _fill_network(network, noise)


def _noise() -> torch.Tensor:
    return torch.randn(CHUNK, generator=torch.Generator().manual_seed(0)).to(DTYPE)


def _fill_network(network: torch.nn.Module, noise: torch.Tensor) -> None:
    made: dict[torch.Tensor, torch.nn.Parameter] = {}  # weights that two layers share are made once
    for module in network.modules():
        for name, weight in list(module._parameters.items()):
            if weight is None or not weight.is_meta:
                continue
            if weight not in made:
                made[weight] = torch.nn.Parameter(_filled(weight.shape, name, noise), requires_grad=False)
            module._parameters[name] = made[weight]
    network.to(DTYPE)  # what is left are small buffers


def _filled(shape: torch.Size, name: str, noise: torch.Tensor) -> torch.Tensor:
    """Numbers that keep the signal's size from layer to layer: a net that overflows would not do its real work."""
    if len(shape) < 2:
        return torch.ones(shape, dtype=DTYPE) if name == "weight" else torch.zeros(shape, dtype=DTYPE)
    made = torch.empty(shape, dtype=DTYPE)
    flat, size = made.view(-1), (made.numel() // shape[0]) ** -0.5
    for start in range(0, flat.numel(), CHUNK):
        piece = flat[start : start + CHUNK]
        torch.mul(noise[: piece.numel()], size, out=piece)
    return made

"""What a model family must declare: data on top, and callables that import torch only when called.

The contract test runs over every Family; nothing about a family stands outside its own file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from app.core.plan import OffloadMode, Plan, Storage
from app.core.request import GenerationRequest, Limits
from app.core.text import Text


class Can(StrEnum):
    """What a component's class is able to do; a contract test holds each against the class itself."""

    TILE = "tile"
    """A VAE that encodes and decodes in tiles."""
    SLICE = "slice"
    ATTENTION = "attention"
    """``set_attention_backend`` reaches its attention layers."""
    COMPILE = "compile"
    """It names its repeated blocks, so these are compiled once."""
    BLOCKS = "blocks"
    """Block-level group offloading finds its blocks."""
    SPLIT = "split"
    """It names what must not be split, so a device map can divide it."""
    CONV2D = "conv2d"
    """A network of 2-D convolutions: the channels-last order means something."""
    LEAF_DISK = "leaf_disk"
    """No two leaf modules share a weight, so each can have a file of its own."""
    GGUF = "gguf"
    """Its weights may come from a GGUF file."""


@dataclass(frozen=True, kw_only=True)
class Media:
    """What a request brings beside its words: Pillow images as the viewer shows them; None or empty if not given."""

    image: Any = None
    mask: Any = None
    video: tuple[Any, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Component:
    """One part of a pipeline, by its name in ``model_index.json``."""

    name: str
    role: str
    """``denoiser``, ``text_encoder``, ``image_encoder``, ``vae``, ``tokenizer``, ``processor`` or ``scheduler``."""
    label: Text
    can: frozenset[Can] = frozenset()
    weights: bool = True
    required: bool = True
    absent_if: str = ""
    """A key of ``model_index.json``: where it is true, a model may lack this required component."""
    precise: bool = False
    """Kept and run in float32 whatever the plan's format: its results suffer otherwise."""
    fp8: bool = False
    """Whether fp8 storage is known to work on it."""
    fp8_skip: tuple[str, ...] = ("pos_embed", "patch_embed", "norm", "^proj_in$", "^proj_out$")
    """Regular expressions of module names that fp8 storage leaves alone (diffusers' own defaults)."""

    def is_remote(self, plan: Plan) -> bool:
        """Whether a server does its work, so that it is neither loaded nor placed."""
        return self.role == "vae" and bool(plan.vae_endpoint)


@dataclass(frozen=True, kw_only=True)
class HeaderSignature:
    """How a single-file checkpoint of the family is known from its header: keys that must and must not be there."""

    all_of: tuple[str, ...]
    none_of: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    """Key → shape, None for any size."""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Component name → the prefix that its keys have in the file; a component without keys is a missing part."""
    config: str = ""
    """Folder below ``resources/`` with the configuration of this kind of file; empty: the family's."""


@dataclass(frozen=True, kw_only=True)
class LoraKeys:
    """One way in which LoRA files name the layers of a component; the library must be able to load every one."""

    component: str
    prefix: str
    layers: str
    """Regular expression of layers' names behind the prefix, whole."""
    flat: bool = False
    """Names have underscores where the model's modules have dots."""
    foreign: bool = False
    """Names are those of the model's first publication, which the library translates: only widths can be compared."""
    alphas: bool = True
    """Whether the library takes the files' ``alpha`` numbers of such names; else they are multiplied in here."""
    extra: str = ""
    """Regular expression of what else the library takes behind a layer's name."""


@dataclass(frozen=True, kw_only=True)
class LoraMark:
    """By what a LoRA file is known to be made for a base model: a layer's name and its width. For words only."""

    name: str
    layer: str
    """Regular expression found in the layer's name."""
    width: int | None = None
    """What the layer reads; None: any."""


class StepReport(Protocol):
    """What ``Family.denoise`` calls after each step."""

    def __call__(self, step: int, latents: Any) -> None:
        """``step`` counts from 1; ``latents`` a torch tensor (1, C, h, w), unpacked; of a clip its middle frame."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """One model family. The callables get and give torch objects, typed Any since this module knows no torch."""

    id: str
    name: str
    pipelines: tuple[str, ...]
    """Pipeline class names in ``model_index.json`` that this family runs."""
    classes: Mapping[str, tuple[str, ...]]
    """Component name → class names it may have in ``model_index.json``."""
    components: tuple[Component, ...]
    signatures: tuple[HeaderSignature, ...] = ()
    single_file_config: str = ""
    """Folder below ``resources/`` with the configuration for single-file checkpoints; empty: none can be read."""
    offloads: tuple[OffloadMode, ...] = tuple(OffloadMode)
    storages: tuple[Storage, ...] = tuple(Storage)
    limits: Callable[[Mapping[str, Mapping[str, Any]]], Limits]
    """Component name → its configuration (``scheduler`` and ``tokenizer`` too, and ``model_index``) to what may be
    asked."""
    build: Callable[[Mapping[str, Any], str], Any]
    """Loaded components (and ``model_index.json``'s own settings, its ``_class_name`` too) and task → the pipeline."""
    tokens: Callable[[Any, str, Plan], Sequence[str]]
    """Pipeline, prompt and plan (for its sequence length) → the words at the prompt's end that its encoders will not
    read, empty if all are."""
    encode: Callable[[Any, GenerationRequest, Plan, Media], Mapping[str, Any]]
    """Pipeline → prompt (and picture) embeddings, as keyword arguments of the pipeline."""
    denoise: Callable[[Any, GenerationRequest, int, Mapping[str, Any], Media, StepReport], Any]
    """Pipeline, request, picture index, embeddings, media, report → final latents."""
    decode: Callable[[Any, GenerationRequest, Any], Any]
    """Pipeline, request and latents → float32 numpy array in 0 … 1, not yet checked for NaN: (height, width, 3) of a
    picture, (frames, height, width, 3) of a clip."""
    lora_keys: tuple[LoraKeys, ...] = ()
    """What may carry LoRA layers, and how files name them; the first that matches counts. Empty: nothing may."""
    lora_marks: tuple[LoraMark, ...] = ()
    """The most special first; they may name models that this program does not run."""
    lora_calls: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Component → what the pipeline's ``load_lora_weights`` is told to reach it, where that needs a call of its own."""
    latent_rgb: tuple[tuple[float, ...], ...] = ()
    """Rows of a linear map from latents (plus a last row, the bias) to RGB in −1 … 1, for previews."""

    def component(self, name: str) -> Component | None:
        """The declaration of one component."""
        return next((part for part in self.components if part.name == name), None)


@dataclass(frozen=True, kw_only=True)
class ModelSource:
    """Where the loader finds a model: a diffusers folder, or a single file with a configuration folder."""

    path: Path
    config: Path | None = None
    """For a single file: the folder with ``model_index.json`` and the components' configurations."""

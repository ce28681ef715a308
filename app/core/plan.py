"""What will run, as data: a frozen, comparable Plan with the resolved value of every field that acts at run time.

The engine reads plans and never settings. This module decides nothing: ``planner`` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from app.core.text import Text

SPLIT_SHARE = 0.75
"""Part of each device's room that weights fill of a denoiser that is split over several: the rest is to work in."""
AUTO_FOLDER = "auto"
"""A disk folder that the engine chooses: its own for what lasts only as long as a model is loaded."""


class OffloadMode(StrEnum):
    """Where weights wait while they are not needed."""

    NONE = "none"
    MODEL = "model"
    SEQUENTIAL = "sequential"
    GROUP_BLOCK = "group_block"
    GROUP_LEAF = "group_leaf"
    PARTIAL = "partial"

    @property
    def is_group(self) -> bool:
        """Whether diffusers' group offloading does it."""
        return self in (OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF)


class Spread(StrEnum):
    """How one model lies on several devices."""

    SINGLE = "single"
    BALANCED = "balanced"
    """Whole components, each on one device."""
    AUTO = "auto"
    """The denoiser split layer by layer over the devices as they have room, the rest whole."""
    CUSTOM = "custom"


class Quantization(StrEnum):
    """How the denoiser's weights are packed; they are unpacked layer by layer to compute."""

    NONE = "none"
    BNB_8BIT = "bnb_8bit"
    BNB_NF4 = "bnb_nf4"
    TORCHAO_INT8 = "torchao_int8"
    TORCHAO_FP8 = "torchao_fp8"
    GGUF = "gguf"
    """As the component's file has it: never asked for, and never to be had otherwise."""


class Storage(StrEnum):
    """In what format weights are kept between uses; they compute in the plan's dtype."""

    NONE = "none"
    FP8_E4M3 = "fp8_e4m3"
    FP8_E5M2 = "fp8_e5m2"


class Dtype(StrEnum):
    """The compute format."""

    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    FLOAT32 = "float32"

    @property
    def size(self) -> int:
        """Bytes per number."""
        return 4 if self is Dtype.FLOAT32 else 2


@dataclass(frozen=True, kw_only=True)
class GroupOptions:
    """How group offloading moves its groups; each is resolved, none is ``auto``."""

    blocks: int = 1
    """Blocks per group, at block level."""
    stream: bool = False
    record_stream: bool = False
    low_cpu_mem: bool = False
    """Pin host memory as it is needed, not all of it beforehand; acts with streams only."""
    non_blocking: bool = False
    disk_folder: str = ""
    """Groups wait in files below this folder; empty: in main memory."""


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where and how one component lies: the general fields of a plan, or its own where they differ."""

    component: str
    device: str
    offload: OffloadMode
    storage: Storage = Storage.NONE
    quantization: Quantization = Quantization.NONE


@dataclass(frozen=True)
class Estimate:
    """Bytes that a plan needs on its device, by part of the plan bar; ``work`` None means not estimated yet."""

    device: str = ""
    """Of a model on several devices the one that gets fullest."""
    resident: int = 0
    """Weights on the device at the worst moment."""
    streamed: int = 0
    """Weights that wait in host memory and come as they are needed."""
    reserve: int = 0
    budget: int = 0
    """What this program may take: min(limit, free − reserve)."""
    work: int | None = None
    host: int = 0
    """Weights held in host RAM."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One way to run a request. Lossy fields: dtype, storage, quantization, vae_tiling."""

    family: str
    device: str
    dtype: Dtype
    offload: OffloadMode = OffloadMode.NONE
    storage: Storage = Storage.NONE
    storage_components: tuple[str, ...] = ()
    """The components whose weights ``storage`` covers."""
    skip_modules: tuple[str, ...] = ()
    """Regular expressions of module names that fp8 storage leaves alone, beside the component's own."""
    skip_classes: tuple[str, ...] = ()
    """Names of module classes that fp8 storage leaves alone."""
    quantization: Quantization = Quantization.NONE
    quantized_components: tuple[str, ...] = ()
    adapted_components: tuple[str, ...] = ()
    """The components that carry LoRA layers, which stay in the compute format."""
    group: GroupOptions = GroupOptions()
    """Acts where a component's offload is one of the group modes."""
    spread: Spread = Spread.SINGLE
    device_map: tuple[tuple[str, str], ...] = ()
    """Of a custom spread: component (or ``component.module``) → device, ``cpu`` or ``disk``."""
    limits: tuple[tuple[str, int], ...] = ()
    """Bytes this program may hold on each device that is used (``cpu``: host RAM for weights of a spread model)."""
    overrides: tuple[Placement, ...] = ()
    """The components that do not lie as the general fields say."""
    vae_tiling: bool = False
    vae_tile_size: int = 0
    """Pixels a side of one tile; 0 when not tiled."""
    vae_tile_overlap: float = 0.25
    """Part of a tile that its neighbour covers too."""
    vae_slicing: bool = False
    vae_endpoint: str = ""
    """Address of a server that decodes (and encodes) in place of the VAE here; only ever what a person typed."""
    attention: str = "default"
    channels_last: bool = False
    compile: bool = False
    sequence_length: int = 0
    """Tokens that the long text encoder is given, padded; 0: the pipeline's own."""
    keep_loaded: float = 10.0
    """Minutes the model stays loaded after a job."""
    memory_limit: int | None = None
    """Bytes this program may hold on the device, enforced where the device can; None: no limit."""
    reserve: int = 0
    estimate: Estimate = Estimate()
    reasons: tuple[Text, ...] = ()
    """Why the planner chose so, and what the settings asked for in vain."""
    settings_json: str = "{}"
    """The person's settings, opaque here, for the file's metadata."""

    def placement(self, component: str) -> Placement:
        """Where and how one component lies."""
        for found in self.overrides:
            if found.component == component:
                return found
        return Placement(
            component=component,
            device=self.device,
            offload=self.offload,
            storage=self.storage if component in self.storage_components else Storage.NONE,
            quantization=self.quantization if component in self.quantized_components else Quantization.NONE,
        )

    @property
    def is_still(self) -> bool:
        """Whether all weights stay where they lie while a job runs."""
        away = {"cpu", "disk"} & {place for _, place in self.device_map}
        modes = {self.offload, *(part.offload for part in self.overrides)}
        return modes == {OffloadMode.NONE} and not away and self.spread is not Spread.AUTO

    @property
    def devices(self) -> tuple[str, ...]:
        """Every device that the plan uses, the main one first."""
        named = [
            self.device,
            *(part.device for part in self.overrides),
            *(place for _, place in self.device_map),
        ]
        named += [device for device, _ in self.limits]
        return tuple(dict.fromkeys(device for device in named if device != "disk"))


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The plan as JSON-able data; reasons as English sentences."""
    data = asdict(plan)
    data["reasons"] = [str(reason) for reason in plan.reasons]
    return data


def plan_from_json(data: Mapping[str, Any]) -> Plan:
    """A plan from :func:`plan_to_json`'s data (its reasons are left out: they were said when it was made).

    Raises KeyError, TypeError or ValueError for data that is not a plan.
    """
    known = {field.name for field in fields(Plan)}
    values = {key: value for key, value in data.items() if key in known and key != "reasons"}
    values["dtype"] = Dtype(values["dtype"])
    for key, kind in _ENUMS.items():
        if key in values:
            values[key] = kind(values[key])
    for key in (
        "storage_components",
        "skip_modules",
        "skip_classes",
        "quantized_components",
        "adapted_components",
    ):
        values[key] = tuple(values.get(key, ()))
    for key in ("device_map", "limits"):
        values[key] = tuple((str(name), value) for name, value in values.get(key, ()))
    values["group"] = GroupOptions(**values.get("group", {}))
    values["overrides"] = tuple(_placement_from_json(part) for part in values.get("overrides", ()))
    values["estimate"] = Estimate(**values.get("estimate", {}))
    return Plan(**values)


_ENUMS: dict[str, type[StrEnum]] = {
    "offload": OffloadMode,
    "storage": Storage,
    "quantization": Quantization,
    "spread": Spread,
}


def _placement_from_json(data: Mapping[str, Any]) -> Placement:
    return Placement(
        component=str(data["component"]),
        device=str(data["device"]),
        offload=OffloadMode(data["offload"]),
        storage=Storage(data["storage"]),
        quantization=Quantization(data["quantization"]),
    )

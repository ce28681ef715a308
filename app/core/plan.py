"""What will run, as data: a frozen, comparable Plan with the resolved value of every field that acts at run time.

The engine reads plans and never settings. This module decides nothing: ``planner`` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any

from app.core.text import Text


class OffloadMode(StrEnum):
    """Where weights wait while they are not needed."""

    NONE = "none"
    MODEL = "model"
    SEQUENTIAL = "sequential"


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


@dataclass(frozen=True)
class Estimate:
    """Bytes that a plan needs on its device, by part of the plan bar; ``work`` None means not estimated yet."""

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
    """One way to run a request. Lossy fields: dtype, storage, vae_tiling."""

    family: str
    device: str
    dtype: Dtype
    offload: OffloadMode = OffloadMode.NONE
    storage: Storage = Storage.NONE
    storage_components: tuple[str, ...] = ()
    """The components whose weights ``storage`` covers."""
    vae_tiling: bool = False
    vae_tile_size: int = 0
    """Pixels a side of one tile; 0 when not tiled."""
    vae_slicing: bool = False
    attention: str = "default"
    channels_last: bool = False
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
    values["dtype"], values["offload"] = Dtype(values["dtype"]), OffloadMode(values["offload"])
    values["storage"] = Storage(values["storage"])
    values["storage_components"] = tuple(values.get("storage_components", ()))
    values["estimate"] = Estimate(**values.get("estimate", {}))
    return Plan(**values)

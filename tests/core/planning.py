"""Models and machines as data, for planner tests: sizes of real SDXL and of a tiny model, and usual cards."""

from __future__ import annotations

from pathlib import Path

from app.core.family import ModelSource
from app.core.hardware import DeviceSheet, Hardware
from app.core.model_file import ComponentInfo, ModelInfo
from app.core.request import GenerationRequest, Limits
from app.core.text import Text
from app.core.units import GIB

# Numbers of weights of SDXL base 1.0's parts, from its published headers.
SDXL_NUMBERS = {
    "text_encoder": 123_060_480,
    "text_encoder_2": 694_659_840,
    "unet": 2_567_463_684,
    "vae": 83_653_863,
}


def model(numbers: dict[str, int], side: int = 1024) -> ModelInfo:
    """An SDXL-like model of those sizes; 99 % of the UNet takes fp8."""
    roles = {"unet": "denoiser", "vae": "vae"}
    parts = tuple(
        ComponentInfo(
            name=name,
            role=roles.get(name, "text_encoder"),
            class_name="",
            label=Text(name),
            numbers=count,
            fp8_numbers=count * 99 // 100 if name == "unet" else 0,
            largest_leaf=count // 40,
        )
        for name, count in numbers.items()
    )
    limits = Limits(width=side, height=side)
    source = ModelSource(path=Path("m"))
    return ModelInfo(
        path=Path("m"), name="m", family="sdxl", source=source, components=parts, limits=limits, configs={}
    )


def card(
    size: float, *, kind: str = "cuda", free: float = 0.93, held: float = 0, index: int = 0
) -> DeviceSheet:
    """A card of ``size`` GiB of which the share ``free`` is free."""
    dtypes = ("float16", "float32") if kind == "mps" else ("bfloat16", "float16", "float32")
    total = int(size * GIB)
    return DeviceSheet(
        id=f"{kind}:{index}", name=f"{size:g} GB card", total=total, free=int(total * free), held=int(held * GIB),
        dtypes=dtypes, shared=kind == "mps",
    )  # fmt: skip


def cpu(total: float = 32, free: float = 20) -> DeviceSheet:
    return DeviceSheet(id="cpu", name="CPU", total=int(total * GIB), free=int(free * GIB))


def machine(*cards: DeviceSheet, ram: float = 32) -> Hardware:
    return Hardware(devices=(*cards, cpu(ram)), ram_total=int(ram * GIB), ram_free=int(20 * GIB))


def request(side: int = 1024, **changes: object) -> GenerationRequest:
    values: dict[str, object] = {
        "model": "m", "prompt": "a cat", "width": side, "height": side, "steps": 30, "guidance": 5.0, "seed": 1,
    }  # fmt: skip
    return GenerationRequest(**(values | changes))  # type: ignore[arg-type]

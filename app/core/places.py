"""Where the parts of a model lie under a plan, in words: for the panel and ``headroom plan``. Decides nothing."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.model_file import ComponentInfo
from app.core.plan import Dtype, OffloadMode, Placement, Plan, Quantization, Spread, Storage
from app.core.text import Text, say

_WHERE = {
    OffloadMode.NONE: say("core", "on {device}"),
    OffloadMode.MODEL: say("core", "in {rest}, whole on {device} while it works"),
    OffloadMode.SEQUENTIAL: say("core", "in {rest}, one layer at a time on {device}"),
    OffloadMode.GROUP_BLOCK: say("core", "in {rest}, in groups of blocks on {device}"),
    OffloadMode.GROUP_LEAF: say("core", "in {rest}, in groups of a layer on {device}"),
    OffloadMode.PARTIAL: say("core", "as much as fits on {device}, the rest in {rest}"),
}
_PACKED = {
    Quantization.BNB_8BIT: "bitsandbytes int8",
    Quantization.BNB_NF4: "bitsandbytes nf4",
    Quantization.TORCHAO_INT8: "torchao int8",
    Quantization.TORCHAO_FP8: "torchao fp8",
    Quantization.GGUF: "GGUF",
}
_STORED = {Storage.FP8_E4M3: "fp8 e4m3", Storage.FP8_E5M2: "fp8 e5m2"}


def places(plan: Plan, parts: Iterable[ComponentInfo]) -> tuple[tuple[str, Text], ...]:
    """(name, where and in what format) of every part with weights; a custom map's own lines follow their part."""
    found: list[tuple[str, Text]] = []
    for part in parts:
        if not part.numbers:
            continue
        found.append((part.name, _place(plan, part)))
        if plan.spread is Spread.CUSTOM:
            inner = [(name, device) for name, device in plan.device_map if name.startswith(f"{part.name}.")]
            found += [(name, device_words(device)) for name, device in inner]
    return tuple(found)


def device_words(device: str) -> Text:
    """A device of a map in words; ``0`` means the first GPU, as in the libraries."""
    if device == "cpu":
        return say("core", "in main memory")
    if device == "disk":
        return say("core", "in files")
    return _WHERE[OffloadMode.NONE].of(device=device)


def _place(plan: Plan, part: ComponentInfo) -> Text:
    place = plan.placement(part.name)
    if part.role == "vae" and plan.vae_endpoint:
        return say("core", "on the server {address}").of(address=plan.vae_endpoint)
    line = say("core", "{where}; {format}")
    return line.of(where=_where(plan, part, place), format=_format(plan, part, place))


def _where(plan: Plan, part: ComponentInfo, place: Placement) -> Text:
    if plan.spread is Spread.CUSTOM:
        return device_words(dict(plan.device_map).get(part.name, place.device))
    if plan.spread is Spread.AUTO and part.role == "denoiser":
        return say("core", "split over the GPUs as they have room")
    if place.device == "cpu":
        return say("core", "in main memory")
    on_disk = place.offload.is_group and bool(plan.group.disk_folder)
    rest = say("core", "files") if on_disk else say("core", "main memory")
    return _WHERE[place.offload].of(device=place.device, rest=rest)


def _format(plan: Plan, part: ComponentInfo, place: Placement) -> str:
    if place.quantization is not Quantization.NONE:
        return _PACKED[place.quantization]
    if place.storage is not Storage.NONE and not part.precise:
        return _STORED[place.storage]
    return (Dtype.FLOAT32 if part.precise else plan.dtype).value

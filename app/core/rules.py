"""Which combinations a plan must not have, and why: read by the planner, the panel and the engine alike.

Pure and without torch: what a class can do is declared by its family, what a machine has stands on its sheets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.core.family import Can, Component, Family
from app.core.hardware import Hardware
from app.core.plan import OffloadMode, Placement, Plan, Quantization, Spread, Storage
from app.core.text import Text, say

BNB, AO, GGUF = "bitsandbytes", "torchao", "gguf"
QUANTIZERS = {
    Quantization.BNB_8BIT: BNB,
    Quantization.BNB_NF4: BNB,
    Quantization.TORCHAO_INT8: AO,
    Quantization.TORCHAO_FP8: AO,
    Quantization.GGUF: GGUF,
}
BNB_DEVICES = {Quantization.BNB_8BIT: ("cuda", "xpu"), Quantization.BNB_NF4: ("cuda", "xpu", "mps")}
_ATTENTION_PACKAGES = (
    ("_hub", "kernels"), ("_flash_3", "flash_attn_interface"), ("_flash_varlen_3", "flash_attn_interface"),
    ("flash", "flash_attn"), ("sage", "sageattention"), ("_sage", "sageattention"), ("xformers", "xformers"),
    ("_native_npu", "torch_npu"), ("_native_xla", "torch_xla"),
)  # fmt: skip
"""Beginning (or end, ``_hub``) of a backend's name → the package it needs; the first that matches."""
_CUDA_ONLY = ("_native_cudnn", "_native_efficient", "flex")
OPTIONAL_PACKAGES = (
    "bitsandbytes",
    "torchao",
    "gguf",
    *dict.fromkeys(name for _, name in _ATTENTION_PACKAGES),
)


@dataclass(frozen=True)
class Conflict:
    """Why a plan cannot run: the setting to blame, its value, and the reason."""

    field: str
    value: str
    reason: Text
    case: str = ""
    """Which words the refusal has, where the usual ones say too little: see ``case_words``."""


@dataclass(frozen=True)
class Case:
    """What the rules look at. Without ``hardware`` only what the model and the library say is judged."""

    plan: Plan
    family: Family
    present: tuple[str, ...]
    """The components that the model has, with weights."""
    hardware: Hardware | None = None

    @property
    def parts(self) -> tuple[tuple[Component, Placement], ...]:
        """The components with weights here, each with its placement."""
        declared = [self.family.component(name) for name in self.present]
        return tuple(
            (part, self.plan.placement(part.name))
            for part in declared
            if part is not None and part.weights and not part.is_remote(self.plan)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What those components are called."""
        return tuple(part.name for part, _ in self.parts)

    def any_can(self, what: Can, role: str) -> bool:
        """Whether a component of that role is able to."""
        return any(what in part.can for part, _ in self.parts if part.role == role)

    @property
    def device_type(self) -> str:
        """The main device's type."""
        return self.plan.device.partition(":")[0]


def conflicts(case: Case) -> tuple[Conflict, ...]:
    """Everything that speaks against a plan; empty for one that can run."""
    return tuple(conflict for rule in RULES for conflict in rule(case))


Rule = Callable[[Case], Iterator[Conflict]]
_NOT_HERE = say("core", "This kind of model does not work with it.")
_NEEDS_GROUP = say("core", "It acts only while groups are offloaded.")
_NOT_IN_FILES = say("core", "Packed weights cannot wait in files.")
_NEEDS_STREAM = say("core", "It acts only while groups are streamed ahead.")


def _offload(case: Case) -> Iterator[Conflict]:
    plan = case.plan
    if plan.offload is OffloadMode.NONE:
        return
    if plan.device == "cpu":
        line = say(
            "core", "Everything is in main memory already: there is no GPU memory to save on this device."
        )
        yield Conflict("offload", plan.offload.value, line)
    elif plan.offload is OffloadMode.PARTIAL:
        line = say("core", "It comes with a later version; group offload with a stream is nearest to it.")
        yield Conflict("offload", plan.offload.value, line)
    elif plan.offload not in case.family.offloads:
        yield Conflict("offload", plan.offload.value, _NOT_HERE)


def _single_parts(case: Case) -> Iterator[Conflict]:
    """The hooks of diffusers' modes exclude each other: accelerate's are the pipeline's, groups a component's."""
    whole = case.plan.offload
    devices = None if case.hardware is None else [sheet.id for sheet in case.hardware.devices]
    for part in case.plan.overrides:
        name = f"component.{part.component}"
        if devices is not None and part.device not in devices:
            line = say("core", "The devices here are: {known}.").of(known=", ".join(devices))
            yield Conflict(f"{name}.device", part.device, line)
            continue
        if case.family.component(part.component) is None or part.component not in case.names:
            known = ", ".join(case.names)
            line = say("core", "This model's parts are: {known}.").of(known=known)
            yield Conflict(name, part.component, line, "part")
        elif part.offload in (whole, OffloadMode.NONE) or (
            part.offload.is_group and (whole.is_group or whole is OffloadMode.NONE)
        ):
            continue
        else:
            line = say("core", "A part cannot have it while the whole model has “{whole}”.")
            yield Conflict(f"{name}.offload", part.offload.value, line.of(whole=whole.value))
    for declared, place in case.parts:
        # it would move whole (D3), and a decoder's work does not even pass where such a group is brought (D26)
        if place.offload is OffloadMode.GROUP_BLOCK and Can.BLOCKS not in declared.can:
            line = say("core", "This part has no list of blocks: it can move layer by layer.")
            yield Conflict(f"component.{declared.name}.offload", place.offload.value, line)


def _groups(case: Case) -> Iterator[Conflict]:
    plan, group = case.plan, case.plan.group
    grouped = [place for _, place in case.parts if place.offload.is_group]
    options = {
        "stream": group.stream, "low_cpu_mem": group.low_cpu_mem, "record_stream": group.record_stream,
        "disk_offload": bool(group.disk_folder), "group_blocks": group.blocks > 1,
    }  # fmt: skip
    if not grouped:
        for name in (name for name, on in options.items() if on):
            yield Conflict(name, "on" if name != "group_blocks" else str(group.blocks), _NEEDS_GROUP)
        return
    if not group.stream:
        for name in (name for name in ("record_stream", "low_cpu_mem") if options[name]):
            yield Conflict(name, "on", _NEEDS_STREAM)
    if group.stream and group.blocks > 1:
        line = say("core", "While groups are streamed ahead each is one block: diffusers would set it to 1.")
        yield Conflict("group_blocks", str(group.blocks), line)
    if group.blocks > 1 and not any(place.offload is OffloadMode.GROUP_BLOCK for place in grouped):
        yield Conflict("group_blocks", str(group.blocks), say("core", "It acts only on groups of blocks."))
    if group.disk_folder and any(place.quantization is not Quantization.NONE for place in grouped):
        yield Conflict("disk_offload", "on", _NOT_IN_FILES)
    if group.low_cpu_mem and any(QUANTIZERS.get(place.quantization) == AO for place in grouped):
        line = say("core", "Weights packed by torchao cannot be pinned one by one.")
        yield Conflict("low_cpu_mem", "on", line)
    if case.hardware is not None and group.stream:
        sheet = case.hardware.device(plan.device)
        if sheet is not None and not sheet.streams:
            yield Conflict("stream", "on", say("core", "This device cannot copy while it computes."))


def _storage(case: Case) -> Iterator[Conflict]:
    for part, place in case.parts:
        if place.storage is Storage.NONE:
            continue
        if place.device.startswith("mps"):
            yield Conflict(
                "storage", place.storage.value, say("core", "Apple's GPUs have no 8-bit float format.")
            )
        elif not part.fp8:
            line = say("core", "{part} does not work with 8-bit storage.")
            yield Conflict(f"component.{part.name}.storage", place.storage.value, line.of(part=part.name))
        elif place.quantization is not Quantization.NONE:
            line = say("core", "Its weights are packed already; 8-bit storage would only blur them.")
            yield Conflict("storage", place.storage.value, line)
    if case.plan.storage is not Storage.NONE and not case.plan.storage_components:
        line = say("core", "No part of this model works with 8-bit storage.")
        yield Conflict("storage", case.plan.storage.value, line)
    for name in case.plan.skip_classes:
        if not name.isidentifier():
            line = say("core", "It is no class's name; write names such as Linear or Conv2d.")
            yield Conflict("skip_classes", name, line)


def _quantization(case: Case) -> Iterator[Conflict]:
    for kind in sorted({place.quantization for _, place in case.parts} - {Quantization.NONE}):
        reason = _packing(case, kind)
        if reason is not None:
            yield Conflict("quantization", kind.value, reason)
    for part, place in case.parts:
        package = QUANTIZERS.get(place.quantization)
        if package in (BNB, AO) and part.role not in (
            ("denoiser",) if package == BNB else ("denoiser", "text_encoder")
        ):
            line = say("core", "{part} has too few linear layers for it, or loses too much.")
            yield Conflict(
                f"component.{part.name}.quantization", place.quantization.value, line.of(part=part.name)
            )


def _packing(case: Case, kind: Quantization) -> Text | None:
    """Why weights packed in this way cannot be had here."""
    package, plan = QUANTIZERS[kind], case.plan
    if case.hardware is not None and package not in case.hardware.packages:
        return not_installed(package)
    if package == BNB and case.device_type not in BNB_DEVICES[kind]:
        return say("core", "bitsandbytes has no kernels for this device that diffusers would use.")
    packed = [part.name for part, place in case.parts if place.quantization is kind]
    on_disk = [name.partition(".")[0] for name, place in plan.device_map if place == "disk"]
    if plan.spread is Spread.CUSTOM and set(packed) & set(on_disk):
        return _NOT_IN_FILES
    if plan.spread is Spread.AUTO or (plan.spread is Spread.CUSTOM and package != AO):
        return say("core", "Weights packed in this way cannot be split over several devices.")
    if plan.offload is OffloadMode.SEQUENTIAL and package != AO:
        return say("core", "Weights packed in this way cannot be moved one by one.")
    return None


def _adapters(case: Case) -> Iterator[Conflict]:
    """LoRA layers stand beside any weights that a wrapped layer can compute with by itself."""
    for part, place in case.parts:
        if part.name in case.plan.adapted_components and QUANTIZERS.get(place.quantization) == BNB:
            line = say("core", "LoRA files were never tried with weights that bitsandbytes has packed.")
            yield Conflict("quantization", place.quantization.value, line)


def not_installed(package: str) -> Text:
    """What to do about an optional library that is not there."""
    line = say("core", "The library {package} is not installed. Install it with: pip install {package}")
    return line.of(package=package)


def _limits(case: Case) -> Iterator[Conflict]:
    named = [device for device, _ in case.plan.limits]
    if not named:
        return
    if case.hardware is not None:
        known = [sheet.id for sheet in case.hardware.devices]
        for device in (device for device in named if device not in known):
            line = say("core", "The devices here are: {known}.").of(known=", ".join(known))
            yield Conflict("max_memory", device, line)
    if case.plan.device not in named:
        line = say("core", "A device that the list leaves out is not used, and {device} is to do the work.")
        yield Conflict("max_memory", ",".join(named), line.of(device=case.plan.device))


def _spread(case: Case) -> Iterator[Conflict]:
    plan = case.plan
    if plan.spread is Spread.SINGLE:
        return
    value = plan.spread.value
    if plan.device == "cpu":
        yield Conflict("spread", value, say("core", "There is no GPU to spread the model over."))
    if plan.offload is not OffloadMode.NONE or any(
        place.offload is not OffloadMode.NONE for _, place in case.parts
    ):
        line = say("core", "A spread model stays where it lies: it cannot be offloaded as well.")
        yield Conflict("spread", value, line)
    if plan.spread is Spread.BALANCED and plan.device != "cpu" and len(_spread_over(case)) == 1:
        line = say("core", "There is only one device to lie on: {device}.").of(device=plan.device)
        yield Conflict("spread", value, line)
    if plan.spread is Spread.AUTO and not case.any_can(Can.SPLIT, "denoiser"):
        line = say("core", "This model's denoiser does not say where it may be cut.")
        yield Conflict("spread", value, line)
    if plan.spread is Spread.CUSTOM:
        yield from _custom_map(case)


def _spread_over(case: Case) -> list[str]:
    """The devices that whole parts may be shared out to; none where the machine is not known."""
    here = () if case.hardware is None else case.hardware.devices
    named = [device for device, _ in case.plan.limits]
    return [sheet.id for sheet in here if sheet.type == case.device_type and (not named or sheet.id in named)]


def _custom_map(case: Case) -> Iterator[Conflict]:
    if not case.plan.device_map:
        yield Conflict(
            "device_map", "", say("core", "A custom spread needs a map: which part lies on which device.")
        )
    known = None if case.hardware is None else {*(sheet.id for sheet in case.hardware.devices), "cpu", "disk"}
    for name, place in case.plan.device_map:
        if name.partition(".")[0] not in case.names:
            parts = ", ".join(case.names)
            line = say("core", "This model's parts are: {known}.").of(known=parts)
            yield Conflict("device_map", name, line, "part")
        elif known is not None and place not in known:
            line = say("core", "The devices here are: {known}.").of(known=", ".join(sorted(known)))
            yield Conflict("device_map", place, line)


def _vae(case: Case) -> Iterator[Conflict]:
    plan = case.plan
    if plan.vae_tiling and not case.any_can(Can.TILE, "vae"):
        yield Conflict("vae_tiling", "on", say("core", "This model's decoder cannot work in tiles."))
    if plan.vae_slicing and not case.any_can(Can.SLICE, "vae"):
        yield Conflict("vae_slicing", "on", say("core", "This model's decoder cannot work in slices."))
    if plan.vae_endpoint and not re.fullmatch(r"https?://[^\s/?#]+(?:[/?#]\S*)?", plan.vae_endpoint):
        yield Conflict(
            "vae_endpoint", plan.vae_endpoint, say("core", "An address begins with https:// or http://.")
        )


def _attention(case: Case) -> Iterator[Conflict]:
    name = case.plan.attention
    if name == "default":
        return
    if not case.any_can(Can.ATTENTION, "denoiser"):
        line = say("core", "This model's layers do not listen to the choice of a kernel.")
        yield Conflict("attention", name, line)
        return
    package = package_of(name)
    if case.hardware is not None and package and package not in case.hardware.packages:
        line = say("core", "The library {package} is not installed.").of(package=package)
        yield Conflict("attention", name, line)
    elif case.device_type != "cuda" and (name in _CUDA_ONLY or (package and not name.startswith("_native"))):
        yield Conflict("attention", name, say("core", "This kernel runs on NVIDIA's GPUs only."))


def package_of(backend: str) -> str:
    """The optional package that an attention backend needs, or nothing."""
    for mark, package in _ATTENTION_PACKAGES:
        if backend.startswith(mark) or (mark == "_hub" and backend.endswith(mark)):
            return package
    return ""


def _arithmetic(case: Case) -> Iterator[Conflict]:
    plan = case.plan
    if plan.channels_last and not any(Can.CONV2D in part.can for part, _ in case.parts):
        line = say("core", "The order matters to 2-D convolutions only, and this model has none.")
        yield Conflict("channels_last", "on", line)
    if plan.channels_last and plan.group.disk_folder:
        line = say("core", "The files of group offload hold numbers in the plain order only.")
        yield Conflict("channels_last", "on", line)
    if not plan.compile:
        return
    if not case.any_can(Can.COMPILE, "denoiser"):
        line = say(
            "core",
            "This model does not name the blocks that repeat, so nothing can be compiled once for all.",
        )
        yield Conflict("compile", "on", line)
    if plan.offload is OffloadMode.SEQUENTIAL:
        line = say("core", "With sequential offload no weight stays in place, which compiled code relies on.")
        yield Conflict("compile", "on", line)
    if plan.group.blocks > 1:
        line = say(
            "core", "Compiled blocks move one at a time: another one's weights would still be on the host."
        )
        yield Conflict("compile", "on", line)
    sheet = None if case.hardware is None else case.hardware.device(plan.device)
    if sheet is not None and not sheet.compiles:
        line = say("core", "torch has no compiler for this device here.")
        yield Conflict("compile", "on", line)


RULES: tuple[Rule, ...] = (
    _offload, _single_parts, _groups, _storage, _quantization, _adapters, _limits, _spread, _vae, _attention,
    _arithmetic,
)  # fmt: skip

"""One run: a pipeline placed one way within a limit, a few steps, and what they took. Every end is a result.

``headroom`` is placed by the program from its planner's plan; the other ways are diffusers' own calls, as its guide
has them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import psutil
import torch
from gpu_models import DTYPE, Model
from gpu_watch import TimeIsUp, Watch

from app.core.errors import AppError
from app.core.family import Media
from app.core.hardware import DeviceSheet, Hardware
from app.core.memory import MemorySettings
from app.core.plan import OffloadMode, Plan, Storage
from app.core.planner import Rejection, make_plan
from app.core.request import GenerationRequest
from app.core.resolve import weight_bytes
from app.core.units import GIB
from app.engine import devices, loader, offloading
from app.engine.placement import placed
from app.engine.scratch import Scratch

STEPS = 4
HEADROOM = "headroom"


@dataclass(frozen=True)
class Run:
    """One line of the results: a model, the most it may hold on the card in GiB, and how it is placed."""

    model: str
    limit: float
    way: str

    @property
    def name(self) -> str:
        """For the command line and the results."""
        return f"{self.model} {self.limit:g} {self.way}"


RUNS = (
    *(Run("sdxl", 6, way) for way in ("group_leaf", HEADROOM)),
    *(Run("cogvideox-5b", 8, way) for way in ("group_leaf", HEADROOM)),
    *(Run("flux", limit, way) for limit in (12, 8, 24) for way in ("group_leaf", HEADROOM)),
    *(Run("flux", 12, way) for way in ("none", "model", "sequential")),
)
"""Model after model, since each is made once; of one model the most telling first, for when time runs out."""


@dataclass(frozen=True)
class Decided:
    """A run with the plan for it. Of diffusers' own ways the plan serves the prediction alone."""

    run: Run
    plan: Plan | None
    says: str
    """The planner's verdict: ``fits``, or why it refuses; without a plan, nothing is predicted."""
    predicted: dict[str, int]
    """Bytes: weights on the card at the worst moment, weights in wait, and up and down at each step."""

    @property
    def ours(self) -> Plan | None:
        """The plan that the program carries out; None for diffusers' own ways."""
        return self.plan if self.run.way == HEADROOM else None


def decide(model: Model, run: Run, device: str) -> Decided:
    """The best plan for a card of that size; for diffusers' own ways the plan that asks for the same."""
    best = run.way == HEADROOM
    settings = MemorySettings(
        dtype=str(DTYPE).removeprefix("torch."),  # as the weights lie on the host
        offload="auto" if best else run.way,
        storage="auto" if best else "none",
        stream="auto" if best or run.way != "group_leaf" else "on",
    )
    decision = make_plan(
        model.info, model.family, model.request(STEPS), settings, _machine(run.limit, device)
    )
    plan = decision.plan if isinstance(decision, Rejection) else decision
    says = decision.problem.kind.value if isinstance(decision, Rejection) else "fits"
    return Decided(run, plan, says, _predicted(model, plan) if plan else {})


def _machine(limit: float, device: str) -> Hardware:
    memory, size = psutil.virtual_memory(), int(limit * GIB)
    card = DeviceSheet(
        id=device, name=f"{limit:g} GiB", total=size, free=size, streams=True,
        dtypes=("bfloat16", "float16", "float32"),
    )  # fmt: skip
    host = DeviceSheet(id="cpu", name="CPU", total=memory.total, free=memory.available, shared=True)
    sheets = (host,) if device == "cpu" else (card, host)
    return Hardware(devices=sheets, ram_total=memory.total, ram_free=memory.available)


def _predicted(model: Model, plan: Plan) -> dict[str, int]:
    """From the weights alone: a pass of the denoiser moves all of it, or nothing."""
    part = next(part for part in model.info.components if part.role == "denoiser")
    place, estimate = plan.placement(part.name), plan.estimate
    size = weight_bytes(part, plan.dtype, place.storage, place.quantization)
    waits = place.offload in (OffloadMode.SEQUENTIAL, OffloadMode.PARTIAL) or place.offload.is_group
    up = min(size, estimate.streamed) if waits else 0
    down = up if place.offload.is_group and not plan.group.stream else 0
    return {"resident": estimate.resident, "waiting": estimate.streamed, "up": up, "down": down}


def perform(model: Model, decided: Decided, device: str, deadline: float) -> dict[str, Any]:
    """Does the run and returns its line of the results; the weights are back on the host afterwards, in fp8 where the
    plan stored them so."""
    run = decided.run
    devices.give_back(device)
    devices.limit(device, int(run.limit * GIB))
    devices.reset_peak(device)
    watch, begun = Watch(device, deadline), time.perf_counter()
    spent: dict[str, float] = {}
    try:
        ended = _tried(model, decided, device, watch, spent)
    finally:
        watch.close()
        devices.limit(device, None)
    found = {
        "run": run.name, **asdict(run), "steps": STEPS, "ended": ended, "says": decided.says,
        "plan": _shown(decided.ours) if decided.ours else None, "seconds": spent,
        "total_seconds": time.perf_counter() - begun, "peak_allocated": devices.peak(device),
        "peak_reserved": _peak_reserved(device), "predicted": decided.predicted, **watch.figures(),
    }  # fmt: skip
    devices.give_back(device)
    return found


def _tried(model: Model, decided: Decided, device: str, watch: Watch, spent: dict[str, float]) -> str:
    """How it ended. The exception is gone when this returns: it would keep the run's tensors alive."""
    request, begun, plan = model.request(STEPS), time.perf_counter(), decided.ours
    if decided.run.way == HEADROOM and plan is None:
        return f"not run: {decided.says}"
    try:
        with torch.no_grad(), _laid(model, decided, request, device) as pipe:
            spent["placing"] = time.perf_counter() - begun
            if plan is None:
                _whole(pipe, request, watch)
            else:
                _in_phases(model, pipe, request, plan, watch, spent)
            devices.synchronize(device)
    except torch.OutOfMemoryError:
        return f"out of memory {watch.place()}" if "placing" in spent else "out of memory while it was placed"
    except TimeIsUp:
        return "stopped: the time was over"
    except (AppError, RuntimeError, ValueError, TypeError, AttributeError, NotImplementedError) as error:
        return f"{type(error).__name__} {watch.place()}: {str(error)[:300]}"
    return "done"


@contextmanager
def _laid(model: Model, decided: Decided, request: GenerationRequest, device: str) -> Iterator[Any]:
    model.renew()
    pipe = model.pipe(request)
    if plan := decided.ours:
        _store(model, plan)
        with placed(pipe, plan, model.family, Scratch()):
            yield pipe
        return
    clip = model.info.limits.makes_clips
    try:
        if clip:
            pipe.vae.enable_tiling()  # the guide has it in each of its examples with clips
        _bare(pipe, decided.run.way, device)
        yield pipe
    finally:
        if clip:
            pipe.vae.disable_tiling()
        for network in model.networks.values():
            offloading.take_off(network)


def _bare(pipe: Any, way: str, device: str) -> None:
    match way:
        case "none":
            pipe.to(device)
        case "model":
            pipe.enable_model_cpu_offload(device=device)
        case "sequential":
            pipe.enable_sequential_cpu_offload(device=device)
        case "group_leaf":
            pipe.enable_group_offload(
                onload_device=torch.device(device), offload_type="leaf_level", use_stream=True
            )


def _store(model: Model, plan: Plan) -> None:
    """fp8 storage as the loader applies it."""
    for name, network in model.networks.items():
        part = model.family.component(name)
        if part is not None and plan.placement(name).storage is not Storage.NONE:
            loader._store(network, part, plan)


def _in_phases(
    model: Model, pipe: Any, request: GenerationRequest, plan: Plan, watch: Watch, spent: dict[str, float]
) -> None:
    """As the program's engine goes about it."""
    begun = time.perf_counter()
    embeds = model.family.encode(pipe, request, plan, Media())
    devices.synchronize(plan.device)
    spent["encoding"] = time.perf_counter() - begun
    watch.begin()
    latents = model.family.denoise(pipe, request, 0, embeds, Media(), watch)
    begun = time.perf_counter()
    model.family.decode(pipe, request, latents)
    devices.synchronize(plan.device)
    spent["decoding"] = time.perf_counter() - begun


def _whole(pipe: Any, request: GenerationRequest, watch: Watch) -> None:
    """The pipeline's own call; the first step's time holds the encoding."""

    def on_step(_pipe: Any, index: int, _timestep: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        watch(index + 1, None)
        return tensors

    frames = {"num_frames": request.frames} if request.frames > 1 else {}
    watch.begin()
    pipe(
        prompt=request.prompt, width=request.width, height=request.height, num_inference_steps=request.steps,
        guidance_scale=request.guidance, generator=torch.Generator("cpu").manual_seed(request.seed),
        output_type="np", callback_on_step_end=on_step, **frames,
    )  # fmt: skip


def _shown(plan: Plan) -> dict[str, Any]:
    """What of a plan tells it apart."""
    places = {part.component: f"{part.offload.value} {part.storage.value}" for part in plan.overrides}
    return {
        "offload": plan.offload.value, "storage": plan.storage.value, "group": asdict(plan.group),
        "tile": plan.vae_tile_size, "channels_last": plan.channels_last, "parts": places,
    }  # fmt: skip


def _peak_reserved(device: str) -> int:
    asked = getattr(devices.module_of(device), "max_memory_reserved", None)
    return int(asked(device)) if asked is not None else 0


def free_pinned() -> None:
    """Gives back pinned host memory, which torch keeps: the runs of one model use it again, as pinning is slow."""
    free = getattr(torch._C, "_host_emptyCache", None)
    if free is not None:
        free()

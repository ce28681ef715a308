"""Puts a pipeline where its plan says, and always takes it back: hooks off, weights on the host, options as they were.

Formats are not its business: weights come from the loader as they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

from app.core.errors import AppError, ErrorKind
from app.core.family import Can, Family
from app.core.plan import OffloadMode, Plan, Spread
from app.core.rules import Case, conflicts
from app.core.text import say
from app.engine import devices, offloading, spreading, tuning
from app.engine.scratch import Scratch

PLACES = (
    "device", "dtype", "offload", "storage", "storage_components", "skip_modules", "skip_classes", "quantization",
    "quantized_components", "group", "spread", "device_map", "limits", "overrides", "vae_tiling", "vae_tile_size",
    "vae_tile_overlap", "vae_slicing", "vae_endpoint", "attention", "channels_last", "compile",
)  # fmt: skip
"""The fields of a plan that, when equal, leave a placed pipeline as it is."""


def places_of(plan: Plan) -> tuple[Any, ...]:
    """What two plans must have in common for one placement to serve both."""
    return tuple(getattr(plan, name) for name in PLACES)


@contextmanager
def placed(pipe: Any, plan: Plan, family: Family, scratch: Scratch) -> Iterator[Any]:
    """The pipeline as the plan wants it, from components on the host; undone on the way out, whatever happened."""
    models = models_of(pipe)
    refuse_impossible(plan, family, models)
    with ExitStack() as undo:
        undo.enter_context(devices.current(plan.device))
        # removed last: weights that wait in files are read back when the hooks come off
        folders = undo.enter_context(scratch.folders(plan.group.disk_folder))
        fix_device(pipe, plan.device)
        if plan.channels_last:
            # undone after the hooks are off: under sequential offload the weights are not in the model till then
            flat = _able(models, family, Can.CONV2D)
            undo.callback(tuning.arrange, flat, torch.contiguous_format)
            tuning.arrange(flat, torch.channels_last)
        undo.callback(_bring_home, models, plan)
        for vae in _of_role(models, family, "vae").values():
            undo.enter_context(tuning.decoder_options(vae, plan))
        denoisers = _of_role(models, family, "denoiser")
        if plan.attention != "default":
            undo.enter_context(tuning.attention(_able(denoisers, family, Can.ATTENTION), plan.attention))
        if plan.spread is Spread.SINGLE:
            _place(pipe, models, plan, family, folders)
        else:
            _spread(models, plan, family, folders)
        if plan.compile:
            undo.enter_context(tuning.compiled(_able(denoisers, family, Can.COMPILE), plan.device))
        yield pipe


def models_of(pipe: Any) -> dict[str, torch.nn.Module]:
    """The pipeline's networks by component name."""
    return {name: part for name, part in pipe.components.items() if isinstance(part, torch.nn.Module)}


def emptied_by(plan: Plan, family: Family, names: Iterator[str] | Mapping[str, Any]) -> set[str]:
    """The components whose weights are only in files while this plan is in force: they must be read anew after it."""
    return {name for name in names if offloading.waits_on_disk(plan.placement(name), plan, family)}


def streamed_denoisers(pipe: Any, plan: Plan, family: Family) -> dict[str, torch.nn.Module]:
    """The denoisers whose weights come beside their work under this plan."""
    denoisers = _of_role(models_of(pipe), family, "denoiser")
    return {
        name: model
        for name, model in denoisers.items()
        if plan.group.stream and plan.placement(name).offload.is_group
    }


def where_things_lie(pipe: Any, plan: Plan) -> tuple[tuple[str, str], ...]:
    """Component (or a module of a component that is cut) → its device, as it is in force now."""
    found: list[tuple[str, str]] = []
    for name, model in models_of(pipe).items():
        cut = getattr(model, "hf_device_map", None)
        if cut and len(cut) > 1:
            found += [(f"{name}.{module}" if module else name, str(place)) for module, place in cut.items()]
        else:
            place = plan.placement(name)
            mode = "" if place.offload is OffloadMode.NONE else f" ({place.offload.value})"
            home = str(next(model.parameters()).device) if not mode else place.device
            found.append((name, home + mode))
    return tuple(found)


def refuse_impossible(plan: Plan, family: Family, models: Iterable[str]) -> None:
    """The planner makes no such plan; one that comes all the same must not be half obeyed."""
    for conflict in conflicts(Case(plan, family, tuple(models))):
        raise AppError(
            ErrorKind.COMBINATION_REFUSED, name=conflict.field, value=conflict.value, reason=conflict.reason
        )


def fix_device(pipe: Any, device: str) -> None:
    """Where the pipeline makes its latents. Its own guess is the first component's device, which may be another."""
    kind = type(pipe)
    fixed = {"_execution_device": property(lambda _self: torch.device(device)), "__module__": kind.__module__}
    pipe.__class__ = type(kind.__name__, (kind,), fixed)


def _of_role(models: Mapping[str, Any], family: Family, role: str) -> dict[str, Any]:
    declared = {name: family.component(name) for name in models}
    return {name: models[name] for name, part in declared.items() if part is not None and part.role == role}


def _able(models: Mapping[str, Any], family: Family, what: Can) -> dict[str, Any]:
    declared = {name: family.component(name) for name in models}
    return {name: models[name] for name, part in declared.items() if part is not None and what in part.can}


def _place(
    pipe: Any,
    models: Mapping[str, torch.nn.Module],
    plan: Plan,
    family: Family,
    fresh: offloading.FreshFolder,
) -> None:
    """Every component by its own mode; those that stay move last, when the hooks of the others are on."""
    places = {name: plan.placement(name) for name in models}
    whole = {name: model for name, model in models.items() if places[name].offload is plan.offload}
    match plan.offload:
        case OffloadMode.MODEL:
            offloading.by_component(pipe, whole, plan.device)
        case OffloadMode.SEQUENTIAL:
            offloading.by_layer(pipe, whole, plan.device)
    for name, model in models.items():
        place = places[name]
        if place.offload.is_group:
            with devices.current(place.device):  # its stream is made there
                offloading.by_group(model, place, plan, family, fresh)
            spreading.send_home(model, place.device, plan.device)
        elif place.offload is OffloadMode.NONE:
            spreading.put_whole(model, place.device, plan.device)


def _spread(
    models: Mapping[str, torch.nn.Module], plan: Plan, family: Family, fresh: offloading.FreshFolder
) -> None:
    """Components whole on their devices, or cut where the map or the mode says so."""
    named = dict(plan.device_map)
    denoisers = _of_role(models, family, "denoiser")
    # these last: they are split over the room that the others leave
    for name, model in {
        **{name: models[name] for name in models if name not in denoisers},
        **denoisers,
    }.items():
        inside = {key[len(name) + 1 :]: place for key, place in named.items() if key.startswith(f"{name}.")}
        _refuse_unknown(inside, name, model)
        place = named.get(name, plan.placement(name).device)
        if plan.spread is Spread.AUTO and name in denoisers:
            places = spreading.fitting_map(model, dict(plan.limits), plan.device)
        elif inside or place in ("cpu", "disk"):
            places = spreading.whole_map(model, {"": place, **inside}, plan.device)
        else:
            spreading.put_whole(model, place, plan.device)
            continue
        spreading.cut(model, places, plan.device, fresh, name)


def _refuse_unknown(inside: Iterable[str], name: str, model: torch.nn.Module) -> None:
    """Raises where a map names what the component does not have: it would lie elsewhere without a word."""
    known = {path for path, _ in (*model.named_modules(), *model.named_parameters(), *model.named_buffers())}
    for path in inside:
        if path not in known:
            below = ", ".join(f"{name}.{child}" for child, _ in model.named_children())
            line = say("core", "The model has no such layers. It has: {known}.").of(known=below)
            raise AppError(
                ErrorKind.COMBINATION_REFUSED, name="device_map", value=f"{name}.{path}", reason=line
            )


def _bring_home(models: Mapping[str, torch.nn.Module], plan: Plan) -> None:
    with ExitStack() as each:  # all of them, also when one's files are gone
        for model in models.values():
            each.callback(_take_off, model)
    for device in plan.devices:
        devices.give_back(device)


def _take_off(model: torch.nn.Module) -> None:
    spreading.bring_back(model)
    offloading.take_off(model)
    if hasattr(model, "hf_device_map"):
        del model.hf_device_map

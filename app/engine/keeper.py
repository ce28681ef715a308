"""What stays between jobs: components in their formats, and the placed pipeline while plans agree on it.

A model that is replaced is freed before the new one is read.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from app.core.family import Component, Family
from app.core.lora_file import LoraFit
from app.core.model_file import ModelInfo
from app.core.plan import Plan, Storage
from app.engine import adapters, devices, loader, stream_check
from app.engine.placement import emptied_by, placed, places_of, refuse_impossible, streamed_denoisers
from app.engine.scratch import Scratch
from app.engine.stopping import Check, StoppableLoading

OnPart = Callable[[Component, int, int], None]
"""Called before a component is read, with its number from 0 and how many will be read."""


@dataclass
class _Kept:
    """The components of one model as it was on disk at one moment."""

    identity: tuple[Any, ...]
    parts: dict[str, Any] = field(default_factory=dict)
    formats: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    loras: adapters.Identity = ()
    """The files whose layers are in the components."""


class Keeper:
    """Owns everything that is loaded."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._emptied: set[str] = set()
        self._kept: _Kept | None = None
        self._pipe: Any = None
        self._places: tuple[Any, ...] = ()
        self._task = ""
        self._placement = ExitStack()
        self._device = "cpu"
        self._streamed: dict[str, torch.nn.Module] = {}
        self._proved = True

    @property
    def holds_anything(self) -> bool:
        """Whether something is loaded."""
        return self._kept is not None

    def obtain(
        self,
        info: ModelInfo,
        plan: Plan,
        family: Family,
        task: str,
        on_part: OnPart,
        check: Check,
        fits: Sequence[LoraFit] = (),
    ) -> tuple[Any, tuple[str, ...]]:
        """The pipeline of a model for a task, placed as the plan says, and which components were read for it.

        ``check`` is called for every weight that is read, but not while they are placed: a placement that is
        stopped half-way could not be undone. Another set of LoRA files reads no component anew, except those whose
        weights waited in files; other weights for the same files leave all as it lies.
        """
        plan = replace(
            plan, adapted_components=tuple(dict.fromkeys(part for fit in fits for part in fit.layers))
        )
        there = [part.name for part in family.components if part.weights and _is_there(info, part)]
        refuse_impossible(plan, family, there)  # before minutes of reading
        if plan.group.disk_folder:
            self._scratch.try_out(plan.group.disk_folder)
        kept = self._same_model(info)
        wanted = [part for part in family.components if _is_there(info, part)]
        loras = adapters.identity_of(fits)
        as_it_lies = (self._places, self._task, kept.loras) == (places_of(plan), task, loras)
        if not (as_it_lies and self._scratch.is_whole):
            self.unplace()  # first: it may empty components
        stale = [part for part in wanted if kept.formats.get(part.name) != _format(plan, part)]
        if stale:
            self.unplace()
        if kept.loras and (stale or kept.loras != loras):
            adapters.take_out(kept.parts.values())
            kept.loras = ()
        for part in stale:
            kept.parts.pop(part.name, None)
            kept.formats.pop(part.name, None)
        if stale:
            devices.give_back(plan.device)
        for number, part in enumerate(stale):
            on_part(part, number, len(stale))
            with StoppableLoading(check):
                kept.parts[part.name] = loader.load_part(info, part, plan, family)
            kept.formats[part.name] = _format(plan, part)
        loader.refuse_unknown_classes(kept.parts, plan)
        if self._pipe is None:
            self._place(info, plan, family, task, kept, fits)
        elif fits:
            adapters.weigh(self._pipe, fits, family)
        return self._pipe, tuple(part.name for part in stale if not part.is_remote(plan))

    @contextmanager
    def first_passes(self) -> Iterator[None]:
        """Around a job: the first one with newly streamed denoisers shows that streams change nothing."""
        with ExitStack() as each:
            if not self._proved:
                each.enter_context(stream_check.comparing(self._streamed))
            yield
        self._proved = True

    def make_way(self, plan: Plan) -> None:
        """Takes off its device what another plan placed."""
        if self._places != places_of(plan):
            self.unplace()

    def unplace(self) -> None:
        """Takes the pipeline off its device; the components stay on the host."""
        pipe, self._pipe, self._places = self._pipe, None, ()
        self._streamed.clear()
        placement, self._placement = self._placement, ExitStack()
        try:
            placement.close()
        except (OSError, SafetensorError):  # files in which weights waited are gone: all is read anew
            self._forget()
        del pipe
        emptied, self._emptied = self._emptied, set()
        if self._kept is not None:
            for name in emptied:  # its weights were in files, which are gone
                self._kept.parts.pop(name, None)
                self._kept.formats.pop(name, None)
        devices.give_back(self._device)

    def drop(self) -> None:
        """Gives everything back."""
        self.unplace()
        self._kept = None
        devices.give_back(self._device)
        gc.freeze()  # what is left is the program itself: collections later on need not walk through it

    def not_finite(self) -> str | None:
        """The first component whose weights hold values that are not numbers. Slow: reads every weight."""
        self.unplace()
        for name, part in (self._kept.parts if self._kept else {}).items():
            if isinstance(part, torch.nn.Module) and not _is_finite(part):
                return name
        return None

    def _same_model(self, info: ModelInfo) -> _Kept:
        identity = identity_of(info)
        if self._kept is None or self._kept.identity != identity:
            self.drop()
            self._kept = _Kept(identity)
        return self._kept

    def _place(
        self, info: ModelInfo, plan: Plan, family: Family, task: str, kept: _Kept, fits: Sequence[LoraFit]
    ) -> None:
        self._device = plan.device
        pipe = family.build({**loader.options_of(info), **kept.parts}, task)
        if fits:
            self._adapt(pipe, fits, family, kept, plan, info.name)
        self._emptied = emptied_by(plan, family, kept.parts)
        self._placement.enter_context(placed(pipe, plan, family, self._scratch))
        self._scratch.seal()
        self._streamed = streamed_denoisers(pipe, plan, family)
        self._proved = not self._streamed
        self._pipe, self._places, self._task = pipe, places_of(plan), task

    def _forget(self) -> None:
        """Nothing of the components counts as loaded."""
        if self._kept is not None:
            self._kept.parts.clear()
            self._kept.formats.clear()
            self._kept.loras = ()

    def _adapt(
        self, pipe: Any, fits: Sequence[LoraFit], family: Family, kept: _Kept, plan: Plan, model: str
    ) -> None:
        """The LoRA files' layers into components that are on the host; all of them or none (C32)."""
        if not kept.loras:
            try:
                adapters.put_in(pipe, fits, family, loader.dtype_of(plan), model)
            except BaseException:
                adapters.take_out(kept.parts.values())
                raise
            kept.loras = adapters.identity_of(fits)
        adapters.weigh(pipe, fits, family)


def identity_of(info: ModelInfo) -> tuple[Any, ...]:
    """Which files a model is made of, with their sizes and times: a copy that was replaced is another model."""
    if info.source.config is not None:
        return (str(info.path), str(info.source.config), _stamp(info.path))
    home, own = info.source.path, [info.path] if info.path.is_file() else []
    files = sorted(file for file in home.glob("*/*") if file.is_file())
    return (str(info.path), *(_stamp(file) for file in (home / "model_index.json", *files, *own)))


def _stamp(file: Path) -> tuple[str, int, int]:
    state = file.stat()
    return (file.name, state.st_mtime_ns, state.st_size)


def _is_there(info: ModelInfo, part: Component) -> bool:
    return any(found.name == part.name for found in info.components)


def _format(plan: Plan, part: Component) -> tuple[Any, ...]:
    """In what format the plan wants a component: what differs in it must be read anew."""
    if not part.weights:
        return ()
    if part.is_remote(plan):
        return (plan.dtype.value, plan.device, plan.vae_endpoint)
    place = plan.placement(part.name)
    skipped = (plan.skip_modules, plan.skip_classes) if place.storage is not Storage.NONE else ()
    return (plan.dtype.value, place.storage, place.quantization, *skipped)


def _is_finite(module: torch.nn.Module) -> bool:
    for weight in (*module.parameters(), *module.buffers()):
        # a packed weight's own class knows no such test
        plain = weight.dequantize() if is_traceable_wrapper_subclass(weight) else weight
        if plain.is_floating_point() and not bool(torch.isfinite(plain.float()).all()):
            return False
    return True

"""The Footprint of a model with a request, without its weights: the family's own code runs on the meta device.

Nothing of it is a table: classes are built from configurations, and what runs is what would run.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from diffusers.hooks._common import _GO_LC_SUPPORTED_PYTORCH_LAYERS

from app.core.family import Component, Family, Media
from app.core.footprint import Footprint, Moment, Part, Phase, Room, Weights
from app.core.model_file import ModelInfo, read_json
from app.core.plan import Plan
from app.core.request import GenerationRequest
from app.engine import tuning
from app.engine.live_bytes import LiveBytes, Scene, counting
from app.engine.loader import class_of, dtype_of, options_of
from app.engine.placement import fix_device, models_of
from app.engine.stand_ins import META, StandInTokenizer, counts_on_cpu, empty_model, reads_on_meta

STEPS = 2
"""What is measured of denoising: the first step, and one that has another before it."""
_METHODS = ("encode", "decode")


def footprint_of(
    info: ModelInfo,
    family: Family,
    request: GenerationRequest,
    plan: Plan,
    media: Media,
    check: Callable[[], None] = lambda: None,
) -> Footprint:
    """What the model takes with this request in the plan's format and tiles. ``media``: what the request names.

    ``check`` is called for every module that runs, and may raise. Takes a second to a minute, and little memory. Raises
    AppError for a class that the family does not declare.
    """
    pipe = family.build({**options_of(info), **meta_parts(info, family, plan)}, request.task)
    fix_device(pipe, str(META))
    counts_on_cpu(pipe.scheduler)
    models = models_of(pipe)
    watch = _Watch(check)
    pipe.maybe_free_model_hooks = watch.nothing_stays
    with ExitStack() as undo:
        for name, model in models.items():
            part = family.component(name)
            if part is not None and part.role == "vae":
                undo.enter_context(tuning.decoder_options(model, plan))
            reads_on_meta(model)
            _be_watched(watch, name, model)
        weights = [tensor for model in models.values() for tensor in (*model.parameters(), *model.buffers())]
        watch.count = undo.enter_context(counting(weights))
        short = replace(request, steps=STEPS, count=1)
        embeds = watch.phase("encode", lambda: family.encode(pipe, short, plan, media))
        latents = watch.phase(
            "denoise", lambda: family.denoise(pipe, short, 0, embeds, media, lambda _step, _latents: None)
        )
        watch.phase("decode", lambda: family.decode(pipe, short, latents))
    parts = tuple(weights_of(name, model, tuple(watch.order.get(name, ()))) for name, model in models.items())
    return Footprint(parts=parts, phases=tuple(watch.phases), steps=STEPS)


def meta_parts(info: ModelInfo, family: Family, plan: Plan) -> dict[str, Any]:
    """Every component that the model has: networks on meta, stand-in tokenizers, schedulers as they are."""
    home = info.source.config or info.source.path
    index = read_json(home / "model_index.json")
    there = {part.name for part in info.components}
    found = {}
    for part in family.components:
        if part.name in there:
            cls = class_of(index.get(part.name), info, family, part)
            found[part.name] = _component(cls, part, info, plan)
    return found


def _component(cls: Any, part: Component, info: ModelInfo, plan: Plan) -> Any:
    config = dict(info.configs[part.name])
    if part.weights:
        return empty_model(cls, config, torch.float32 if part.precise else dtype_of(plan))
    if part.role == "tokenizer":
        return StandInTokenizer(int(config.get("model_max_length") or 77))
    if part.role == "processor":
        return cls(
            **{key: value for key, value in config.items() if key in inspect.signature(cls).parameters}
        )
    return cls.from_config(config)


@dataclass
class _Watch:
    """Knows at every moment which module runs, and sums up what was in use meanwhile."""

    check: Callable[[], None]
    count: LiveBytes | None = None
    phases: list[Phase] = field(default_factory=list)
    order: dict[str, list[str]] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)
    _passes: dict[str, int] = field(default_factory=dict)
    _running: list[Scene] = field(default_factory=list)
    _last: str = ""

    def enter(self, part: str, path: str) -> None:
        """A module begins."""
        self.check()
        self._last = part
        if not path:
            self._passes[part] = self._passes.get(part, 0) + 1
        if part not in self._done:
            self.order.setdefault(part, []).append(path)
        self._show(Scene(part, path, part))

    def leave(self) -> None:
        """The module that began last ends."""
        if not self._running.pop().path:
            self._done.add(self._last)
        if self.count is not None:
            self.count.enter(self._running[-1] if self._running else Scene(last=self._last))

    def nothing_stays(self, *_: Any) -> None:
        """The pipeline has sent away what model offload had on the device."""
        self._last = ""
        if self.count is not None:
            self.count.enter(Scene())

    def _show(self, scene: Scene) -> None:
        self._running.append(scene)
        if self.count is not None:
            self.count.enter(scene)

    def phase(self, name: str, run: Callable[[], Any]) -> Any:
        """Runs one phase and remembers its moments."""
        assert self.count is not None
        self.count.most, self._passes = {}, {}
        self.count.enter(Scene(last=self._last))
        result = run()
        moments = tuple(
            Moment(part=scene.part, path=scene.path, last=scene.last, live=live, workspace=most)
            for scene, (live, most) in self.count.most.items()
        )
        self.phases.append(Phase(name=name, moments=moments, passes=dict(self._passes)))
        return result


def _be_watched(watch: _Watch, name: str, model: torch.nn.Module) -> None:
    """Tells the watch of every module of a component, and of the methods that run it beside ``forward``."""
    for path, module in model.named_modules():
        module.register_forward_pre_hook(lambda *_, path=path: watch.enter(name, path))
        module.register_forward_hook(lambda *_: watch.leave(), always_call=True)
    for method in _METHODS:
        if hasattr(model, method):
            setattr(model, method, _noted(watch, name, getattr(model, method)))


def _noted(watch: _Watch, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def noted(*args: Any, **kwargs: Any) -> Any:
        watch.enter(name, "")
        try:
            return method(*args, **kwargs)
        finally:
            watch.leave()

    return noted


def weights_of(name: str, model: torch.nn.Module, order: tuple[str, ...] = ()) -> Part:
    """A component's weights, module by module."""
    seen: set[int] = set()
    weights = []
    for path, module in model.named_modules():
        own = [*module.parameters(recurse=False), *module.buffers(recurse=False)]
        new = [tensor for tensor in own if tensor.untyped_storage()._cdata not in seen]
        seen |= {tensor.untyped_storage()._cdata for tensor in new}
        if new:
            sizes = tuple((tensor.numel(), tensor.element_size()) for tensor in new)
            layer = isinstance(module, _GO_LC_SUPPORTED_PYTORCH_LAYERS)
            weights.append(Weights(path=path, tensors=sizes, kind=type(module).__name__, layer=layer))
    rooms = tuple(_rooms(model, "", frozenset(getattr(model, "_group_offload_block_modules", None) or ())))
    return Part(name=name, weights=tuple(weights), order=order, rooms=rooms)


def _rooms(module: torch.nn.Module, path: str, inner: frozenset[str]) -> Iterator[Room]:
    """The modules whose lists of blocks group offloading moves block by block: the component, and those it names."""
    lists = []
    for name, child in module.named_children():
        where = f"{path}.{name}" if path else name
        if name in inner:
            yield from _rooms(child, where, inner)
        elif isinstance(child, torch.nn.ModuleList | torch.nn.Sequential):
            lists.append(tuple(f"{where}.{number}" for number in range(len(child))))
    yield Room(path=path, lists=tuple(lists))

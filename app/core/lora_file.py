"""What a LoRA file changes, from its header alone: layers, ranks, and whether they fit a model's layers by their sizes.

Reads no weights and knows no torch; how files name layers is declared by the families.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from app.core.errors import AppError, ErrorKind
from app.core.family import Family, LoraKeys
from app.core.gguf import is_gguf, read_gguf
from app.core.headers import Tensor, read_header
from app.core.model_file import ModelInfo
from app.core.request import Lora
from app.core.text import Text, say

_SIDE = re.compile(
    r"(?P<layer>.+?)\.(?:lora_|lora\.|lora_linear_layer\.)(?P<side>A|B|down|up)\.(?:weight|bias)$"
)
_OTHER_KINDS = {
    "LyCORIS (LoKr)": ".lokr_", "LyCORIS (LoHa)": ".hada_", "LyCORIS (OFT)": ".oft_", "LyCORIS (GLoRA)": ".a1.weight",
    "DoRA": ".dora_scale", "DoRA ": ".lora_magnitude_vector",
}  # fmt: skip
"""Kind → how its keys are known. The library leaves some of them out without a word."""
_SETTINGS = "lora_adapter_metadata"


@dataclass(frozen=True)
class _Layer:
    """One layer of a file: what it is named there, and the shapes of its two halves."""

    name: str
    keys: tuple[str, ...]
    down: tuple[int, ...] = ()
    up: tuple[int, ...] = ()
    numbers: int = 0

    @property
    def width(self) -> int:
        """What the layer reads."""
        return self.down[1] if len(self.down) > 1 else 0


@dataclass(frozen=True, kw_only=True)
class LoraFit:
    """A LoRA file that fits a model, wholly or in part."""

    lora: Lora
    layers: Mapping[str, int]
    """Component → how many of its layers are changed."""
    numbers: Mapping[str, int]
    """Component → numbers of weights that are added to it."""
    ranks: tuple[int, ...]
    style: str
    """``diffusers`` (the model's own names) or ``kohya`` (names with underscores, or of the first publication)."""
    keys: tuple[str, ...]
    """The keys to be read."""
    scaled: tuple[str, ...] = ()
    """Layers whose ``alpha`` the library would not take."""
    unknown: tuple[str, ...] = ()
    """Layers that are left out."""

    @property
    def file(self) -> str:
        """The file's name."""
        return Path(self.lora.path).name

    @property
    def note(self) -> Text | None:
        """What was left out, if anything was."""
        if not self.unknown:
            return None
        line = say("core", "{file}: {count} of its {total} layers are not used by this model: {names}")
        names = ", ".join(self.unknown[:5]) + (", …" if len(self.unknown) > 5 else "")
        count = len(self.unknown)
        return line.of(file=self.file, count=count, total=count + sum(self.layers.values()), names=names)


def fit_loras(loras: Iterable[Lora], model: ModelInfo, families: Mapping[str, Family]) -> tuple[LoraFit, ...]:
    """Every file held against the model. Raises AppError with a LORA_… kind for the first that cannot be used."""
    base = _Base(model, families[model.family])
    return tuple(_fit(lora, base, families) for lora in loras)


def with_loras(model: ModelInfo, fits: Iterable[LoraFit]) -> ModelInfo:
    """The model as the planner is to see it: each part with the weights that are added to it."""
    added: dict[str, int] = {}
    for fit in fits:
        for name, count in fit.numbers.items():
            added[name] = added.get(name, 0) + count
    parts = tuple(replace(part, lora_numbers=added.get(part.name, 0)) for part in model.components)
    return replace(model, components=parts)


# ------------------------------------------------------------------ the file


def read_layers(path: Path) -> tuple[dict[str, _Layer], tuple[str, ...]]:
    """A file's layers by name, and the keys that belong to none."""
    tensors = _header(path)
    if not tensors:
        raise AppError(ErrorKind.LORA_DAMAGED, file=path.name, path=str(path), reason="no_tensors")
    for kind, mark in _OTHER_KINDS.items():
        if any(mark in key for key in tensors):
            raise AppError(ErrorKind.LORA_UNSUPPORTED, file=path.name, reason="kind", name=kind.strip())
    layers: dict[str, _Layer] = {}
    for key, tensor in tensors.items():
        if found := _SIDE.match(key):
            layer = layers.get(found["layer"], _Layer(found["layer"], ()))
            layers[found["layer"]] = _joined(layer, key, found["side"], tensor)
    rest = []
    for key in tensors:
        name = key.rpartition(".")[0]
        if name in layers and not _SIDE.match(key):
            layers[name] = replace(layers[name], keys=(*layers[name].keys, key))
        elif not _SIDE.match(key):
            rest.append(key)
    return layers, tuple(rest)


def _joined(layer: _Layer, key: str, side: str, tensor: Tensor) -> _Layer:
    layer = replace(layer, keys=(*layer.keys, key), numbers=layer.numbers + tensor.numbers)
    if key.endswith(".bias"):
        return layer
    return replace(layer, down=tensor.shape) if side in ("A", "down") else replace(layer, up=tensor.shape)


def _header(path: Path) -> Mapping[str, Tensor]:
    try:
        return read_header(path)
    except AppError as error:
        facts = {**dict(error.problem.facts), "path": str(path), "file": path.name}
        match error.kind:
            case ErrorKind.MODEL_MISSING:
                raise AppError(ErrorKind.LORA_MISSING, error.problem.detail, path=str(path)) from error
            case ErrorKind.MODEL_UNSAFE:
                raise AppError(ErrorKind.LORA_UNSUPPORTED, file=path.name, reason="pickle") from error
            case _:
                raise AppError(ErrorKind.LORA_DAMAGED, error.problem.detail, **facts) from error


# ------------------------------------------------------------------ the model


@dataclass
class _Base:
    """The layers of a model that LoRAs are held against; headers are read when they are needed, and once."""

    model: ModelInfo
    family: Family
    _found: dict[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)

    def shapes(self, component: str) -> Mapping[str, tuple[int, ...]]:
        """Layer → shape of its weight, by the names in the model's files."""
        if component not in self._found:
            self._found[component] = dict(self._read(component))
        return self._found[component]

    def widths(self, component: str) -> set[int]:
        """What the component's layers read."""
        return {shape[1] for shape in self.shapes(component).values() if len(shape) > 1}

    @cached_property
    def names(self) -> set[str]:
        """The components that are there."""
        return {part.name for part in self.model.components if part.numbers}

    def has_own_names(self, component: str) -> bool:
        """Whether the files name layers as the loaded modules are named."""
        part = next(part for part in self.model.components if part.name == component)
        return self.model.source.config is None and not part.packed

    def _read(self, component: str) -> Iterable[tuple[str, tuple[int, ...]]]:
        part = next(part for part in self.model.components if part.name == component)
        prefixes = [found.prefixes.get(component, "") for found in self.family.signatures]
        for file in part.files:
            tensors = read_gguf(file) if is_gguf(file) else read_header(file)
            for key, tensor in tensors.items():
                inside = self.model.source.config is None or any(p and key.startswith(p) for p in prefixes)
                if inside and key.endswith(".weight"):
                    # transformers has had CLIP's layers both with and without this module around them
                    yield key.removesuffix(".weight").removeprefix("text_model."), tensor.shape


def _fit(lora: Lora, base: _Base, families: Mapping[str, Family]) -> LoraFit:
    path = Path(lora.path)
    layers, rest = read_layers(path)
    if not base.family.lora_keys:
        raise AppError(ErrorKind.LORA_UNSUPPORTED, file=path.name, reason="family", name=base.family.name)
    verdicts = {name: _judge(layer, base) for name, layer in layers.items()}
    good = {name: fits for name, fits in verdicts.items() if fits}
    misfits = [name for name, fits in verdicts.items() if fits is None]
    total = len(layers) or len(rest)
    facts: dict[str, Any] = {
        "file": path.name,
        "model": base.model.name,
        "family": base.family.name,
        "total": total,
    }
    made = _made_for(layers.values(), families)
    if not good and not (misfits and made in ("", base.family.name)):
        raise AppError(ErrorKind.LORA_MISFIT, reason="none" if made else "unknown", made=made, **facts)
    if misfits:
        detail = ", ".join(misfits[:20])
        raise AppError(ErrorKind.LORA_MISFIT, detail, reason="some", misfits=len(misfits), **facts)
    fit = _fit_of(lora, {name: layers[name] for name in good}, good)
    every = [key for layer in layers.values() for key in layer.keys] + list(rest)
    left = [key for key in every if key not in set(fit.keys)]
    if (left or fit.scaled) and _has_settings(path):
        raise AppError(ErrorKind.LORA_UNSUPPORTED, file=path.name, reason="mixed")
    return replace(fit, unknown=_layers_of(left))


def _fit_of(lora: Lora, layers: Mapping[str, _Layer], good: Mapping[str, tuple[LoraKeys, ...]]) -> LoraFit:
    counts: dict[str, int] = {}
    numbers: dict[str, int] = {}
    for name, layer in layers.items():
        for keys in good[name]:
            counts[keys.component] = counts.get(keys.component, 0) + 1
            numbers[keys.component] = numbers.get(keys.component, 0) + layer.numbers
    foreign = any(keys.flat or keys.foreign for fits in good.values() for keys in fits)
    return LoraFit(
        lora=lora,
        layers=counts,
        numbers=numbers,
        ranks=tuple(sorted({layer.down[0] for layer in layers.values()})),
        style="kohya" if foreign else "diffusers",
        keys=tuple(
            key for name, layer in layers.items() for key in layer.keys if _is_taken(key, good[name][0])
        ),
        scaled=tuple(
            name
            for name, layer in layers.items()
            if f"{name}.alpha" in layer.keys and not good[name][0].alphas
        ),
    )


def _is_taken(key: str, keys: LoraKeys) -> bool:
    """Whether the library takes such a key of a layer that it takes."""
    if _SIDE.match(key) or key.endswith(".alpha"):
        return True
    return bool(keys.extra) and re.fullmatch(keys.extra, key.rpartition(".")[2]) is not None


def _judge(layer: _Layer, base: _Base) -> tuple[LoraKeys, ...] | None:
    """The components that a layer fits; empty: this model has no such layer; None: it has, of another size."""
    found: list[LoraKeys] = []
    misfits = False
    for keys in base.family.lora_keys:
        name = layer.name.removeprefix(keys.prefix)
        if not layer.name.startswith(keys.prefix) or not re.fullmatch(keys.layers, name):
            continue
        if keys.component not in base.names or keys.component in [other.component for other in found]:
            continue
        fits = _fits(layer, name.removeprefix("text_model_" if keys.flat else "text_model."), keys, base)
        if fits:
            found.append(keys)
        misfits = misfits or fits is None
    return tuple(found) or (None if misfits else ())


def _fits(layer: _Layer, name: str, keys: LoraKeys, base: _Base) -> bool | None:
    """None: of another size."""
    if len(layer.down) < 2 or len(layer.up) < 2 or layer.down[0] != layer.up[1]:
        return None
    if keys.foreign or not base.has_own_names(keys.component):
        return True if layer.width in base.widths(keys.component) else None
    shapes = base.shapes(keys.component)
    if keys.flat:
        shapes = {own.replace(".", "_"): shape for own, shape in shapes.items()}
    if name not in shapes:
        return False
    return True if (layer.up[0], layer.width) == shapes[name][:2] else None


def _made_for(layers: Iterable[_Layer], families: Mapping[str, Family]) -> str:
    """The name of the base model that a file was made for; empty where nothing tells."""
    known = list(layers)
    for family in families.values():
        for mark in family.lora_marks:
            if any(
                re.search(mark.layer, layer.name) and mark.width in (None, layer.width) for layer in known
            ):
                return mark.name
    return ""


def _layers_of(keys: list[str]) -> tuple[str, ...]:
    """What those keys belong to, each once."""
    found = (_SIDE.match(key) for key in keys)
    return tuple(
        dict.fromkeys(
            match["layer"] if match else key.rpartition(".")[0] or key
            for key, match in zip(keys, found, strict=True)
        )
    )


def _has_settings(path: Path) -> bool:
    """Whether the library wrote its own settings into the file's header; it reads them from whole files only."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return _SETTINGS.encode() in file.read(length)

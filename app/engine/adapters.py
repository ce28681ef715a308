"""LoRA layers in loaded components: put in beside the weights whatever format these have, weighted, and taken out.

They go in after packing and fp8 storage and before any placement, and stay in the compute format: so they may be
changed without reading the base again, and what is left when they are gone is the base to the bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open

from app.core.errors import AppError, ErrorKind
from app.core.family import Family
from app.core.lora_file import LoraFit

Identity = tuple[tuple[str, int, int], ...]
"""Which files, as they were on disk: weights are not part of it."""


def identity_of(fits: Iterable[LoraFit]) -> Identity:
    """What must be equal for LoRA layers to stay in."""
    states = ((fit.lora.path, Path(fit.lora.path).stat()) for fit in fits)
    return tuple((path, state.st_mtime_ns, state.st_size) for path, state in states)


def put_in(pipe: Any, fits: Sequence[LoraFit], family: Family, dtype: torch.dtype, model: str) -> None:
    """Puts all files' layers into the pipeline's components, which have none. None stay if one file fails."""
    models = _carriers(pipe, family)
    try:
        with _as_if_plain(models.values(), dtype), warnings.catch_warnings():
            # of every second file, which is meant
            warnings.filterwarnings("ignore", "Already found a `peft_config` attribute", UserWarning)
            for number, fit in enumerate(fits):
                _load(pipe, fit, _name(number), family, models)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        if isinstance(error, torch.OutOfMemoryError):
            raise
        raise AppError(
            ErrorKind.LORA_MISFIT, f"{type(error).__name__}: {error}"[:2000], reason="loading", file=fit.file,
            model=model, family=family.name,
        ) from error  # fmt: skip
    finally:
        for found in models.values():
            found.requires_grad_(False)


def weigh(pipe: Any, fits: Sequence[LoraFit], family: Family) -> None:
    """How strongly each file acts. Changes factors only, so a placed pipeline stays as it is."""
    from peft.tuners.tuners_utils import BaseTunerLayer

    names = [_name(number) for number in range(len(fits))]
    for module in (part for found in _carriers(pipe, family).values() for part in found.modules()):
        if isinstance(module, BaseTunerLayer):
            layer: Any = module
            layer.set_adapter([name for name in names if name in layer.lora_A], inference_mode=True)
            for name, fit in zip(names, fits, strict=True):
                layer.set_scale(name, fit.lora.weight)


def take_out(models: Iterable[Any]) -> None:
    """Every layer that was wrapped is itself again, also where a file was put in half."""
    from peft.tuners.tuners_utils import BaseTunerLayer

    networks: list[Any] = [found for found in models if isinstance(found, torch.nn.Module)]
    for model in networks:
        for parent in [*model.modules()]:
            for name, child in [*parent.named_children()]:
                if isinstance(child, BaseTunerLayer):
                    setattr(parent, name, child.get_base_layer())
        if hasattr(model, "peft_config"):
            del model.peft_config
            model._hf_peft_config_loaded = False


def _name(number: int) -> str:
    """Never a file's name: the library takes dots in it for paths of modules."""
    return f"adapter_{number}"


def _carriers(pipe: Any, family: Family) -> dict[str, torch.nn.Module]:
    """The pipeline's components that may carry LoRA layers."""
    names = dict.fromkeys(keys.component for keys in family.lora_keys)
    return {name: pipe.components[name] for name in names if pipe.components.get(name) is not None}


def _load(pipe: Any, fit: LoraFit, name: str, family: Family, models: Mapping[str, torch.nn.Module]) -> None:
    """By the library's own loader. A whole file by its path, so that settings in its header count."""
    whole = not fit.unknown and not fit.scaled
    source = fit.lora.path if whole else _tensors(fit)
    calls = [family.lora_calls[part] for part in fit.layers if part in family.lora_calls] or [{}]
    for options in calls:
        pipe.load_lora_weights(
            source, adapter_name=name, local_files_only=True, use_safetensors=True, **options
        )
    for part in fit.layers:
        if name not in getattr(models[part], "peft_config", {}):
            raise ValueError(f"nothing was put into {part}")
        if empty := [
            key for key, weight in models[part].named_parameters() if name in key and weight.is_meta
        ]:
            raise ValueError(f"no weights for {empty[:10]}")


def _tensors(fit: LoraFit) -> dict[str, torch.Tensor]:
    """What of a file is used, with the factors multiplied in that the library does not take."""
    with safe_open(fit.lora.path, "pt") as file:
        found = {key: file.get_tensor(key) for key in fit.keys}
    for layer in fit.scaled:
        alpha = found.pop(f"{layer}.alpha").item()
        for key in (key for key in found if key.startswith(f"{layer}.")):
            if key.endswith((".lora_B.weight", "lora_up.weight", ".lora.up.weight")):
                found[key] = found[key] * (alpha / found[key].shape[1])
    return found


@contextmanager
def _as_if_plain(models: Iterable[torch.nn.Module], dtype: torch.dtype) -> Iterator[None]:
    """While it lasts weights in fp8 or packed look like plain ones, without their memory.

    The libraries give new layers the format of the weight beside them (fp8 would round them), or classes of their own
    for packed weights; either is as good as plain layers, since the wrapped layer computes with its own weight.
    """
    with ExitStack() as undo:
        for module in (part for model in models for part in model.modules()):
            weight = module._parameters.get("weight")
            if weight is None or _is_plain(weight):
                continue
            undo.callback(module._parameters.__setitem__, "weight", weight)
            shape = tuple(weight.shape)
            if isinstance(module, torch.nn.Linear):  # a GGUF's bytes have another shape than its numbers
                shape = (module.out_features, module.in_features)
            plain = torch.empty((), dtype=dtype).expand(shape)
            module._parameters["weight"] = torch.nn.Parameter(plain, requires_grad=False)
        yield


def _is_plain(weight: torch.nn.Parameter) -> bool:
    return type(weight) is torch.nn.Parameter and weight.is_floating_point() and weight.element_size() > 1

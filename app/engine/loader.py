"""Reads a model's components from its folder or file, in the plan's formats. Knows no device and keeps nothing.

Only classes that the family declares, only safetensors, never the network.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from app.core.errors import AppError, ErrorKind
from app.core.family import Component, Family
from app.core.headers import damaged
from app.core.model_file import ComponentInfo, ModelInfo, read_json
from app.core.plan import Plan, Storage
from app.core.text import say
from app.engine import quantizing, remote_vae, single_file

logger = logging.getLogger(__name__)

_LIBRARIES = ("diffusers", "transformers")
_FP8 = {Storage.FP8_E4M3: torch.float8_e4m3fn, Storage.FP8_E5M2: torch.float8_e5m2}


def dtype_of(plan: Plan) -> torch.dtype:
    """torch's name for the plan's compute format."""
    return {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}[plan.dtype.value]


def options_of(info: ModelInfo) -> dict[str, Any]:
    """The pipeline's own settings: what model_index.json says besides the components, and its class."""
    index = read_json((info.source.config or info.source.path) / "model_index.json")
    return {
        key: value
        for key, value in index.items()
        if (key == "_class_name" or not key.startswith("_")) and isinstance(value, bool | int | float | str)
    }


def load_part(info: ModelInfo, part: Component, plan: Plan, family: Family) -> Any:
    """One component, in evaluation mode, with fp8 storage already applied (it cannot be taken off again)."""
    quantizing.refuse_missing(part, plan)
    try:
        found = _read(info, part, torch.float32 if part.precise else dtype_of(plan), family, plan)
    except (SafetensorError, UnicodeDecodeError) as error:
        raise damaged(_file_of(info, part), "weights", detail=str(error)) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise _as_app_error(error, info, part) from error
    except Exception as error:
        if type(error) is not Exception:  # tokenizers raises nothing more special for a damaged file
            raise
        raise _as_app_error(error, info, part) from error
    if isinstance(found, torch.nn.Module):
        found.eval()
        found.requires_grad_(False)
        quantizing.pack(found, part, plan)
        _store(found, part, plan)
    return found


def _read(info: ModelInfo, part: Component, dtype: torch.dtype, family: Family, plan: Plan) -> Any:
    config = info.source.config
    index = read_json((config or info.source.path) / "model_index.json")
    cls = class_of(index.get(part.name), info, family, part)
    if part.is_remote(plan):
        home = (config or info.source.path) / part.name
        return remote_vae.stand_in(cls, str(home), dtype, plan.device, plan.vae_endpoint)
    if config is not None:
        found = single_file.read_part(info, part, cls, dtype, family)
        if isinstance(found, torch.nn.Module):
            _refuse_gaps(found, {}, info, part)
        return found
    folder = info.source.path / part.name
    if not part.weights:
        return cls.from_pretrained(str(folder), local_files_only=True)
    own = _measured(info, part)
    quantizing.refuse_other_files(own, plan)
    if own.packed:
        found = single_file.read_gguf(own.files[0], info.source.path, part, cls, dtype)
        _refuse_gaps(found, {}, info, part)
        return found
    options: dict[str, Any] = {"dtype": dtype, "use_safetensors": True, "local_files_only": True}
    if variant := _variant(own.files):
        options["variant"] = variant
    options |= quantizing.reading_options(part, plan, dtype)
    model, report = cls.from_pretrained(
        str(folder), low_cpu_mem_usage=True, output_loading_info=True, **options
    )
    _refuse_gaps(model, report, info, part)
    return model


def _refuse_gaps(model: torch.nn.Module, report: Any, info: ModelInfo, part: Component) -> None:
    """The libraries fill missing weights with random numbers and only log it; a picture of noise would follow."""
    gaps = [*report.get("missing_keys", ()), *report.get("mismatched_keys", ())]
    gaps += [name for name, weight in model.named_parameters() if weight.is_meta]
    if gaps:
        raise damaged(_file_of(info, part), "misfit", detail=f"missing or of another shape: {gaps[:20]}")


def class_of(entry: Any, info: ModelInfo, family: Family, part: Component) -> Any:
    """The class named in model_index.json, if the family declares it: nothing else is ever imported."""
    library, name = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
    if name not in family.classes.get(part.name, ()) or library not in _LIBRARIES:
        raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(info.path), reason="class", name=str(name))
    found = getattr(importlib.import_module(library), name, None)
    if found is None:
        raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(info.path), reason="class", name=str(name))
    return found


def _measured(info: ModelInfo, part: Component) -> ComponentInfo:
    return next(found for found in info.components if found.name == part.name)


def _variant(files: tuple[Path, ...]) -> str | None:
    """``fp16`` of ``model.fp16.safetensors`` and of ``model.fp16-00001-of-00002.safetensors``."""
    stem = files[0].name.removesuffix(".safetensors").split("-0")[0]
    return stem.partition(".")[2] or None


def _store(module: torch.nn.Module, part: Component, plan: Plan) -> None:
    storage = plan.placement(part.name).storage
    if storage is Storage.NONE:
        return
    if not part.fp8:
        reason = say("core", "This kind of model does not work with it.")
        name = f"storage ({part.name})"
        raise AppError(ErrorKind.COMBINATION_REFUSED, name=name, value=storage.value, reason=reason)
    from diffusers.hooks import apply_layerwise_casting

    # with the part's own patterns the planner has counted what is cast
    apply_layerwise_casting(
        module,
        _FP8[storage],
        dtype_of(plan),
        skip_modules_pattern=(*part.fp8_skip, *plan.skip_modules),
        skip_modules_classes=_classes(module, plan.skip_classes),
    )


def _classes(module: torch.nn.Module, names: tuple[str, ...]) -> tuple[type, ...]:
    """The classes of those names that stand in a model. The library wants classes and fails on names."""
    found = {type(part).__name__: type(part) for part in module.modules()}
    return tuple(found[name] for name in names if name in found)


def refuse_unknown_classes(parts: Mapping[str, Any], plan: Plan) -> None:
    """Raises where a plan keeps a class, or names, out of fp8 storage that stand in none of the parts stored so."""
    stored = [part for name, part in parts.items() if plan.placement(name).storage is not Storage.NONE]
    known = {
        type(module).__name__ for part in stored for module in part.modules() if not [*module.children()]
    }
    all_classes = {type(module).__name__ for part in stored for module in part.modules()}
    names = {name for part in stored for name, _ in part.named_modules()}
    for pattern in plan.skip_modules if stored else ():
        if not any(re.search(pattern, name) for name in names):
            reason = say("core", "No layer's name matches it.")
            raise AppError(ErrorKind.COMBINATION_REFUSED, name="skip_modules", value=pattern, reason=reason)
    for name in plan.skip_classes if stored else ():
        if name not in all_classes:
            reason = say("core", "The model has no such layers. It has: {known}.").of(
                known=", ".join(sorted(known))
            )
            raise AppError(ErrorKind.COMBINATION_REFUSED, name="skip_classes", value=name, reason=reason)


def _as_app_error(error: Exception, info: ModelInfo, part: Component) -> AppError:
    """What a library says in a programmer's words, as the kind that it means."""
    if isinstance(error, torch.OutOfMemoryError):
        raise error
    detail = f"{part.name}: {type(error).__name__}: {error}"
    if isinstance(error, RuntimeError) and "alloc" in str(error):
        raise error  # out of host memory: the server knows it
    folder = (info.source.config or info.path) / part.name
    if isinstance(error, json.JSONDecodeError):
        return damaged(folder, "json", detail=detail)
    if isinstance(error, ImportError):
        return AppError(ErrorKind.PACKAGE_MISSING, detail, package=error.name or str(error))
    if part.weights and isinstance(error, OSError):
        return damaged(_file_of(info, part), "weights", detail=detail)
    return damaged(_file_of(info, part), "misfit" if part.weights else "format", detail=detail)


def _file_of(info: ModelInfo, part: Component) -> Path:
    for found in info.components:
        if found.name == part.name and found.files:
            return found.files[0]
    return info.path / part.name

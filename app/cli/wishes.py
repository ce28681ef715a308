"""From parsed arguments to values: model, mended request, settings, preset, place for the pictures.

Everything that can be refused without an engine is refused here. Raises AppError.
"""

from __future__ import annotations

import argparse
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.cli.arguments import device_clash
from app.cli.given import check_given, lora_of, own_pace, own_size, path_of, task_of, without_effect
from app.cli.map_file import with_map
from app.core.errors import AppError, ErrorKind
from app.core.knobs import check, knobs_of, parse_assignment
from app.core.lora_file import fit_loras, with_loras
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.preset import Preset, apply
from app.core.request import GenerationRequest, OutputSpec, mend, parse_seed, parse_size_pair
from app.core.text import Text
from app.families import all_families
from app.media.files import check_name, check_writable
from app.media.names import FORMATS, native, with_format
from app.store.library import default_model, find_models, named, near, open_model
from app.store.paths import Paths, make_folder, whole
from app.store.presets import load_presets
from app.store.resources import resources_root
from app.store.settings import Settings


@dataclass(frozen=True)
class Wishes:
    """What was asked, checked as far as that goes without knowing the machine."""

    model: ModelInfo
    request: GenerationRequest
    settings: MemorySettings
    goal: str
    notes: tuple[Text, ...]


def wishes_of(arguments: argparse.Namespace, paths: Paths, saved: Settings) -> Wishes:
    """The request and settings of ``generate`` and ``plan``."""
    preset = _preset(arguments.preset, paths)
    settings = _settings(arguments, preset)
    model = open_model(model_path(arguments.model, paths, saved.model_folders))
    check_given(arguments.image, arguments.mask, arguments.video)
    request, notes = mend(_request(arguments, model), model.limits)
    idle = without_effect(arguments, request.task, model.limits)
    fits = fit_loras(request.loras, model, all_families())
    said = (fit.note for fit in fits if fit.note is not None)
    return Wishes(
        with_loras(model, fits), request, settings, preset.goal, (*model.notes, *notes, *idle, *said)
    )


def output_of(out: str | None, paths: Paths, saved: Settings) -> OutputSpec:
    """Where the pictures go; tried out now, so that no picture is made in vain."""
    if out is None:
        folder = whole(Path(native(saved.output_folder))) if saved.output_folder else paths.pictures
        if not saved.output_folder:
            make_folder(folder)
        check_writable(folder)
        return OutputSpec(folder=folder)
    path = whole(Path(native(out)))
    try:
        is_folder = path.is_dir()
    except (OSError, ValueError):  # a loop of links, or no name at all
        is_folder = False
    if is_folder or out.endswith(("/", os.sep)):
        check_writable(path)
        return OutputSpec(folder=path)
    suffix = path.suffix.lstrip(".").lower()
    if suffix in FORMATS and suffix != "png":
        raise AppError(ErrorKind.SETTING_INVALID, name="--out", value=path.name, allowed=f"{path.stem}.png")
    path = with_format(path, "png")
    check_writable(path.parent)
    check_name(path)
    return OutputSpec(folder=path.parent, path=path)


def model_path(wanted: str | None, paths: Paths, folders: Sequence[str]) -> Path:
    """A path as typed, or the model of that name; the built-in one when nothing was said."""
    if wanted is None:
        found = default_model()
        if found is None:
            raise AppError(ErrorKind.MODEL_MISSING, path=str(resources_root() / "demo-models"))
        return found
    path = whole(Path(native(wanted)))
    try:
        if wanted and path.exists():
            return path
    except OSError:  # too long, or in a folder that may not be read: it may still be a name
        pass
    entries = find_models(paths, [native(folder) for folder in folders])
    entry = named(entries, wanted)
    if entry is not None:
        return entry.path
    close = near(entries, wanted)
    if close:
        raise AppError(ErrorKind.MODEL_MISSING, path=wanted, near=", ".join(close), case="near")
    is_name = wanted == path.name
    raise AppError(ErrorKind.MODEL_MISSING, path=wanted, **({"case": "name"} if is_name else {}))


def _request(arguments: argparse.Namespace, model: ModelInfo) -> GenerationRequest:
    """The request with the model's own values where nothing was said."""
    limits = model.limits
    image, video = path_of(arguments.image), path_of(arguments.video)
    size = own_size(image, limits) if arguments.size is None else parse_size_pair(arguments.size)
    frames, fps = own_pace(video, limits)
    seed = secrets.randbelow(2**32) if arguments.seed is None else parse_seed(arguments.seed)
    return GenerationRequest(
        model=str(model.path.absolute()),
        prompt=arguments.prompt,
        negative=arguments.negative,
        width=size.width,
        height=size.height,
        steps=limits.steps if arguments.steps is None else arguments.steps,
        guidance=limits.guidance if arguments.guidance is None else arguments.guidance,
        seed=seed,
        count=arguments.count,
        task=task_of(arguments, limits),
        frames=frames if arguments.frames is None else arguments.frames,
        fps=fps if arguments.fps is None else arguments.fps,
        image=image,
        mask=path_of(arguments.mask),
        video=video,
        strength=limits.strength if arguments.strength is None else arguments.strength,
        loras=tuple(lora_of(text) for text in arguments.lora),
    )


def _preset(name: str, paths: Paths) -> Preset:
    presets = load_presets(resources_root() / "presets", paths.config / "presets")
    for preset in presets.values():
        if name.casefold() in (preset.id.casefold(), preset.name.casefold()):
            return preset
    raise AppError(ErrorKind.SETTING_INVALID, name="--preset", value=name, allowed=", ".join(presets))


def _settings(arguments: argparse.Namespace, preset: Preset) -> MemorySettings:
    """The preset's values, and over them what was named."""
    clash = device_clash(arguments)
    if clash is not None:
        raise clash
    named_values: dict[str, Any] = {}
    for name, value in (parse_assignment(MemorySettings, with_map(text)) for text in arguments.memory):
        # single parts add up, all else replaces
        named_values[name] = (*named_values.get(name, ()), *value) if isinstance(value, tuple) else value
    if arguments.device is not None:
        named_values["device"] = check("device", knobs_of(MemorySettings)["device"], arguments.device)
    return replace(apply(preset, MemorySettings()), **named_values)

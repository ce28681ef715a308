"""What a picture says of its making: built for files that are written, read from any file without an error.

Our own JSON is authoritative; the text that other programs know stands beside it. No pixels here.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.errors import AppError
from app.core.plan import Plan, plan_to_json
from app.core.request import (
    COUNT_MAX,
    FPS_MAX,
    FRAMES_MAX,
    LORAS_MAX,
    SEED_MAX,
    GenerationRequest,
    Lora,
    loras_from_json,
    request_to_json,
)
from app.media import a1111, exif_text

KEY = "headroom"
VERSION = 1
TEXT_MAX = 8 * 1024 * 1024
"""Characters of metadata that are read at most; a longer text is not taken for ours."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_ABSOLUTE = re.compile(r"^(?:[/~]|[A-Za-z]:[\\/]|\\\\).*[\\/]", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class PictureInfo:
    """All that is written into a picture."""

    request: GenerationRequest
    plan: Plan
    seed: int
    """Of this picture; the request's is the first picture's."""
    index: int = 0
    model: str = ""
    """The model's name; empty: the last part of its path. Never a whole path."""
    sampler: str = ""
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class PictureSettings:
    """What was read from a picture; a field is None where it says nothing readable."""

    prompt: str | None = None
    negative: str | None = None
    width: int | None = None
    height: int | None = None
    steps: int | None = None
    guidance: float | None = None
    seed: int | None = None
    frames: int | None = None
    fps: float | None = None
    loras: tuple[Lora, ...] = ()
    """By their files' names, without folders."""
    model: str | None = None
    sampler: str | None = None
    plan: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=dict)
    rejected: tuple[tuple[str, str], ...] = ()
    """Field and text of what could not be read."""
    raw: str = ""
    """The text as it stands in the file."""


def parameters_text(info: PictureInfo) -> str:
    """The text that other programs read."""
    request = info.request
    fields: dict[str, object] = {"Steps": request.steps}
    if info.sampler:
        fields["Sampler"] = info.sampler
    fields |= {
        "CFG scale": f"{request.guidance:g}",
        "Seed": info.seed,
        "Size": f"{request.width}x{request.height}",
        "Model": model_name(info),
        "Version": f"Headroom {dict(info.versions).get('headroom', '')}".strip(),
    }
    tags = "".join(f"<lora:{name}:{lora.weight:g}>" for lora in request.loras if (name := _tag_name(lora)))
    return a1111.build(f"{request.prompt} {tags}".rstrip(), request.negative, fields)


def _tag_name(lora: Lora) -> str:
    """What other programs call a LoRA in a prompt; empty where its name cannot stand there."""
    stem = _last_part(lora.path).removesuffix(".safetensors")
    return "" if re.search(r"[<>:\n]", stem) else stem


def json_text(info: PictureInfo) -> str:
    """Our own record: the whole request, the plan that ran, the settings; local paths cut to names."""
    loras = [{"path": _last_part(lora.path), "weight": lora.weight} for lora in info.request.loras]
    request = request_to_json(info.request) | {"model": model_name(info), "loras": loras}
    plan = plan_to_json(info.plan)
    settings = parse_json(str(plan.pop("settings_json", "{}")))
    record = {
        "version": VERSION,
        "request": request,
        "seed": info.seed,
        "index": info.index,
        "sampler": info.sampler,
        "plan": without_paths(plan),
        "settings": without_paths(settings if isinstance(settings, dict) else {}),
        "versions": dict(info.versions),
    }
    text = json.dumps(record, ensure_ascii=False, default=str)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def model_name(info: PictureInfo) -> str:
    """The model's name without the folders it lies in."""
    return info.model or _last_part(info.request.model)


def _last_part(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


def without_paths(value: Any) -> Any:
    """JSON-able data with each absolute path cut to its last part, and the home folder hidden elsewhere."""
    if isinstance(value, Mapping):
        return {str(key): without_paths(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_paths(item) for item in value]
    if isinstance(value, str):
        home = str(Path.home())
        short = _ABSOLUTE.sub("", value)
        return short.replace(home, "~") if len(home) > 1 else short
    return value


def read_settings(path: Path) -> PictureSettings | None:
    """The settings in a picture file, or None when it has none or is no picture."""
    from PIL import Image  # only here: the settings file and the window's start need this module, not Pillow

    try:
        if not path.is_file():
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as picture:
                texts = exif_text.texts_of(picture)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return settings_of(texts)


def settings_of(texts: Mapping[str, str]) -> PictureSettings | None:
    """The settings in a file's texts: ours, else those of the ``parameters`` text."""
    ours = _from_json(texts.get(KEY, ""))
    if ours is not None:
        return ours
    text = texts.get("parameters", "")
    found = a1111.parse(text) if 0 < len(text) <= TEXT_MAX else None
    if found is None:
        return None
    return PictureSettings(
        prompt=found.prompt, negative=found.negative, rejected=found.rejected, raw=text, **found.values
    )


def parse_json(text: str) -> Any:
    """JSON from a stranger: None for anything that cannot be read, however deep or long it is."""
    if len(text) > TEXT_MAX:
        return None
    try:
        return json.loads(text, parse_constant=lambda name: None)
    except (ValueError, RecursionError):
        return None


def checked_fields(data: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """The fields of a request that have a usable value, and name and text of those that have another."""
    values: dict[str, Any] = {}
    rejected: list[tuple[str, str]] = []
    for name, good in _CHECKS.items():
        value = data.get(name)
        if value is None:
            continue
        if good(value):
            values[name] = value
        else:
            rejected.append((name, str(value)[:80]))
    return values, tuple(rejected)


def _from_json(text: str) -> PictureSettings | None:
    data = parse_json(text)
    if (
        not isinstance(data, dict)
        or data.get("version") != VERSION
        or not isinstance(data.get("request"), dict)
    ):
        return None
    request = data["request"] | {key: data[key] for key in ("seed", "sampler") if key in data}
    values, rejected = checked_fields(request)
    values.pop("count", None)  # the file is one picture of them
    values["loras"] = loras_from_json(values.get("loras", ()))
    parts = {key: data[key] for key in ("plan", "settings", "versions") if isinstance(data.get(key), dict)}
    return PictureSettings(rejected=rejected, raw=text, **values, **parts)


def _is_whole(low: int, high: int) -> Any:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_guidance(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value <= 1000


def _is_rate(value: Any) -> bool:
    return _is_guidance(value) and value <= FPS_MAX


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_loras(value: Any) -> bool:
    try:
        return isinstance(value, list) and len(loras_from_json(value)) <= LORAS_MAX
    except AppError:
        return False


_CHECKS: Mapping[str, Any] = {
    "prompt": _is_text,
    "negative": _is_text,
    "width": _is_whole(1, a1111.SIDE_MAX),
    "height": _is_whole(1, a1111.SIDE_MAX),
    "steps": _is_whole(1, 100_000),
    "guidance": _is_guidance,
    "seed": _is_whole(0, SEED_MAX),
    "count": _is_whole(1, COUNT_MAX),
    "frames": _is_whole(1, FRAMES_MAX),
    "fps": _is_rate,
    "loras": _is_loras,
    "model": _is_text,
    "sampler": _is_text,
}

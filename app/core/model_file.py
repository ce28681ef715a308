"""What a model on disk is: family, parts, sizes and limits, from its configuration and headers alone.

Without torch and without running any code; every fault is named before anything is loaded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.core.errors import AppError, ErrorKind
from app.core.family import Can, Component, Family, HeaderSignature, ModelSource
from app.core.gguf import is_gguf, read_gguf
from app.core.headers import Tensor, damaged, looks_like_safetensors, read_header
from app.core.parts import ComponentInfo, measured
from app.core.request import Limits
from app.core.text import Text, say

JSON_MAX = 32 * 1024**2
_SCALES = (".scale_weight", ".weight_scale", "scaled_fp8")
"""How keys end that belong to weights in fp8 with scales; the libraries leave them out without a word."""
_PICKLES = (".bin", ".ckpt", ".pt", ".pth", ".pkl")


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """A model that can be judged and run."""

    path: Path
    name: str
    family: str
    source: ModelSource
    components: tuple[ComponentInfo, ...]
    limits: Limits
    configs: Mapping[str, Mapping[str, Any]]
    notes: tuple[Text, ...] = ()
    draws: str = ""
    """For the built-in models: what they can draw, as a sentence, and prompts to try."""
    examples: tuple[str, ...] = ()

    @property
    def disk(self) -> int:
        """Bytes of its weight files."""
        return sum(part.disk for part in self.components)


def read_model(path: Path, families: Mapping[str, Family], resources: Path | None = None) -> ModelInfo:
    """The model at ``path``: a diffusers folder or a single safetensors file.

    ``resources`` holds the configurations for single files. Raises AppError with a MODEL_… kind.
    """
    try:
        if path.is_dir():
            return _read_folder(path, families)
        if path.is_file():
            return _read_single(path, families, resources)
    except OSError as error:
        raise AppError(ErrorKind.MODEL_MISSING, path=str(path), detail=str(error)) from error
    raise AppError(ErrorKind.MODEL_MISSING, path=str(path))


# ------------------------------------------------------------------ folders


def _read_folder(path: Path, families: Mapping[str, Family], denoiser: Path | None = None) -> ModelInfo:
    """The model in a folder; ``denoiser``: a file that takes the place of the first one's."""
    index_path = path / "model_index.json"
    if not index_path.is_file():
        raise _no_index(path)
    index = read_json(index_path)
    family = _family_of(index, families, path)
    made_with = str(index.get("_diffusers_version", ""))
    configs = _configs(path, family)
    first = next((part.name for part in family.components if part.role == "denoiser"), "")
    parts = tuple(
        _folder_part(
            path, part, index.get(part.name), family, made_with, denoiser if part.name == first else None
        )
        for part in family.components
        if _is_needed(part, index) or _is_class(index.get(part.name))
    )
    extra, notes = _extras(path), []
    if _newer(made_with):
        line = say("core", "This model was made with diffusers {made}, newer than this program's {ours}.")
        notes.append(line.of(made=made_with, ours=_diffusers_version()))
    return ModelInfo(
        path=denoiser or path,
        name=str(extra.get("name") or (denoiser.stem if denoiser else path.name)),
        family=family.id,
        source=ModelSource(path=path),
        components=parts,
        limits=_with_defaults(family.limits(configs), extra.get("defaults")),
        configs=configs,
        notes=tuple(notes),
        draws=str(extra.get("draws", "")),
        examples=tuple(str(example) for example in extra.get("examples", []))[:6],
    )


def _no_index(path: Path) -> AppError:
    names = sorted(entry.name for entry in path.iterdir())
    if not names:
        return AppError(ErrorKind.MODEL_EMPTY, path=str(path))
    loose = [name for name in names if name.lower().endswith(".safetensors")]
    if loose:
        return AppError(
            ErrorKind.MODEL_UNKNOWN, path=str(path), reason="loose_files", files=", ".join(loose[:5])
        )
    if any(name.lower().endswith(_PICKLES) for name in names):
        return AppError(ErrorKind.MODEL_UNSAFE, file=path.name, path=str(path))
    return AppError(ErrorKind.MODEL_INCOMPLETE, path=str(path), missing="model_index.json")


def _family_of(index: Mapping[str, Any], families: Mapping[str, Family], path: Path) -> Family:
    pipeline = index.get("_class_name")
    if not isinstance(pipeline, str):
        raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(path), reason="no_class", name="")
    for family in families.values():
        if pipeline in family.pipelines:
            return family
    raise _unknown_class(path, pipeline, str(index.get("_diffusers_version", "")))


def _unknown_class(path: Path, name: str, made_with: str) -> AppError:
    if _newer(made_with):
        return AppError(
            ErrorKind.MODEL_TOO_NEW, path=str(path), name=name, made=made_with, ours=_diffusers_version()
        )
    return AppError(ErrorKind.MODEL_UNKNOWN, path=str(path), reason="class", name=name)


def _is_needed(part: Component, index: Mapping[str, Any]) -> bool:
    return part.required and not (part.absent_if and index.get(part.absent_if) is True)


def _is_class(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 2 and all(isinstance(word, str) for word in entry)


def _folder_part(
    path: Path, part: Component, entry: Any, family: Family, made_with: str, own: Path | None
) -> ComponentInfo:
    if not _is_class(entry):
        raise AppError(ErrorKind.MODEL_INCOMPLETE, path=str(path), missing=f"{part.name}")
    class_name, folder = entry[1], path / part.name
    if class_name not in family.classes.get(part.name, (class_name,)):
        raise _unknown_class(path, class_name, made_with)
    if not folder.is_dir():
        raise AppError(ErrorKind.MODEL_INCOMPLETE, path=str(path), missing=f"{part.name}/")
    if not part.weights:
        _check_small_part(path, part, folder)
        return ComponentInfo(name=part.name, role=part.role, class_name=class_name, label=part.label)
    if not (folder / "config.json").is_file():
        raise AppError(ErrorKind.MODEL_INCOMPLETE, path=str(path), missing=f"{part.name}/config.json")
    files = (own,) if own else weight_files(folder, path)
    if is_gguf(files[0]):
        if Can.GGUF not in part.can:
            raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(files[0]), reason="no_gguf", name=family.name)
        return measured(part, class_name, read_gguf(files[0]), files, packed=True)
    tensors = {name: tensor for file in files for name, tensor in read_header(file).items()}
    return measured(part, class_name, tensors, files)


def _check_small_part(path: Path, part: Component, folder: Path) -> None:
    wanted = {
        "tokenizer": (("tokenizer.json",), ("spiece.model",), ("vocab.json", "merges.txt")),
        "processor": (("preprocessor_config.json",),),
        "scheduler": (("scheduler_config.json",),),
    }
    choices = wanted.get(part.role, ())
    if choices and not any(all((folder / name).is_file() for name in names) for names in choices):
        raise AppError(ErrorKind.MODEL_INCOMPLETE, path=str(path), missing=f"{part.name}/{choices[-1][0]}")


def weight_files(folder: Path, model: Path) -> tuple[Path, ...]:
    """The files of one component: safetensors, plain or a variant, whole or sharded, else a GGUF; never a pickle.

    Raises MODEL_INCOMPLETE naming a missing shard, MODEL_UNSAFE where only pickles are, MODEL_DAMAGED for an
    index that points outside the folder.
    """
    names = sorted(entry.name for entry in folder.iterdir())
    indexes = [
        name for name in names if name.endswith(".safetensors.index.json") or ".safetensors.index." in name
    ]
    whole = [name for name in names if name.endswith(".safetensors") and not re.search(r"-\d+-of-\d+", name)]
    for choice in sorted(whole, key=lambda name: (name.count("."), name)):
        return (folder / choice,)
    for choice in sorted(indexes, key=lambda name: (name.count("."), name)):
        return _shards(folder, folder / choice, model)
    packed = [name for name in names if name.lower().endswith(".gguf")]
    if len(packed) > 1:
        raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(folder), reason="ggufs", files=", ".join(packed[:5]))
    if packed:
        return (folder / packed[0],)
    if any(name.lower().endswith(_PICKLES) for name in names):
        raise AppError(ErrorKind.MODEL_UNSAFE, file=folder.name, path=str(folder))
    raise AppError(ErrorKind.MODEL_INCOMPLETE, path=str(model), missing=f"{folder.name}/*.safetensors")


def _shards(folder: Path, index: Path, model: Path) -> tuple[Path, ...]:
    weight_map = read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise damaged(index, "format")
    shards = sorted(set(weight_map.values()))
    for name in shards:
        if Path(name).name != name:
            raise damaged(index, "outside", detail=name)
        if not (folder / name).is_file():
            raise AppError(ErrorKind.MODEL_INCOMPLETE, path=str(model), missing=f"{folder.name}/{name}")
    return tuple(folder / name for name in shards)


# ------------------------------------------------------------------ single files


def _read_single(path: Path, families: Mapping[str, Family], resources: Path | None) -> ModelInfo:
    if not looks_like_safetensors(path):
        if is_gguf(path):
            return _read_gguf(path, families)
        read_header(path)  # raises with what the file is instead
    tensors = read_header(path)
    if not tensors:
        raise damaged(path, "no_tensors")
    if any(key.endswith(_SCALES) for key in tensors):
        raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(path), reason="scaled", name="")
    for family in families.values():
        for signature in family.signatures:
            if _matches(signature, tensors):
                return _single_info(path, family, signature, tensors, resources)
    raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(path), reason="keys", name="")


def _read_gguf(path: Path, families: Mapping[str, Family]) -> ModelInfo:
    """A denoiser alone, with the other parts in the model's folder ``NAME.config`` beside it."""
    tensors, rest = read_gguf(path), path.with_suffix(".config")
    if rest.is_dir():
        return replace(_read_folder(rest, families, path), name=path.stem)
    known = [
        family.name for family in families.values() if any(_matches(s, tensors) for s in family.signatures)
    ]
    raise AppError(
        ErrorKind.MODEL_NEEDS_PARTS, path=str(path), family=(known or ["GGUF"])[0], reason="gguf", parts=rest.name
    )  # fmt: skip


def _single_info(
    path: Path,
    family: Family,
    signature: HeaderSignature,
    tensors: Mapping[str, Tensor],
    resources: Path | None,
) -> ModelInfo:
    own = path.with_suffix(".config")
    shipped = signature.config or family.single_file_config
    config = own if own.is_dir() else (resources / shipped if resources else None)
    if config is None or not shipped:
        raise AppError(ErrorKind.MODEL_UNKNOWN, path=str(path), reason="no_config", name=family.name)
    index, parts, missing = read_json(config / "model_index.json"), [], []
    for part in family.components:
        prefix, entry = signature.prefixes.get(part.name), index.get(part.name)
        class_name = str(entry[1]) if entry is not None and _is_class(entry) else ""
        if not part.weights and class_name:
            parts.append(
                ComponentInfo(name=part.name, role=part.role, class_name=class_name, label=part.label)
            )
        if not part.weights or prefix is None:
            continue
        own_tensors = {key: tensor for key, tensor in tensors.items() if key.startswith(prefix)}
        if not own_tensors:
            missing.append(part.name)
        found = measured(part, class_name, own_tensors)
        parts.append(replace(found, disk=sum(tensor.bytes for tensor in own_tensors.values()), files=(path,)))
    if missing:
        raise AppError(
            ErrorKind.MODEL_NEEDS_PARTS, path=str(path), family=family.name, parts=", ".join(missing)
        )
    configs = _configs(config, family)
    return ModelInfo(
        path=path,
        name=path.stem,
        family=family.id,
        source=ModelSource(path=path, config=config),
        components=tuple(parts),
        limits=family.limits(configs),
        configs=configs,
    )


def _matches(signature: HeaderSignature, tensors: Mapping[str, Tensor]) -> bool:
    if not all(key in tensors for key in signature.all_of) or any(
        key in tensors for key in signature.none_of
    ):
        return False
    for key, shape in signature.shapes.items():
        found = tensors.get(key)
        if found is None or len(found.shape) != len(shape):
            return False
        if any(want is not None and want != have for want, have in zip(shape, found.shape, strict=True)):
            return False
    return True


# ------------------------------------------------------------------ configurations


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from disk. Raises MODEL_DAMAGED for anything else, MODEL_MISSING for what may not be read."""
    try:
        if path.stat().st_size > JSON_MAX:
            raise damaged(path, "format")
        data = json.loads(path.read_text(encoding="utf-8"))
    except PermissionError as error:
        raise AppError(ErrorKind.MODEL_MISSING, path=str(path), detail=str(error)) from error
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(path, "json", detail=str(error)) from error
    if not isinstance(data, dict):
        raise damaged(path, "json")
    return data


def _configs(path: Path, family: Family) -> dict[str, Mapping[str, Any]]:
    """Every component's configuration, and the index itself."""
    return {
        "model_index": read_json(path / "model_index.json"),
        **{part.name: _config(path, part) for part in family.components},
    }


def _config(path: Path, part: Component) -> Mapping[str, Any]:
    names = {
        "scheduler": "scheduler_config.json",
        "tokenizer": "tokenizer_config.json",
        "processor": "preprocessor_config.json",
    }
    file = path / part.name / names.get(part.role, "config.json")
    return read_json(file) if file.is_file() else {}


def _extras(path: Path) -> Mapping[str, Any]:
    file = path / "headroom.json"
    return read_json(file) if file.is_file() else {}


def _with_defaults(limits: Limits, defaults: Any) -> Limits:
    """The limits with the model's own defaults (``headroom.json``) where these are whole and positive."""
    if not isinstance(defaults, dict):
        return limits
    good = {
        key: type(getattr(limits, key))(value)
        for key, value in defaults.items()
        if key in ("width", "height", "steps", "guidance") and isinstance(value, int | float) and value > 0
    }
    return replace(limits, **good)


def _diffusers_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and seldom needed

    try:
        return version("diffusers")
    except PackageNotFoundError:
        return "?"


def _newer(made_with: str) -> bool:
    """Whether a model was made with a later minor release of diffusers than the one installed."""
    return _numbers(made_with)[:2] > _numbers(_diffusers_version())[:2]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])

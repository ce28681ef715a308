"""Components out of a single-file checkpoint in its original layout, by a configuration folder; never the network.

CLIP's vocabulary is not in such files: it is looked for beside the file, then in models that are on this disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from app.core.errors import AppError, ErrorKind
from app.core.family import Component, Family
from app.core.model_file import ModelInfo, read_json

VOCABULARY = ("vocab.json", "merges.txt")


def read_part(info: ModelInfo, part: Component, cls: Any, dtype: torch.dtype, family: Family) -> Any:
    """One component of the file ``info.path``."""
    config = info.source.config
    assert config is not None
    if part.role == "tokenizer":
        return _tokenizer(info, part, cls, family)
    if not part.weights:
        return cls.from_pretrained(str(config / part.name), local_files_only=True)
    if hasattr(cls, "from_single_file"):
        return cls.from_single_file(
            str(info.path), config=str(config), subfolder=part.name, dtype=dtype, local_files_only=True
        )
    return _text_encoder(info, part, cls, dtype, str(config))


def _text_encoder(info: ModelInfo, part: Component, cls: Any, dtype: torch.dtype, config: str) -> Any:
    from diffusers.loaders.single_file_utils import (
        create_diffusers_clip_model_from_ldm,
        load_single_file_checkpoint,
    )

    checkpoint = load_single_file_checkpoint(str(info.path), local_files_only=True)
    return create_diffusers_clip_model_from_ldm(
        cls,
        checkpoint=checkpoint,
        subfolder=part.name,
        config=config,
        torch_dtype=dtype,
        local_files_only=True,
    )


def _tokenizer(info: ModelInfo, part: Component, cls: Any, family: Family) -> Any:
    folder = find_vocabulary(info, part)
    if folder is None:
        parts = "CLIP tokenizer (vocab.json, merges.txt)"
        raise AppError(
            ErrorKind.MODEL_NEEDS_PARTS, path=str(info.path), family=family.name, parts=parts,
            detail=f"looked beside the file, in {part.name}/ next to it, and in the models near it",
        )  # fmt: skip
    config = info.source.config
    assert config is not None
    settings = config / part.name / "tokenizer_config.json"
    options = read_json(settings) if settings.is_file() else {}
    options = {key: value for key, value in options.items() if not key.endswith("_class")}
    return cls.from_pretrained(str(folder), local_files_only=True, **options)


def find_vocabulary(info: ModelInfo, part: Component) -> Path | None:
    """The nearest folder with CLIP's vocabulary of the size that the text encoder was made for."""
    config = info.source.config
    assert config is not None
    encoder = config / part.name.replace("tokenizer", "text_encoder") / "config.json"
    wanted = read_json(encoder).get("vocab_size") if encoder.is_file() else None
    for folder in _places(info.path, config, part.name):
        if all((folder / name).is_file() for name in VOCABULARY):
            size = len(read_json(folder / "vocab.json"))
            if wanted is None or size == wanted:
                return folder
    return None


def _places(file: Path, config: Path, name: str) -> Iterator[Path]:
    for home in (file.parent, config):
        yield home / name
        yield home / "tokenizer"
    yield file.parent
    for other in sorted(file.parent.glob("*/model_index.json")):
        yield other.parent / "tokenizer"
    yield from sorted(_hub_cache().glob("models--*/snapshots/*/tokenizer"))


def _hub_cache() -> Path:
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")

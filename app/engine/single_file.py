"""Components out of a single-file checkpoint in its original layout, by a configuration folder; never the network.

The tokenizers' vocabularies are not in such files: they are looked for beside the file, then in models that are on this
disk.
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

VOCABULARIES = {"clip_text_model": ("vocab.json", "merges.txt"), "t5": ("tokenizer.json",)}
"""Kind of text encoder → the files that make its tokenizer."""
_SPARE = 128
"""An encoder may have places for fewer than this many words more than its tokenizer: tables are made of even size."""


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


def read_gguf(file: Path, config: Path, part: Component, cls: Any, dtype: torch.dtype) -> Any:
    """A component whose weights stay packed as they are in a GGUF file; it computes in ``dtype``."""
    from diffusers import GGUFQuantizationConfig

    # without a compute dtype diffusers would take float32
    packing = GGUFQuantizationConfig(compute_dtype=dtype)
    return cls.from_single_file(
        str(file), config=str(config), subfolder=part.name, dtype=dtype, local_files_only=True,
        quantization_config=packing,
    )  # fmt: skip


def _text_encoder(info: ModelInfo, part: Component, cls: Any, dtype: torch.dtype, config: str) -> Any:
    from diffusers.loaders import single_file_utils

    checkpoint = single_file_utils.load_single_file_checkpoint(str(info.path), local_files_only=True)
    t5 = cls.config_class.model_type == "t5"
    make = (
        single_file_utils.create_diffusers_t5_model_from_checkpoint
        if t5
        else single_file_utils.create_diffusers_clip_model_from_ldm
    )
    model = make(
        cls,
        checkpoint=checkpoint,
        subfolder=part.name,
        config=config,
        torch_dtype=dtype,
        local_files_only=True,
    )
    if t5:
        model.tie_weights()  # such files hold the table of words once
    return model


def _tokenizer(info: ModelInfo, part: Component, cls: Any, family: Family) -> Any:
    kind, words = _encoder_of(info, part)
    folder = find_vocabulary(info, part.name, kind, words)
    if folder is None:
        name = "CLIP" if kind == "clip_text_model" else kind.upper()
        parts = f"{name} tokenizer ({', '.join(VOCABULARIES[kind])})"
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


def _encoder_of(info: ModelInfo, part: Component) -> tuple[str, int | None]:
    """The kind of the text encoder that a tokenizer serves, and how many words its table has room for."""
    assert info.source.config is not None
    file = info.source.config / part.name.replace("tokenizer", "text_encoder") / "config.json"
    config = read_json(file) if file.is_file() else {}
    kind = str(config.get("model_type"))
    return kind if kind in VOCABULARIES else "clip_text_model", config.get("vocab_size")


def find_vocabulary(info: ModelInfo, name: str, kind: str, words: int | None) -> Path | None:
    """The nearest folder with the vocabulary of a tokenizer, of the size that its text encoder was made for."""
    assert info.source.config is not None
    for folder in _places(info.path, info.source.config, name):
        if all((folder / file).is_file() for file in VOCABULARIES[kind]):
            size = _words_in(folder / VOCABULARIES[kind][0])
            if words is None or words - _SPARE < size <= words:
                return folder
    return None


def _words_in(file: Path) -> int:
    """How many words a vocabulary has, alone or inside a whole tokenizer's file."""
    data = read_json(file)
    model = data.get("model")
    return len(model.get("vocab", ())) if isinstance(model, dict) else len(data)


def _places(file: Path, config: Path, name: str) -> Iterator[Path]:
    names = dict.fromkeys((name, "tokenizer"))
    for home in (file.parent, config):
        yield from (home / folder for folder in names)
    yield file.parent
    for other in sorted(file.parent.glob("*/model_index.json")):
        yield from (other.parent / folder for folder in names)
    for folder in names:
        yield from sorted(_hub_cache().glob(f"models--*/snapshots/*/{folder}"))


def _hub_cache() -> Path:
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")

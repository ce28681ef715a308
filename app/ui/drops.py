"""What was dropped on the window: a model, a picture, or something to pass over politely."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtCore import QMimeData

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"})
MODELS = frozenset({".safetensors", ".sft", ".ckpt", ".pt", ".pth", ".bin", ".gguf"})
"""Also those that are refused: the refusal says why, which is better than silence."""


class Kind(Enum):
    """What to do with a path."""

    MODEL = "model"
    PICTURE = "picture"
    OTHER = "other"


def dropped_path(data: QMimeData) -> Path | None:
    """The first local file or folder. Qt turns the address into a path: by string, ``#`` and ``%`` break (C122)."""
    if not data.hasUrls():
        return None
    for url in data.urls()[:500]:
        if url.isLocalFile() and url.toLocalFile():
            return Path(url.toLocalFile())
    return None


def kind_of(path: Path) -> Kind:
    """By suffix; a folder can only be a model. Contents are judged by whoever opens it."""
    suffix = path.suffix.lower()
    if suffix in PICTURES:
        return Kind.PICTURE
    if suffix in MODELS or path.is_dir():
        return Kind.MODEL
    return Kind.OTHER

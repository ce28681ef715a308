"""``headroom models --copy``: a model's folder written again with its weights in parts. Decides nothing of how."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.codes import DONE
from app.cli.console import Console
from app.cli.wishes import model_path
from app.core.errors import AppError, ErrorKind
from app.core.units import parse_size
from app.media.names import native
from app.store.library import open_model
from app.store.model_copy import copy_model
from app.store.paths import Paths, whole
from app.store.settings import Settings


def copy(arguments: argparse.Namespace, paths: Paths, saved: Settings, console: Console) -> int:
    """Copies a model and says what was written."""
    wanted, folder = arguments.copy
    try:
        size = parse_size(arguments.shard_size)
    except ValueError as error:
        raise AppError(
            ErrorKind.SETTING_INVALID, name="--shard-size", value=arguments.shard_size, allowed="2GB, 500MB, 4GiB"
        ) from error  # fmt: skip
    model = open_model(model_path(wanted, paths, saved.model_folders))
    shown = -1

    def tell(done: int, total: int) -> None:
        nonlocal shown
        percent = 100 * done // max(1, total)
        if percent // 10 != shown:
            shown = percent // 10
            console.note(f"{percent} %")

    target = copy_model(model, whole(Path(native(folder))), size, tell, console.warn)
    files = sorted(file for file in target.rglob("*.safetensors"))
    console.result(f"{target}: {len(files)} files of weights, compared with those of {model.name}.")
    console.data({"model": str(target), "files": [str(file) for file in files]})
    return DONE

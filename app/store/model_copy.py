"""A model's folder written again with its weights in parts of a chosen size: whole or not at all, and compared.

Bytes are moved, never numbers changed: neither torch nor the safetensors library is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from app.core.errors import AppError, ErrorKind
from app.core.headers import Tensor, read_header
from app.core.model_file import ModelInfo
from app.core.parts import ComponentInfo
from app.core.text import Text, say
from app.core.units import MIB, gib
from app.media.owner import is_alive, own_token
from app.store.library import open_model

SMALLEST = 64 * 1024
"""Bytes of a part at least: smaller ones would make thousands of files."""
_ROOM = 64 * MIB
"""What is left free on the disk beside the copy."""
_PIECE = 8 * MIB
_OWNER = ".headroom-owner"
"""A file in an unfinished copy that names the process which makes it."""
_LEFT_OUT = (
    ".safetensors",
    ".bin",
    ".pt",
    ".pth",
    ".ckpt",
    ".gguf",
    ".msgpack",
    ".h5",
    ".onnx",
    ".index.json",
)
Report = Callable[[int, int], None]
"""Bytes of weights written so far, and in all."""


@dataclass(frozen=True)
class _Piece:
    """One tensor and where it lies."""

    name: str
    tensor: Tensor
    file: Path


def copy_model(
    info: ModelInfo,
    target: Path,
    part_size: int,
    report: Report = lambda _done, _all: None,
    tell: Callable[[Text], None] = lambda _text: None,
) -> Path:
    """Writes ``target``, its weights in files of ``part_size`` bytes at most (no tensor is cut). Raises AppError.

    What a killed copy to the same place left is removed, and told.
    """
    source = info.source.path
    _refuse(info, target)
    part_size = max(SMALLEST, part_size)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for left in _remove_leftovers(target):
            tell(say("core", "What an earlier copy left unfinished was removed: {path}").of(path=left))
        _check_room(info, target)
        made = Path(tempfile.mkdtemp(prefix=_unfinished(target), dir=target.parent))
        try:
            (made / _OWNER).write_text(own_token(), encoding="utf-8")
            _copy_rest(source, made)
            _write_weights(info, made, part_size, report)
            _compare(info, made, target)
            (made / _OWNER).unlink()
            made.chmod(source.stat().st_mode & 0o777)
            made.rename(target)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    except OSError as error:
        raise _failed(target, "failed", detail=repr(error)) from error
    return target


def _unfinished(target: Path) -> str:
    """How the names of folders begin that are to become ``target``."""
    return f".{target.name}.part-"


def _remove_leftovers(target: Path) -> Iterator[Path]:
    """Removes unfinished copies whose makers are dead, and yields them; one that does not name its maker stays."""
    for folder in sorted(target.parent.iterdir()):
        if not folder.name.startswith(_unfinished(target)) or folder.is_symlink():
            continue
        try:
            token = (folder / _OWNER).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        if token and not is_alive(token):
            shutil.rmtree(folder, ignore_errors=True)
            yield folder


def _refuse(info: ModelInfo, target: Path) -> None:
    if not info.path.is_dir() or any(part.packed for part in info.components):
        raise _failed(info.path, "file")
    here, there = info.path.resolve(), target.resolve()
    if here == there or here in there.parents:
        raise _failed(target, "inside")
    if os.path.lexists(target):
        raise _failed(target, "exists")


def _failed(path: Path, reason: str, detail: str = "", **facts: Any) -> AppError:
    return AppError(ErrorKind.MODEL_NOT_COPIED, detail, path=str(path), reason=reason, **facts)


def _check_room(info: ModelInfo, target: Path) -> None:
    needed = info.disk + sum(file.stat().st_size for file in _rest(info.source.path)) + _ROOM
    free = shutil.disk_usage(target.parent).free
    if free < needed:
        raise _failed(target, "full", needed=gib(needed), free=gib(free))


def _rest(source: Path) -> Iterator[Path]:
    """Every file that holds no weights; weights that the model does not use are left behind."""
    for file in sorted(source.rglob("*")):
        hidden = any(name.startswith(".") for name in file.relative_to(source).parts)
        if file.is_file() and not hidden and not _is_weights(file.name):
            yield file


def _is_weights(name: str) -> bool:
    return name.lower().endswith(_LEFT_OUT) or ".safetensors.index." in name


def _copy_rest(source: Path, made: Path) -> None:
    for file in _rest(source):
        copy = made / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def _write_weights(info: ModelInfo, made: Path, part_size: int, report: Report) -> None:
    total, done = info.disk, 0
    for part in info.components:
        if not part.files:
            continue
        shards = _shards(part, part_size)
        stem = re.split(r"\.|-\d+-of-", part.files[0].name)[0]
        names = _names(stem, len(shards))
        for name, pieces in zip(names, shards, strict=True):
            for size in _write(made / part.name / name, pieces):
                done += size
                report(min(done, total), total)
        if len(shards) > 1:
            where = {piece.name: name for name, pieces in zip(names, shards, strict=True) for piece in pieces}
            sizes = sum(piece.tensor.bytes for pieces in shards for piece in pieces)
            index = {"metadata": {"total_size": sizes}, "weight_map": dict(sorted(where.items()))}
            text = json.dumps(index, indent=2) + "\n"
            (made / part.name / f"{stem}.safetensors.index.json").write_text(text, encoding="utf-8")


def _names(stem: str, count: int) -> list[str]:
    if count == 1:
        return [f"{stem}.safetensors"]
    return [f"{stem}-{number:05}-of-{count:05}.safetensors" for number in range(1, count + 1)]


def _shards(part: ComponentInfo, part_size: int) -> list[list[_Piece]]:
    """The part's tensors in the order of its files, as many together as stay below the size."""
    shards: list[list[_Piece]] = [[]]
    filled = 0
    for piece in _pieces(part.files):
        if shards[-1] and filled + piece.tensor.bytes > part_size:
            shards.append([])
            filled = 0
        shards[-1].append(piece)
        filled += piece.tensor.bytes
    return shards


def _pieces(files: Sequence[Path]) -> Iterator[_Piece]:
    for file in files:
        for name, tensor in sorted(read_header(file).items(), key=lambda item: item[1].start):
            yield _Piece(name, tensor, file)


def _write(file: Path, pieces: Sequence[_Piece]) -> Iterator[int]:
    """Writes one file, piece by piece, to the disk itself; yields the bytes of each."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    start = 0
    for piece in pieces:
        end = start + piece.tensor.bytes
        header[piece.name] = {
            "dtype": piece.tensor.dtype, "shape": list(piece.tensor.shape), "data_offsets": [start, end],
        }  # fmt: skip
        start = end
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    with file.open("xb") as output:
        output.write(len(raw).to_bytes(8, "little") + raw)
        for piece in pieces:
            for data in _data(piece):
                output.write(data)
            yield piece.tensor.bytes
        output.flush()
        os.fsync(output.fileno())


def _data(piece: _Piece) -> Iterator[bytes]:
    """The bytes of one tensor, some at a time."""
    with piece.file.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        file.seek(8 + length + piece.tensor.start)
        yield from _exactly(file, piece.tensor.bytes)


def _exactly(file: BinaryIO, count: int) -> Iterator[bytes]:
    while count > 0:
        data = file.read(min(_PIECE, count))
        if not data:
            raise OSError("the file became shorter")
        count -= len(data)
        yield data


def _compare(info: ModelInfo, made: Path, target: Path) -> None:
    """Reads the copy as a model would be read, and every tensor of it against the original's bytes."""
    copy = open_model(made)
    for old, new in zip(info.components, copy.components, strict=True):
        if _digests(old.files) != _digests(new.files):
            raise _failed(target, "differs", detail=old.name)


def _digests(files: Sequence[Path]) -> dict[str, tuple[Any, ...]]:
    found = {}
    for piece in _pieces(files):
        digest = hashlib.blake2b(digest_size=16)
        for data in _data(piece):
            digest.update(data)
        found[piece.name] = (piece.tensor.dtype, piece.tensor.shape, digest.hexdigest())
    return found

"""A model's folder copied with its weights in parts: whole, the same numbers, and nothing left where it cannot be."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from safetensors import safe_open

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.text import Text
from app.core.units import MIB
from app.media.owner import own_token
from app.store import model_copy
from app.store.library import open_model
from app.store.model_copy import copy_model


def refusal(demo_model: Path, target: Path, size: int = MIB) -> AppError:
    """What is said of a copy that is not made."""
    with pytest.raises(AppError) as caught:
        copy_model(open_model(demo_model), target, size)
    assert caught.value.kind is ErrorKind.MODEL_NOT_COPIED
    return caught.value


def numbers(folder: Path) -> dict[str, Any]:
    """Every tensor's bytes, as the format's own library reads them."""
    found = {}
    for file in folder.glob("*.safetensors"):
        with safe_open(file, "np") as opened:
            for name in opened.keys():  # noqa: SIM118 - the library's object is no mapping
                found[name] = opened.get_tensor(name).tobytes()
    return found


def test_a_copy_has_the_same_numbers_in_parts(demo_model: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    target = copy_model(
        open_model(demo_model), tmp_path / "new" / "copy", MIB, lambda *so_far: told.append(so_far)
    )
    old, new = open_model(demo_model), open_model(target)
    assert [part.numbers for part in old.components] == [part.numbers for part in new.components]
    for part in (part for part in new.components if part.files):
        assert numbers(demo_model / part.name) == numbers(target / part.name)
        assert all(file.stat().st_size < 1.5 * MIB or len(numbers_of(file)) == 1 for file in part.files)
    assert max(len(part.files) for part in new.components) > 3
    assert told == sorted(told)
    assert told[-1][0] > 0.9 * told[-1][1]


def numbers_of(file: Path) -> list[str]:
    """The tensors of one file."""
    with safe_open(file, "np") as opened:
        return list(opened.keys())


def test_parts_are_put_together_again(demo_model: Path, tmp_path: Path) -> None:
    parts = copy_model(open_model(demo_model), tmp_path / "parts", MIB)
    whole = copy_model(open_model(parts), tmp_path / "whole", 1 << 40)
    assert [len(part.files) for part in open_model(whole).components if part.files].count(1) >= 3
    assert not list(whole.rglob("*.index.json"))
    assert numbers(whole / "unet") == numbers(demo_model / "unet")


def test_an_index_names_every_tensor(demo_model: Path, tmp_path: Path) -> None:
    target = copy_model(open_model(demo_model), tmp_path / "copy", MIB)
    (index,) = (target / "unet").glob("*.safetensors.index.json")
    said = json.loads(index.read_text())
    assert set(said["weight_map"]) == set(numbers(demo_model / "unet"))
    assert said["metadata"]["total_size"] == sum(len(data) for data in numbers(demo_model / "unet").values())


def test_what_is_there_already_stays(demo_model: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    assert "exists already" in str(sentence(refusal(demo_model, tmp_path / "there").problem))
    assert not list((tmp_path / "there").iterdir())


def test_a_model_is_not_copied_into_itself(demo_model: Path, tmp_path: Path) -> None:
    own = shutil.copytree(demo_model, tmp_path / "own")
    assert "inside it" in str(sentence(refusal(own, own / "copy").problem))


def test_a_disk_without_room_is_said_before_anything_is_written(
    demo_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=MIB)
    monkeypatch.setattr(model_copy.shutil, "disk_usage", lambda _path: usage)
    assert "1.0 MiB are free" in str(sentence(refusal(demo_model, tmp_path / "copies" / "copy").problem))
    assert not list((tmp_path / "copies").iterdir())


def test_a_disk_that_fills_up_meanwhile_keeps_nothing(
    demo_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(model_copy.os, "fsync", full)
    refusal(demo_model, tmp_path / "copies" / "copy")
    assert not list((tmp_path / "copies").iterdir())


def test_a_copy_that_reads_back_otherwise_is_not_kept(
    demo_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = model_copy._data

    def flipped(piece: Any) -> Any:
        for data in real(piece):
            yield data if piece.file.is_relative_to(demo_model) else bytes(len(data))

    monkeypatch.setattr(model_copy, "_data", flipped)
    assert "did not read back" in str(sentence(refusal(demo_model, tmp_path / "copies" / "copy").problem))
    assert not list((tmp_path / "copies").iterdir())


def test_what_a_killed_copy_left_is_removed_at_the_next_and_told(demo_model: Path, tmp_path: Path) -> None:
    left, other, ours, unknown = (
        tmp_path / name for name in (".copy.part-a", ".other.part-b", ".copy.part-c", ".copy.part-d")
    )
    dead = f"{max(psutil.pids()) + 100_000}:gone/1"
    for folder, token in ((left, dead), (other, dead), (ours, own_token()), (unknown, "")):
        folder.mkdir()
        (folder / "weights.safetensors").write_bytes(bytes(8))
        (folder / ".headroom-owner").write_text(token)
    told: list[Text] = []
    target = copy_model(open_model(demo_model), tmp_path / "copy", MIB, tell=told.append)
    assert [folder.exists() for folder in (left, other, ours, unknown)] == [False, True, True, True]
    assert [str(left) in str(text) for text in told] == [True]
    assert not (target / ".headroom-owner").exists()


def test_a_copy_killed_in_the_middle_is_one_of_those(demo_model: Path, tmp_path: Path) -> None:
    """A process of its own, which ends as by SIGKILL after its first piece."""
    program = (
        "import os, sys; from pathlib import Path; from app.store.library import open_model;"
        "from app.store.model_copy import copy_model;"
        "copy_model(open_model(Path(sys.argv[1])), Path(sys.argv[2]), 1 << 20, lambda *_: os._exit(9))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(demo_model), str(tmp_path / "copy")], check=False
    )
    assert done.returncode == 9
    (left,) = tmp_path.iterdir()
    told: list[Text] = []
    copy_model(open_model(demo_model), tmp_path / "copy", MIB, tell=told.append)
    assert str(left) in str(told[0])
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]

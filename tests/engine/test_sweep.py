"""What a killed engine left on disk goes when the next one starts; what belongs to a living one stays."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from app.engine.runner import Runner
from app.engine.scratch import Scratch
from app.families import all_families
from app.media import offload_files
from app.media.offload_files import PREFIX, sweep
from app.media.owner import own_token

DEAD = max(psutil.pids()) + 100_000


def made(base: Path, pid: int, part: str = "unet-x") -> Path:
    """A folder with weights, as a process of that number makes it."""
    folder = base / f"{PREFIX}{pid}-{part}"
    folder.mkdir(parents=True)
    (folder / "weights.safetensors").write_bytes(bytes(8))
    return folder


def test_a_starting_engine_removes_folders_of_the_dead(tmp_path: Path) -> None:
    left, ours, others = made(tmp_path, DEAD), made(tmp_path, os.getpid()), tmp_path / "own"
    others.mkdir()
    Runner(None, all_families(), None, tmp_path)
    assert [folder.exists() for folder in (left, ours, others)] == [False, True, True]


def test_a_number_that_another_process_has_now_protects_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = made(tmp_path, os.getpid())
    number, _, start = own_token().partition(":")
    mark = tmp_path / f"{PREFIX}{number}-owner"
    mark.write_text(f"{number}:1{start}")  # began at another time
    assert sweep(tmp_path) == 1
    assert not left.exists()
    assert not mark.exists()


def test_what_lies_in_a_folder_that_was_chosen_is_found_from_the_programs_own(tmp_path: Path) -> None:
    main, chosen = tmp_path / "main", tmp_path / "chosen"
    left, ours = made(chosen, DEAD), made(chosen, os.getpid())
    main.mkdir()
    (main / f"{PREFIX}{DEAD}-owner").write_text(f"{DEAD}:gone/1\n{chosen}")
    assert sweep(main) == 1
    assert not left.exists()
    assert ours.exists()
    assert list(main.iterdir()) == []


def test_marks_stand_while_folders_do_and_go_with_them(tmp_path: Path) -> None:
    main, chosen = tmp_path / "main", tmp_path / "chosen"
    places = Scratch(main)
    with places.folders(str(chosen)) as fresh:
        folder = fresh("unet")
        fresh("vae")
        assert [file.read_text().splitlines()[1:] for file in main.iterdir()] == [[str(chosen)]]
        assert sweep(main) == sweep(chosen) == 0  # its maker lives
        assert folder.exists()
    assert list(main.iterdir()) == list(chosen.iterdir()) == []


def test_two_places_that_name_each_other_are_no_endless_way(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for base, other, pid in ((one, two, DEAD), (two, one, DEAD + 1)):
        made(base, pid)
        (base / f"{PREFIX}{pid}-owner").write_text(f"{pid}:gone/1\n{other}")
    assert sweep(one) == 2


def test_sweeping_never_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sweep(tmp_path / "nowhere") == 0
    (tmp_path / "file").write_bytes(b"")
    assert sweep(tmp_path / "file") == 0
    link = tmp_path / f"{PREFIX}{DEAD}-link"
    link.symlink_to(made(tmp_path, os.getpid()))
    monkeypatch.setattr(offload_files, "is_alive", lambda token: False)
    sweep(tmp_path)
    assert not link.is_symlink()
    assert made(tmp_path, os.getpid(), "second").exists()

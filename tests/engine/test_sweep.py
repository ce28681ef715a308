"""What a killed engine left on disk goes when the next one starts; what belongs to a living one stays."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

from app.engine.runner import Runner
from app.engine.scratch import PREFIX
from app.families import all_families


def test_a_starting_engine_removes_folders_of_the_dead(tmp_path: Path) -> None:
    dead = max(psutil.pids()) + 100_000
    left, ours, others = (
        tmp_path / f"{PREFIX}{dead}-unet-x", tmp_path / f"{PREFIX}{os.getpid()}-unet-y", tmp_path / "own"
    )  # fmt: skip
    for folder in (left, ours, others):
        folder.mkdir()
        (folder / "weights.safetensors").write_bytes(bytes(8))
    Runner(None, all_families(), None, tmp_path)
    assert [folder.exists() for folder in (left, ours, others)] == [False, True, True]

"""Presets from files: the shipped ones in their order, the person's beside them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from app.store.presets import load_presets


def test_shipped_presets_come_first_and_bad_files_are_left_out(tmp_path: Path, root: Path) -> None:
    (tmp_path / "mine.json").write_text('{"name": "Mine", "goal": "speed", "memory": {"offload": "none"}}')
    (tmp_path / "bad.json").write_text('{"name": "Bad", "memory": {"offload": "sideways"}}')
    (tmp_path / "worse.json").write_text("[" * 100_000)
    (tmp_path / "list.json").write_text("[]")
    presets = load_presets(root / "resources" / "presets", tmp_path, tmp_path / "gone")
    assert list(presets) == ["fits", "fastest", "lowest", "mine"]
    assert presets["mine"].overrides == (("offload", "none"),)


def test_what_is_no_file_or_has_no_possible_name_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe.json")
    assert load_presets(tmp_path, tmp_path / ("x" * 300)) == {}

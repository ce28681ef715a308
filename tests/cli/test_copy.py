"""``headroom models --copy``: a model written again in parts, and what is said where that cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Headroom = Callable[..., Any]


def test_a_model_is_copied_in_parts(headroom: Headroom, demo_model: Path, tmp_path: Path) -> None:
    done = headroom(
        "models", "--copy", str(demo_model), str(tmp_path / "copy"), "--shard-size", "2MB", "--json"
    )
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert said["model"] == str(tmp_path / "copy")
    assert len(said["files"]) > 5
    again = headroom("models", "--copy", str(demo_model), str(tmp_path / "copy"))
    assert again.code != 0
    assert "exists already" in again.err


def test_a_size_that_is_none_is_refused(headroom: Headroom, demo_model: Path, tmp_path: Path) -> None:
    done = headroom("models", "--copy", str(demo_model), str(tmp_path / "copy"), "--shard-size", "big")
    assert done.code != 0
    assert "big" in done.err
    assert not (tmp_path / "copy").exists()

"""The check that the packed program makes of itself, made here from the source: the real window, real engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.media.open import open_picture

pytestmark = pytest.mark.slow


def test_the_window_makes_a_picture_loses_its_engine_and_makes_it_again(
    home: Path, root: Path, tmp_path: Path
):
    report = tmp_path / "report.json"
    environment = {**os.environ, "HEADROOM_SELF_CHECK": str(report), "HEADROOM_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "app"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    said = json.loads(report.read_text(encoding="utf-8"))
    assert (done.returncode, said["error"]) == (0, ""), done.stderr
    first, second = said["engines"]
    assert said["killed"] == said["died"]["pid"] == first["pid"] != second["pid"]
    assert said["families"] == second["families"]
    assert not said["torch_in_window"]
    made, again = (Path(path) for path in said["pictures"])
    assert made.parent.is_relative_to(home)
    assert made != again
    assert open_picture(made).tobytes() == open_picture(again).tobytes()

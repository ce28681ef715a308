"""The command line finds the virtual GPUs as it would any card, and its ``--memory`` words act there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parent / "plugin"
CARDS = {"VGPU_DEVICES": "2", "VGPU_TOTAL": "64MiB,48MiB"}


def headroom(root: Path, *arguments: str) -> dict[str, Any]:
    """The JSON that the program prints."""
    environment = {**os.environ, **CARDS, "PYTHONPATH": os.pathsep.join([str(PLUGIN), str(root)])}
    command = [sys.executable, "-m", "app", *arguments, "--json"]
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_doctor_lists_the_cards(root: Path) -> None:
    devices = {device["id"]: device["total"] for device in headroom(root, "doctor")["devices"]}
    assert list(devices) == ["vgpu:0", "vgpu:1", "cpu"]
    assert (devices["vgpu:0"], devices["vgpu:1"]) == (64 * 2**20, 48 * 2**20)


@pytest.mark.parametrize(("offload", "peak"), [("none", 40), ("sequential", 6)])
def test_memory_words_act(root: Path, demo_model: Path, tmp_path: Path, offload: str, peak: int) -> None:
    words = [f"offload={offload}", "device=vgpu:1", "max_memory=40MiB", "dtype=float32", "storage=none"]
    options = ["--model", str(demo_model), "--steps", "2", "--size", "64x64", "--seed", "7"]
    memory = [part for word in words for part in ("--memory", word)]
    result = headroom(root, "generate", "a red circle", *options, *memory, "--out", str(tmp_path / "a.png"))
    assert (result["plan"]["device"], result["plan"]["offload"]) == ("vgpu:1", offload)
    assert 0 < result["peaks"]["vgpu:1"] <= peak * 2**20
    assert (tmp_path / "a.png").exists()

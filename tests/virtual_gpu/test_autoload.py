"""A process that imports torch with the plugin on its path has the device, as its environment wants it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from headroom_vgpu.remote import Remote

PLUGIN = Path(__file__).parent / "plugin"
CONFIGURED = {"VGPU_DEVICES": "3", "VGPU_TOTAL": "8MiB,6MiB", "VGPU_CAP": "1MiB"}


def test_the_environment_configures_it() -> None:
    script = (
        "import torch; print([torch.vgpu.mem_get_info(i) for i in range(torch.accelerator.device_count())])"
    )
    environment = {**os.environ, **CONFIGURED, "PYTHONPATH": str(PLUGIN)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    free = 2**20
    assert done.stdout.strip() == str([(free, 8 * 2**20), (free, 6 * 2**20), (free, 6 * 2**20)])


def test_the_environment_switches_its_modes() -> None:
    script = "import torch; print(torch.ops.vgpu.modes())"
    for switches, modes in (
        ({}, [0, 0]),
        ({"VGPU_PINNED_ROUND": "1"}, [1, 0]),
        ({"VGPU_DELAYED": "1"}, [0, 1]),
    ):
        environment = {**os.environ, **switches, "PYTHONPATH": str(PLUGIN)}
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == str(modes), done.stderr


def test_the_program_does_not_know_of_it(root: Path) -> None:
    """It sees an accelerator that torch reports, and takes no way of its own for it."""
    files = [*(root / "app").rglob("*.py")]
    assert len(files) > 50
    assert not [file for file in files if "vgpu" in file.read_text(encoding="utf-8").lower()]


def test_without_the_plugin_torch_has_no_accelerator() -> None:
    """The program's other tests run without it: it must not leak out of its path."""
    script = "import torch; print(torch.accelerator.is_available(), hasattr(torch, 'vgpu'))"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert "True" not in done.stdout.split()[1:], done.stderr


CHILD = """
import torch
held = torch.ones(1024, dtype=torch.uint8, device="vgpu:1")
print("holding", flush=True)
input()
try:
    torch.empty(4096, dtype=torch.uint8, device="vgpu:1")
    print("fits")
except torch.OutOfMemoryError:
    print("out of memory")
"""


def test_the_side_door_reads_and_bounds_a_running_process() -> None:
    with (
        tempfile.TemporaryDirectory() as folder
    ):  # a socket's path is at most 108 bytes, pytest's may be longer
        environment = {**os.environ, **CONFIGURED, "VGPU_CONTROL": folder, "PYTHONPATH": str(PLUGIN)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen([sys.executable, "-c", CHILD], env=environment, **pipes) as process:
            assert process.stdout.readline() == "holding\n"
            remote = Remote(Path(folder), process.pid)
            assert (remote("stats", 1)["live"], remote("stats", 0)["live"]) == (1024, 0)
            remote("set_cap", "4KiB", 1)
            with pytest.raises(RuntimeError, match="not a size"):
                remote("set_cap", "much", 1)
            remote.close()
            said, _ = process.communicate("go on\n")
    assert said == "out of memory\n"

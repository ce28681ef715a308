"""packaging/run.py as a person meets it: it starts what was asked for, and says in a sentence what is missing."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement


def test_it_parses_on_an_old_python(root):
    ast.parse((root / "packaging" / "run.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_so(project):
    old = "import sys\nsys.version_info = (3, 8, 10, 'final', 0)"
    done = project.run(before=old)
    assert done.returncode == 3
    assert done.stderr.startswith("Headroom needs Python 3.11 or newer, and this is Python 3.8. ")
    assert not (project.root / ".venv").exists()


def test_an_old_python_names_a_newer_one(project, tmp_path):
    newer = tmp_path / "python3.13"
    newer.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    newer.chmod(0o755)
    done = project.run(before="import sys\nsys.version_info = (3, 8, 10, 'final', 0)", PATH=str(tmp_path))
    assert "run: python3.13 packaging/run.py" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux goes without a screen")
def test_no_screen_is_told_before_anything_is_installed(project):
    done = project.run(DISPLAY=None, WAYLAND_DISPLAY=None, QT_QPA_PLATFORM=None)
    assert done.returncode == 3
    assert "no screen" in done.stderr
    assert "packaging/run.py generate" in done.stderr
    assert not (project.root / ".venv").exists()


@pytest.mark.parametrize("module", ["ensurepip", "venv"])
def test_a_python_without_venv_names_the_package(project, module):
    done = project.run("models", before=f"import sys\nsys.modules[{module!r}] = None")
    assert done.returncode == 3
    assert f"This Python has no {module} module" in done.stderr
    assert "sudo apt install python3-venv" in done.stderr


def test_a_small_disk_is_told_before_the_download(project):
    full = "import collections, shutil\nshutil.disk_usage = lambda path: collections.namedtuple('U', 'free')(7e8)"
    done = project.run("models", before=full)
    assert done.returncode == 3
    assert "has 0.7 GB free" in done.stderr
    assert "about 4 GB" in done.stderr


def test_no_network_is_told(project):
    done = project.run(
        "models", PIP_NO_INDEX=None, PIP_FIND_LINKS=None, PIP_INDEX_URL="http://127.0.0.1:9/simple"
    )
    assert done.returncode == 1
    assert "no connection to the package index" in done.stderr
    assert str(project.root / ".venv" / "headroom-setup.log") in done.stderr
    assert not project.stamp.exists()


def test_a_torch_that_does_not_load_is_told(project):
    wheel = project.wheels / "torch-2.13.0+cpu-py3-none-any.whl"
    wheel.unlink()
    make_broken_torch(project.wheels)
    done = project.run("models")
    assert done.returncode == 1
    assert "PyTorch was installed but does not load: OSError: libgomp.so.1" in done.stderr
    assert not project.stamp.exists()


def make_broken_torch(folder: Path) -> None:
    """A torch whose import fails as on a system without one of its libraries."""
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        from conftest import make_wheel
    finally:
        sys.path.pop(0)
    make_wheel(
        folder, "torch", "2.13.0+cpu", {"torch/__init__.py": "raise OSError('libgomp.so.1: not found')"}
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--torch", "tpu"), "--torch is one of cpu, cuda, rocm, xpu, not 'tpu'."),
        (("--torch",), "--torch needs a value."),
        (("--frobnicate",), "There is no option --frobnicate."),
    ],
)
def test_a_wrong_option_is_told(project, arguments, words):
    done = project.run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_help_needs_no_set_up(project):
    done = project.run("--help")
    assert done.returncode == 0
    assert "packaging/run.py test" in done.stdout
    assert not (project.root / ".venv").exists()


def test_it_becomes_the_command_line(ready, tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text("raise SystemExit('the wrong app')", encoding="utf-8")
    arguments = ("generate", "a red circle on a blue background", "--out", "circle.png")
    done = ready.run(*arguments, cwd=tmp_path, APP_EXIT="7", PYTHONPATH=str(tmp_path), PYTHONHOME=None)
    assert done.returncode == 7
    said = json.loads(done.stdout)
    assert said["argv"] == list(arguments)
    assert Path(said["cwd"]) == tmp_path
    assert Path(said["prefix"]) == ready.root / ".venv"
    assert not {str(tmp_path), str(ready.root / "packaging"), ""} & set(said["path"])


def test_a_second_start_is_quick_and_silent(ready):
    before = ready.log
    begun = time.monotonic()
    plain = subprocess.run([ready.root / ".venv/bin/python", "-m", "app"], cwd=ready.root, check=False)
    middle = time.monotonic()
    done = ready.run("models")
    ended = time.monotonic()
    assert plain.returncode == done.returncode == 0
    assert done.stderr == ""
    assert ready.log == before
    assert (ended - middle) - (middle - begun) < 1


def test_the_window_opens_when_there_is_a_screen(ready):
    done = ready.run(QT_QPA_PLATFORM="offscreen")
    assert json.loads(done.stdout)["argv"] == []


def test_the_suite_runs_in_processes_of_its_own(ready):
    done = ready.run("test")
    assert done.returncode == 0
    asked = [line for line in done.stdout.splitlines() if line.startswith("asked:")]
    cores = min(4, os.cpu_count() or 1)
    spread = f"-n {cores} --dist loadfile " if cores > 1 else ""
    assert asked == [
        f"asked: {spread}tests --ignore=tests/host --ignore=tests/virtual_gpu",
        "asked: tests/host",
        "asked: tests/virtual_gpu",
    ]
    assert done.stdout.splitlines()[-1] == "=== 1 passed in 0.10s ==="
    for name in ("unit and window tests", "engine processes", "virtual-GPU matrix"):
        assert f"\n{name}: " in done.stderr


@pytest.mark.parametrize("failing", ["tests/host", "tests/virtual_gpu"])
def test_a_failing_process_has_the_last_word(ready, failing):
    done = ready.run("test", FAILING=failing)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "=== 1 failed in 0.10s ==="


def test_a_process_that_a_test_left_behind_does_not_hold_the_run(ready):
    # Three processes are left, each with the end of a pipe, until the file is gone.
    out, left = ready.root / "out.txt", ready.root / "left-behind"
    left.touch()
    try:
        with out.open("wb") as file:
            command, environment = ready.command("test"), ready.surroundings(LEAVE_BEHIND="1")
            done = subprocess.run(
                command, cwd=ready.root, env=environment, stdout=file, timeout=60, check=False
            )
    finally:
        left.unlink()
    assert done.returncode == 0
    assert out.read_text(encoding="utf-8").splitlines()[-1] == "=== 1 passed in 0.10s ==="


def test_pytests_arguments_are_handed_on(ready):
    done = ready.run("test", "tests/core", "-k", "request", "-x")
    assert done.returncode == 0
    assert "asked: tests/core -k request -x" in done.stdout
    assert ready.run("test", "tests/core", FAILING="core").returncode == 1


def test_the_torch_that_is_installed_fits_the_project(root, scripts):
    with (root / "pyproject.toml").open("rb") as file:
        needs = [Requirement(text) for text in tomllib.load(file)["project"]["dependencies"]]
    torch = next(need for need in needs if need.name == "torch")
    assert torch.specifier.contains(scripts.setup_torch.TORCH)


def test_the_scripts_leave_the_path_alone(ready):
    probe = (
        "import atexit, sys\natexit.register(lambda: print([p for p in sys.path if p.endswith('packaging')]))"
    )
    done = ready.run("--help", before=probe)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(os.name == "nt", reason="bash")
@pytest.mark.parametrize("name", ["run", "nightly"])
def test_the_scripts_of_ci_parse(root, name):
    subprocess.run(["bash", "-n", root / ".ci" / name], check=True)

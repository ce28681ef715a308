"""The wheel is whole: installed in a new environment it lists the models and makes a picture from another folder."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PARTS = ("app", "resources", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture
def wheel(python, root: Path, tmp_path: Path) -> Path:
    """Built from a copy, so that nothing is left in the source tree and nothing left there gets in."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for part in PARTS:
        if (root / part).is_dir():
            shutil.copytree(root / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(root / part, copy)
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(tmp_path / "wheels"))
    done = python("-m", "pip", "wheel", *options, str(copy))
    assert done.returncode == 0, done.stderr
    return next((tmp_path / "wheels").glob("headroom_studio-*.whl"))


@pytest.fixture
def installed(python, wheel: Path, tmp_path: Path) -> Path:
    """A new environment's folder of commands; the libraries come from this one, by a path file."""
    venv = tmp_path / "venv"
    assert python("-m", "venv", "--without-pip", str(venv)).returncode == 0
    commands = venv / ("Scripts" if os.name == "nt" else "bin")
    options = ("install", "--no-deps", "--no-index", str(wheel))
    done = python("-m", "pip", "--python", str(commands / "python"), *options)
    assert done.returncode == 0, done.stderr
    # Only now: were the libraries there before, pip would see an editable install of the project among them.
    packages = next(venv.rglob("site-packages"))
    paths = sysconfig.get_paths()
    (packages / "libraries.pth").write_text("\n".join({paths["purelib"], paths["platlib"]}), encoding="utf-8")
    return commands


def test_the_wheel_holds_the_program_and_its_resources(wheel, root):
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {path.relative_to(root).as_posix() for path in (root / "app").rglob("*.py")}
    assert modules <= names
    resources = [path for path in (root / "resources").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert {
        f"app/_resources/{path.relative_to(root / 'resources').as_posix()}" for path in resources
    } <= names
    assert not [name for name in names if name.startswith(("tests/", "packaging/", "resources/"))]


def test_the_wheel_works_from_another_folder(python, installed, demo_model, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run = {"cwd": elsewhere, "executable": str(installed / "python")}
    where = python("-c", "import app; print(app.__file__)", **run)
    assert Path(where.stdout.strip()).is_relative_to(installed.parent)

    done = python("-m", "app", "models", "--json", **run)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)

    if not demo_model.exists():
        pytest.skip("resources/demo-models/shapes-image is not there yet")
    command = [
        str(installed / "headroom"),
        "generate",
        "a red circle on a blue background",
        "--out",
        "circle.png",
    ]
    done = python(*command[1:], cwd=elsewhere, executable=command[0])
    assert done.returncode == 0, done.stderr
    assert (elsewhere / "circle.png").read_bytes().startswith(b"\x89PNG")
    assert sys.prefix not in done.stdout

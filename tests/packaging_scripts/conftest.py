"""A small project that packaging/run.py sets up for real, offline and in seconds.

The scripts and pip are the real ones; the project, its build backend, torch and pytest are stand-ins of a few lines,
served from a folder of wheels. Where the test is about something else, `python -m venv`, which takes seconds, is
replaced by a copy of an environment that it made.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import types
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "headroom-studio"
version = "1"
"""

BACKEND = """
import time, zipfile
from pathlib import Path

HERE = Path(__file__).parent
WHEEL = "headroom_studio-1-py3-none-any.whl"

def build_editable(folder, config_settings=None, metadata_directory=None):
    (HERE / "building").touch()
    while (HERE / "hold").exists():
        time.sleep(0.05)
    extra = (HERE / "extra-requirement")
    needs = f"Requires-Dist: {extra.read_text()}\\n" if extra.exists() else ""
    files = {
        "headroom.pth": str(HERE),
        "headroom_studio-1.dist-info/METADATA": "Metadata-Version: 2.1\\nName: headroom-studio\\nVersion: 1\\n" + needs
        + "Requires-Dist: qt-standin\\nProvides-Extra: test\\nRequires-Dist: pytest; extra == 'test'\\n",
        "headroom_studio-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    with zipfile.ZipFile(Path(folder) / WHEEL, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
        wheel.writestr("headroom_studio-1.dist-info/RECORD", "".join(f"{name},,\\n" for name in files))
    return WHEEL
"""

APP = """
import json, os, sys
print(json.dumps({"argv": sys.argv[1:], "cwd": os.getcwd(), "prefix": sys.prefix, "path": sys.path}))
sys.exit(int(os.environ.get("APP_EXIT", "0")))
"""

TORCH = """
import types
__version__ = "2.13.0+cpu"
accelerator = types.SimpleNamespace(is_available=lambda: False)
"""

PYTEST = """
import os, subprocess, sys
print("asked:", *sys.argv[1:])
bad = os.environ.get("FAILING", "none")
failed = any(bad in argument for argument in sys.argv[1:] if not argument.startswith("--ignore"))
print("=== 1 failed in 0.10s ===" if failed else "=== 1 passed in 0.10s ===")
sys.stdout.flush()
if "LEAVE_BEHIND" in os.environ:
    wait = "import os, time\\nwhile os.path.exists('left-behind'): time.sleep(0.05)"
    subprocess.Popen([sys.executable, "-c", wait])
sys.exit(1 if failed else 0)
"""


def make_wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> None:
    """A wheel with these files and nothing else."""
    info = f"{name}-{version}.dist-info"
    files = {
        **{path: textwrap.dedent(text) for path, text in files.items()},
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
        wheel.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))


@dataclass
class Project:
    """A copy of the scripts with the stand-ins beside it."""

    root: Path
    wheels: Path
    template: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def stamp(self) -> Path:
        return self.root / ".venv" / "headroom-stamp.json"

    @property
    def log(self) -> str:
        return (self.root / ".venv" / "headroom-setup.log").read_text(encoding="utf-8")

    def command(self, *arguments: str, before: str = "") -> list[str]:
        """run.py's command line; with `before`, code that changes the Python it runs in."""
        script = str(self.root / "packaging" / "run.py")
        if self.template:
            before = f"import sys\nsys._base_executable = {str(self.template / 'copy')!r}\n{before}"
        if not before:
            return [sys.executable, script, *arguments]
        code = (
            f"{before}\nimport runpy, sys\nsys.argv.pop(0)\nrunpy.run_path(sys.argv[0], run_name='__main__')"
        )
        return [sys.executable, "-c", code, script, *arguments]

    def surroundings(self, **changes: str | None) -> dict[str, str]:
        """The environment of a run: pip sees the folder of wheels and nothing else."""
        values = {**os.environ, **self.environment, **changes}
        return {key: value for key, value in values.items() if value is not None}

    def run(self, *arguments: str, before: str = "", cwd: Path | None = None, **changes: str | None):
        """Run to the end; what it said is shown with a failure."""
        done = subprocess.run(
            self.command(*arguments, before=before),
            cwd=cwd or self.root,
            env=self.surroundings(**changes),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        print(done.stdout, done.stderr, sep="\n")
        assert "Traceback" not in done.stderr
        return done

    @contextlib.contextmanager
    def started(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Start in a process group of its own; whatever is left of it is ended at the end."""
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.root,
            env=self.surroundings(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A test run in the background of a script ignores Ctrl-C, and its children with it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            yield process
        finally:
            (self.root / "hold").unlink(missing_ok=True)
            process.kill()
            process.communicate()


@pytest.fixture
def project(root: Path, tmp_path: Path, template: Path) -> Project:
    """A project that was never set up."""
    return make_project(root, tmp_path, template)


@pytest.fixture(scope="module")
def ready(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that is set up, wholly for real, for tests that change nothing about that."""
    made = make_project(root, tmp_path_factory.mktemp("ready"))
    assert made.run("--extra", "test", "--setup-only").returncode == 0
    return made


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that `python -m venv` made, and a command that copies it instead of making one."""
    folder = tmp_path_factory.mktemp("template")
    venv.create(folder / "venv", with_pip=True)
    command = folder / "copy"
    # Called as `copy -m venv TARGET`, with the target's folder already there.
    command.write_text(f'#!/bin/sh\nexec cp -Rp "{folder}/venv/." "$3"\n', encoding="utf-8")
    command.chmod(0o755)
    return folder


def make_project(root: Path, folder: Path, template: Path | None = None) -> Project:
    """Lay the scripts and the stand-ins out."""
    place, wheels = folder / "project", folder / "wheels"
    (place / "packaging").mkdir(parents=True)
    wheels.mkdir()
    for script in [root / "packaging" / "run.py", *(root / "packaging").glob("setup_*.py")]:
        shutil.copy(script, place / "packaging")
    files = {
        "pyproject.toml": PYPROJECT,
        "backend.py": BACKEND,
        "app/__init__.py": "",
        "app/__main__.py": APP,
    }
    files |= {"tests/test_unit.py": "", "tests/host/test_link.py": "", "tests/virtual_gpu/test_matrix.py": ""}
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    make_wheel(wheels, "torch", "2.13.0+cpu", {"torch/__init__.py": TORCH})
    make_wheel(wheels, "qt_standin", "1", {"PySide6/__init__.py": "", "PySide6/QtWidgets.py": ""})
    make_wheel(wheels, "pytest", "9", {"pytest/__init__.py": "", "pytest/__main__.py": PYTEST})
    settings = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    settings |= {"PIP_NO_CACHE_DIR": "1", "PIP_NO_COMPILE": "1", "PIP_DEFAULT_TIMEOUT": "5"}
    return Project(place, wheels, template, settings)


@pytest.fixture
def scripts(root: Path) -> Iterator[types.SimpleNamespace]:
    """The set-up's modules, imported by their folder as run.py does it, and forgotten again."""
    folder = str(root / "packaging")
    names = [path.stem for path in sorted((root / "packaging").glob("setup_*.py"))]
    sys.path.insert(0, folder)
    try:
        loaded = types.SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    finally:
        sys.path.remove(folder)
    yield loaded
    for name in names:
        sys.modules.pop(name, None)

"""What goes into the bundle and what stays out, as data with its reasons. Used by headroom.spec, build.py, notices.py.

Imports nothing of the program: what the engine loads is asked of a process of its own (bundle_probe.py).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

UNUSED_DISTRIBUTIONS = {
    "annotated-doc": "typer's",
    "annotated-types": "pydantic's",
    "click": "typer's",
    "hf-xet": "downloads from a hub, which the program does not do",
    "markdown-it-py": "rich's",
    "mdurl": "rich's",
    "networkx": "graphs of the compiler, which is not offered",
    "pydantic": "forms of a hub's web hooks",
    "pydantic-core": "pydantic's",
    "pygments": "rich's",
    "rich": "colours of other command lines",
    "setuptools": "builds, of which there are none on the person's machine",
    "shellingham": "typer's",
    "triton": "kernels of the compiler, which is not offered",
    "typer": "other command lines",
    "typing-inspection": "pydantic's",
}
"""Required by the metadata of what the program needs, but never imported by it: canonical name → what it is for."""

PRUNED = (
    "accelerate.commands", "accelerate.test_utils", "accelerate.utils.megatron_lm",
    "diffusers.commands", "diffusers.experimental", "diffusers.modular_pipelines", "diffusers.pipelines",
    "huggingface_hub.cli", "huggingface_hub.inference",
    "torch._export", "torch._inductor", "torch.ao", "torch.contrib", "torch.distributed", "torch.onnx",
    "torch.testing", "torch.utils.benchmark", "torch.utils.bottleneck", "torch.utils.hipify",
    "torch.utils.model_dump", "torch.utils.tensorboard", "torch.utils.viz", "torchgen",
    "transformers.cli", "transformers.commands", "transformers.data", "transformers.models", "transformers.pipelines",
)  # fmt: skip
"""Packages of which only what the engine really loads goes in: the rest serves other models, training or tests."""

EXCLUDED = (
    # of Python: screens of other kinds, and what is under another licence than the rest
    "tkinter", "turtle", "idlelib", "curses", "readline", "lib2to3", "ensurepip", "pydoc_data", "test", "venv",
    # named in the libraries for those who have them; none is declared by the project, or Qt's and not drawn with
    "matplotlib", "IPython", "tensorboard", "scipy", "pandas", "numba", "cupy", "pytest", "_pytest", "hypothesis",
    "sympy.plotting.tests", "sympy.testing.tests", "numpy.f2py", "numpy.distutils",
    "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtDBus", "PySide6.QtTest",
)  # fmt: skip

SOURCES = {
    # transformers lists its models by reading their source files
    "transformers.models": "pyz+py",
    # torch reads the comments of its settings, and the bodies of a few overloaded functions
    "torch.functional": "pyz+py",
    "torch.nn.functional": "pyz+py",
    "torch.nn.modules.rnn": "pyz+py",
}
"""Modules whose source files are read at run time; ``torch``'s settings modules are added by ``collection_modes``."""


BUILDERS = ("headroom-studio", "pyinstaller", "pyinstaller-hooks-contrib")
"""In the environment for other reasons: the program itself, and what packs it."""


def canonical(name: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def project() -> dict:
    """The [project] table of pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def version() -> str:
    """The program's version."""
    return str(project()["version"])


def required() -> dict[str, metadata.Distribution]:
    """All that the project's dependencies need, found in this environment: canonical name → distribution."""
    from packaging.requirements import Requirement

    found: dict[str, metadata.Distribution] = {}

    def follow(line: str) -> None:
        need = Requirement(line)
        name = canonical(need.name)
        if name in found or (need.marker and not need.marker.evaluate({"extra": ""})):
            return
        try:
            found[name] = metadata.distribution(need.name)
        except metadata.PackageNotFoundError:
            return
        for extra in ("", *need.extras):
            for further in found[name].requires or ():
                marker = Requirement(further).marker
                if marker is None or marker.evaluate({"extra": extra}):
                    follow(further.split(";")[0])

    for line in project()["dependencies"]:
        follow(line)
    return found


def bundled() -> dict[str, metadata.Distribution]:
    """The distributions that go in."""
    return {name: found for name, found in required().items() if name not in UNUSED_DISTRIBUTIONS}


def strays() -> Iterator[str]:
    """Top-level modules in this environment that belong to nothing that goes in: never to be picked up by chance."""
    going_in = bundled()
    kept = {module for found in going_in.values() for module in tops(found)}
    for found in metadata.distributions():
        name = canonical(found.name)
        if name not in going_in and name not in BUILDERS:
            yield from (module for module in tops(found) if module not in kept)


def unused_modules() -> Iterator[str]:
    """The modules of what is required and never imported."""
    for name in UNUSED_DISTRIBUTIONS:
        try:
            yield from tops(metadata.distribution(name))
        except metadata.PackageNotFoundError:
            continue


def tops(distribution: metadata.Distribution) -> set[str]:
    """The names that a distribution can be imported by."""
    names = set()
    for file in distribution.files or ():
        first = file.parts[0]
        if len(file.parts) > 1 and not first.endswith((".dist-info", ".data", ".libs")) and first != "..":
            names.add(first)
        elif len(file.parts) == 1 and first.endswith((".py", ".so", ".pyd")):
            names.add(first.split(".")[0])
    return {name for name in names if name.isidentifier() and name != "__pycache__"}


def loaded(source: Path) -> list[str]:
    """What an engine has imported once it is ready for every family, told by a process that becomes one."""
    command = [sys.executable, "-s", "-P", str(ROOT / "packaging" / "bundle_probe.py")]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def wanted(seen: Iterable[str]) -> list[str]:
    """What the engine loads, and the siblings of its text models: transformers looks for them when it lists a model."""
    found = {name for name in seen if not name.startswith(("_", "app.", "requests.packages."))}
    models = {".".join(name.split(".")[:3]) for name in found if name.startswith("transformers.models.")}
    return sorted(found.union(*(modules_below(model) for model in models)))


def left_out(seen: Iterable[str]) -> list[str]:
    """Modules below PRUNED that no engine needs."""
    kept = set(wanted(seen))
    kept |= {name.rsplit(".", depth)[0] for name in kept for depth in range(1, name.count(".") + 1)}
    return [name for package in PRUNED for name in modules_below(package) if name not in kept]


def modules_below(package: str) -> Iterator[str]:
    """A package and all modules in it, by its files: nothing is imported but its parents."""
    folder = folder_of(package)
    if folder is None:
        return
    yield package
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts:
            yield ".".join((package, *parts))


def folder_of(package: str) -> Path | None:
    """Where a package's files lie; None when it is not installed."""
    top, *below = package.split(".")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)), *below)
    return folder if folder.is_dir() else None


def collection_modes(seen: Iterable[str]) -> dict[str, str]:
    """PyInstaller's module_collection_mode: byte code in the archive, sources only where they are read."""
    settings = (name for name in seen if name.startswith("torch.") and name.endswith(("config", "._config")))
    packages = dict.fromkeys(("torch", "transformers", "diffusers", "accelerate", "peft"), "pyz")
    return packages | SOURCES | dict.fromkeys(settings, "pyz+py")

"""The window's process and the engine's server import no torch; the command line works without Qt."""

from __future__ import annotations

import json
import pkgutil
from pathlib import Path

import pytest

HEAVY = {"torch", "diffusers", "transformers", "accelerate", "safetensors"}
WINDOW = ("core", "families", "media", "store", "host", "cli", "ui")

REPORT = """
import importlib, json, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""

WITHOUT_QT = """
import runpy, sys
for name in ("PySide6", "shiboken6", "qtawesome"):
    sys.modules[name] = None
sys.path.insert(0, sys.argv.pop(1))
sys.argv[0] = "headroom"
runpy.run_module("app", run_name="__main__", alter_sys=True)
"""


def modules(root: Path, layer: str) -> list[str]:
    """Every module of a layer, by its full name."""
    prefix = f"app.{layer}."
    found = [module.name for module in pkgutil.walk_packages([str(root / "app" / layer)], prefix)]
    assert found, f"app.{layer} has no modules"
    return [f"app.{layer}", *found]


def loaded(python, names: list[str]) -> set[str]:
    """The top-level packages in memory after importing modules in a fresh process."""
    done = python("-c", REPORT, *names)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("layer", WINDOW)
def test_a_layer_of_the_window_imports_nothing_heavy(python, root, layer):
    assert not loaded(python, modules(root, layer)) & HEAVY


def test_the_entry_imports_nothing_heavy_nor_qt(python):
    # A spawned engine imports the entry again, so it must be as light as can be.
    assert not loaded(python, ["app", "app.__main__"]) & (HEAVY | {"PySide6", "numpy", "PIL"})


def test_the_engines_server_imports_nothing_heavy(python):
    assert not loaded(python, ["app.engine.server"]) & (HEAVY | {"PySide6", "numpy"})


@pytest.mark.parametrize(
    "arguments",
    [("generate", "--help"), ("resume", "--help"), ("plan", "--help"), ("models", "--json"), ("doctor",)],
    ids=" ".join,
)
def test_the_command_line_works_without_qt(python, root, arguments, tmp_path):
    done = python("-c", WITHOUT_QT, str(root), *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr


def test_the_command_line_plans_without_qt(python, root, tmp_path):
    done = python("-c", WITHOUT_QT, str(root), "plan", "a red circle", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)

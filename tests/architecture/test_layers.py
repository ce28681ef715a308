"""The layers and contracts of pyproject.toml hold, and each of them really fails when it is broken."""

from __future__ import annotations

import ast
import shutil
import tomllib
from pathlib import Path

import pytest

LINT = ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")
QT_WRAPPERS = {"link", "jobs", "downloads", "telemetry"}
OFFENCES = {
    "app/core/offence_upwards.py": ("import app.ui", "Imports point downwards"),
    "app/store/offence_sibling.py": ("import app.engine", "Imports point downwards"),
    "app/ui/offence_engine.py": (
        "import app.engine",
        "The window and the command line never import the engine",
    ),
    "app/host/offence_runner.py": ("import app.engine.runner", "The host names only the engine's server"),
    "app/engine/offence_settings.py": ("import app.core.memory", "The engine reads plans, never settings"),
    "app/cli/offence_qt.py": ("import PySide6", "Only the window and the host's Qt wrappers know Qt"),
    "app/core/offence_numpy.py": ("import numpy", "The core is standard library only"),
}


def contracts(root: Path) -> set[str]:
    with (root / "pyproject.toml").open("rb") as file:
        return {contract["name"] for contract in tomllib.load(file)["tool"]["importlinter"]["contracts"]}


def test_contracts_hold(python, root):
    done = python(*LINT)
    assert done.returncode == 0, done.stdout
    assert f"Contracts: {len(contracts(root))} kept, 0 broken" in done.stdout


@pytest.mark.slow
def test_each_contract_fails_when_it_is_broken(python, root, tmp_path):
    shutil.copytree(root / "app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    for name, (line, _) in OFFENCES.items():
        (tmp_path / name).write_text(f'"""An offence."""\n\n{line}\n', encoding="utf-8")

    done = python(*LINT, cwd=tmp_path)

    assert done.returncode == 1
    told = {name for name in contracts(root) if f"{name} BROKEN" in done.stdout}
    assert told == contracts(root)
    for name in OFFENCES:
        assert Path(name).with_suffix("").as_posix().replace("/", ".") in done.stdout, f"{name} went unseen"


def test_each_contract_has_an_offence(root):
    assert {contract for _, contract in OFFENCES.values()} == contracts(root)


def test_only_the_wrappers_of_host_import_qt(root):
    knowing = {path.stem for path in (root / "app" / "host").glob("*.py") if "PySide6" in imported(path)}
    assert knowing <= QT_WRAPPERS


def test_only_the_host_names_the_engine_and_only_its_server(sources, root):
    for path in sources:
        layer = path.relative_to(root / "app").parts[0]
        if layer in ("ui", "cli", "host", "store"):
            named = {name for name in imported(path) if name.startswith("app.engine")}
            allowed = {"app.engine", "app.engine.server"} if layer == "host" else set()
            assert named <= allowed, f"{path} imports {named}"


def imported(path: Path) -> set[str]:
    """The modules that a file imports anywhere; a package from elsewhere by its first name alone."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return {name if name.startswith("app.") else name.partition(".")[0] for name in names}

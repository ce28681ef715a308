"""``headroom doctor``: what this machine and installation have, asked of the engine and of package metadata.

Imports neither torch nor Qt here: a broken one must not keep the report from being written.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from app import __version__
from app.cli.codes import DONE, FAILED
from app.cli.console import Console, error_json
from app.cli.session import EngineSession, MakeHost
from app.core.errors import AppError
from app.core.messages import Ready
from app.core.units import gib
from app.families import all_families
from app.media.names import native
from app.store.library import find_models
from app.store.paths import Paths
from app.store.settings import Settings

PACKAGES = ("torch", "diffusers", "transformers", "accelerate", "safetensors", "peft", "numpy", "pillow")
OPTIONAL = ("bitsandbytes", "torchao", "gguf")
QT = ("PySide6_Essentials", "PySide6")


def doctor(
    arguments: argparse.Namespace, paths: Paths, saved: Settings, console: Console, make_host: MakeHost
) -> int:
    """Prints the report; 4 when the engine does not start."""
    report: dict[str, Any] = {
        "headroom": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "frozen": bool(getattr(sys, "frozen", False)),
        "system": platform.platform(),
        "packages": {name: _version(name) for name in PACKAGES},
        "optional": {name: _version(name) for name in OPTIONAL},
        "qt": next((found for name in QT if (found := _version(name))), None),
        "families": list(all_families()),
        "folders": {field.name: _folder(getattr(paths, field.name)) for field in fields(paths)},
    }
    entries = find_models(paths, [native(folder) for folder in saved.model_folders])
    report["models"] = [
        {"name": entry.name, "path": str(entry.path), "usable": entry.usable} for entry in entries
    ]
    code = _ask_engine(report, paths, make_host)
    report["warnings"] = console.warnings
    _show(report, console)
    console.data(report)
    return code


def _ask_engine(report: dict[str, Any], paths: Paths, make_host: MakeHost) -> int:
    report["devices"], report["memory"] = [], {}
    try:
        with EngineSession(paths.logs, make_host) as engine:
            ready = engine.wait_ready()
    except AppError as error:
        report["error"] = error_json(error.problem)
        return FAILED
    report["devices"] = [_device(ready, number) for number in range(len(ready.devices))]
    report["memory"] = {"total": ready.ram_total, "free": ready.ram_free}
    report["engine"] = dict(ready.versions)
    return DONE


def _device(ready: Ready, number: int) -> dict[str, Any]:
    sheet = ready.devices[number]
    return {
        "id": sheet.id,
        "name": sheet.name,
        "total": sheet.total,
        "free": sheet.free,
        "uuid": sheet.uuid,
        "dtypes": list(sheet.dtypes),
    }


def _show(report: dict[str, Any], console: Console) -> None:
    line = console.result
    line(f"Headroom {report['headroom']}, Python {report['python']}, {report['system']}")
    for name, found in report["packages"].items():
        line(f"{name:14} {found or 'missing'}")
    line(f"{'Qt':14} {report['qt'] or 'missing: the command line works, the window does not'}")
    absent = [name for name, found in report["optional"].items() if not found]
    if absent:
        line(f"{'not installed':14} {', '.join(absent)} (optional)")
    for device in report["devices"]:
        formats = ", ".join(device["dtypes"])
        line(
            f"{device['id']:14} {device['name']}: {gib(device['free'])} free of {gib(device['total'])}; {formats}"
        )
    if report["memory"]:
        line(f"{'memory':14} {gib(report['memory']['free'])} free of {gib(report['memory']['total'])}")
    for name, folder in report["folders"].items():
        room = "" if folder["free"] is None else f", {gib(folder['free'])} free"
        line(f"{name:14} {folder['path']}{room}")
    for model in report["models"]:
        line(f"{'model':14} {model['name']}{'' if model['usable'] else ' (cannot be used)'}: {model['path']}")
    if not report["models"]:
        line(f"{'model':14} none found")
    if "error" in report:
        error = report["error"]
        line(f"{'engine':14} {error['what']} {error['why']} {error['do']}".rstrip())


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _folder(path: Path) -> dict[str, Any]:
    """A folder and the room on its drive, also when it is not made yet."""
    free = None
    for place in (path, *path.parents):
        try:
            free = shutil.disk_usage(place).free
        except OSError:
            continue
        break
    return {"path": str(path), "exists": os.path.isdir(path), "free": free}  # noqa: PTH112 - never raises

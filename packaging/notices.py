#!/usr/bin/env python3
"""Writes THIRD_PARTY_NOTICES.txt: what the bundle contains that others made, under which licences, with their texts.

Reads the metadata of the distributions that go in (bundle_contents.py) and looks into the finished folder, so that
nothing is said of what is not there: ``python packaging/notices.py FOLDER``.
"""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "THIRD_PARTY_NOTICES.txt"
LICENCE_FILE = re.compile(r"(^|/)(LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*$", re.IGNORECASE)
RULE = "=" * 100

HEAD = """\
Headroom {version} is licensed under the Apache License 2.0 (see LICENSE). This folder also contains the programs and
libraries listed below, each under its own licence, whose texts follow the list.
"""

QT = """\
Qt and Qt for Python (PySide6, shiboken6) {version} are used under the GNU Lesser General Public License, version 3.
- They are linked dynamically: the files libQt6*.so, Qt6*.dll or Qt*.framework and the PySide6 and shiboken6 modules
  lie beside the program as files of their own. You may replace them by a compatible build that you made yourself;
  Headroom does not prevent that, and does not forbid reverse engineering for debugging such changes.
- Their source for this very version: https://download.qt.io/official_releases/qt/{line}/{version}/ and
  https://download.qt.io/official_releases/QtForPython/pyside6/ ; they were not changed.
- The licence texts lie beside this file: LGPL-3.0.txt, and GPL-3.0.txt to which it refers.
"""

FFMPEG = """\
This bundle contains ffmpeg ({file}), which is a program of its own that Headroom starts. As built here it includes
parts under the GNU General Public License, and so is under that licence as a whole: https://ffmpeg.org/legal.html
"""

PYINSTALLER = """\
The programs `headroom` and `headroom-cli` begin with PyInstaller's boot loader: GPL-2.0-or-later with an exception
that allows it in programs under any licence (https://pyinstaller.org/en/stable/license.html).
"""


def write(folder: Path) -> Path:
    """Writes the file and the texts it refers to into the finished bundle; returns its path."""
    for text in (HERE / "licences").glob("*.txt"):
        shutil.copy(text, folder)
    target = folder / NAME
    target.write_text("\n".join(_parts(folder)), encoding="utf-8")
    return target


def _parts(folder: Path) -> Iterator[str]:
    contents = _contents()
    going_in = {
        name: found for name, found in contents.bundled().items() if _is_there(folder, found, contents)
    }
    system = sorted(set(_system_packages(folder)))
    yield HEAD.format(version=contents.version())
    yield from _list(going_in, system)
    if "pyside6-essentials" in going_in:
        version = going_in["pyside6-essentials"].version
        yield QT.format(version=version, line=version.rpartition(".")[0])
    yield from (FFMPEG.format(file=path.name) for path in folder.rglob("ffmpeg*") if path.is_file())
    yield PYINSTALLER
    for name, found in sorted(going_in.items()):
        for title, text in licence_texts(found):
            yield f"{RULE}\n{name} {found.version}: {title}\n{RULE}\n{text}"
    for title, path in [("Python", _python_licence()), *((name, _debian(name)) for name in system)]:
        if path is not None:
            yield f"{RULE}\n{title}\n{RULE}\n{path.read_text(encoding='utf-8', errors='replace').strip()}\n"


def _contents():  # type: ignore[no-untyped-def]
    """bundle_contents, which stands beside this file; the folder itself is not left on the path."""
    sys.path.insert(0, str(HERE))
    try:
        return importlib.import_module("bundle_contents")
    finally:
        sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]


def _list(going_in: dict[str, metadata.Distribution], system: Iterable[str]) -> Iterator[str]:
    for name, found in sorted(going_in.items()):
        yield f"- {name} {found.version}: {licence_of(found)}; {home_of(found)}"
    yield f"- Python {sys.version.split()[0]}: PSF-2.0; https://www.python.org/"
    yield from (f"- {name} (a library of the system this was built on)" for name in system)
    yield ""


def _is_there(folder: Path, found: metadata.Distribution, contents) -> bool:  # type: ignore[no-untyped-def]
    """Whether anything of it was packed: its metadata or its files (byte code lies in the program's archive)."""
    inside = folder / "_internal" if (folder / "_internal").is_dir() else folder
    name = contents.canonical(found.name)
    packed = any(contents.canonical(path.name.split("-")[0]) == name for path in inside.glob("*.dist-info"))
    return packed or any((inside / top).exists() for top in contents.tops(found))


def licence_of(found: metadata.Distribution) -> str:
    """The licence's short name, from the metadata's several places for it."""
    said = found.metadata.get("License-Expression") or found.metadata.get("License") or ""
    if said and len(said) < 80 and said != "UNKNOWN":
        return said.strip()
    kinds = [line for line in found.metadata.get_all("Classifier") or () if line.startswith("License ::")]
    return (
        "; ".join(line.rpartition(":: ")[2] for line in kinds)
        or said.strip().splitlines()[0].strip()
        or "see below"
    )


def home_of(found: metadata.Distribution) -> str:
    """Where it comes from."""
    urls = dict(line.split(", ", 1) for line in found.metadata.get_all("Project-URL") or () if ", " in line)
    named = {key.casefold(): value for key, value in urls.items()}
    for key in ("source", "source code", "repository", "homepage", "home", "github"):
        if key in named:
            return named[key]
    return found.metadata.get("Home-page") or next(
        iter(urls.values()), f"https://pypi.org/project/{found.name}/"
    )


def licence_texts(found: metadata.Distribution) -> Iterator[tuple[str, str]]:
    """The licence files that a distribution brings, each text once."""
    seen = set()
    for file in sorted(found.files or (), key=str):
        path = str(file)
        if ".dist-info/" not in path or not LICENCE_FILE.search(path):
            continue
        place = Path(str(found.locate_file(file)))
        text = place.read_text(encoding="utf-8", errors="replace").strip() if place.is_file() else ""
        if text and text not in seen:
            seen.add(text)
            yield path.split(".dist-info/")[1].removeprefix("licenses/"), text + "\n"


def _python_licence() -> Path | None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    places = [
        Path(sysconfig.get_path("stdlib")) / "LICENSE.txt",
        Path(sys.base_prefix) / "LICENSE.txt",
        _debian(version),
    ]
    return next((path for path in places if path is not None and path.is_file()), None)


def _debian(package: str) -> Path | None:
    path = Path("/usr/share/doc") / package / "copyright"
    return path if path.is_file() else None


def _system_packages(folder: Path) -> Iterator[str]:
    """The packages (Debian's and its like) of the shared libraries at the top of the bundle."""
    inside = folder / "_internal"
    names = {path.name for path in inside.glob("*.so*") if not path.name.startswith("libpython")}
    if sys.platform != "linux" or not names:
        return
    try:
        done = subprocess.run(
            ["dpkg", "-S", *(f"*/{name}" for name in sorted(names))],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return
    for line in done.stdout.decode().splitlines():
        package, _, path = line.partition(": ")
        if Path(path).name in names:
            yield package.split(",")[0].split(":")[0]


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("notices.py needs the folder of a finished bundle.")
    print(write(Path(sys.argv[1])))

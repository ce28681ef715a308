"""Takes out of PyInstaller's lists what the program does not use: Qt's other modules and plugins, test libraries,
translations of other languages; then the libraries that nothing left over asks for. Used by headroom.spec.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

Entry = tuple[str, str, str]
"""Of a table of contents: the place in the bundle, the file it comes from, its type."""

LANGUAGES = ("es", "pt_BR", "en")

PLUGINS = {
    "platforms": ("xcb", "wayland", "offscreen", "windows", "cocoa"),
    "imageformats": ("jpeg", "webp", "svg", "ico", "icns"),
    "iconengines": ("svgicon",),
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    "platformthemes": ("xdgdesktopportal",),
    "styles": ("modernwindowsstyle", "macstyle"),
    "wayland-shell-integration": ("xdg-shell",),
    "wayland-decoration-client": ("adwaita", "bradient"),
    "wayland-graphics-integration-client": ("qt-plugin-wayland-egl", "shm-emulation-server"),
    "xcbglintegrations": (),
}
"""Qt's plugins that go in, by folder; no folder but these."""

QT_LIBRARIES = (
    "Core",
    "Gui",
    "Widgets",
    "DBus",
    "Svg",
    "XcbQpa",
    "WaylandClient",
    "WlShellIntegration",
    "OpenGL",
)
"""Qt's libraries that go in, besides those of the Qt modules that the program imports."""

UNUSED_FILES = re.compile(
    r"(^|/)torch/(test|include|share)/"
    r"|(^|/)torch/bin/(?!torch_shm_manager)"
    r"|(^|/)lib(torchbind_test|jitbackend_test|backend_with_compiler|aoti_custom_ops|c10d_cuda_test)\b"
    r"|(^|/)torch/utils/(model_dump|benchmark)/"
    r"|(^|/)torch/_inductor/(kernel|codegen)/"
    r"|(^|/)qtawesome/fonts/(?!phosphor)"
    r"|(^|/)(tests?|testing|_tests)/[^/]*\.(npz|npy|png|txt|json|csv|pkl)$"
    r"|/(direct_url\.json|RECORD|INSTALLER|REQUESTED)$"
    r"|\.(pyi|h|hpp|cuh|cmake|lib|a)$"
)


def is_wanted(place: str, qt_modules: Iterable[str] = ()) -> bool:
    """Whether a file goes into the bundle, by its place there."""
    path = place.replace("\\", "/")
    if UNUSED_FILES.search(path):
        return False
    if "/translations/" in path and "PySide6" in path:
        return PurePosixPath(path).name in {f"qtbase_{language}.qm" for language in LANGUAGES}
    if "/plugins/" in path and "PySide6" in path:
        return _is_wanted_plugin(PurePosixPath(path))
    if "PySide6" in path and ("/qml/" in path or "/metatypes/" in path):
        return False
    return _is_wanted_library(PurePosixPath(path).name, frozenset(qt_modules))


def _is_wanted_plugin(path: PurePosixPath) -> bool:
    name = path.name.split(".")[0].removeprefix("lib")
    wanted = PLUGINS.get(path.parent.name, ())
    return name in wanted or name.removeprefix("q") in wanted


def _is_wanted_library(name: str, qt_modules: frozenset[str]) -> bool:
    match = re.match(r"(?:lib)?Qt6?([A-Z]\w*)(?:\.|$)|(?:lib)?(pyside6qml)\b", name)
    if match is None:
        return True
    return (match[1] or match[2]) in {*QT_LIBRARIES, *qt_modules}


def qt_modules(entries: Iterable[Entry]) -> set[str]:
    """The Qt modules whose bindings are imported, as in ``PySide6.QtNetwork`` → ``Network``."""
    found = (re.search(r"PySide6[/\\]Qt(\w+)\.(?:abi3\.so|pyd|cpython)", place) for place, _, _ in entries)
    return {match[1] for match in found if match}


def trimmed(entries: list[Entry]) -> list[Entry]:
    """What is wanted of a list, and of its libraries those that something wanted needs."""
    modules = qt_modules(entries)
    wanted = [entry for entry in entries if is_wanted(entry[0], modules)]
    return reachable(wanted) if sys.platform == "linux" else wanted


def reachable(entries: list[Entry]) -> list[Entry]:
    """Without the system's libraries that only left-out files needed."""
    by_name = {Path(place).name: (place, source, kind) for place, source, kind in entries}
    roots = [entry for entry in entries if not _is_system_library(entry)]
    seen = {place for place, _, _ in roots}
    todo = [source for _, source, kind in roots if kind in ("BINARY", "EXTENSION")]
    while todo:
        needed = (by_name[name] for source in _in_tens(todo) for name in _needed(source) if name in by_name)
        todo = [source for place, source, _ in needed if place not in seen and not seen.add(place)]
    return [entry for entry in entries if entry[0] in seen]


def _is_system_library(entry: Entry) -> bool:
    """PyInstaller puts what it finds in the system's own folders at the top of the bundle."""
    place, source, kind = entry
    return (
        kind == "BINARY"
        and "/" not in place
        and not place.startswith("libpython")
        and "/site-packages/" not in source
    )


def _in_tens(files: list[str]) -> Iterable[list[str]]:
    return (files[start : start + 10] for start in range(0, len(files), 10))


def _needed(files: list[str]) -> list[str]:
    """The libraries that ELF files ask for by name."""
    done = subprocess.run(
        ["objdump", "-p", *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    return re.findall(r"NEEDED\s+(\S+)", done.stdout.decode("utf-8", "replace"))

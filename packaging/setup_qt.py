"""Whether a window can open here: a screen, and the system libraries that Qt loads on Linux.

Asks the environment's Python in a process of its own; names what is missing as packages.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setup_base import MISSING, Place, Problem, clean_environment

PACKAGES = {
    # library: packages of Debian and Ubuntu, Fedora, Arch
    "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd"),
    "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd"),
    "libOpenGL.so.0": ("libopengl0", "libglvnd-opengl", "libglvnd"),
    "libGLX.so.0": ("libglx0", "libglvnd-glx", "libglvnd"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs", "dbus"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype", "freetype2"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libX11.so.6": ("libx11-6", "libX11", "libx11"),
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb", "libx11"),
    "libSM.so.6": ("libsm6", "libSM", "libsm"),
    "libICE.so.6": ("libice6", "libICE", "libice"),
    "libxcb.so.1": ("libxcb1", "libxcb", "libxcb"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil", "xcb-util-renderutil"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util", "xcb-util"),
    "libwayland-client.so.0": ("libwayland-client0", "libwayland-client", "wayland"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor", "wayland"),
    "libwayland-egl.so.1": ("libwayland-egl1", "libwayland-egl", "wayland"),
}
INSTALLERS = ("sudo apt install", "sudo dnf install", "sudo pacman -S")
SCREENS = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
FAMILIES = {"debian": 0, "ubuntu": 0, "fedora": 1, "rhel": 1, "centos": 1, "arch": 2, "manjaro": 2}


def check_screen() -> None:
    """A sentence instead of Qt's abort when there is no screen."""
    if sys.platform != "linux" or any(os.environ.get(name) for name in SCREENS):
        return
    raise Problem(
        "There is no screen to open the window on: neither DISPLAY nor WAYLAND_DISPLAY is set. Start "
        "Headroom in a desktop session, or use the command line, which needs none: "
        'python3 packaging/run.py generate "a red circle on a blue background" --out circle.png',
        MISSING,
    )


def check_libraries(place: Place) -> None:
    """Check once, and remember in the environment, that Qt's system libraries are there."""
    if sys.platform != "linux" or place.qt_stamp.exists():
        return
    missing = sorted({*missing_for_import(place), *missing_for_screen(place)})
    if missing:
        raise Problem(missing_words(missing, os_release()), MISSING)
    place.qt_stamp.touch()


def missing_for_import(place: Place) -> list[str]:
    """The library that stops PySide6's widgets from importing, if one does."""
    command = [str(place.python), "-s", "-P", "-c", "import PySide6.QtWidgets"]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), check=False)
    if done.returncode == 0:
        return []
    found = re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open shared object file", done.stderr)
    if found:
        return [found.group(1)]
    last = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
    raise Problem(
        f"Qt does not load ({last}). Delete the folder {place.venv} and run the same command again."
    )


def missing_for_screen(place: Place) -> list[str]:
    """What the widgets and the screen's plugin need and the system does not have, as ldd sees it."""
    found = sorted(place.venv.glob("lib*/python3*/site-packages/PySide6"))
    if not found or not shutil.which("ldd"):
        return []
    files = [found[0] / "QtWidgets.abi3.so", *(found[0] / "Qt/plugins/platforms").glob(plugin_pattern())]
    present = [str(path) for path in files if path.exists()]
    if not present:
        return []
    done = subprocess.run(["ldd", *present], capture_output=True, text=True, check=False)
    return re.findall(r"^\s*(\S+) => not found", done.stdout, re.MULTILINE)


def plugin_pattern() -> str:
    """The file of the platform plugin that Qt will load."""
    asked, x11, wayland = (os.environ.get(name, "") for name in SCREENS)
    if asked:
        return f"libq{asked.split(':')[0]}*.so"
    return "libqwayland*.so" if wayland else "libqxcb.so" if x11 else "libqoffscreen.so"


def os_release(path: str = "/etc/os-release") -> dict[str, str]:
    """What the distribution says of itself."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key: value.strip().strip("\"'") for key, _, value in pairs}


def missing_words(libraries: list[str], release: dict[str, str]) -> str:
    """The sentence that names missing libraries, and the command that installs their packages here."""
    names = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    column = next((FAMILIES[name] for name in names if name in FAMILIES), None)
    text = f"The window needs system libraries that are not installed: {', '.join(libraries)}. "
    if column is None:
        debian = " ".join(packages(libraries, 0))
        return text + f"Install the packages that hold them (Debian calls them {debian}), and run this again."
    return text + f"Install them with: {INSTALLERS[column]} {' '.join(packages(libraries, column))}"


def packages(libraries: list[str], column: int) -> list[str]:
    """The packages of one distribution that hold the libraries; the library itself where none is known."""
    found = set()
    for library in libraries:
        part = re.fullmatch(r"(libxcb-\w+)\.so\.(\d+)", library)
        if library in PACKAGES:
            found.add(PACKAGES[library][column])
        elif part:
            found.add(part.group(1) + part.group(2) if column == 0 else "libxcb")
        else:
            found.add(library)
    return sorted(found)

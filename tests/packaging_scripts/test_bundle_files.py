"""What goes beside the bundle on each system: menu entry, store data, installers, licences; versions agree."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

POSIX = os.name == "posix"
SECTIONS = {
    # of Inno Setup 6; the keys that its documentation lists for the sections used here
    "Setup": None,
    "Languages": {"Name", "MessagesFile"},
    "Tasks": {"Name", "Description", "GroupDescription", "Flags", "Check"},
    "InstallDelete": {"Type", "Name"},
    "Files": {"Source", "DestDir", "DestName", "Flags", "Excludes", "Tasks"},
    "Icons": {"Name", "Filename", "Parameters", "WorkingDir", "IconFilename", "Tasks"},
    "Run": {"Filename", "Parameters", "Description", "Flags", "Tasks"},
}
SETUP_KEYS = """
    AppId AppName AppVersion AppVerName VersionInfoVersion DefaultDirName DefaultGroupName DisableProgramGroupPage
    LicenseFile SetupIconFile UninstallDisplayIcon OutputDir OutputBaseFilename PrivilegesRequired
    PrivilegesRequiredOverridesAllowed ArchitecturesAllowed ArchitecturesInstallIn64BitMode MinVersion Compression
    SolidCompression DiskSpanning DiskSliceSize SlicesPerDisk WizardStyle CloseApplications RestartApplications
"""


@pytest.fixture(scope="module")
def packaging(root: Path) -> Path:
    return root / "packaging"


@pytest.fixture(scope="module")
def version(root: Path) -> str:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


# ------------------------------------------------------------------ Linux


def test_the_menu_entry_is_valid(packaging):
    entry = packaging / "linux" / "headroom.desktop"
    keys = dict(line.split("=", 1) for line in entry.read_text(encoding="utf-8").splitlines() if "=" in line)
    assert keys["Type"] == "Application"
    assert keys["Exec"] == "headroom"
    for name in ("GenericName", "Comment", "Keywords"):
        assert {f"{name}[es]", f"{name}[pt_BR]"} <= set(keys)
    if (tool := shutil.which("desktop-file-validate")) is not None:
        done = subprocess.run([tool, str(entry)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        assert not done.stdout.strip()


def test_the_menu_entry_is_the_one_that_the_window_names(packaging, root):
    window = (root / "app" / "ui" / "app.py").read_text(encoding="utf-8")
    name = re.search(r'setDesktopFileName\("([\w.]+)"\)', window)
    assert name
    assert (packaging / "linux" / f"{name[1]}.desktop").is_file()


def test_the_store_data_fit_the_entry_and_the_version(packaging, version):
    file = next((packaging / "linux").glob("*.metainfo.xml"))
    tree = ElementTree.parse(file).getroot()
    assert tree.findtext("id") == file.name.removesuffix(".metainfo.xml")
    assert tree.findtext("launchable") == "headroom.desktop"
    assert next(tree.iter("release")).get("version") == version
    if (tool := shutil.which("appstreamcli")) is not None:
        command = [tool, "validate", "--no-net", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.fixture
def unpacked(packaging: Path, root: Path, tmp_path: Path) -> Path:
    """An archive as it comes out, with a stand-in for the program."""
    folder = tmp_path / "an archive's folder"
    program = folder / "headroom"
    (program / "_internal" / "resources").mkdir(parents=True)
    shutil.copytree(root / "resources" / "icons", program / "_internal" / "resources" / "icons")
    for name in ("headroom", "headroom-cli"):
        (program / name).write_text(f"#!/bin/sh\necho this is {name} $1\n", encoding="ascii")
        (program / name).chmod(0o755)
    for file in (packaging / "linux").iterdir():
        shutil.copy(file, folder)
    return folder


def install(folder: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = ["sh", str(folder / "install.sh"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not POSIX, reason="a shell script")
def test_the_installer_puts_everything_in_place_and_takes_it_away(unpacked, tmp_path):
    home = tmp_path / "home of anna"
    picture = home / "Pictures" / "circle.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"a picture")
    for _again in range(2):
        done = install(unpacked, home)
        assert done.returncode == 0, done.stderr
    command = home / ".local" / "bin" / "headroom-cli"
    assert (
        subprocess.run([command, "x"], capture_output=True, text=True, check=True).stdout
        == "this is headroom-cli x\n"
    )
    entry = (home / ".local/share/applications/headroom.desktop").read_text(encoding="utf-8")
    assert f'Exec="{home}/.local/lib/headroom/headroom"' in entry
    assert (home / ".local/share/icons/hicolor/256x256/apps/headroom.png").is_file()
    done = install(unpacked, home, "--uninstall")
    assert done.returncode == 0, done.stderr
    left = [path for path in home.rglob("*") if path.is_file() or path.is_symlink()]
    assert [path for path in left if not path.name.endswith(".cache")] == [
        picture
    ]  # the desktop's own lists stay


@pytest.mark.skipif(not POSIX, reason="a shell script")
def test_the_installer_refuses_a_half_unpacked_archive(unpacked, tmp_path):
    shutil.rmtree(unpacked / "headroom")
    done = install(unpacked, tmp_path / "home")
    assert done.returncode == 1
    assert "unpack the whole archive" in done.stderr
    assert not (tmp_path / "home").exists()


# ------------------------------------------------------------------ Windows


def sections(text: str) -> dict[str, list[str]]:
    """Section → its lines, without comments and the preprocessor's."""
    found: dict[str, list[str]] = {}
    name = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith((";", "#")):
            continue
        if match := re.fullmatch(r"\[(\w+)\]", bare):
            name = match[1]
            assert name not in found, f"line {number}: [{name}] stands twice"
            found[name] = []
        else:
            assert name, f"line {number} is in no section"
            found[name].append(line)
    return found


def entry_keys(line: str) -> list[str]:
    """``Name: "a"; Flags: b`` → Name, Flags; quotes must be closed."""
    assert line.count('"') % 2 == 0, line
    bare = re.sub(r'"[^"]*"', '""', line)
    parts = [part.strip() for part in bare.split(";") if part.strip()]
    assert all(re.fullmatch(r"\w+: *\S.*", part) for part in parts), line
    return [part.split(":")[0] for part in parts]


def test_the_windows_installer_has_known_sections_and_keys(packaging, version, root):
    file = packaging / "windows" / "headroom.iss"
    text = file.read_text(encoding="utf-8")
    defines = dict(re.findall(r'^#define (\w+) "([^"]*)"$', text, re.MULTILINE))
    assert defines["MyVersion"] == version
    assert set(re.findall(r"\{#(\w+)\}", text)) <= set(defines)
    found = sections(text)
    assert set(found) <= set(SECTIONS)
    setup = dict(line.split("=", 1) for line in found["Setup"])
    assert set(setup) <= set(SETUP_KEYS.split())
    assert re.fullmatch(r"\{\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}", setup["AppId"])
    for name in ("LicenseFile", "SetupIconFile"):
        assert (file.parent / setup[name].replace("\\", "/")).resolve().is_file()
    for section, known in SECTIONS.items():
        for line in found.get(section, []) if known else []:
            keys = entry_keys(line)
            assert set(keys) <= known, line
            assert len(keys) == len(set(keys)), line


def test_the_windows_installer_refers_to_what_it_has(packaging):
    found = sections((packaging / "windows" / "headroom.iss").read_text(encoding="utf-8"))
    names = {
        name: set(re.findall(r'Name: "([^"]+)"', "\n".join(found[name]))) for name in ("Tasks", "Languages")
    }
    used = set(re.findall(r"Tasks: (\w+)", "\n".join(line for lines in found.values() for line in lines)))
    assert used <= names["Tasks"]
    assert names["Languages"] == {"en", "es", "pt_BR"}
    programs = set(re.findall(r"\{app\}\\([\w-]+)\.exe", "\n".join(found["Icons"] + found["Run"])))
    assert programs == {"headroom"}


# ------------------------------------------------------------------ macOS


def test_the_mac_properties_are_valid(packaging, version):
    with (packaging / "macos" / "Info.plist").open("rb") as file:
        properties = plistlib.load(file)
    assert properties["CFBundleShortVersionString"] == properties["CFBundleVersion"] == version
    assert re.fullmatch(r"[a-z]+(\.[A-Za-z0-9-]+)+", properties["CFBundleIdentifier"])
    assert properties["CFBundlePackageType"] == "APPL"
    assert set(properties["CFBundleLocalizations"]) == {"en", "es", "pt_BR"}
    with (packaging / "macos" / "entitlements.plist").open("rb") as file:
        rights = plistlib.load(file)
    assert all(name.startswith("com.apple.security.") and value is True for name, value in rights.items())


# ------------------------------------------------------------------ all


def test_the_licences_of_qt_are_at_hand(packaging):
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in (packaging / "licences" / "LGPL-3.0.txt").read_text(
        encoding="utf-8"
    )
    assert "GNU GENERAL PUBLIC LICENSE" in (packaging / "licences" / "GPL-3.0.txt").read_text(
        encoding="utf-8"
    )


def test_the_programs_own_version_is_the_projects(root, version):
    assert f'__version__ = "{version}"' in (root / "app" / "__init__.py").read_text(encoding="utf-8")

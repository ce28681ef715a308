"""What the set-up decides and says: the build of PyTorch, pip's failures in sentences, Qt's missing libraries."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

NVIDIA = "NVIDIA GeForce RTX 4090, 580.95.05, 8.9\nNVIDIA GeForce RTX 3090, 580.95.05, 8.6\n"


@pytest.fixture
def torch(scripts, monkeypatch):
    """setup_torch on a Linux machine on which nothing is found."""
    monkeypatch.setattr(scripts.setup_torch.sys, "platform", "linux")
    monkeypatch.setattr(scripts.setup_torch, "output", lambda *command: "")
    monkeypatch.setattr(scripts.setup_torch, "read", lambda path: "")
    monkeypatch.setattr(scripts.setup_torch, "amd", lambda: None)
    monkeypatch.setattr(scripts.setup_torch, "intel", lambda: None)
    return scripts.setup_torch


def test_nothing_found_is_the_cpu(torch):
    assert torch.detect().kind == "cpu"


def test_an_nvidia_card_is_named(torch, monkeypatch):
    monkeypatch.setattr(torch, "output", lambda *command: NVIDIA if command[0] == "nvidia-smi" else "")
    found = torch.detect()
    assert (found.kind, found.cuda) == ("cuda", "cu130")
    assert found.words == "NVIDIA GeForce RTX 4090, driver 580.95.05"


@pytest.mark.parametrize(
    ("driver", "capability", "build"),
    [(580.9, 8.9, "cu130"), (580.9, 6.1, "cu126"), (550.5, 8.9, "cu126"), (470.2, 8.6, ""), (0, 0, "cu130")],
)
def test_the_cuda_build_fits_driver_and_card(torch, driver, capability, build):
    assert torch.cuda_build(driver, capability) == build


def test_a_driver_without_its_tool_is_seen(torch, monkeypatch):
    text = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12"
    monkeypatch.setattr(torch, "read", lambda path: text if "nvidia" in str(path) else "")
    assert torch.detect().cuda == "cu126"


def test_amd_chips_are_read_from_the_kernel(scripts, tmp_path):
    for number, version in enumerate((0, 110000, 90010, 100306)):
        (tmp_path / str(number)).mkdir()
        text = f"simd_count 0\ngfx_target_version {version}\nother 1\n"
        (tmp_path / str(number) / "properties").write_text(text, encoding="utf-8")
    assert scripts.setup_torch.kfd_chips(str(tmp_path)) == {"gfx1100", "gfx90a", "gfx1036"}
    assert {"gfx1100", "gfx90a"} == {"gfx1100", "gfx90a", "gfx1036"} & scripts.setup_torch.ROCM_CHIPS


def test_display_adapters_are_read_from_the_kernel(scripts, tmp_path):
    for card, vendor in (("card0", "0x8086"), ("card1", "0x10de"), ("card2", "0x8086")):
        (tmp_path / card / "device").mkdir(parents=True)
        (tmp_path / card / "device" / "vendor").write_text(vendor + "\n", encoding="utf-8")
    assert scripts.setup_torch.drm_vendors(str(tmp_path)) == ["0x10de", "0x8086"]


@pytest.mark.parametrize(
    ("kind", "requirement", "index"),
    [("cuda", "+cu130", "cu130"), ("rocm", "+rocm7.2", "rocm7.2"), ("xpu", "+xpu", "xpu")],
)
def test_a_card_gets_its_build(torch, kind, requirement, index):
    build = torch.choose(torch.Accelerator(kind, "a card"), None)
    assert build.arguments == [
        f"torch=={torch.TORCH}{requirement}", "--extra-index-url", f"https://download.pytorch.org/whl/{index}",
    ]  # fmt: skip


def test_a_driver_that_is_too_old_is_told(scripts, torch):
    with pytest.raises(scripts.setup_base.Problem, match=r"driver is too old .* --torch cpu"):
        torch.choose(torch.Accelerator("cuda", "a card, driver 470", ""), None)


def offers(torch, monkeypatch, *answers: str) -> list[tuple[str, ...]]:
    """Let pip offer these versions in turn; the list fills with what it was asked."""
    asked: list[tuple[str, ...]] = []
    rest = list(answers)
    monkeypatch.setattr(torch, "offered", lambda pip, *args, seconds: asked.append(args) or rest.pop(0))
    return asked


def test_a_cpu_build_that_pip_offers_is_taken(torch, monkeypatch):
    asked = offers(torch, monkeypatch, "2.13.0+cpu")
    build = torch.cpu_build(None)
    assert build.arguments == ["torch==2.13.0"]
    assert build.megabytes == 200
    assert len(asked) == 1


def test_else_the_cpu_index_is_taken(torch, monkeypatch):
    asked = offers(torch, monkeypatch, "2.13.0", "2.13.0+cpu")
    build = torch.cpu_build(None)
    assert build.arguments == [
        "torch==2.13.0+cpu",
        "--extra-index-url",
        "https://download.pytorch.org/whl/cpu",
    ]
    assert "--timeout" in asked[1]


def test_else_the_size_is_told(torch, monkeypatch, capsys):
    offers(torch, monkeypatch, "2.13.0", "")
    build = torch.cpu_build(None)
    assert build.arguments == ["torch==2.13.0"]
    assert "about 2.9 GB" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("platform", "offer", "small"), [("darwin", "2.13.0", True), ("win32", "2.13.0+cu130", False)]
)
def test_elsewhere_the_plain_build_is_small(torch, monkeypatch, platform, offer, small):
    monkeypatch.setattr(torch.sys, "platform", platform)
    assert torch.is_cpu_build(offer) is small


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("Processing /somewhere/torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl", "2.13.0+cpu"),
        (
            "  Downloading https://download.pytorch.org/whl/cpu/torch-2.13.0%2Bcpu-cp311-cp311-linux.whl (180 MB)",
            "2.13.0+cpu",
        ),
        ("  Downloading torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl.metadata (30 kB)", "2.13.0"),
        ("  Using cached torch-2.13.0-cp312-none-macosx_11_0_arm64.whl (80.1 MB)", "2.13.0"),
        ("  Link requires a different Python: https://host/torch-1.0-cp36-cp36m-linux.whl", ""),
        ("  Downloading torchvision-0.28.0-cp311-cp311-linux.whl", ""),
    ],
)
def test_pips_offer_is_read_from_its_words(scripts, line, version):
    assert scripts.setup_torch.version_in(["Collecting torch==2.13.0", line]) == version


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            "disk is full",
        ),
        (
            "retrying... NewConnectionError\nERROR: No matching distribution found for torch==2.13.0",
            "no connection",
        ),
        (
            "WARNING: ... [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed",
            "certificate was not accepted",
        ),
        ("ProxyError('Cannot connect to proxy.')", "Check HTTPS_PROXY"),
        ("ERROR: No matching distribution found for torch==2.13.0", "offers no torch==2.13.0 for Python 3."),
        ("OSError: [Errno 13] Permission denied: 'torch'", "could not be written"),
        ("line\nERROR: something else\nlast", "(pip ended with 2): ERROR: something else"),
        ("", "(pip ended with 2): it said nothing."),
    ],
)
def test_a_failure_of_pip_is_a_sentence(scripts, said, words):
    text = scripts.setup_pip.explain(said, "Installing PyTorch", 2)
    assert text.startswith("Installing PyTorch failed")
    assert words in text


def test_the_programs_own_full_disk_is_a_sentence(scripts, tmp_path):
    place = scripts.setup_base.Place(tmp_path)
    assert "disk is full" in scripts.setup_venv.os_words(OSError(28, "No space left on device"), place)


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ({"ID": "debian"}, "sudo apt install libegl1 libxcb-cursor0 libxcb-xkb1"),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "sudo apt install libegl1"),
        ({"ID": "fedora"}, "sudo dnf install libglvnd-egl libxcb xcb-util-cursor"),
        ({"ID": "arch"}, "sudo pacman -S libglvnd libxcb xcb-util-cursor"),
        ({}, "Debian calls them libegl1 libxcb-cursor0 libxcb-xkb1"),
    ],
    ids=lambda value: value.get("ID", "unknown") if isinstance(value, dict) else "",
)
def test_missing_libraries_are_named_as_packages(scripts, release, words):
    libraries = ["libEGL.so.1", "libxcb-cursor.so.0", "libxcb-xkb.so.1"]
    text = scripts.setup_qt.missing_words(libraries, release)
    assert "libEGL.so.1, libxcb-cursor.so.0" in text
    assert words in text


@pytest.fixture
def linux_place(scripts, tmp_path, monkeypatch):
    """An environment whose Python cannot load Qt, and an ldd that misses more."""
    place = scripts.setup_base.Place(tmp_path)
    plugins = place.venv / "lib" / "python3.11" / "site-packages" / "PySide6" / "Qt" / "plugins" / "platforms"
    plugins.mkdir(parents=True)
    (plugins / "libqxcb.so").touch()
    tools = {
        place.python: "echo 'ImportError: libEGL.so.1: cannot open shared object file: No such file' >&2; exit 1",
        tmp_path
        / "bin"
        / "ldd": "printf '\\tlibxcb-cursor.so.0 => not found\\n\\tlibc.so.6 => /lib/libc.so.6\\n'",
    }
    for path, text in tools.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return place


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's libraries")
def test_all_missing_libraries_are_found_at_once(scripts, linux_place):
    with pytest.raises(scripts.setup_base.Problem, match=r"libEGL\.so\.1, libxcb-cursor\.so\.0") as caught:
        scripts.setup_qt.check_libraries(linux_place)
    assert caught.value.code == 3
    assert not linux_place.qt_stamp.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's libraries")
def test_libraries_that_are_there_are_remembered(scripts, linux_place):
    linux_place.python.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    Path(linux_place.root / "bin" / "ldd").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    scripts.setup_qt.check_libraries(linux_place)
    assert linux_place.qt_stamp.exists()
    linux_place.python.unlink()
    scripts.setup_qt.check_libraries(linux_place)


@pytest.mark.parametrize(
    ("asked", "x11", "wayland", "pattern"),
    [
        ("", ":0", "", "libqxcb.so"),
        ("", ":0", "wayland-0", "libqwayland*.so"),
        ("offscreen", "", "", "libqoffscreen*.so"),
    ],
)
def test_the_plugin_of_the_screen_is_checked(scripts, monkeypatch, asked, x11, wayland, pattern):
    for name, value in zip(scripts.setup_qt.SCREENS, (asked, x11, wayland), strict=True):
        monkeypatch.setenv(name, value)
    assert scripts.setup_qt.plugin_pattern() == pattern

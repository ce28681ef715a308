"""The bundle's scripts, without making one: what stays out, how archives are cut, what is said of others' work."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest


@pytest.fixture
def script(root: Path, tmp_path: Path):
    """Runs Python beside the scripts, as they run themselves; its last line is JSON."""

    def run(code: str) -> object:
        start = f"import sys; sys.path.insert(0, {str(root / 'packaging')!r})\n"
        command = [sys.executable, "-s", "-P", "-c", start + code]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


GOES_IN = (
    "torch/lib/libtorch_cpu.so",
    "torch/bin/torch_shm_manager",
    "PySide6/QtWidgets.abi3.so",
    "PySide6/Qt/lib/libQt6Widgets.so.6",
    "PySide6/Qt/lib/libQt6Network.so.6",
    "PySide6/Qt/plugins/platforms/libqxcb.so",
    "PySide6/Qt/plugins/platforms/libqwayland.so",
    "PySide6\\plugins\\platforms\\qwindows.dll",
    "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
    "PySide6/Qt/plugins/imageformats/libqwebp.so",
    "PySide6/Qt/translations/qtbase_es.qm",
    "qtawesome/fonts/phosphor-1.3.0.ttf",
    "torch-2.13.0.dist-info/METADATA",
    "resources/demo-models/shapes-image/headroom.json",
    "transformers/models/clip/__init__.py",
)
STAYS_OUT = (
    "torch/lib/libtorchbind_test.so",
    "torch/bin/test_api",
    "torch/include/ATen/ATen.h",
    "PySide6/Qt/lib/libQt6Qml.so.6",
    "PySide6/Qt6Quick.dll",
    "PySide6/Qt/plugins/platforms/libqvnc.so",
    "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
    "PySide6/Qt/plugins/imageformats/libqpdf.so",
    "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
    "PySide6/Qt/translations/qtbase_de.qm",
    "PySide6/Qt/translations/assistant_es.qm",
    "qtawesome/fonts/remixicon-2.5.0.ttf",
    "headroom_studio-0.1.0.dist-info/direct_url.json",
)


def test_what_goes_into_the_bundle(script):
    code = "import json, bundle_trim; print(json.dumps([p for p in {} if bundle_trim.is_wanted(p, ['Network'])]))"
    assert script(code.format((*GOES_IN, *STAYS_OUT))) == list(GOES_IN)


def test_only_the_projects_own_needs_go_in(script):
    found = script(
        "import json, bundle_contents as c\n"
        "print(json.dumps([sorted(c.bundled()), sorted(set(c.strays())), sorted(set(c.unused_modules()))]))"
    )
    bundled, strays, unused = found
    assert {"torch", "diffusers", "transformers", "pyside6-essentials", "shiboken6", "numpy"} <= set(bundled)
    assert not {"pytest", "ruff", "mypy", "setuptools", "pyinstaller", "headroom-studio"} & set(bundled)
    assert {"pytest", "mypy"} <= set(strays)
    assert not {"torch", "numpy", "PySide6", "packaging", "app"} & {*strays, *unused}


def test_what_other_models_need_stays_out(script):
    seen = ["torch.ao", "torch.ao.quantization.fx", "transformers.models.clip.modeling_clip"]
    found = script(f"import json, bundle_contents as c\nprint(json.dumps(c.left_out({seen!r})))")
    left_out = set(found)
    assert "transformers.models.albert" in left_out
    assert "torch.testing._internal.common_utils" in left_out
    assert "torch._inductor.codecache" in left_out
    assert not {"torch.ao", "torch.ao.quantization", "torch.ao.quantization.fx"} & left_out
    assert not {name for name in left_out if name.startswith("transformers.models.clip.")}
    assert not {
        name for name in left_out if name.startswith(("torch.nn", "diffusers.models", "diffusers.schedulers"))
    }


def test_an_archive_over_the_limit_comes_in_parts_that_join_again(script, tmp_path):
    data = os.urandom(2_500_001)
    (tmp_path / "whole").write_bytes(data)
    parts = script(
        "import json, bundle_archive\nfrom pathlib import Path\n"
        "print(json.dumps([str(p) for p in bundle_archive.split(Path('whole'), Path('h.tar.gz'), 1_000_000)]))"
    )
    assert [Path(part).name for part in parts] == [f"h.tar.gz.part{number:02d}" for number in (1, 2, 3)]
    pieces = [(tmp_path / part).read_bytes() for part in parts]
    assert max(map(len, pieces)) == 1_000_000
    assert b"".join(pieces) == data
    assert not (tmp_path / "whole").exists()


def test_an_archive_holds_the_program_its_installer_and_nobodys_name(script, tmp_path):
    folder = tmp_path / "headroom"
    folder.mkdir()
    (folder / "headroom").write_bytes(b"the program")
    (folder / "headroom").chmod(0o755)
    files = script(
        "import json, bundle_archive\nfrom pathlib import Path\n"
        f"print(json.dumps(bundle_archive.pack(Path({str(folder)!r}), 'headroom-1-linux', 'gz')))"
    )
    archive, sums = map(Path, files)
    assert (
        sums.read_text(encoding="ascii")
        == f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n"
    )
    with tarfile.open(archive) as opened:
        members = {entry.name: entry for entry in opened}
    assert {"headroom-1-linux/install.sh", "headroom-1-linux/headroom/headroom"} <= set(members)
    assert members["headroom-1-linux/install.sh"].mode & 0o111
    assert members["headroom-1-linux/headroom/headroom"].mode & 0o111
    assert {entry.uname for entry in members.values()} == {"root"}


def test_notices_name_what_is_there_and_only_that(root, tmp_path):
    folder = tmp_path / "headroom"
    for name in ("numpy-2.0.dist-info", "pyside6_essentials-6.11.0.dist-info"):
        (folder / "_internal" / name).mkdir(parents=True)
    command = [sys.executable, "-s", "-P", str(root / "packaging" / "notices.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    text = (folder / "THIRD_PARTY_NOTICES.txt").read_text(encoding="utf-8")
    assert "\n- numpy " in text
    assert "\n- torch " not in text
    assert "linked dynamically" in text
    assert "download.qt.io" in text
    assert (folder / "LGPL-3.0.txt").is_file()
    assert "ffmpeg" not in text
    (folder / "_internal" / "ffmpeg-linux").write_bytes(b"")
    subprocess.run(command, check=True, capture_output=True)
    assert "General Public License, and so is under that licence as a whole" in (
        folder / "THIRD_PARTY_NOTICES.txt"
    ).read_text(encoding="utf-8")

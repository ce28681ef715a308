"""The folder packaging/ has a library's name, and must never be taken for it."""

from __future__ import annotations

import sysconfig
from pathlib import Path


def test_the_library_is_found_from_the_projects_root(python, root):
    done = python(
        "-c", "import packaging.version as found; print(found.__file__, found.Version('1.2').major)"
    )
    assert done.returncode == 0, done.stderr
    file, major = done.stdout.rsplit(maxsplit=1)
    assert major == "1"
    assert Path(sysconfig.get_paths()["purelib"]) in Path(file.strip()).parents


def test_the_folder_is_no_package(root):
    assert not list((root / "packaging").rglob("__init__.py"))


def test_test_folders_are_no_packages(root):
    helpers = root / "tests" / "virtual_gpu" / "plugin"
    assert not [path for path in (root / "tests").rglob("__init__.py") if helpers not in path.parents]

"""Where things lie: by the system, or all below HEADROOM_HOME; resources in every kind of installation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.errors import AppError, ErrorKind
from app.store import resources
from app.store.paths import default_paths
from app.store.resources import resources_root


def test_everything_is_below_the_home_that_is_named(tmp_path: Path) -> None:
    paths = default_paths({"HEADROOM_HOME": str(tmp_path / "h")})
    places = (paths.config, paths.data, paths.cache, paths.logs, paths.runs, paths.pictures, paths.downloads)
    assert all((tmp_path / "h") in place.parents for place in places)
    assert len(set(places)) == len(places)
    assert not (tmp_path / "h").exists()
    paths.ensure()
    paths.ensure()
    assert all(place.is_dir() for place in places)


def test_without_it_the_system_decides() -> None:
    paths = default_paths({})
    assert paths.pictures.name == "Headroom"
    assert "Headroom" in str(paths.config)
    assert default_paths({"HEADROOM_HOME": "  "}) == paths


def test_a_home_that_is_a_file_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "h").write_bytes(b"")
    with pytest.raises(AppError) as caught:
        default_paths({"HEADROOM_HOME": str(tmp_path / "h")}).ensure()
    assert caught.value.kind in (ErrorKind.FOLDER_IS_FILE, ErrorKind.WRITE_FAILED)


def test_resources_are_found_in_source_and_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    assert resources_root() == root / "resources"
    (tmp_path / "resources").mkdir()
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources_root() == tmp_path / "resources"


def test_resources_are_found_in_a_wheel_and_missed_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "app"
    (package / "_resources").mkdir(parents=True)
    monkeypatch.setattr(resources.app, "__file__", str(package / "__init__.py"))
    assert resources_root() == package / "_resources"
    (package / "_resources").rmdir()
    with pytest.raises(RuntimeError, match="_resources"):
        resources_root()


_ALL_STORE = """
from pathlib import Path
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.media.names import target_of
from app.media.files import write_new
from app.store.history import History, new_record
from app.store.lock import InstanceLock
from app.store.paths import default_paths
from app.store.settings import Settings, SettingsStore
paths = default_paths()
paths.ensure()
store = SettingsStore(paths.settings)
store.save(Settings(model="/m/\\u65e5\\u672c"))
assert store.load()[0].model == "/m/\\u65e5\\u672c"
prompt = "\\xfc \\u65e5 \\U0001f408"
request = GenerationRequest(model="m", prompt=prompt, width=8, height=8, steps=1, guidance=1.0, seed=1)
output = OutputSpec(folder=paths.pictures)
history = History(paths.history)
record = history.add(new_record(request, Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32), output))
assert history.get(record.id).output.folder == paths.pictures
history.close()
with InstanceLock(paths.lock):
    written = write_new(target_of(output, request, 0), b"x")
print(len(list(paths.pictures.iterdir())))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there a locale decides about file names")
@pytest.mark.parametrize("utf8", ["0", "1"])
def test_c117_a_home_of_other_letters_in_an_ascii_locale(utf8: str, tmp_path: Path, root: Path) -> None:
    home = tmp_path / "Uesr Ümläut 日本 \U0001f408"
    environment = os.environ | {"HEADROOM_HOME": str(home), "LC_ALL": "C", "PYTHONUTF8": utf8}
    command = [sys.executable, "-c", _ALL_STORE]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "1", "")
    assert [path.name for path in (home / "Pictures").iterdir()] == ["ü 日 \U0001f408 1.png"]


def test_a_home_of_a_user_who_does_not_exist_is_taken_as_typed() -> None:
    paths = default_paths({"HEADROOM_HOME": "~no-such-user/h"})
    assert paths.config == Path.cwd() / "~no-such-user" / "h" / "config"

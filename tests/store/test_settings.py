"""Settings: exact round trips, nothing lost on a full disk, newer files untouched, damaged ones kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import AppError, ErrorKind
from app.core.memory import MemorySettings
from app.store import settings as module
from app.store.settings import Settings, SettingsStore

FULL = Settings(
    memory=MemorySettings(device="cuda:1", max_memory="10GiB", keep_loaded=3.5),
    preset="lowest",
    language="pt_BR",
    theme="dark",
    output_folder="/home/me/Bilder ü",
    model="/m/日本",
    model_folders=("/a", "/b c"),
    window={"geometry": "AAEC", "panels": {"left": True, "sizes": [1, 2.5, None]}},
    request={
        "prompt": "fox \U0001f408\nline",
        "seed": 2**64 - 1,
        "guidance": 4.5,
        "width": 64,
        "locked": True,
    },
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def write(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")


def test_c65_all_values_come_back_the_same(path: Path) -> None:
    store = SettingsStore(path)
    store.save(FULL)
    assert SettingsStore(path).load() == (FULL, ())
    assert json.loads(path.read_text())["schema_version"] == 1
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_without_a_file_there_are_defaults(path: Path) -> None:
    assert SettingsStore(path).load() == (Settings(), ())


def test_c42_c54_values_that_cannot_be_used_are_dropped_and_named(path: Path) -> None:
    write(
        path,
        """{"schema_version": 1, "theme": "pink", "preset": 7, "model_folders": ["/a", 5, ""],
        "memory": {"device": "cuda:7", "max_memory": {"0": "10GiB", "cpu": "48GiB"}, "offload": "group_leafs",
                   "keep_loaded": NaN},
        "request": {"width": 0, "height": 1215, "steps": 2.5, "guidance": NaN, "seed": 18446744073709551616,
                    "prompt": "fox", "zoom": Infinity},
        "window": {"a": 1, "b": -Infinity}, "unknown_future_key": {"a": [1]}}""",
    )
    settings, notices = SettingsStore(path).load()
    assert settings.memory == MemorySettings(device="cuda:7")  # the planner says whether it is there
    assert settings.request == {"height": 1215, "prompt": "fox"}
    assert settings.window == {"a": 1}
    assert settings.model_folders == ("/a",)
    said = " ".join(str(notice) for notice in notices)
    for name in (
        "theme", "preset", "memory.max_memory", "memory.offload", "memory.keep_loaded", "request.width",
        "request.steps", "request.guidance", "request.seed", "request.zoom", "window.b", "unknown_future_key",
    ):  # fmt: skip
        assert name in said
    assert "NaN" in said


@pytest.mark.parametrize(
    "device", ["cuda:-1", "cuda:0 ", "CUDA:0", "mps", "cuda:99999", "gpu 0", "", 7, None]
)
def test_c42_every_saved_device_is_usable_or_gone(device: object, path: Path) -> None:
    write(path, {"schema_version": 1, "memory": {"device": device}})
    settings, notices = SettingsStore(path).load()
    assert (settings.memory.device == "auto") == bool(notices) or settings.memory.device in ("cuda:0", "mps")


@pytest.mark.parametrize("data", [None, [], "x", 5, {"memory": []}, {"window": 3}, {"request": [1]}])
def test_parts_of_the_wrong_type_are_no_obstacle(data: Any, path: Path) -> None:
    write(path, {"schema_version": 1} | (data if isinstance(data, dict) else {"memory": data}))
    settings, notices = SettingsStore(path).load()
    assert settings == Settings()
    assert notices


def test_c31_saved_limits_reach_the_planner_as_written(path: Path) -> None:
    store = SettingsStore(path)
    store.save(Settings(memory=MemorySettings(max_memory="80%")))
    assert store.load()[0].memory.max_memory == "80%"


def test_nan_is_never_written(path: Path) -> None:
    store = SettingsStore(path)
    store.save(
        Settings(window={"a": float("nan"), "b": {1: 2}, "c": b"x"}, request={"guidance": float("inf")})
    )
    assert "NaN" not in path.read_text()
    assert SettingsStore(path).load() == (Settings(), ())


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\x00\xff", b"{", b"[]", b"null", b"{}", b'{"schema_version": "1"}', b'{"schema_version": true}',
        b'{"schema_version": 0}', b"[" * 100_000, b'{"schema_version": 1, "theme": "dar', b"1" * 5000,
    ],
)  # fmt: skip
def test_c115_a_damaged_file_is_kept_under_another_name(content: bytes, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    store = SettingsStore(path)
    settings, notices = store.load()
    assert settings == Settings()
    assert "damaged" in str(notices[0])
    assert (path.parent / "settings.json.damaged-1").read_bytes() == content
    store.save(FULL)
    path.write_bytes(content)
    SettingsStore(path).load()
    assert (path.parent / "settings.json.damaged-2").read_bytes() == content


def test_c115_the_public_cut_file_is_kept(path: Path, cases: Path) -> None:
    path.parent.mkdir()
    path.write_bytes((cases / "C115-settings-cut.json").read_bytes())
    assert SettingsStore(path).load()[0] == Settings()
    assert (path.parent / "settings.json.damaged-1").exists()


def test_c115_a_newer_file_is_left_untouched(path: Path) -> None:
    content = '{"schema_version": 999, "device": "cpu"}'
    write(path, content)
    store = SettingsStore(path)
    settings, notices = store.load()
    assert settings == Settings()
    assert "newer" in str(notices[0])
    with pytest.raises(AppError) as caught:
        store.save(FULL)
    assert caught.value.kind is ErrorKind.SETTINGS_NEWER
    assert path.read_text() == content
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_migrations_run_in_order_and_the_old_file_is_kept(path: Path) -> None:
    def first(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"theme": data.pop("colours")}

    def second(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"language": data["theme"][:2]}

    write(path, {"schema_version": 1, "colours": "dark"})
    before = path.read_bytes()
    store = SettingsStore(path, migrations=(first, second))
    settings, notices = store.load()
    assert (settings.theme, settings.language, notices) == ("dark", "da", ())
    assert (path.parent / "settings.json.bak").read_bytes() == before
    store.save(settings)
    assert json.loads(path.read_text())["schema_version"] == 3
    write(path, {"schema_version": 1})
    assert store.load()[0] == Settings()
    assert (path.parent / "settings.json.damaged-1").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on file sizes to set")
def test_c115_a_full_disk_leaves_the_old_file(path: Path, root: Path) -> None:
    SettingsStore(path).save(FULL)
    code = """
import resource, sys
from pathlib import Path
from app.core.errors import AppError
from app.store.settings import Settings, SettingsStore
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    SettingsStore(Path(sys.argv[1])).save(Settings(window={"x": "y" * 1000}))
except AppError as error:
    print(error.kind)
"""
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "disk_full"
    assert SettingsStore(path).load() == (FULL, ())
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_program_killed_while_saving_leaves_the_old_file(path: Path, root: Path) -> None:
    SettingsStore(path).save(FULL)
    code = """
import os, signal, sys
from pathlib import Path
from app.store.settings import Settings, SettingsStore
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
SettingsStore(Path(sys.argv[1])).save(Settings())
"""
    subprocess.run([sys.executable, "-c", code, str(path)], cwd=root, check=False)
    assert len(list(path.parent.iterdir())) == 2
    assert SettingsStore(path).load() == (FULL, ())
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_a_damaged_file_that_cannot_be_moved_is_not_overwritten(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Path:
        raise PermissionError(13, "no")

    write(path, "{")
    monkeypatch.setattr(module, "set_aside", refuse)
    store = SettingsStore(path)
    _, notices = store.load()
    assert notices
    assert not store.writable
    with pytest.raises(AppError):
        store.save(FULL)
    assert path.read_text() == "{"


def test_a_folder_in_place_of_the_file_is_said(path: Path) -> None:
    path.mkdir(parents=True)
    assert SettingsStore(path).load()[1]
    assert path.is_dir()


def test_saving_is_whole_for_a_reader_at_any_time(path: Path) -> None:
    store: SettingsStore = SettingsStore(path)
    store.save(FULL)
    with path.open("rb") as reader:
        store.save(Settings())
        assert json.loads(reader.read())["theme"] == "dark"


def test_c120_a_file_that_another_program_is_writing_is_no_leftover(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    store, other = SettingsStore(path), SettingsStore(path)
    sync = os.fsync

    def meanwhile(handle: int) -> None:
        other.load()
        sync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    store.save(FULL)
    assert store.load() == (FULL, ())


def test_a_leftover_that_cannot_be_removed_is_no_obstacle(path: Path) -> None:
    write(path, "{}")
    (path.parent / f".{path.stem}.part{path.suffix}").mkdir()
    assert SettingsStore(path).load()[0] == Settings()


@pytest.mark.skipif(sys.platform == "win32", reason="makes a named pipe")
def test_a_file_that_is_no_file_is_not_waited_for_nor_said_to_be_kept_elsewhere(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    settings, notices = SettingsStore(path).load()
    assert settings == Settings()
    assert "cannot be opened" in str(notices[0])
    assert "another name" not in str(notices[0])

"""Writing: whole or not at all, never over another file, and every refusal of the system said by its kind."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.media import files
from app.media.files import check_folder, check_name, check_writable, is_being_written, write_new
from app.media.leftovers import remove_leftovers


def kind_of(target: Path) -> ErrorKind:
    with pytest.raises(AppError) as caught:
        write_new(target, b"data")
    return caught.value.kind


def test_writes_and_leaves_nothing_else(tmp_path: Path) -> None:
    assert write_new(tmp_path / "a.png", b"data") == tmp_path / "a.png"
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_c112_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    (tmp_path / "01098.png").mkdir()
    (tmp_path / "a.png").write_bytes(b"old")
    (tmp_path / "a-3.png").symlink_to(tmp_path / "nowhere")
    assert write_new(tmp_path / "01098.png", b"new").name == "01098-2.png"
    assert write_new(tmp_path / "a.png", b"new").name == "a-2.png"
    assert write_new(tmp_path / "a.png", b"new").name == "a-4.png"
    assert (tmp_path / "a.png").read_bytes() == b"old"
    assert not (tmp_path / "nowhere").exists()


def _write_some(folder: str) -> None:
    for _ in range(10):
        write_new(Path(folder) / "same.png", str(os.getpid()).encode())


def test_c120_two_processes_writing_the_same_name_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    writers = [context.Process(target=_write_some, args=(str(tmp_path),)) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    written = [path.read_bytes() for path in tmp_path.iterdir()]
    assert len(written) == 30
    assert {written.count(str(writer.pid).encode()) for writer in writers} == {10}


def test_overwriting_is_done_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"old")
    assert write_new(tmp_path / "a.png", b"new", overwrite=True) == tmp_path / "a.png"
    assert (tmp_path / "a.png").read_bytes() == b"new"


def test_without_hard_links_a_name_is_claimed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "no hard links on this drive")

    monkeypatch.setattr(files.os, "link", no_links)
    (tmp_path / "a.png").write_bytes(b"old")
    assert write_new(tmp_path / "a.png", b"new").name == "a-2.png"
    assert (tmp_path / "a-2.png").read_bytes() == b"new"
    assert (tmp_path / "a.png").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_missing_folder_and_a_file_in_its_place_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    assert kind_of(tmp_path / "gone" / "a.png") is ErrorKind.FOLDER_MISSING
    assert kind_of(tmp_path / "dangling" / "a.png") is ErrorKind.FOLDER_MISSING
    assert kind_of(tmp_path / "loop" / "a.png") is ErrorKind.FOLDER_MISSING
    assert kind_of(tmp_path / "file" / "a.png") is ErrorKind.FOLDER_IS_FILE
    assert kind_of(tmp_path / "file" / "below" / "a.png") is ErrorKind.FOLDER_IS_FILE
    assert not (tmp_path / "gone").exists()


@pytest.fixture
def mounted(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A small file system of its own, with the mount options that the test names. Needs root."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", request.param, "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root may mount; the limit on file sizes below shows the same")
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("mounted", ["ro"], indirect=True)
def test_a_read_only_drive_is_named(mounted: Path) -> None:
    assert kind_of(mounted / "a.png") is ErrorKind.FOLDER_READ_ONLY
    with pytest.raises(AppError) as caught:
        check_writable(mounted)
    assert caught.value.kind is ErrorKind.FOLDER_READ_ONLY
    assert caught.value.problem.fact("path") == str(mounted)


@pytest.mark.parametrize("mounted", ["size=64k"], indirect=True)
def test_a_full_drive_is_named_and_nothing_half_written_stays(mounted: Path) -> None:
    with pytest.raises(AppError) as caught:
        write_new(mounted / "a.png", bytes(200_000))
    assert caught.value.kind is ErrorKind.DISK_FULL
    assert list(mounted.iterdir()) == []
    write_new(mounted / "b.png", bytes(60_000))
    with pytest.raises(AppError) as caught:
        check_writable(mounted)
    assert caught.value.kind is ErrorKind.DISK_FULL
    assert [path.name for path in mounted.iterdir()] == ["b.png"]


_AS_IF_FULL = """
import resource, sys
from pathlib import Path
from app.core.errors import AppError
from app.media.files import write_new
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write_new(Path(sys.argv[1]), bytes(100_000))
except AppError as error:
    print(error.kind)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on file sizes to set")
def test_c115_a_limit_on_file_sizes_is_treated_as_a_full_disk(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-c", _AS_IF_FULL, str(tmp_path / "a.png")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "disk_full"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        assert kind_of(tmp_path / "a.png") is ErrorKind.FOLDER_READ_ONLY
    finally:
        tmp_path.chmod(0o755)


_AS_NOBODY = """
import os, sys
from pathlib import Path
from app.core.errors import AppError
from app.media.files import check_writable
os.setgid(65534)  # only now: another user may not read this checkout
os.setuid(65534)
try:
    check_writable(Path(sys.argv[1]))
except AppError as error:
    print(error.kind)
"""


def test_a_folder_of_another_user_is_named(root: Path, tmp_path: Path) -> None:
    """Root itself may write anywhere, so the question is asked as somebody else."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    command = [sys.executable, "-c", _AS_NOBODY, "/usr"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "folder_read_only"


@pytest.mark.parametrize(
    "name", ["with space", 'it\'s "quoted"', "Ümläut 日本 \U0001f408", "a#b%20", "-dash", "x" * 200]
)
def test_odd_folders_work(name: str, tmp_path: Path) -> None:
    if sys.platform == "win32" and '"' in name:
        pytest.skip("no such name there")
    folder = tmp_path / name
    folder.mkdir()
    check_writable(folder)
    assert write_new(folder / "fox.png", b"data").read_bytes() == b"data"


def test_a_path_beyond_the_system_is_named(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(30):
        deep = deep / ("d" * 200)
    assert kind_of(deep / "a.png") is ErrorKind.NAME_TOO_LONG
    with pytest.raises(AppError) as caught:
        check_name(tmp_path / ("x" * 300 + ".png"))
    assert caught.value.kind is ErrorKind.NAME_TOO_LONG


def test_c111_a_name_too_long_for_the_drive_is_cut_and_the_picture_kept(tmp_path: Path) -> None:
    written = write_new(tmp_path / ("ü" * 300 + ".png"), b"data")
    assert written.read_bytes() == b"data"
    assert written.suffix == ".png"


def test_a_drive_that_fails_in_the_middle_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(files.os, "fsync", failing)
    assert kind_of(tmp_path / "a.png") is ErrorKind.WRITE_FAILED
    assert list(tmp_path.iterdir()) == []


def test_check_folder_says_what_is_in_the_way(tmp_path: Path) -> None:
    check_folder(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(AppError) as caught:
        check_folder(tmp_path / "file")
    assert caught.value.problem.fact("path") == str(tmp_path / "file")


_KILLED = """
import os, signal, sys
from pathlib import Path
from app.media import files
real = os.fsync
def die(handle):
    print("now", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
os.fsync = die
files.write_new(Path(sys.argv[1]), b"x" * 1000)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_what_a_killed_program_leaves_is_removed_at_the_next_start(tmp_path: Path, root: Path) -> None:
    command = [sys.executable, "-c", _KILLED, str(tmp_path / "fox.png")]
    subprocess.run(command, cwd=root, capture_output=True, check=False)
    (tmp_path / ".notes.part.txt").write_bytes(b"")
    (tmp_path / "kept.part.png").write_bytes(b"")
    assert (tmp_path / ".fox.part.png").exists()
    assert remove_leftovers(tmp_path) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [".notes.part.txt", "kept.part.png"]


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_file_that_is_being_written_is_no_leftover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_work, go_on = threading.Event(), threading.Event()
    real = os.fsync

    def slow(handle: int) -> None:
        at_work.set()
        go_on.wait(10)
        real(handle)

    monkeypatch.setattr(files.os, "fsync", slow)
    writer = threading.Thread(target=write_new, args=(tmp_path / "fox.png", b"data"))
    writer.start()
    assert at_work.wait(10)
    assert is_being_written(tmp_path / ".fox.part.png")
    assert remove_leftovers(tmp_path) == 0
    go_on.set()
    writer.join()
    assert [path.name for path in tmp_path.iterdir()] == ["fox.png"]


def test_leftovers_of_a_missing_folder_are_none(tmp_path: Path) -> None:
    assert remove_leftovers(tmp_path / "gone") == 0
    (tmp_path / ".x.part.png").mkdir()
    assert remove_leftovers(tmp_path) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_folder_that_is_there_but_takes_no_files_is_not_called_missing() -> None:
    with pytest.raises(AppError) as caught:
        check_writable(Path("/proc"))
    words = str(sentence(caught.value.problem))
    assert "no folder" not in words
    assert "/proc is there but takes no files" in words

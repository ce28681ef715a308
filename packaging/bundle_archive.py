"""Packs a finished Linux bundle with its installer into one archive, or into parts where one would be over 2 GB."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

HERE = Path(__file__).resolve().parent
LARGEST = 1_900_000_000
"""Bytes of a part: below what file hosts and FAT32 take (2 GB)."""
BLOCK = 1 << 20
BESIDE = ("install.sh", "headroom.desktop", "studio.headroom.Headroom.metainfo.xml")

JOIN = """\
This download is in {count} parts. Get all of them, then join and unpack them in a terminal:

  cat {name}.part* | tar {flags} -

Then run install.sh in the folder that comes out. The SHA-256 sums of the parts are in {name}.sha256 (sha256sum -c).
"""


def pack(folder: Path, name: str, kind: str) -> list[str]:
    """Writes NAME.tar.KIND (or its parts and how to join them) beside the bundle; returns the paths, sums last."""
    target = folder.parent / f"{name}.tar.{kind}"
    for old in target.parent.glob(f"{target.name}*"):
        old.unlink()
    whole = target.with_name(f".{target.name}.part")
    if kind == "zst":
        _pack_zst(folder, name, whole)
    else:
        effort = {"compresslevel": 6} if kind == "gz" else {"preset": 6}
        with tarfile.open(whole, f"w:{kind}", format=tarfile.PAX_FORMAT, **effort) as archive:
            _fill(archive, folder, name)
    files = split(whole, target) if whole.stat().st_size > LARGEST else [whole.replace(target)]
    if len(files) > 1:
        flags = {"gz": "-xzf", "xz": "-xJf", "zst": "--zstd -xf"}[kind]
        note = target.with_name(f"{target.name}.README.txt")
        note.write_text(JOIN.format(count=len(files), name=target.name, flags=flags), encoding="utf-8")
        files.append(note)
    sums = target.with_name(f"{target.name}.sha256")
    sums.write_text("".join(f"{_sum(path)}  {path.name}\n" for path in files), encoding="ascii")
    return [str(path) for path in (*files, sums)]


def _fill(archive: tarfile.TarFile, folder: Path, name: str) -> None:
    """The installer and what it puts in place first, then the program; owned by nobody in particular."""
    for file in BESIDE:
        archive.add(HERE / "linux" / file, f"{name}/{file}", filter=_neutral)
    archive.add(folder, f"{name}/headroom", filter=_neutral)


def _neutral(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def _pack_zst(folder: Path, name: str, target: Path) -> None:
    program = shutil.which("zstd")
    if program is None:
        raise SystemExit("zstd is not installed; choose --archive gz or xz.")
    with target.open("wb") as file:
        packer = subprocess.Popen([program, "-q", "-T0", "-12", "-"], stdin=subprocess.PIPE, stdout=file)
        assert packer.stdin is not None
        with (
            packer.stdin,
            tarfile.open(fileobj=packer.stdin, mode="w|", format=tarfile.PAX_FORMAT) as archive,
        ):
            _fill(archive, folder, name)
        if packer.wait() != 0:
            raise SystemExit(f"zstd ended with {packer.returncode}.")


def split(whole: Path, target: Path, largest: int = LARGEST) -> list[Path]:
    """Cuts a file into TARGET.part01 … of at most ``largest`` bytes, and removes it."""
    parts = []
    with whole.open("rb") as file:
        while first := file.read(min(BLOCK, largest)):
            part = target.with_name(f"{target.name}.part{len(parts) + 1:02d}")
            with part.open("wb") as out:
                out.write(first)
                for block in _blocks(file, largest - len(first)):
                    out.write(block)
            parts.append(part)
    whole.unlink()
    return parts


def _blocks(file: BinaryIO, count: int) -> Iterator[bytes]:
    while count > 0 and (block := file.read(min(BLOCK, count))):
        count -= len(block)
        yield block


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

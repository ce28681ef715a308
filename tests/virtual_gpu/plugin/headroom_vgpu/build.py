"""Compile the virtual GPU's C++ once per source and torch version; say in words when that cannot be done."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import torch

DEVICE = Path(__file__).resolve().parents[2] / "device"
SOURCE = DEVICE / "vgpu.cpp"
"""Takes in the headers beside it, so it is all that is compiled."""


class CannotBuildError(RuntimeError):
    """The virtual GPU cannot be compiled; the message says why and what to do."""


def compiler() -> str:
    """The C++ compiler: ``CXX``, else g++. Raises CannotBuildError when it is not there."""
    name = os.environ.get("CXX") or "g++"
    if shutil.which(name) is None:
        raise CannotBuildError(
            f"The virtual GPU's tests need a C++ compiler, and {name} was not found. "
            "Install g++ (Debian, Ubuntu: apt install g++), or name another compiler in CXX."
        )
    return name


def cache_folder() -> Path:
    """Where built libraries stay: ``VGPU_CACHE``, else the user's cache folder."""
    if chosen := os.environ.get("VGPU_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "headroom-vgpu"


def _tag() -> str:
    """What the library is made from, in twelve letters: all files of the device, and torch."""
    whole = hashlib.sha256(torch.__version__.encode())
    for file in sorted((*DEVICE.glob("*.h"), SOURCE)):
        whole.update(file.name.encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()[:12]


def library() -> Path:
    """The compiled library, built first if this very source was not yet compiled for this torch."""
    target = cache_folder() / f"vgpu-{_tag()}.so"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # Renamed once complete, so that two processes building at once never load half a file.
    part = target.with_name(f"{target.name}.{os.getpid()}")
    root = Path(torch.__file__).parent
    include = root / "include"
    command = [compiler(), "-std=c++20", "-O1", "-fPIC", "-shared", "-w", str(SOURCE), "-o", str(part)]
    command += [
        f"-I{include}",
        f"-I{include}/torch/csrc/api/include",
        f"-L{root}/lib",
        "-lc10",
        "-ltorch_cpu",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        part.unlink(missing_ok=True)
        raise CannotBuildError(
            f"The virtual GPU did not compile with {command[0]} against torch {torch.__version__}, whose C++ "
            f"interface changes between releases: mend {DEVICE.name}/. It said:\n{done.stderr[:4000]}"
        )
    part.rename(target)
    return target

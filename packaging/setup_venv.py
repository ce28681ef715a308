"""Makes .venv, keeps it fitting the project, and makes it again when it is broken or was left half-made.

One rule carries the recovery: the stamp is taken away before the first change and written after the last one,
so an environment without a stamp is never used and never repaired, but made anew. A lock keeps two set-ups
apart.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import setup_torch
from setup_base import MISSING, Place, Problem, clean_environment, say
from setup_pip import Pip

VERSION = 1
"""Raise it when an environment made by an older version of these scripts must be made again."""

OLD_PIP = (23, 1)
"""Older ones refuse the metadata of PyTorch's files."""


@dataclass(frozen=True)
class Stamp:
    """What an environment was made from."""

    version: int
    root: str
    python: str
    torch: str
    asked: bool
    evidence: str
    pyproject: str
    extras: tuple[str, ...]


@dataclass(frozen=True)
class Wish:
    """What is wanted of the environment: a kind of PyTorch ('' is what fits) and extras of pyproject.toml."""

    torch: str = ""
    extras: frozenset[str] = frozenset()


def read_stamp(place: Place) -> Stamp | None:
    """The stamp of a whole environment; None when there is none, or its Python is gone."""
    try:
        values = json.loads(place.stamp.read_text(encoding="utf-8"))
        stamp = Stamp(**{**values, "extras": tuple(values["extras"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return stamp if place.python.exists() else None


def write_stamp(place: Place, stamp: Stamp) -> None:
    """The last act of a set-up."""
    part = place.stamp.with_suffix(".part")
    part.write_text(json.dumps(asdict(stamp), indent=1), encoding="utf-8")
    part.replace(place.stamp)


def project_hash(place: Place) -> str:
    """Changes when pyproject.toml does."""
    try:
        return hashlib.sha256(place.pyproject.read_bytes()).hexdigest()
    except OSError as error:
        raise Problem(
            f"This copy of Headroom is not whole: {place.pyproject} cannot be read ({error})."
        ) from error


def usable(stamp: Stamp | None, place: Place) -> bool:
    """Whether an environment was made by these scripts, in this folder, for this Python."""
    return stamp is not None and (stamp.version, stamp.root, stamp.python) == (
        VERSION,
        str(place.root),
        python_version(),
    )


def known_kind(stamp: Stamp, wish: Wish) -> str:
    """The kind of PyTorch that is wanted, as far as it can be told without a close look at the hardware."""
    if wish.torch:
        return wish.torch
    return stamp.torch if stamp.asked or stamp.evidence == setup_torch.evidence() else ""


def fresh(stamp: Stamp | None, place: Place, wish: Wish) -> bool:
    """Whether the environment is what is wanted as it is."""
    return (
        stamp is not None
        and usable(stamp, place)
        and stamp.torch == known_kind(stamp, wish)
        and stamp.pyproject == project_hash(place)
        and wish.extras <= set(stamp.extras)
    )


def accelerator(stamp: Stamp | None, wish: Wish) -> setup_torch.Accelerator:
    """The accelerator to install for: as asked, as before, or as found."""
    if wish.torch:
        found = setup_torch.nvidia() if wish.torch == "cuda" else None
        return found or setup_torch.Accelerator(wish.torch, "as asked")
    if stamp is not None and stamp.asked:
        return setup_torch.Accelerator(stamp.torch, "as asked before")
    return setup_torch.detect()


def python_version() -> str:
    """The Python that an environment is bound to."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def ensure(place: Place, wish: Wish) -> bool:
    """Make the environment what is wanted; True when something was done. Quick when nothing is to do."""
    if fresh(read_stamp(place), place, wish):
        return False
    with only_one(place) as keep:
        stamp = read_stamp(place)
        if fresh(stamp, place, wish):
            return False
        try:
            set_up(place, wish, stamp, Pip(place, keep))
        except OSError as error:
            raise Problem(os_words(error, place)) from error
    return True


def set_up(place: Place, wish: Wish, stamp: Stamp | None, pip: Pip) -> None:
    """Make or update the environment. The stamp goes first and comes back last."""
    begun = time.monotonic()
    found = accelerator(stamp, wish)
    keep = stamp if stamp is not None and usable(stamp, place) and stamp.torch == found.kind else None
    extras = wish.extras | frozenset(keep.extras if keep else ())
    if keep:
        say("Headroom's environment is brought up to date.")
        update(place, keep, extras, pip)
    else:
        say(f"Setting Headroom up in {place.venv} ({found.words}). This is done once.")
        check_space(place, found.kind)
        make_venv(place, pip)
        install_torch(found, pip)
        install_project(place, pip, extras)
    check_torch(place, found.kind)
    shutil.rmtree(place.venv / "tmp", ignore_errors=True)
    asked = bool(wish.torch) or (stamp is not None and stamp.asked)
    evidence = setup_torch.evidence()
    where = (VERSION, str(place.root), python_version())
    write_stamp(place, Stamp(*where, found.kind, asked, evidence, project_hash(place), tuple(sorted(extras))))
    say(f"Set-up: {time.monotonic() - begun:.1f} s.")


def update(place: Place, stamp: Stamp, extras: frozenset[str], pip: Pip) -> None:
    """Add what changed; an update that failed before it changed anything leaves the environment in use."""
    place.stamp.unlink()
    try:
        install_project(place, pip, extras)
    except Problem as problem:
        if problem.untouched:
            write_stamp(place, stamp)
        raise


def check_space(place: Place, kind: str) -> None:
    """Say so before the download when the disk is too small for it."""
    needed = setup_torch.SPACE[kind]
    free = shutil.disk_usage(place.root).free / 1e9
    if free < needed:
        raise Problem(
            f"The disk that holds {place.root} has {free:.1f} GB free, and Headroom's environment needs "
            f"about {needed} GB while it is made. Free some space and run the same command again.",
            MISSING,
        )


def make_venv(place: Place, pip: Pip) -> None:
    """A new, empty environment; what was there before goes."""
    absent = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if absent:
        version = python_version()
        raise Problem(
            f"This Python has no {' and no '.join(absent)} module, which Headroom's environment is made "
            f"with. On Debian and Ubuntu install it with: sudo apt install python3-venv (or "
            f"python{version}-venv). Then run this again.",
            MISSING,
        )
    remove_venv(place)
    place.venv.mkdir()
    base = getattr(sys, "_base_executable", None) or sys.executable
    pip.step("Making the environment", [base, "-m", "venv", str(place.venv)])
    if pip_version(place) < OLD_PIP:
        pip.install("Updating pip", "--upgrade", "pip")


def remove_venv(place: Place) -> None:
    """Remove an environment, whatever is left of it."""
    if place.venv.is_symlink() or place.venv.is_file():
        place.venv.unlink()
    elif place.venv.exists():
        shutil.rmtree(place.venv)


def pip_version(place: Place) -> tuple[int, ...]:
    """The version of the environment's pip."""
    command = [str(place.python), "-s", "-P", "-c", "import pip; print(pip.__version__)"]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), check=False)
    return tuple(int(part) for part in done.stdout.strip().split(".")[:2] if part.isdigit())


def install_torch(found: setup_torch.Accelerator, pip: Pip) -> None:
    """PyTorch in the build that fits."""
    build = setup_torch.choose(found, pip)
    size = f"{build.megabytes} MB" if build.megabytes < 1000 else f"{build.megabytes / 1000:.1f} GB"
    pip.install(f"Installing PyTorch {setup_torch.TORCH} ({build.words}, about {size})", *build.arguments)


def install_project(place: Place, pip: Pip, extras: frozenset[str]) -> None:
    """The project, editable, with what it needs; built in the environment, so nothing is fetched twice."""
    with place.pyproject.open("rb") as file:
        tools = tomllib.load(file)["build-system"]["requires"]
    if tools:
        pip.install("Installing the build tools", *tools)
    target = str(place.root) + (f"[{','.join(sorted(extras))}]" if extras else "")
    pip.install("Installing what Headroom needs (about 200 MB)", "--no-build-isolation", "--editable", target)


TORCH_CHECK = """
import torch
print(torch.__version__, torch.accelerator.is_available())
"""


def check_torch(place: Place, kind: str) -> None:
    """A sentence when PyTorch was installed and does not load; a note when it does not see the card."""
    command = [str(place.python), "-s", "-P", "-c", TORCH_CHECK]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        raise Problem(f"PyTorch was installed but does not load: {last}. {torch_advice(last)}")
    if kind in ("cuda", "rocm", "xpu") and not done.stdout.strip().endswith("True"):
        say(
            "PyTorch was installed, but it does not see the graphics card: pictures will be made on the CPU. "
            "Updating the card's driver usually helps."
        )


def torch_advice(last: str) -> str:
    """What to do about a PyTorch that does not load."""
    if "WinError" in last or ".dll" in last.lower():
        address = "https://aka.ms/vc14/vc_redist.x64.exe"
        return f"Install the Microsoft Visual C++ Redistributable ({address}), then try again."
    if "GLIBC" in last:
        return "This Linux is too old for PyTorch's files: it needs glibc 2.28 or newer."
    return "Try another build of it: python3 packaging/run.py --torch cpu"


def os_words(error: OSError, place: Place) -> str:
    """A file-system error of the set-up itself, in a sentence."""
    if error.errno == 28 or getattr(error, "winerror", None) == 112:
        return "The disk is full. Free some space and run the same command again."
    return (
        f"The environment {place.venv} could not be made: {error}. Check that the folder can be written and "
        "that no other copy of Headroom is running, then run the same command again."
    )


@contextlib.contextmanager
def only_one(place: Place) -> Iterator[tuple[int, ...]]:
    """Hold the set-up's lock, waiting for another set-up if there is one.

    The lock is the system's own and ends with its holder, so a killed set-up leaves none behind. On POSIX the
    processes of pip hold it too: an orphan of a killed set-up is waited for, not written against.
    """
    try:
        file = place.lock.open("a+b")
    except OSError as error:
        raise Problem(os_words(error, place)) from error
    with file:
        if os.name == "nt":
            wait_windows(file.fileno())
            yield ()
        else:
            wait_posix(file.fileno())
            yield (file.fileno(),)


def wait_posix(descriptor: int) -> None:
    """Take the lock with flock; on a file system without locks go on without one."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Another set-up of this folder is running; waiting for it to end.")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        return


def wait_windows(descriptor: int) -> None:
    """Take the lock with a byte-range lock."""
    import msvcrt

    told = False
    while True:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            if not told:
                say("Another set-up of this folder is running; waiting for it to end.")
            told = True
            time.sleep(1)
        else:
            return

#!/usr/bin/env python3
"""Makes the bundle: one folder with the programs `headroom` and `headroom-cli`, from the project's own environment.

  python3 packaging/build.py [--torch cpu|cuda] [--output dist] [--archive gz|xz|zst] [--here]

Sets the environment up first where needed (packaging/run.py), needs no display, and prints what it made as JSON.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = ROOT / "build" / "bundle"
PYTHON = ROOT / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STRIPPED = 1_000_000
"""torch's libraries above this size lose their symbol tables: a fifth of the largest, and of use to nobody here."""


class Problem(Exception):
    """The bundle cannot be made; a sentence for a person."""


def main(argv: list[str]) -> int:
    """Build; a problem becomes a sentence and exit code 1."""
    asked = options(argv)
    try:
        code = in_environment(asked, argv)
        if code is not None:
            return code
        print(json.dumps(build(asked), indent=1))
        return 0
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1


def options(argv: list[str]) -> argparse.Namespace:
    """What is wanted."""
    parser = argparse.ArgumentParser(prog="build.py", description="Makes Headroom's bundle.")
    parser.add_argument("--torch", choices=("cpu", "cuda"), help="the build of PyTorch to pack")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="where the bundle goes")
    parser.add_argument(
        "--archive", choices=("gz", "xz", "zst"), help="also pack it, with its installer (Linux)"
    )
    parser.add_argument(
        "--here", action="store_true", help="take the environment of this very Python as it is"
    )
    return parser.parse_args(argv)


def in_environment(asked: argparse.Namespace, argv: list[str]) -> int | None:
    """Go on in .venv's Python with what is needed in it; None when this is it."""
    if asked.here or Path(sys.prefix).resolve() == (ROOT / ".venv").resolve():
        if asked.torch not in (None, torch_kind()):
            if asked.here:
                raise Problem(f"This environment has PyTorch for {torch_kind()}, not for {asked.torch}.")
            set_up(asked.torch)
        install_pyinstaller()
        return None
    set_up(asked.torch)
    return subprocess.run([str(PYTHON), "-s", "-P", str(HERE / "build.py"), *argv], check=False).returncode


def set_up(torch: str | None) -> None:
    """The environment that everybody gets."""
    command = [sys.executable, str(HERE / "run.py"), "--extra", "bundle", "--setup-only"]
    command[2:2] = ["--torch", torch] if torch else []
    if subprocess.run(command, check=False, stdout=sys.stderr).returncode != 0:
        raise Problem("The environment to pack could not be set up; the reason stands above.")


def torch_kind() -> str:
    """cuda or cpu: what this environment's PyTorch was built for."""
    code = "import torch; print('cuda' if torch.version.cuda else 'cpu')"
    done = subprocess.run(
        [sys.executable, "-s", "-P", "-c", code], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Problem(f"PyTorch does not load in this environment: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout.strip()


def install_pyinstaller() -> None:
    """PyInstaller at the version of the project's `bundle` extra, if it is not there."""
    if importlib.util.find_spec("PyInstaller") is None:
        wanted = sibling("bundle_contents").project()["optional-dependencies"]["bundle"]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
        if subprocess.run(command, check=False, stdout=sys.stderr).returncode != 0:
            raise Problem("PyInstaller could not be installed; what pip said stands above.")


def sibling(name: str):  # type: ignore[no-untyped-def]
    """A module beside this file; the folder itself, which has a library's name, is not left on the path."""
    sys.path.insert(0, str(HERE))
    try:
        return importlib.import_module(name)
    finally:
        sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]


def build(asked: argparse.Namespace) -> dict:
    """All steps, each timed; returns the report."""
    check_tools()
    begun, seconds = time.monotonic(), {}

    def timed(name: str, step, *arguments):  # type: ignore[no-untyped-def]
        start = time.monotonic()
        result = step(*arguments)
        seconds[name] = round(time.monotonic() - start, 1)
        return result

    source = timed("source", stage)
    folder = timed("pyinstaller", freeze, source, asked.output.resolve())
    timed("strip", strip, folder)
    timed("notices", finish, folder)
    report = {"folder": str(folder), "version": sibling("bundle_contents").version(), "torch": torch_kind()}
    if asked.archive:
        name = f"headroom-{report['version']}-{sys.platform}-{platform.machine().lower()}-{report['torch']}"
        report["archive"] = timed("archive", sibling("bundle_archive").pack, folder, name, asked.archive)
    seconds["all"] = round(time.monotonic() - begun, 1)
    return report | {"bytes": size_of(folder), "seconds": seconds, "largest": largest(folder)}


def check_tools() -> None:
    """What PyInstaller needs of the system, said before a minute is spent."""
    if sys.platform != "linux":
        return
    if shutil.which("objdump") is None:
        raise Problem("objdump is missing; on Debian and Ubuntu: sudo apt install binutils")
    from PyInstaller.depend.bindepend import get_python_library_path
    from PyInstaller.exceptions import PythonLibraryNotFoundError

    try:
        library = get_python_library_path()
    except PythonLibraryNotFoundError:
        library = None
    if library is None:  # Debian's Python works without it, the bundle does not
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Problem(
            f"Python's shared library is missing; on Debian and Ubuntu: sudo apt install libpython{version}"
        )


def stage() -> Path:
    """app/ and resources/ in a folder of their own: beside packaging/, that would be taken for the library."""
    source = WORK / "source"
    shutil.rmtree(source, ignore_errors=True)
    for name in ("app", "resources"):
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.ts", ".*.part*")
        )
    for path in source.rglob("*"):  # weights fresh from training are their maker's alone
        path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o644))
    return source


def freeze(source: Path, output: Path) -> Path:
    """Run PyInstaller beside the old bundle, then put the new one in its place."""
    made, target = WORK / "made", output / "headroom"
    log = WORK / "pyinstaller.log"
    command = [sys.executable, "-s", "-P", "-m", "PyInstaller", "--noconfirm", "--log-level", "INFO"]
    command += ["--distpath", str(made), "--workpath", str(WORK / "work"), str(HERE / "headroom.spec")]
    environment = {**os.environ, "HEADROOM_SOURCE": str(source), "PYTHONPATH": str(source)}
    environment["QT_QPA_PLATFORM"] = "offscreen"  # hooks ask Qt where its files are
    if os.name == "nt":
        environment["HEADROOM_VERSION_FILE"] = str(version_file())
    with log.open("wb") as file:
        done = subprocess.run(command, cwd=WORK, env=environment, stdout=file, stderr=file, check=False)
    if done.returncode != 0:
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        raise Problem("\n".join([*tail, f"PyInstaller failed; all it said is in {log}"]))
    output.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    shutil.move(made / "headroom", target)
    return target


def version_file() -> Path:
    """What Windows shows of the programs under Properties."""
    version = sibling("bundle_contents").version()
    numbers = ", ".join([*version.split("."), "0"][:4])
    texts = {
        "ProductName": "Headroom",
        "FileDescription": "Headroom",
        "ProductVersion": version,
        "FileVersion": version,
    }
    strings = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in texts.items())
    path = WORK / "version.txt"
    path.write_text(
        f"VSVersionInfo(ffi=FixedFileInfo(filevers=({numbers}), prodvers=({numbers})), kids=["
        f"StringFileInfo([StringTable('040904B0', [{strings}])]), "
        "VarFileInfo([VarStruct('Translation', [1033, 1200])])])",
        encoding="utf-8",
    )
    return path


def strip(folder: Path) -> None:
    """Symbol tables off torch's and Python's libraries, on Linux; elsewhere signatures would break."""
    if sys.platform != "linux" or shutil.which("strip") is None:
        return
    inside = folder / "_internal"
    for library in sorted([*inside.glob("torch/lib/*.so*"), *inside.glob("libpython*.so*")]):
        if not library.is_symlink() and library.stat().st_size > STRIPPED:
            subprocess.run(["strip", "--strip-unneeded", str(library)], check=True)


def finish(folder: Path) -> None:
    """The licences beside the programs."""
    shutil.copy(ROOT / "LICENSE", folder)
    done = subprocess.run(
        [sys.executable, "-s", "-P", str(HERE / "notices.py"), str(folder)], check=False, stdout=sys.stderr
    )
    if done.returncode != 0:
        raise Problem("The notices of other people's licences could not be written; the reason stands above.")


def size_of(folder: Path) -> int:
    """Bytes of all files; links count nothing."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def largest(folder: Path, count: int = 15) -> dict[str, int]:
    """The largest entries of the bundle, in bytes."""
    inside = folder / "_internal"
    sizes = {
        path.name: size_of(path) if path.is_dir() else path.stat().st_size
        for path in [*inside.iterdir(), *(p for p in folder.iterdir() if p != inside)]
        if not path.is_symlink()
    }
    return dict(sorted(sizes.items(), key=lambda item: -item[1])[:count])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

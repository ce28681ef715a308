#!/usr/bin/env python3
"""Tries a finished bundle as a person would get it: the window under a virtual display, the command line without
Python, both without streams, an engine killed in mid-run. ``python packaging/smoke.py [FOLDER]``.

Needs numpy and Pillow to look at the pictures; knows the program only by what it does.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PROMPT, SEED, WANTED = "a red circle on a blue background", "7", "red circle on blue"
MOST_BYTES = {"cpu": 1_000_000_000, "cuda": 6_000_000_000}
WINDOW_SECONDS, COMMAND_SECONDS = 300, 180
OF_A_DESKTOP = re.compile(r"lib(GL|GLX|EGL|OpenGL|wayland-(client|cursor|egl))\.so")
"""Come with the driver or the desktop, and must not be brought along."""
EXE = ".exe" if os.name == "nt" else ""


sys.path.insert(0, str(HERE))
from bundle_processes import OnTerminal, Watcher, display, engine_of, screen, start  # noqa: E402

sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]  # it has a library's name


class Broken(Exception):
    """Something does not work; a sentence."""


class Smoke:
    """One bundle and a folder to try it in."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder, self.scratch = folder, scratch
        self.window, self.command = folder / f"headroom{EXE}", folder / f"headroom-cli{EXE}"
        self.empty = scratch / "empty path"
        self.empty.mkdir()
        self.picture = b""
        """The command line's, as numbers: the others must be the same."""

    def checks(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """What is tried, in order; each says in a few words what it saw, or raises Broken."""
        yield "the folder is whole", self.whole
        if sys.platform == "linux":
            yield "no library is missing", self.libraries
        yield "doctor finds the families and the built-in model", self.doctor
        yield "the command line makes the picture", self.generate
        yield "the command line works without streams", self.generate_closed
        if sys.platform == "linux":
            yield "a killed engine ends the command with a sentence", self.killed
        yield (
            "the window makes a picture, loses its engine, makes it again",
            lambda: self.in_window(closed=False),
        )
        yield "the window works without streams", lambda: self.in_window(closed=True)

    # ------------------------------------------------------------------ surroundings

    def environment(self, name: str, **extra: str) -> dict[str, str]:
        """Nothing of this Python, no PATH with programs on it, and a home of its own."""
        home = self.scratch / name
        home.mkdir(exist_ok=True)
        kept = ("DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "SYSTEMROOT", "TEMP", "TMP", "OMP_NUM_THREADS")
        base = {key: os.environ[key] for key in kept if key in os.environ}
        return {
            **base,
            "PATH": str(self.empty),
            "HOME": str(home),
            "HEADROOM_HOME": str(home / "h"),
            "LANG": "C.UTF-8",
            **extra,
        }

    def run(self, *arguments: str, name: str, closed: bool = False) -> tuple[int, dict[str, Any], str]:
        """headroom-cli; its exit code, its JSON object (none without streams) and its stderr."""
        process = start([str(self.command), *arguments], self.environment(name), closed)
        try:
            out, err = process.communicate(timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise Broken(f"headroom-cli {arguments[0]} did not end within {COMMAND_SECONDS} s") from error
        text = (err or b"").decode("utf-8", "replace")
        if "Traceback" in text:
            raise Broken(f"headroom-cli {arguments[0]} showed a traceback:\n{text}")
        return process.returncode, {} if closed else parsed(out, text), text

    # ------------------------------------------------------------------ what is tried

    def whole(self) -> str:
        """Two programs, one _internal, licences, no tests of libraries; not larger than it was."""
        wanted = [self.window, self.command, self.folder / "_internal", self.folder / "LICENSE"]
        wanted += [self.folder / name for name in ("THIRD_PARTY_NOTICES.txt", "LGPL-3.0.txt", "GPL-3.0.txt")]
        missing = [path.name for path in wanted if not path.exists()]
        if missing:
            raise Broken(f"{', '.join(missing)} is missing in {self.folder}")
        inside = self.folder / "_internal"
        odd = [
            name
            for name in ("torch/test", "torch/include", "matplotlib", "pytest", "mypy")
            if (inside / name).exists()
        ]
        if odd:
            raise Broken(f"what nobody needs was packed: {', '.join(odd)}")
        size = sum(
            path.stat().st_size for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink()
        )
        kind = "cuda" if list(inside.glob("torch/lib/*torch_cuda*")) else "cpu"
        if size > MOST_BYTES[kind]:
            raise Broken(
                f"the bundle grew to {size / 1e6:.0f} MB; {MOST_BYTES[kind] / 1e6:.0f} MB is the limit"
            )
        return f"{size / 1e6:.0f} MB, PyTorch for {kind}"

    def libraries(self) -> str:
        """Every shared library finds what it needs, in the bundle or as a part of every desktop."""
        inside = self.folder / "_internal"
        files = [path for path in inside.rglob("*.so*") if path.is_file() and not path.is_symlink()]
        search = {**os.environ, "LD_LIBRARY_PATH": str(inside)}
        done = subprocess.run(
            ["ldd", *map(str, files)], env=search, capture_output=True, text=True, check=False
        )
        lost = {
            name for name in re.findall(r"(\S+) => not found", done.stdout) if not OF_A_DESKTOP.match(name)
        }
        if lost:
            raise Broken(f"libraries are missing: {', '.join(sorted(lost))}")
        return f"{len(files)} libraries"

    def doctor(self) -> str:
        """The command line's own account."""
        process = start([str(self.command)], self.environment("doctor"), closed=False)
        usage = process.communicate(timeout=COMMAND_SECONDS)[0].decode("utf-8", "replace")
        if process.returncode != 0 or "generate" not in usage:
            raise Broken(
                f"headroom-cli alone does not say how it is used: {process.returncode}, {usage[:500]}"
            )
        code, said, _ = self.run("doctor", "--json", name="doctor")
        text = json.dumps(said)
        if code != 0:
            raise Broken(f"doctor ended with {code}: {text[:500]}")
        if not said.get("families"):
            raise Broken(f"doctor counts no model families: {text[:500]}")
        _, listed, _ = self.run("models", "--json", name="doctor")
        if not any(model.get("builtin") for model in listed.get("models", [])):
            raise Broken(f"the built-in model is not found: {json.dumps(listed)[:500]}")
        return f"families: {', '.join(map(str, said['families']))}"

    def generate(self) -> str:
        """Three pictures into a folder with a space: the checker sees what was asked for in two of them at least."""
        folder = self.scratch / "made by command"
        folder.mkdir()
        target, begun = folder / "circle.png", time.monotonic()
        arguments = ["generate", PROMPT, "--seed", SEED, "--count", "3", "--out", str(target), "--json"]
        code, said, text = self.run(*arguments, name="command")
        files = [Path(path) for path in said.get("files", [])]
        if code != 0 or len(files) != 3 or files[0] != target:
            raise Broken(f"generate ended with {code}: {json.dumps(said)[:800]} {text[-800:]}")
        seen = [self.look(path) for path in files]
        if seen.count(WANTED) < 2:
            raise Broken(f"the pictures show: {', '.join(seen)}")
        self.picture = pixels(target).tobytes()
        return f"{', '.join(seen)}, {time.monotonic() - begun:.1f} s"

    def generate_closed(self) -> str:
        """The same again without stdout and stderr: the same picture."""
        target = self.scratch / "closed.png"
        code, _, _ = self.run(
            "generate", PROMPT, "--seed", SEED, "--out", str(target), name="closed", closed=True
        )
        if code != 0 or not target.is_file():
            raise Broken(f"generate ended with {code}")
        self.same(target)
        return "the same picture"

    def same(self, path: Path) -> None:
        """The same seed gives the same pixels, whoever asked for them."""
        if pixels(path).tobytes() != self.picture:
            raise Broken(f"{path.name} differs from the command line's picture of the same seed")

    def killed(self) -> str:
        """SIGKILL to the engine once the progress bar moves: a sentence, exit code 4, no traceback."""
        arguments = ["generate", PROMPT, "--steps", "900", "--out", str(self.scratch / "never.png"), "--json"]
        with OnTerminal([str(self.command), *arguments], self.environment("killed", TERM="xterm")) as program:
            if not program.read_until(re.compile(r"\b[2-9]/900\b"), COMMAND_SECONDS):
                raise Broken(f"no progress was shown: {program.shown[-500:]}")
            os.kill(engine_of(program.pid), signal.SIGKILL)
            if not program.read_until(None, 60):
                raise Broken("the command went on for a minute after its engine was killed")
            said, text = parsed(program.output(), program.shown), program.shown
        if program.code != 4 or "Traceback" in text or said.get("error", {}).get("kind") != "engine_died":
            raise Broken(f"after the kill: exit code {program.code}, {json.dumps(said)[:500]} {text[-500:]}")
        return str(said["error"].get("what", ""))

    def in_window(self, closed: bool) -> str:
        """The real window, through its own self-check."""
        name = "window without streams" if closed else "window"
        report = self.scratch / f"{name}.json"
        environment = self.environment(name, HEADROOM_SELF_CHECK=str(report), **screen())
        begun = time.monotonic()
        process = start([str(self.window)], environment, closed, display())
        watcher = Watcher(process.pid)
        try:
            while process.poll() is None:
                watcher.look()
                if time.monotonic() - begun > WINDOW_SECONDS:
                    raise Broken(f"the window did not end within {WINDOW_SECONDS} s")
                time.sleep(0.05)
        finally:
            process.kill()
            _, err = process.communicate()
        said = json.loads(report.read_text(encoding="utf-8")) if report.is_file() else {}
        tail = (err or b"").decode("utf-8", "replace")[-1500:]
        if process.returncode != 0 or said.get("error") or not said:
            raise Broken(f"exit code {process.returncode}, {said.get('error', 'no report')} {tail}")
        if "Traceback" in tail:
            raise Broken(f"the window showed a traceback:\n{tail}")
        return f"{self.judge(said, watcher, closed)}, {time.monotonic() - begun:.1f} s"

    def judge(self, said: dict[str, Any], watcher: Watcher, closed: bool) -> str:
        """The report of a window that ended well, against what it should say."""
        first, last = (Path(path) for path in said["pictures"])
        engines = [engine["pid"] for engine in said["engines"]]
        wanted = {
            "a frozen program": said["frozen"],
            "families": said["families"] and all(engine["families"] for engine in said["engines"]),
            "an engine killed": said["killed"] == said["died"]["pid"] == engines[0],
            "a second engine": len(engines) == 2 and engines[0] != engines[1],
            "no torch in the window": not said["torch_in_window"],
            "two pictures": first != last,
        }
        lacking = [name for name, found in wanted.items() if not found]
        if lacking:
            raise Broken(f"not seen: {', '.join(lacking)}: {json.dumps(said)[:800]}")
        for path in (first, last):
            self.same(path)
        if watcher.strange:
            raise Broken(f"the program started itself otherwise than as an engine: {sorted(watcher.strange)}")
        return f"{said['platform']}, the command line's picture, twice"

    def look(self, path: Path) -> str:
        """What the picture shows, by the independent checker."""
        checker = module("checker", HERE / "demo-models" / "checker.py")
        found = checker.check(pixels(path))
        return f"{found.colour or '?'} {found.shape or '?'} on {found.background or '?'}"


def parsed(out: bytes, err: str) -> dict[str, Any]:
    """The one JSON object that --json prints."""
    try:
        found = json.loads(out)
    except ValueError as error:
        raise Broken(f"no JSON came: {out[-500:]!r} {err[-1500:]}") from error
    if not isinstance(found, dict):
        raise Broken(f"not one JSON object: {out[-500:]!r}")
    return found


def pixels(path: Path) -> Any:
    """A picture as numbers."""
    import numpy
    from PIL import Image

    with Image.open(path) as picture:
        return numpy.asarray(picture.convert("RGB"))


def module(name: str, path: Path) -> Any:
    """A Python file outside any package."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    found = sys.modules[name] = importlib.util.module_from_spec(
        spec
    )  # its dataclasses look themselves up there
    spec.loader.exec_module(found)
    return found


def main(argv: list[str]) -> int:
    """Tries everything; the last line counts."""
    parser = argparse.ArgumentParser(prog="smoke.py", description="Tries a finished bundle.")
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "dist" / "headroom")
    asked = parser.parse_args(argv)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="headroom smoke ") as scratch:
        smoke = Smoke(asked.folder.resolve(), Path(scratch))
        for name, check in smoke.checks():
            begun = time.monotonic()
            try:
                print(f"ok      {name}: {check()}", flush=True)
                passed += 1
            except Exception as error:  # noqa: BLE001 - each check stands alone; the sentence is all that is wanted
                print(f"FAILED  {name}: {error} ({time.monotonic() - begun:.1f} s)", flush=True)
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

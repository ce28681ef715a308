"""Terminals of every kind: no streams, closed pipes, ASCII locales, no Qt. Real processes where that matters."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli.console import Console
from app.cli.main import main
from app.cli.progress import ProgressBar
from app.core.errors import AppError, ErrorKind, Problem
from app.core.messages import Phase, Progress
from app.core.text import say


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def python(root: Path, code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs ``code`` in a process of its own, in the project's root."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return subprocess.run(
        command, cwd=root, env=os.environ | environment, capture_output=True, encoding="utf-8", check=False
    )


def test_a_terminal_gets_a_bar_that_goes_away() -> None:
    terminal = Terminal()
    bar = ProgressBar(Console(io.StringIO(), terminal))
    bar.show(Progress("j", Phase.LOAD, 0, 0, part="unet"))
    bar.show(Progress("j", Phase.DENOISE, 3, 20, picture=0, pictures=2, eta=61.0))
    assert "Loading" in terminal.getvalue()
    assert "Denoising 1 of 2" in terminal.getvalue()
    assert "3/20" in terminal.getvalue()
    assert "1 min 1 s left" in terminal.getvalue()
    bar.close()
    bar.close()
    assert terminal.getvalue().endswith("\r")


@pytest.mark.parametrize("quiet", [True, False])
def test_no_bar_when_piped_or_quiet(quiet: bool) -> None:
    stream = Terminal() if quiet else io.StringIO()
    console = Console(io.StringIO(), stream)
    console.quiet = quiet
    bar = ProgressBar(console)
    bar.show(Progress("j", Phase.DENOISE, 3, 20))
    bar.close()
    assert stream.getvalue() == ""


def test_json_alone_stands_on_stdout() -> None:
    out, err = io.StringIO(), io.StringIO()
    console = Console(out, err, as_json=True)
    console.result("a line")
    console.note("a note")
    console.warn(say("core", "A warning with {name}").of(name="ü"))
    console.problem(AppError(ErrorKind.PROMPT_EMPTY).problem)
    console.data({"a": float("inf"), "b": [float("nan")], "p": Path("/x"), "s": "\ud83d ü"})
    assert json.loads(out.getvalue()) == {"a": "inf", "b": ["nan"], "p": "/x", "s": "\ud83d ü"}
    assert out.getvalue().isascii()
    assert "a note" not in err.getvalue()
    assert "A warning with ü" in err.getvalue()


def test_c117_c205_streams_that_lack_letters_are_closed_or_are_none(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as out:
        console = Console(out, out)
        console.result("ü \U0001f408 \ud83d")
        console.path(Path("/ü"))
        console.warn("日本")
    text = (tmp_path / "out").read_bytes()
    assert b"\\xfc" in text
    assert "/ü\n".encode() in text
    console = Console(out, out)  # closed by now
    console.result("x")
    console.note("x")
    assert not console.on_terminal


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in ("generate", "plan", "models", "doctor", "resume"))
    assert main(["generate", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "vae_tiling" in shown
    assert "sequential" in shown
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("Headroom 0")


@pytest.mark.parametrize("arguments", [["nosuch"], [], ["generate"], ["models", "extra"]])
def test_what_is_no_command_is_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "--json"]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"]["kind"] == "usage"
    assert captured.err.startswith("usage: headroom")
    assert captured.err.rstrip().endswith("--help")


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [("--steps", "abc", "whole"), ("--count", "1.5", "whole"), ("--guidance", "much", "4.5")],
)
def test_a_number_that_is_none_is_told_like_any_other_error(
    option: str, value: str, allowed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", "fox", option, value]) == 2
    what, why, do = capsys.readouterr().err.splitlines()
    assert what == f"“{value}” is not a value for {option}."
    assert allowed in why
    assert do


def test_models_lists_what_is_found_and_why_some_cannot_be_used(
    headroom: Callable[..., Any], home: Path, model: Path
) -> None:
    own = home / "data" / "models"
    own.mkdir(parents=True)
    model.rename(own / "zeros")
    (own / "broken").mkdir()
    (own / "broken" / "model_index.json").write_text("{")
    done = headroom("models", "--json")
    found = {entry["name"]: entry for entry in done.data["models"]}
    assert done.code == 0
    assert found["Zeros"]["family"]
    assert found["Zeros"]["error"] is None
    assert found["broken"]["error"]["kind"] == "model_damaged"
    shown = headroom("models").out
    assert "Zeros" in shown
    assert "damaged" in shown


def test_doctor_reports_what_there_is(headroom: Callable[..., Any], home: Path) -> None:
    done = headroom("doctor", "--json")
    report = done.data
    assert done.code == 0
    assert report["packages"]["torch"]
    assert report["devices"][0]["id"] == "cpu"
    assert report["memory"]["total"] > 0
    assert report["families"]
    assert report["folders"]["pictures"]["path"] == str(home / "Pictures")
    assert report["folders"]["pictures"]["free"] > 0
    assert report["python"] in headroom("doctor").out


def test_doctor_reports_also_where_its_folders_cannot_be(
    headroom: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADROOM_HOME", str(tmp_path / ("x" * 300)))
    done = headroom("doctor", "--json")
    assert done.code == 0
    assert not done.data["folders"]["data"]["exists"]
    assert done.data["folders"]["data"]["free"] > 0


def test_a_user_without_a_home_is_told_what_to_set(
    headroom: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("HEADROOM_HOME", raising=False)
    monkeypatch.setattr("platformdirs.PlatformDirs", unknown)
    done = headroom("models", "--json")
    assert (done.code, done.data["error"]["kind"]) == (3, "home_unknown")
    assert "HEADROOM_HOME" in done.err


def test_newer_settings_are_said_and_left_alone(headroom: Callable[..., Any], home: Path) -> None:
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.json").write_text('{"schema_version": 99}')
    done = headroom("models")
    assert done.code == 0
    assert "newer" in done.err
    assert (home / "config" / "settings.json").read_text() == '{"schema_version": 99}'


_NO_STREAMS = """
import sys
out = sys.stderr
sys.stdout = sys.stderr = None
from app.__main__ import main
codes = [main([*line.split(), *end]) for line in sys.argv[1:] for end in ([], ["--json"])]
print(codes, file=out)
"""


def test_c205_without_streams_everything_works(root: Path) -> None:
    done = python(root, _NO_STREAMS, "models", "generate", "--help", "resume")
    assert done.stderr.strip() == "[0, 0, 2, 2, 0, 0, 0, 0]"


def test_a_reader_that_goes_away_is_no_error(root: Path) -> None:
    code = """
import os, sys
from app.__main__ import main
read, write = os.pipe()
os.dup2(write, 1)
os.close(read)
os.close(write)
sys.exit(main(["models"]))
"""
    done = python(root, code)
    assert done.returncode == 0
    assert "Error" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_the_output_is_no_traceback(root: Path) -> None:
    code = """
import os, sys
from app.__main__ import main
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
sys.exit(main(["models", "--json"]))
"""
    done = python(root, code)
    assert done.returncode == 0
    assert "Error" not in done.stderr


_BLOCKED = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "torch", "diffusers", "transformers"):
            raise ImportError("blocked: " + name)
sys.meta_path.insert(0, Block())
from app.__main__ import main
code = main(sys.argv[1:])
assert not any(name.split(".")[0] in ("PySide6", "torch") for name in sys.modules)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "arguments", [["models"], ["resume"], ["generate", " "], ["generate", "x", "--steps", "0"]]
)
def test_the_command_line_itself_needs_neither_qt_nor_torch(arguments: list[str], root: Path) -> None:
    done = python(root, _BLOCKED, *arguments, "--json")
    assert done.returncode in (0, 2, 3)
    assert "blocked" not in done.stderr
    json.loads(done.stdout)


def test_a_window_that_cannot_be_loaded_is_told_in_words(root: Path) -> None:
    done = python(root, _BLOCKED)
    assert done.returncode == 4
    assert "PySide6" in done.stderr
    assert "Traceback" not in done.stderr


STEERS = "a\x1b[2Jb\x9bc\rd\u202ee"


def test_control_characters_are_written_out(tmp_path: Path) -> None:
    out, err = Terminal(), Terminal()
    console = Console(out, err)
    console.result(STEERS)
    console.path(Path(STEERS))
    console.note(STEERS)
    console.warn(STEERS)
    console.problem(Problem(ErrorKind.MODEL_MISSING, (("path", STEERS),)))
    shown = "a\\x1b[2Jb\\x9bc\\x0dd\\u202ee"
    assert out.getvalue() == f"{shown}\n{shown}\n"
    assert err.getvalue().count(shown) == 3
    assert not set("\x1b\x9b\r\u202e") & set(out.getvalue() + err.getvalue())
    assert console.warnings == [STEERS]


def test_a_path_that_a_program_reads_is_the_path_as_it_is() -> None:
    out = io.StringIO()
    Console(out, out).path(Path(STEERS))
    assert out.getvalue() == f"{STEERS}\n"

"""The command line as people run it: own process, real engine, a tiny model with random weights."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from PIL import Image

from app.media.metadata import read_settings
from app.store.history import History, JobState
from app.store.paths import default_paths

pytestmark = pytest.mark.slow
PATIENCE = 240.0
_BLOCK_QT = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6"):
            raise ImportError("blocked: " + name)
if __name__ == "__main__":
    sys.meta_path.insert(0, Block())
    from app.__main__ import main
    code = main(sys.argv[1:])
    assert "torch" not in sys.modules
    sys.exit(code)
"""


@pytest.fixture(scope="module")
def tiny(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny SDXL folder, made in a process of its own: this one stays without torch."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    code = "import sys; from pathlib import Path; import tiny; tiny.save(Path(sys.argv[1]))"
    environment = os.environ | {"PYTHONPATH": str(root / "tests" / "engine")}
    subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=root, env=environment, check=True, capture_output=True
    )
    return folder


class Line:
    """The command line in processes of its own, without Qt."""

    def __init__(self, root: Path, script: Path) -> None:
        self._root, self._script = root, script
        script.write_text(_BLOCK_QT)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = os.environ | {"PYTHONPATH": str(self._root)}
        return subprocess.Popen(
            [sys.executable, str(self._script), *arguments], cwd=self._script.parent, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def __call__(self, *arguments: str) -> tuple[int, Any, str]:
        with self.start(*arguments, "--json") as process:
            out, err = process.communicate(timeout=PATIENCE)
        assert "Traceback" not in err, err
        return process.returncode, json.loads(out), err


@pytest.fixture
def line(root: Path, tmp_path: Path) -> Line:
    return Line(root, tmp_path / "headroom_script.py")


def until(condition: Callable[[], bool]) -> None:
    """Waits for another process; nothing there can be waited on."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def engines_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def pixels(path: str) -> Any:
    with Image.open(path) as picture:
        return np.asarray(picture)


def small(model: Path, *more: str) -> Sequence[str]:
    return ["--model", str(model), "--size", "64x64", "--steps", "2", *more]


def test_pictures_come_out_the_same_for_the_same_seed_and_say_how_they_were_made(
    line: Line, tiny: Path, home: Path
) -> None:
    prompt = 'a "red" circle 日本 \U0001f408'
    code, data, _ = line("generate", prompt, *small(tiny, "--seed", "4294967301", "--count", "2"))
    assert code == 0
    assert data["seeds"] == [4294967301, 4294967302]
    assert set(data["seconds"]) == {"load", "encode", "denoise", "decode", "write"}
    assert data["peaks"]["ram"] > 0
    first, second = data["files"]
    assert Path(first).parent == home / "Pictures"
    found = read_settings(Path(first))
    assert found is not None
    assert (found.prompt, found.seed, found.width, found.steps) == (prompt, 4294967301, 64, 2)
    assert found.plan["dtype"] == "float32"
    assert found.versions["torch"]
    assert str(tiny.parent) not in Path(first).read_bytes().decode("latin-1")
    found = read_settings(Path(second))
    assert found is not None
    assert found.seed == 4294967302
    assert not np.array_equal(pixels(first), pixels(second))
    code, again, _ = line("generate", prompt, *small(tiny, "--seed", "4294967302"))
    assert code == 0
    assert np.array_equal(pixels(second), pixels(again["files"][0]))
    assert again["files"][0] != second


def test_words_beyond_the_encoder_are_named_and_it_all_works_where_letters_are_ascii(
    line: Line, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C117: home and model folder of other letters, LC_ALL=C, UTF-8 mode off."""
    folder = tmp_path / "Ümläut 日本 \U0001f408"
    shutil.copytree(tiny, folder / "tiny")
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "HEADROOM_HOME": str(folder)}.items():
        monkeypatch.setenv(name, value)
    code, data, err = line("generate", "ü" * 5 + "x" * 80 + " tail", *small(folder / "tiny", "--seed", "9"))
    assert code == 0
    assert "tail" in " ".join(data["warnings"])
    assert "tail" in err
    # What libraries say when they are loaded stays in the engine's log.
    assert not [word for word in ("torchao", "Failed to load", "Warning", "extension") if word in err]
    assert data["request"]["prompt"].startswith("üüüüü")
    assert [path.name.startswith("üüüüüxxx") for path in (folder / "Pictures").iterdir()] == [True]


def test_plan_and_doctor_run_without_qt(line: Line, tiny: Path) -> None:
    code, data, _ = line("plan", "fox", *small(tiny))
    assert (code, data["plan"]["device"]) == (0, "cpu")
    code, data, _ = line("doctor")
    assert code == 0
    assert data["devices"][-1]["id"] == "cpu"
    assert data["engine"]["torch"] == data["packages"]["torch"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_in_the_terminal_ends_the_job_and_the_engine(line: Line, tiny: Path, home: Path) -> None:
    arguments = small(tiny)[:-1]
    with line.start("generate", "fox", *arguments, "1000", "--json") as process:
        until(job_runs)
        engines = engines_of(process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the engine too
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert json.loads(out)["state"] == "cancelled"
    assert "Traceback" not in err
    until(lambda: not any(engine.is_running() for engine in engines))
    assert list((home / "Pictures").iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_c175_a_job_whose_program_was_killed_is_there_and_can_be_resumed(
    line: Line, tiny: Path, home: Path
) -> None:
    arguments = small(tiny)[:-1]
    with line.start("generate", "fox", *arguments, "40", "--seed", "5") as process:
        until(job_runs)
        engines = engines_of(process)
        process.kill()
        process.communicate()
    until(lambda: not any(engine.is_running() for engine in engines))
    code, data, _ = line("resume")
    assert (code, [job["state"] for job in data["jobs"]]) == (0, ["interrupted"])
    code, data, _ = line("resume", data["jobs"][0]["job"][:8])
    assert (code, data["state"], data["seed"], len(data["files"])) == (0, "done", 5, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_job_whose_engine_was_killed_is_interrupted(line: Line, tiny: Path) -> None:
    arguments = small(tiny)[:-1]
    with line.start("generate", "fox", *arguments, "1000", "--json") as process:
        until(job_runs)
        for engine in engines_of(process):
            engine.kill()
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 4
    data = json.loads(out)
    assert (data["state"], data["error"]["kind"]) == ("interrupted", "engine_died")
    assert "Traceback" not in err


def test_a_folder_that_goes_away_while_the_job_runs(line: Line, tiny: Path, tmp_path: Path) -> None:
    """The folder passes the check beforehand and is then taken away."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    arguments = small(tiny)[:-1]
    with line.start("generate", "fox", *arguments, "10", "--out", str(folder), "--json") as process:
        until(job_runs)
        folder.rmdir()
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 4
    assert json.loads(out)["error"]["kind"] == "folder_missing"


def job_runs() -> bool:
    """Whether a job runs, as another program sees it."""
    path = default_paths().history
    if not path.exists():
        return False
    history = History(path)
    try:
        return any(record.state is JobState.RUNNING for record in history.recent())
    finally:
        history.close()

"""A set-up that is interrupted, doubled, moved or damaged ends with a working environment all the same."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and process groups of POSIX")


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for a condition; the test fails when it never holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def alive(group: int) -> bool:
    """Whether a process group has processes that run; one that nobody collected (a zombie) does not count."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, owner = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
            if int(owner) == group and state != "Z":
                return True
    return False


def hold_the_build(project) -> None:
    """Let the set-up stop inside pip, until the file is gone."""
    (project.root / "hold").touch()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=lambda how: how.name)
def test_a_set_up_that_was_stopped_half_way_is_done_again(project, how):
    hold_the_build(project)
    with project.started("models") as process:
        until((project.root / "building").exists)
        debris = project.root / ".venv" / "debris"
        debris.touch()
        process.send_signal(how)
        said = process.communicate(timeout=30)[0]
        if how == signal.SIGINT:
            assert process.returncode == 130
            assert "Stopped. Run the same command again to go on." in said
        assert "Traceback" not in said
        assert not project.stamp.exists()
        if sys.platform == "linux":
            # pip itself ends with the set-up; what it started for the build ends when it looks up.
            (project.root / "hold").unlink(missing_ok=True)
            until(lambda: not alive(process.pid), 30)
    done = project.run("models")
    assert done.returncode == 0
    assert "This is done once." in done.stderr
    assert not debris.exists()


@pytest.mark.slow
def test_two_set_ups_at_once_wait_for_each_other(project):
    hold_the_build(project)
    with project.started("models") as first:
        until((project.root / "building").exists)
        with project.started("models") as second:
            assert second.stdout is not None
            assert (
                second.stdout.readline()
                == "Another set-up of this folder is running; waiting for it to end.\n"
            )
            (project.root / "hold").unlink()
            assert first.communicate(timeout=60)[0]
            assert json.loads(second.communicate(timeout=60)[0])["argv"] == ["models"]
    assert first.returncode == second.returncode == 0
    assert project.log.count("== Making the environment") == 1


@pytest.mark.slow
def test_a_whole_environment_is_kept_as_long_as_it_fits(project):
    pyproject = project.root / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    assert project.run("--torch", "cpu", "models").returncode == 0
    assert json.loads(project.stamp.read_text(encoding="utf-8"))["asked"] is True
    assert project.run("models").stderr == ""

    # An update that finds no network changes nothing, and the environment stays in use.
    pyproject.write_text(text + "\n# changed\n", encoding="utf-8")
    (project.root / "extra-requirement").write_text("not-there-yet", encoding="utf-8")
    done = project.run("models", PIP_NO_INDEX=None, PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert done.returncode == 1
    assert "no connection" in done.stderr
    pyproject.write_text(text, encoding="utf-8")
    assert project.run("models").stderr == ""

    # An update that works installs the project alone.
    (project.root / "extra-requirement").unlink()
    pyproject.write_text(text + "\n# changed again\n", encoding="utf-8")
    done = project.run("models")
    assert done.returncode == 0
    assert "brought up to date" in done.stderr
    assert "Installing PyTorch" not in done.stderr

    # Without its Python it is made again, with the PyTorch that was asked for.
    (project.root / ".venv" / "bin" / "python").unlink()
    done = project.run("models")
    assert done.returncode == 0
    assert "This is done once." in done.stderr


@pytest.fixture
def place(scripts, tmp_path):
    """A folder with a whole environment, as far as the stamp knows."""
    place = scripts.setup_base.Place(tmp_path)
    place.python.parent.mkdir(parents=True)
    place.python.touch()
    place.pyproject.write_text("[project]\n", encoding="utf-8")
    made_of = (scripts.setup_venv.VERSION, str(tmp_path), scripts.setup_venv.python_version(), "cpu", False)
    evidence, project = scripts.setup_torch.evidence(), scripts.setup_venv.project_hash(place)
    scripts.setup_venv.write_stamp(place, scripts.setup_venv.Stamp(*made_of, evidence, project, ("test",)))
    return place


def fits(scripts, place, torch="", extras=(), **changes) -> bool:
    """Whether the environment is used as it is, with changes to its stamp."""
    stamp = scripts.setup_venv.read_stamp(place)
    stamp = dataclasses.replace(stamp, **changes) if stamp else None
    return scripts.setup_venv.fresh(stamp, place, scripts.setup_venv.Wish(torch, frozenset(extras)))


def test_a_whole_environment_fits(scripts, place):
    assert fits(scripts, place)
    assert fits(scripts, place, extras=["test"])
    assert fits(scripts, place, torch="cpu")
    assert fits(scripts, place, asked=True, evidence="another card")


def test_an_environment_of_something_else_does_not_fit(scripts, place):
    assert not fits(scripts, place, extras=["bundle"])
    assert not fits(scripts, place, torch="cuda")
    assert not fits(scripts, place, root="/elsewhere")
    assert not fits(scripts, place, python="3.10")
    assert not fits(scripts, place, version=0)
    assert not fits(scripts, place, evidence="another card")
    assert not fits(scripts, place, pyproject="another text")


@pytest.mark.parametrize("text", ["", "{half", "[]", '{"version": 1}', "null"])
def test_a_damaged_stamp_is_no_stamp(scripts, place, text):
    place.stamp.write_text(text, encoding="utf-8")
    assert scripts.setup_venv.read_stamp(place) is None


def test_the_lock_of_a_dead_set_up_is_free(scripts, place):
    place.lock.write_text("left behind", encoding="utf-8")
    with scripts.setup_venv.only_one(place) as keep:
        assert keep


def test_a_place_that_cannot_be_written_is_told(project):
    (project.root / ".venv-setup.lock").mkdir()
    done = project.run("models")
    assert done.returncode == 1
    assert "could not be made" in done.stderr

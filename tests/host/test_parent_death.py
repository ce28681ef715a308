"""An engine never outlives its window, in whatever it is doing; and it does not stop at the terminal's Ctrl+C."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import engine_children
import pytest
from engine_runs import make_run

from app.core.messages import Finished, Hello, Progress, Ready

linux = pytest.mark.skipif(sys.platform != "linux", reason="waits on process descriptors, as Linux has them")


def wait_for_end(descriptor: int, seconds: float) -> bool:
    """Whether the process behind a descriptor ends in time."""
    return bool(select.select([descriptor], [], [], seconds)[0])


@linux
@pytest.mark.parametrize("mood", ["obey", "hang", "hang in C"])
def test_a_killed_window_takes_its_engine_with_it(tmp_path, root, mood):
    here = str(Path(__file__).parent)
    window = subprocess.Popen(
        [sys.executable, engine_children.__file__, str(tmp_path / "logs"), mood],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), here])}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert window.stdout is not None
        engine = int(window.stdout.readline())
        assert window.stdout.readline() == "runs\n"
        descriptor = os.pidfd_open(engine)
    finally:
        window.kill()
        killed = time.monotonic()
        window.communicate()
    try:
        assert wait_for_end(descriptor, 10.0), "the engine outlived its window"
        assert time.monotonic() - killed <= 2.0
    finally:
        os.close(descriptor)


@linux
def test_a_window_that_ends_without_a_word_leaves_no_engine(tmp_path, root):
    """The end of the pipe alone, without a death: what a window that closes it says."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    from app.engine.server import ServeOptions

    process = context.Process(target=engine_children.moody, args=(theirs, ServeOptions(log=tmp_path / "log")))
    process.start()
    theirs.close()
    assert isinstance(ours.recv(), Hello)
    assert isinstance(ours.recv(), Ready)  # the stand-in is not to meet the closed pipe in mid-greeting
    ours.close()
    process.join(10)
    assert process.exitcode == 0
    process.close()


@linux
def test_the_terminals_interrupt_is_the_windows_business(watch):
    watched = watch(target=engine_children.moody).start()
    pid = watched.ready()
    watched.supervisor.send(make_run("job", "obey"))
    watched.until(Progress)
    os.kill(pid, signal.SIGINT)
    watched.supervisor.cancel("job")
    watched.supervisor.send(make_run("next", "finish"))
    watched.until(Finished)
    assert [event.pid for event in watched.seen if isinstance(event, Hello)] == [pid]

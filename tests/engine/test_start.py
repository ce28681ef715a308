"""How an engine starts and ends: two greetings, what is missing is named, and nothing outlives the pipe."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import subprocess
import sys
import threading

import pytest

from app.core.errors import ErrorKind
from app.core.messages import Hello, Measure, Ready, StartFailed, Unload
from app.engine.server import PACKAGES, ServeOptions, serve


def start(**options):
    """An engine's thread and the host's end of its pipe."""
    ours, theirs = multiprocessing.Pipe()
    thread = threading.Thread(
        target=serve, args=(theirs, ServeOptions(own_process=False, **options)), name="engine"
    )
    thread.start()
    return thread, ours


@pytest.mark.parametrize("package", ["diffusers", "transformers", "accelerate", "safetensors"])
def test_c204_a_missing_package_is_named_at_the_start(monkeypatch, package):
    importlib.import_module(
        "app.engine.runner"
    )  # whole first: hidden half-way, a library stays half imported
    for name in PACKAGES:
        importlib.import_module(name)
    monkeypatch.setitem(sys.modules, package, None)
    thread, conn = start()
    assert isinstance(conn.recv(), Hello)
    failed = conn.recv()
    thread.join(60)
    conn.close()
    assert isinstance(failed, StartFailed)
    assert failed.problem.kind is ErrorKind.PACKAGE_MISSING
    assert failed.problem.fact("package") == package
    assert not thread.is_alive()


def test_the_end_of_the_pipe_ends_the_engine(engine):
    engine.conn.close()


def test_the_end_of_the_pipe_ends_a_running_job(engine, job):
    engine.conn.send(job(steps=1000))
    engine.receive()
    engine.conn.close()


def test_measure_answers_with_what_there_is_now(engine):
    engine.conn.send(Measure())
    ready = engine.until(Ready)
    cpu = ready.devices[-1]
    assert (cpu.id, cpu.shared) == ("cpu", True)
    assert 0 < cpu.free <= cpu.total == ready.ram_total
    assert cpu.dtypes == ("float32",)
    assert dict(ready.versions)["diffusers"]


def test_unload_of_nothing_is_no_error(engine):
    engine.conn.send(Unload())
    engine.conn.send(Measure())
    engine.until(Ready)


def test_the_server_imports_nothing_heavy():
    code = (
        "import sys; import app.engine.server; "
        "heavy = {'torch', 'diffusers', 'transformers', 'accelerate', 'safetensors', 'PySide6'} & set(sys.modules); "
        "sys.exit(f'imports {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_engine_never_asks_the_network(engine):
    """The variables are set before the libraries read them."""
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    import huggingface_hub

    assert huggingface_hub.constants.HF_HUB_OFFLINE

"""Engines with behaviours, for tests of what holds them: a Run's prompt says what its engine does.

Spawned processes import this module by name, so the tests put this folder on ``sys.path``.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.core.errors import AppError, ErrorKind
from app.core.messages import (
    Cancel,
    Cancelled,
    Finished,
    Hello,
    Measure,
    Phase,
    Progress,
    Ready,
    Run,
    Shutdown,
    StartFailed,
)
from app.engine.process import prepare


def moody(conn: Any, options: Any) -> None:
    """Greets like an engine, then does what each Run's prompt says."""
    _greet(conn, options)
    while True:
        message = _next(conn)
        if isinstance(message, Run):
            conn.send(Progress(message.job, Phase.DENOISE, 1, 2))
            MOODS[message.request.prompt](conn, message)
        elif isinstance(message, Measure):
            conn.send(Ready(()))
        elif isinstance(message, Shutdown):
            return


def dies_at_once(conn: Any, options: Any) -> None:
    """Never greets."""
    prepare(options.log, options.environment)
    print("cannot go on", flush=True)
    os._exit(9)


def dies_while_greeting(conn: Any, options: Any) -> None:
    """Greets, and ends before it is ready, once per line that may still be taken from the file COUNT."""
    prepare(options.log, options.environment)
    count = Path(os.environ["COUNT"])
    left = int(count.read_text())
    conn.send(Hello(os.getpid(), ("test",)))
    if left > 0:
        count.write_text(str(left - 1))
        os._exit(3)
    conn.send(Ready(()))
    while not isinstance(_next(conn), Shutdown):
        pass


def lacks_a_package(conn: Any, options: Any) -> None:
    """Says that it cannot start, and ends in order."""
    prepare(options.log, options.environment)
    conn.send(Hello(os.getpid(), ()))
    conn.send(StartFailed(AppError(ErrorKind.PACKAGE_MISSING, package="diffusers").problem))


def never_ready(conn: Any, options: Any) -> None:
    """Greets and then imports for ever."""
    prepare(options.log, options.environment)
    conn.send(Hello(os.getpid(), ("test",)))
    threading.Event().wait()


def writes_everywhere(conn: Any, options: Any) -> None:
    """Starts without standard streams, as a windowed program does, and writes on all of them."""
    sys.stdout = sys.stderr = None
    os.close(1)
    os.close(2)
    _greet(conn, options)
    print("printed ☃ \udc80")
    print("complained", file=sys.stderr)
    os.write(1, b"from C on 1\n")
    os.write(2, b"from C on 2\n")
    faulthandler.dump_traceback()
    sys.stdout.flush()
    while not isinstance(_next(conn), Shutdown):
        pass


def _greet(conn: Any, options: Any) -> None:
    prepare(options.log, options.environment)
    conn.send(Hello(os.getpid(), ("test",)))
    conn.send(Ready(()))


def _next(conn: Any) -> Any:
    try:
        return conn.recv()
    except (EOFError, OSError):
        os._exit(0)


def _finish(conn: Any, run: Run) -> None:
    conn.send(Finished(run.job, (), (), ()))


def _obey(conn: Any, run: Run) -> None:
    while True:
        message = _next(conn)
        if isinstance(message, Cancel) and message.job == run.job:
            conn.send(Cancelled(run.job))
            return


def _hang(conn: Any, run: Run) -> None:
    threading.Event().wait()


def _hang_in_c(conn: Any, run: Run) -> None:
    ctypes.PyDLL(None).sleep(600)  # PyDLL keeps the GIL: no thread of this process runs any more


def _run_out_of_memory(conn: Any, run: Run) -> None:
    import resource

    room = 512 * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    bytearray(room)


def _close_and_hang(conn: Any, run: Run) -> None:
    conn.close()
    threading.Event().wait()


MOODS: dict[str, Callable[[Any, Run], None]] = {
    "finish": _finish,
    "obey": _obey,
    "hang": _hang,
    "hang in C": _hang_in_c,
    "abort": lambda conn, run: os.abort(),
    "segfault": lambda conn, run: ctypes.string_at(0),
    "exit 0": lambda conn, run: os._exit(0),
    "exit 7": lambda conn, run: os._exit(7),
    "out of memory": _run_out_of_memory,
    "close and hang": _close_and_hang,
    "finish and die": lambda conn, run: (_finish(conn, run), os._exit(5)),
}


def window(log_folder: str, prompt: str) -> None:
    """A window's process: owns an engine, gives it a job, and tells on stdout whom it owns and that the job runs."""
    from engine_runs import make_run

    from app.host.supervisor import Supervisor

    def tell(event: Any) -> None:
        if isinstance(event, Hello):
            print(event.pid, flush=True)
        if isinstance(event, Progress):
            print("runs", flush=True)

    supervisor = Supervisor(Path(log_folder), tell, target=moody)
    supervisor.send(make_run("job", prompt))
    supervisor.run()


if __name__ == "__main__":
    import engine_children

    engine_children.window(*sys.argv[1:])

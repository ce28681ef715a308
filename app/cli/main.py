"""The command line's border: arguments in, exit code out. No exception passes it, and no traceback."""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from app.cli.arguments import UsageError, parse
from app.cli.codes import DONE, INTERRUPTED, USAGE, before_run
from app.cli.console import Console, error_json
from app.cli.doctor import doctor
from app.cli.generate import generate, show_plan
from app.cli.listing import models, resume
from app.cli.session import Interrupted, MakeHost
from app.core.errors import AppError, ErrorKind
from app.host.supervisor import Supervisor
from app.store.paths import Paths, default_paths
from app.store.settings import SettingsStore

_COMMANDS: Mapping[str, Callable[..., int]] = {
    "generate": generate,
    "plan": show_plan,
    "models": models,
    "doctor": doctor,
    "resume": resume,
}


def main(argv: Sequence[str], make_host: MakeHost | None = None) -> int:
    """Runs one command and returns its exit code."""
    console = Console(as_json="--json" in argv)
    try:
        return _run(argv, console, make_host)
    except KeyboardInterrupt:
        console.note("Stopped.")
        return INTERRUPTED


def _run(argv: Sequence[str], console: Console, make_host: MakeHost | None) -> int:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):  # argparse prints its help without a care for the stream
            arguments = parse(argv)
    except SystemExit:
        console.as_json = False
        console.result(printed.getvalue().rstrip("\n"))
        return DONE
    except UsageError as error:
        console.warn(
            f"{error.usage.rstrip()}\nThis cannot be understood: {error}.\nWhat goes here is told by: {error.help}"
        )
        console.data({"error": {"kind": "usage", "what": str(error)}, "files": []})
        return USAGE
    except AppError as error:
        return _report(error, console)
    console.as_json, console.quiet = arguments.json, getattr(arguments, "quiet", False)
    try:
        paths = default_paths()
    except AppError as error:
        return _report(error, console)
    try:
        saved, notices = SettingsStore(paths.settings).load()
        for notice in notices:
            console.warn(notice)
        host = make_host or partial(Supervisor, scratch=paths.scratch)
        return _COMMANDS[arguments.command](arguments, paths, saved, console, host)
    except AppError as error:
        return _report(error, console)
    except Interrupted:
        console.note("Stopped before it ran.")
        console.data({"error": {"kind": "interrupted", "what": "Stopped before it ran."}, "files": []})
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the border: a fault of ours is told in words, its trace goes to a file
        log = _keep_trace(paths)
        return _report(AppError(ErrorKind.UNEXPECTED, f"{error!r} ({log})", log=log), console)


def _report(error: AppError, console: Console) -> int:
    console.problem(error.problem)
    console.data({"error": error_json(error.problem), "files": [], "warnings": console.warnings})
    return before_run(error.kind)


def _keep_trace(paths: Paths) -> str:
    """Writes the traceback where the logs are and returns that place."""
    path = Path(paths.logs) / "command-line.log"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
            traceback.print_exception(*sys.exc_info(), file=log)
    return str(path)

"""The engine process's main loop: greet, receive, run one job, answer. Light to import: torch comes after the greeting.

Holds the engine's only broad ``except``: whatever a job raises becomes a Problem, and the next job runs.
"""

from __future__ import annotations

import importlib
import os
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import AppError, ErrorKind, Problem
from app.core.messages import Cancel, DryRun, Hello, Measure, Run, Shutdown, StartFailed, Unload
from app.engine.mailbox import HostGone, JobCancelled, Mailbox
from app.engine.process import keep_locks_to_threads, leave, prepare, set_environment
from app.families import all_families

if TYPE_CHECKING:
    from app.engine.runner import Runner

PACKAGES = ("torch", "diffusers", "transformers", "accelerate", "safetensors", "tokenizers", "psutil")


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """What the host tells an engine when it starts it."""

    log: Path | None = None
    resources: Path | None = None
    """The program's resources, with the configurations of single-file models."""
    scratch: Path | None = None
    """Where weights wait that are offloaded to disk, unless a plan names a folder; None: the system's place."""
    environment: Mapping[str, str] = field(default_factory=dict)
    own_process: bool = True
    """False on a thread of a test: this process's streams, signals and end are left alone."""


def serve(conn: Connection, options: ServeOptions) -> None:
    """The target of the engine process; returns when told to or when the other end of the pipe is gone."""
    if options.own_process:
        prepare(options.log, options.environment)
    else:
        set_environment(options.environment)
    mail = Mailbox(conn)
    try:
        mail.send(Hello(os.getpid(), tuple(all_families())))
        runner = _start(mail, options)
        if runner is not None:
            runner.warm_up()
            _loop(mail, runner)
    except HostGone:
        pass
    conn.close()
    if options.own_process:
        leave()


def _start(mail: Mailbox, options: ServeOptions) -> Runner | None:
    """Imports what the engine works with and says so; None when something of it is missing or broken."""
    try:
        keep_locks_to_threads()
        for package in PACKAGES:
            importlib.import_module(package)
        from app.engine.runner import Runner

        runner = Runner(mail, all_families(), options.resources, options.scratch)
        mail.send(runner.ready())
        return runner
    except Exception as error:
        traceback.print_exc()
        mail.send(StartFailed(_import_problem(error)))
        return None


def _import_problem(error: Exception) -> Problem:
    detail = "".join(traceback.format_exception(error))
    if isinstance(error, ImportError):
        name = (error.name or str(error)).split(".")[0]
        return AppError(ErrorKind.PACKAGE_MISSING, detail, package=name).problem
    return AppError(ErrorKind.UNEXPECTED, detail, error=f"{type(error).__name__}: {error}").problem


def _loop(mail: Mailbox, runner: Runner) -> None:
    while True:
        message = mail.receive(runner.idle_seconds())
        match message:
            case None | Unload():
                runner.unload()
            case Run() | DryRun():
                _run(runner, message)
                mail.forget(message.job)
            case Measure():
                mail.send(runner.ready())
            case Cancel():
                pass  # for a job that ended while the message was under way
            case Shutdown():
                runner.unload()
                return


def _run(runner: Runner, message: Run | DryRun) -> None:
    """One job from its first event to its last."""
    problem, cancelled = None, False
    try:
        if isinstance(message, Run):
            runner.run(message)
        else:
            runner.dry_run(message)
    except JobCancelled:
        cancelled = True
    except Exception as error:
        traceback.print_exc()
        problem = runner.problem_of(error, message)
    # only now, as a live exception keeps every tensor of its frames alive
    if cancelled:
        runner.cancelled(message)
    elif problem is not None:
        runner.failed(message, problem)

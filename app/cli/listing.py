"""``headroom models`` and ``headroom resume``: what there is, and interrupted jobs run again."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from app.cli.codes import DONE, REFUSED
from app.cli.console import Console, error_json
from app.cli.copying import copy
from app.cli.given import check_given
from app.cli.job import run_job, show_ending
from app.cli.session import EngineSession, MakeHost
from app.core.error_words import sentence
from app.core.request import request_to_json
from app.core.units import gib
from app.media.files import check_writable
from app.media.names import native
from app.store.history import History, JobRecord
from app.store.library import ModelEntry, default_model, find_models, open_model
from app.store.paths import Paths
from app.store.settings import Settings


def models(
    arguments: argparse.Namespace, paths: Paths, saved: Settings, console: Console, make_host: MakeHost
) -> int:
    """Lists the models and the folders that were looked into, or copies one of them."""
    if arguments.copy is not None:
        return copy(arguments, paths, saved, console)
    entries = find_models(paths, [native(folder) for folder in saved.model_folders])
    default = default_model()
    for entry in entries:
        if entry.info is not None:
            console.result(f"{entry.name}: {entry.info.family}, {gib(entry.info.disk)}, {entry.path}")
        elif entry.problem is not None:
            console.result(f"{entry.name}: {sentence(entry.problem)}")
    folders = [str(paths.models), *saved.model_folders]
    if not entries:
        console.result("No models were found.")
    console.note(f"Your own models are looked for in: {', '.join(folders)}")
    console.data({"models": [_entry_json(entry, default) for entry in entries], "folders": folders})
    return DONE


def _entry_json(entry: ModelEntry, default: object) -> dict[str, object]:
    info = entry.info
    return {
        "name": entry.name,
        "path": str(entry.path),
        "builtin": entry.builtin,
        "default": entry.path == default,
        "family": None if info is None else info.family,
        "bytes": None if info is None else info.disk,
        "error": None if entry.problem is None else error_json(entry.problem),
    }


def resume(
    arguments: argparse.Namespace, paths: Paths, saved: Settings, console: Console, make_host: MakeHost
) -> int:
    """Lists jobs whose program or engine died, or runs one of them again with its own plan."""
    history = History(paths.history)
    try:
        history.recover(adopt=False)
        jobs = history.unfinished()
        if arguments.job is None:
            return _list_jobs(jobs, console)
        found = [record for record in jobs if record.id.startswith(arguments.job.lower())]
        if len(found) != 1:
            return _no_such_job(arguments.job, found, console)
        _check(found[0])
        with EngineSession(paths.logs, make_host) as engine:
            engine.wait_ready()
            ending = run_job(engine, history, console, lambda queue: queue.retry(found[0].id))
        if ending is None:
            return _no_such_job(arguments.job, [], console)
        show_ending(ending, console)
        return ending.code
    finally:
        history.close()


def _check(record: JobRecord) -> None:
    """Raises AppError for what vanished since the job was made, before an engine is started for it."""
    request = record.request
    open_model(Path(request.model))
    check_given(request.image, request.mask, request.video)
    check_writable(record.output.folder)


def _list_jobs(jobs: list[JobRecord], console: Console) -> int:
    for record in jobs:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(record.created))
        console.result(f"{record.id[:8]}  {record.state.value:11}  {when}  {record.request.prompt[:60]!r}")
    if not jobs:
        console.result("No job waits to be resumed.")
    else:
        console.note("Run one again with: headroom resume JOB")
    console.data({"jobs": [_job_json(record) for record in jobs]})
    return DONE


def _job_json(record: JobRecord) -> dict[str, object]:
    return {
        "job": record.id,
        "state": record.state.value,
        "created": record.created,
        "files": [str(path) for path in record.files],
        "request": request_to_json(record.request),
    }


def _no_such_job(job: str, found: list[JobRecord], console: Console) -> int:
    line = (
        f"“{job}” stands for {len(found)} jobs: write more of it."
        if found
        else f"No interrupted job is called “{job}”."
    )
    console.warn(line)
    console.data({"error": {"kind": "job_unknown", "what": line}, "files": []})
    return REFUSED

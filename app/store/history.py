"""Every job that was asked for, in one SQLite file: stored before it runs, there after any kind of death.

Knows nothing of queues or engines. Each unfinished job carries the process that has it, so that a program that
starts beside another one can tell a job that runs from one whose program is gone.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.core.errors import AppError, ErrorKind, Problem, problem_from_json, problem_to_json
from app.core.plan import Plan, plan_from_json, plan_to_json
from app.core.request import GenerationRequest, OutputSpec, request_from_json, request_to_json
from app.core.text import Text, say
from app.media.owner import is_alive, own_token
from app.store.paths import make_folder
from app.store.settings import set_aside

BUSY_SECONDS = 10.0
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE jobs (
        id TEXT PRIMARY KEY, state TEXT NOT NULL, owner TEXT NOT NULL, position REAL NOT NULL,
        created REAL NOT NULL, started REAL, ended REAL,
        request TEXT NOT NULL, plan TEXT NOT NULL, output TEXT NOT NULL,
        files TEXT NOT NULL DEFAULT '[]', seconds TEXT NOT NULL DEFAULT '{}',
        peaks TEXT NOT NULL DEFAULT '{}', problem TEXT
    );
    CREATE INDEX jobs_by_state ON jobs (state, position);
    CREATE INDEX jobs_by_time ON jobs (created);
    """,
)
_COLUMNS = (
    "id", "state", "owner", "position", "created", "started", "ended",
    "request", "plan", "output", "files", "seconds", "peaks", "problem",
)  # fmt: skip


class JobState(StrEnum):
    """What became of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """One job as stored. Times in seconds since 1970; ``seconds`` per phase and ``peaks`` in bytes per device."""

    id: str
    state: JobState
    request: GenerationRequest
    plan: Plan
    output: OutputSpec
    created: float
    started: float | None = None
    ended: float | None = None
    files: tuple[Path, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    peaks: tuple[tuple[str, int], ...] = ()
    problem: Problem | None = None
    position: float = 0.0
    owner: str = ""
    """The process that has the job, as ``store.owner`` writes it."""


def new_record(request: GenerationRequest, plan: Plan, output: OutputSpec) -> JobRecord:
    """A job that waits, with a new id."""
    return JobRecord(
        id=uuid.uuid4().hex,
        state=JobState.WAITING,
        request=request,
        plan=plan,
        output=output,
        created=time.time(),
    )


class History:
    """The jobs' file. Safe from several threads and beside other processes."""

    def __init__(self, path: Path, owner: str | None = None) -> None:
        self.path = path
        self.notices: tuple[Text, ...] = ()
        """What has to be said of the file: that it was damaged or is a newer program's."""
        self.owner = own_token() if owner is None else owner
        self._guard = threading.Lock()
        try:
            make_folder(path.parent)
        except AppError as error:
            if error.kind is ErrorKind.DISK_FULL:
                raise
            raise AppError(ErrorKind.HISTORY_FAILED, error.problem.detail, path=str(path)) from error
        self._connection = self._open()

    def close(self) -> None:
        """Closes the file; the history is of no use afterwards."""
        with self._guard:
            self._connection.close()

    def add(self, record: JobRecord) -> JobRecord:
        """Stores a job of this process at the end of the queue and returns it as stored."""
        with self._write() as connection:
            last = connection.execute("SELECT COALESCE(MAX(position), 0) FROM jobs").fetchone()[0]
            stored = replace(record, position=last + 1, owner=self.owner)
            places = ", ".join("?" * len(_COLUMNS))
            row = _to_row(stored)
            connection.execute(
                f"INSERT INTO jobs ({', '.join(_COLUMNS)}) VALUES ({places})", [row[c] for c in _COLUMNS]
            )
        return stored

    def set_state(self, job: str, state: JobState, **values: Any) -> None:
        """Changes a job's state, with any of started, ended, files, seconds, peaks, problem."""
        changes = {"state": state.value} | {key: _WRITERS[key](value) for key, value in values.items()}
        with self._write() as connection:
            assignments = ", ".join(f"{column} = ?" for column in changes)
            connection.execute(f"UPDATE jobs SET {assignments} WHERE id = ?", [*changes.values(), job])

    def get(self, job: str) -> JobRecord | None:
        """One job."""
        return next(iter(self._select("WHERE id = ?", job)), None)

    def waiting(self) -> list[JobRecord]:
        """The jobs of this process that wait, in their order."""
        condition = "WHERE state = ? AND owner = ? ORDER BY position"
        return self._select(condition, JobState.WAITING.value, self.owner)

    def recent(self, limit: int = 200) -> list[JobRecord]:
        """The newest jobs of any state, newest first."""
        return self._select("ORDER BY created DESC, position DESC LIMIT ?", limit)

    def unfinished(self) -> list[JobRecord]:
        """Jobs that nobody works on any more: interrupted, or waiting for a program that is gone."""
        states = (JobState.INTERRUPTED.value, JobState.WAITING.value)
        found = self._select("WHERE state IN (?, ?) ORDER BY position", *states)
        return [
            record for record in found if record.state is JobState.INTERRUPTED or not self._is_held(record)
        ]

    def move(self, job: str, position: int) -> None:
        """Puts a waiting job at ``position`` (0: next) among those of this process."""
        with self._write() as connection:
            query = "SELECT id, position FROM jobs WHERE state = ? AND owner = ? ORDER BY position"
            rows = connection.execute(query, [JobState.WAITING.value, self.owner]).fetchall()
            order, places = [row[0] for row in rows], [row[1] for row in rows]
            if job not in order:
                return
            order.remove(job)
            order.insert(min(max(position, 0), len(order)), job)
            for identity, place in zip(order, places, strict=True):
                connection.execute("UPDATE jobs SET position = ? WHERE id = ?", [place, identity])

    def remove(self, job: str) -> None:
        """Forgets a job; its files stay."""
        with self._write() as connection:
            connection.execute("DELETE FROM jobs WHERE id = ?", [job])

    def claim(self, job: str) -> JobRecord | None:
        """Makes an unfinished job this process's own, waiting again; None when another program has it by now."""
        record = self.get(job)
        if record is None or record.state not in (JobState.WAITING, JobState.INTERRUPTED):
            return None
        if record.state is JobState.WAITING and self._is_held(record):
            return None
        with self._write() as connection:
            done = connection.execute(
                "UPDATE jobs SET state = ?, owner = ?, started = NULL, ended = NULL, problem = NULL, files = '[]'"
                " WHERE id = ? AND state = ? AND owner = ?",
                [JobState.WAITING.value, self.owner, job, record.state.value, record.owner],
            )
        return self.get(job) if done.rowcount == 1 else None

    def recover(self, adopt: bool = True) -> list[JobRecord]:
        """Marks jobs whose program died while they ran as interrupted and returns them.

        With ``adopt`` (a window that holds the instance lock) the jobs that waited for a dead program become this
        one's.
        """
        orphans = [record for record in self._select("WHERE state = 'running'") if not is_alive(record.owner)]
        for orphan in orphans:
            self.set_state(orphan.id, JobState.INTERRUPTED, ended=time.time())
        if adopt:
            for record in self._select("WHERE state = 'waiting'"):
                if not self._is_held(record):
                    with self._write() as connection:
                        connection.execute("UPDATE jobs SET owner = ? WHERE id = ?", [self.owner, record.id])
        return [found for orphan in orphans if (found := self.get(orphan.id)) is not None]

    # -------------------------------------------------------------- below

    def _is_held(self, record: JobRecord) -> bool:
        """Whether a living program, this one included, has the job."""
        return record.owner == self.owner or is_alive(record.owner)

    def _select(self, condition: str, *values: Any) -> list[JobRecord]:
        query = f"SELECT {', '.join(_COLUMNS)} FROM jobs {condition}"
        with self._guard:
            try:
                rows = self._connection.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise self._as_app_error(error) from error
        return [record for row in rows if (record := _from_row(row)) is not None]

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """One transaction; a full disk leaves the file as it was and raises AppError."""
        with self._guard:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back()
                raise self._as_app_error(error) from error
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute("ROLLBACK")

    def _as_app_error(self, error: sqlite3.Error) -> AppError:
        if _code(error) == sqlite3.SQLITE_FULL:
            return AppError(ErrorKind.DISK_FULL, repr(error), path=str(self.path))
        if _code(error) == sqlite3.SQLITE_IOERR:
            return AppError(ErrorKind.WRITE_FAILED, repr(error), path=str(self.path))
        return AppError(ErrorKind.HISTORY_FAILED, repr(error), path=str(self.path))

    def _open(self) -> sqlite3.Connection:
        """Opens the file; a damaged one is kept under another name, a newer program's is left alone."""
        try:
            return self._connect(self.path)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise self._as_app_error(error) from error
            return self._begin_anew()
        except _NewerError:
            line = say(
                "core", "The history of jobs is a newer Headroom's. It is left alone; a new one begins."
            )
            self.notices += (line,)
            self.path = self.path.with_name(f"{self.path.stem}-{len(MIGRATIONS)}{self.path.suffix}")
            return self._connect(self.path)

    def _begin_anew(self) -> sqlite3.Connection:
        """A new file for the damaged one, unless another program that met it too has made one meanwhile."""
        from filelock import FileLock

        try:
            with FileLock(self.path.with_name(self.path.name + ".lock"), timeout=BUSY_SECONDS):
                try:
                    return self._connect(self.path)
                except sqlite3.DatabaseError as error:
                    if not _is_damage(error):
                        raise self._as_app_error(error) from error
                kept = self._set_aside()
                connection = self._connect(self.path)
        except OSError as error:  # also the lock's timeout
            raise AppError(ErrorKind.HISTORY_FAILED, repr(error), path=str(self.path)) from error
        line = say("core", "The history of jobs was damaged. It was kept as {name} and a new one begun.")
        self.notices += (line.of(name=kept.name),)
        return connection

    def _set_aside(self) -> Path:
        for ending in ("-wal", "-shm"):
            side = self.path.with_name(self.path.name + ending)
            if side.exists():
                set_aside(side, "damaged")
        return set_aside(self.path, "damaged")

    def _connect(self, path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > len(MIGRATIONS):
                raise _NewerError
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if version < len(MIGRATIONS):
                _migrate(connection)
            connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM jobs LIMIT 0")
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError("quick_check")
        except BaseException:
            connection.close()
            raise
        return connection


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is wrong, not the disk, a lock or a right."""
    return not isinstance(error, sqlite3.OperationalError) or _code(error) == sqlite3.SQLITE_ERROR


class _NewerError(Exception):
    """The file was written by a newer program."""


def _migrate(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have been first
    for step in MIGRATIONS[version:]:
        for statement in filter(str.strip, step.split(";")):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("COMMIT")


def _problem_text(problem: Problem | None) -> str | None:
    return None if problem is None else json.dumps(problem_to_json(problem))


_WRITERS: dict[str, Any] = {
    "started": lambda value: value,
    "ended": lambda value: value,
    "files": lambda files: json.dumps([str(path) for path in files]),
    "seconds": lambda pairs: json.dumps(dict(pairs)),
    "peaks": lambda pairs: json.dumps(dict(pairs)),
    "problem": _problem_text,
}


def _to_row(record: JobRecord) -> dict[str, Any]:
    """The record's columns. JSON keeps to ASCII, so that seeds of 64 bits and halves of surrogates survive."""
    output = record.output
    paths = {"folder": str(output.folder), "path": None if output.path is None else str(output.path)}
    return {
        "id": record.id,
        "state": record.state.value,
        "owner": record.owner,
        "position": record.position,
        "created": record.created,
        "started": record.started,
        "ended": record.ended,
        "request": json.dumps(request_to_json(record.request)),
        "plan": json.dumps(plan_to_json(record.plan)),
        "output": json.dumps(paths | {"format": output.format}),
        "files": _WRITERS["files"](record.files),
        "seconds": _WRITERS["seconds"](record.seconds),
        "peaks": _WRITERS["peaks"](record.peaks),
        "problem": _problem_text(record.problem),
    }


def _from_row(row: Sequence[Any]) -> JobRecord | None:
    """The record of a row; None for one that cannot be read, which hides no other."""
    values = dict(zip(_COLUMNS, row, strict=True))
    try:
        output = json.loads(values.pop("output"))
        problem = values.pop("problem")
        time.localtime(values["created"])  # raises for what is no time
        return JobRecord(
            state=JobState(values.pop("state")),
            request=request_from_json(json.loads(values.pop("request"))),
            plan=plan_from_json(json.loads(values.pop("plan"))),
            output=OutputSpec(
                Path(output["folder"]),
                None if output["path"] is None else Path(output["path"]),
                output["format"],
            ),
            files=tuple(Path(name) for name in json.loads(values.pop("files"))),
            seconds=tuple(json.loads(values.pop("seconds")).items()),
            peaks=tuple(json.loads(values.pop("peaks")).items()),
            problem=None if problem is None else problem_from_json(json.loads(problem)),
            **values,
        )
    except (
        AppError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
        OverflowError,
        OSError,
    ):
        return None

"""The history: stored before anything runs, there after SIGKILL at any moment, and shared by processes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind, Problem
from app.core.text import facts_of
from app.media.owner import is_alive, own_token
from app.store.history import History, JobRecord, JobState

MakeJob = Callable[..., JobRecord]
DEAD = "999999999:0.00"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    opened = History(path)
    yield opened
    opened.close()


def ids(records: list[JobRecord]) -> list[str]:
    return [record.id for record in records]


@pytest.mark.parametrize("seed", [0, 2**31, 4294967301, 2**53 + 1, 2**63, 2**64 - 1])
def test_c65_every_seed_comes_back(seed: int, history: History, make_job: MakeJob) -> None:
    stored = history.add(make_job(seed=seed, prompt="\ud83d \x00 \U0001f408\n"))
    assert history.get(stored.id) == stored
    assert stored.request.seed == seed


def test_states_and_results_are_kept(path: Path, make_job: MakeJob, tmp_path: Path) -> None:
    history = History(path)
    job = history.add(make_job()).id
    problem = Problem(ErrorKind.DISK_FULL, facts_of({"path": "/x"}), "detail")
    history.set_state(job, JobState.RUNNING, started=5.0)
    history.set_state(
        job, JobState.FAILED, ended=9.5, files=(tmp_path / "ü.png",), seconds=(("load", 1.5),),
        peaks=(("cuda:0", 5 * 2**30),), problem=problem,
    )  # fmt: skip
    history.close()
    history = History(path)
    record = history.get(job)
    history.close()
    assert record is not None
    assert (record.state, record.started, record.ended) == (JobState.FAILED, 5.0, 9.5)
    assert (record.files, record.problem) == ((tmp_path / "ü.png",), problem)
    assert (dict(record.seconds), dict(record.peaks)) == ({"load": 1.5}, {"cuda:0": 5 * 2**30})
    assert record.output.path == tmp_path / "fox.png"


def test_the_queue_keeps_its_order_and_can_be_changed(history: History, make_job: MakeJob) -> None:
    first, second, third = (history.add(make_job()).id for _ in range(3))
    assert ids(history.waiting()) == [first, second, third]
    history.move(third, 0)
    assert ids(history.waiting()) == [third, first, second]
    history.move(third, 99)
    assert ids(history.waiting()) == [first, second, third]
    history.move("nobody", 0)
    history.remove(second)
    fourth = history.add(make_job()).id
    assert ids(history.waiting()) == [first, third, fourth]
    assert ids(history.recent(2)) == [fourth, third]
    assert history.get(second) is None


_QUEUE_OF_TEN = """
import sys, time
from pathlib import Path
from app.core.plan import Dtype, Plan
from app.core.request import GenerationRequest, OutputSpec
from app.store.history import History, JobState, new_record
history = History(Path(sys.argv[1]))
jobs = []
for number in range(10):
    request = GenerationRequest(
        model="m", prompt=f"fox {number}", width=8, height=8, steps=1, guidance=1.0, seed=number)
    record = new_record(request, Plan(family="sdxl", device="cpu", dtype=Dtype.FLOAT32), OutputSpec(Path(".")))
    jobs.append(history.add(record).id)
for job in jobs[:3]:
    history.set_state(job, JobState.DONE)
history.set_state(jobs[3], JobState.RUNNING, started=time.time())
print("running", flush=True)
while True:
    history.set_state(jobs[3], JobState.RUNNING, files=(Path("x" * 5000),))
    if len(sys.argv) > 2:
        print("written", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("rounds", [0, 1, 7, 23])
def test_c175_after_sigkill_the_rest_of_the_queue_is_offered(rounds: int, path: Path, root: Path) -> None:
    command = [sys.executable, "-c", _QUEUE_OF_TEN, str(path), "count"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "running\n"
        for _ in range(rounds):
            assert child.stdout.readline() == "written\n"
        beside = History(path)  # another program that starts while it runs takes nothing away
        assert beside.recover() == []
        assert beside.waiting() == []
        beside.close()
        child.send_signal(signal.SIGKILL)
        child.communicate()
    history = History(path)
    interrupted = history.recover()
    assert history.notices == ()
    assert [record.request.prompt for record in interrupted] == ["fox 3"]
    assert interrupted[0].state is JobState.INTERRUPTED
    assert [record.request.prompt for record in history.waiting()] == [f"fox {n}" for n in range(4, 10)]
    assert [record.request.seed for record in history.unfinished()] == [3]
    assert history.recover() == []
    history.close()


def test_what_a_dead_program_left_can_be_claimed_once(path: Path, make_job: MakeJob) -> None:
    dead = History(path, owner=DEAD)
    running, waiting = dead.add(make_job()).id, dead.add(make_job()).id
    dead.set_state(running, JobState.RUNNING)
    dead.close()
    one, other = History(path, owner=own_token()), History(path, owner="1:0.0")
    assert ids(one.recover(adopt=False)) == [running]
    assert ids(one.unfinished()) == [running, waiting]
    assert one.waiting() == []
    claimed = one.claim(running)
    assert claimed is not None
    assert claimed.state is JobState.WAITING
    assert other.claim(running) is None
    assert ids(other.unfinished()) == [waiting]
    assert one.claim("nobody") is None
    one.close()
    other.close()


def test_of_two_that_claim_at_once_one_gets_it(
    path: Path, make_job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.store.history.is_alive", lambda token: token != DEAD)
    dead = History(path, owner=DEAD)
    job = dead.add(make_job()).id
    dead.close()
    histories = [History(path, owner=f"living {number}") for number in range(4)]
    won: list[bool] = []
    threads = [threading.Thread(target=lambda h=h: won.append(h.claim(job) is not None)) for h in histories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for history in histories:
        history.close()
    assert sorted(won) == [False, False, False, True]


def test_several_threads_may_write(history: History, make_job: MakeJob) -> None:
    jobs = [make_job() for _ in range(20)]
    threads = [threading.Thread(target=history.add, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(ids(history.waiting())) == {job.id for job in jobs}
    assert len({record.position for record in history.waiting()}) == 20


@pytest.mark.parametrize("content", [b"not a database at all" * 50, b"SQLite format 3\0" + b"\xff" * 5000])
def test_c175_a_damaged_file_is_kept_and_a_new_one_begun(
    content: bytes, path: Path, make_job: MakeJob
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    history = History(path)
    assert "damaged" in str(history.notices[0])
    assert (path.parent / "history.db.damaged-1").read_bytes() == content
    job = history.add(make_job()).id
    history.close()
    history = History(path)
    assert history.notices == ()
    assert ids(history.waiting()) == [job]
    history.close()


def test_c175_a_newer_file_is_left_alone(path: Path, make_job: MakeJob) -> None:
    path.parent.mkdir()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.execute("CREATE TABLE future (x)")
    newer.close()
    before = path.read_bytes()
    history = History(path)
    assert "newer" in str(history.notices[0])
    job = history.add(make_job()).id
    history.close()
    assert path.read_bytes() == before
    history = History(path)
    assert ids(history.waiting()) == [job]
    history.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [("request", "[" * 100_000), ("created", 1e300), ("created", "soon")],
    ids=["request", "year", "word"],
)
def test_one_row_that_cannot_be_read_hides_no_other(
    column: str, value: object, path: Path, make_job: MakeJob
) -> None:
    history = History(path)
    good, bad = history.add(make_job()).id, history.add(make_job()).id
    history.close()
    raw = sqlite3.connect(path)
    raw.execute(f"UPDATE jobs SET {column} = ? WHERE id = ?", [value, bad])
    raw.commit()
    raw.close()
    history = History(path)
    assert ids(history.recent()) == [good]
    assert history.get(bad) is None
    history.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on file sizes to set")
def test_a_full_disk_is_said_and_nothing_is_lost(path: Path, make_job: MakeJob, root: Path) -> None:
    history = History(path)
    job = history.add(make_job()).id
    history.close()
    code = """
import resource, sys
from pathlib import Path
from app.core.errors import AppError
from app.store.history import History, new_record
history = History(Path(sys.argv[1]))
old = history.recent()
resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))
try:
    for _ in range(100):
        history.add(new_record(old[0].request, old[0].plan, old[0].output))
except AppError as error:
    print(error.kind)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() in ("disk_full", "write_failed")
    history = History(path)
    assert history.get(job) is not None
    assert history.notices == ()
    history.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(AppError):
        History(tmp_path / "file" / "history.db")
    (tmp_path / "folder" / "history.db").mkdir(parents=True)
    with pytest.raises(AppError):
        History(tmp_path / "folder" / "history.db")


def test_owners_live_as_long_as_their_process() -> None:
    assert is_alive(own_token())
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    token = own_token().replace(str(os.getpid()), str(child.pid), 1)
    assert not is_alive(token), "another process with that number"
    child.communicate()
    for token in ("", "x", DEAD, "1e9:1", "-5:0", f"{2**70}:0", f"{2**70}:a/1", "x:a/1", f"{child.pid}:a/1"):
        assert not is_alive(token)


def test_a_token_of_an_earlier_version_is_still_understood() -> None:
    started = psutil.Process().create_time()
    assert is_alive(f"{os.getpid()}:{started:.2f}")
    assert not is_alive(f"{os.getpid()}:{started - 5000:.2f}")


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere the start is recorded, not reckoned from the clock"
)
def test_an_owner_lives_on_when_the_clock_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    token, started = own_token(), psutil.Process().create_time()
    monkeypatch.setattr(psutil.Process, "create_time", lambda _self: started + 3600)
    assert is_alive(token)


@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version = 1", "CREATE TABLE jobs (other)"], ids=["no table", "another table"]
)
def test_c175_a_file_without_our_tables_is_kept_and_a_new_one_begun(
    statement: str, path: Path, make_job: MakeJob
) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()
    history = History(path)
    history.add(make_job())
    assert len(history.recent()) == 1
    assert "damaged-1" in str(history.notices[0])
    history.close()


def test_a_file_that_cannot_be_used_is_not_said_to_be_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder" / "history.db").mkdir(parents=True)
    held = tmp_path / "held" / "history.db"
    History(held).close()
    other = sqlite3.connect(held, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr("app.store.history.BUSY_SECONDS", 0.1)
    for path in (tmp_path / "file" / "history.db", tmp_path / "folder" / "history.db", held):
        with pytest.raises(AppError) as caught:
            History(path)
        assert caught.value.kind is ErrorKind.HISTORY_FAILED
        assert str(path) in str(sentence(caught.value.problem))
    other.close()


def test_of_two_that_meet_a_damaged_file_at_once_one_begins_anew(
    path: Path, make_job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    first: list[History] = []
    connect = History._connect

    def late(self: History, where: Path) -> sqlite3.Connection:
        if first:
            return connect(self, where)
        first.append(self)  # it has read the damaged file, and now the other one is faster
        first.append(History(path))
        first[1].add(make_job())
        raise sqlite3.DatabaseError("file is not a database")

    monkeypatch.setattr(History, "_connect", late)
    second = History(path)
    assert len(second.recent()) == 1
    assert (len(first[1].notices), len(second.notices)) == (1, 0)
    assert len(list(path.parent.glob("*damaged*"))) == 1
    first[1].close()
    second.close()

"""The engine's end of the pipe: what is acted on during a job, what waits, and what the end of the pipe does."""

from __future__ import annotations

import multiprocessing

import pytest

from app.core.messages import Cancel, Cancelled, Measure, Shutdown, Unload
from app.engine.mailbox import HostGone, JobCancelled, Mailbox


@pytest.fixture
def pipe():
    """The host's end and the engine's mailbox."""
    ours, theirs = multiprocessing.Pipe()
    yield ours, Mailbox(theirs)
    ours.close()
    theirs.close()


def test_messages_come_in_their_order(pipe):
    host, mail = pipe
    for message in (Measure(), Unload(), Shutdown()):
        host.send(message)
    assert [mail.receive(1) for _ in range(3)] == [Measure(), Unload(), Shutdown()]
    assert mail.receive(0) is None


def test_only_the_running_jobs_cancel_stops_it_and_the_rest_waits(pipe):
    host, mail = pipe
    host.send(Measure())
    host.send(Cancel("another"))
    mail.check("job", at_once=True)
    host.send(Cancel("job"))
    with pytest.raises(JobCancelled):
        mail.check("job", at_once=True)
    with pytest.raises(JobCancelled):  # whoever swallowed it meets it again
        mail.check("job", at_once=True)
    mail.forget("job")
    mail.check("job", at_once=True)
    assert mail.receive(0) == Measure()


def test_a_waiting_run_is_cancelled_at_once(pipe, job):
    host, mail = pipe
    host.send(job("waits"))
    host.send(job("stays"))
    host.send(Cancel("waits"))
    mail.check("running", at_once=True)
    assert host.recv() == Cancelled("waits")
    assert mail.receive(0).job == "stays"
    assert mail.receive(0) is None


def test_looks_are_not_more_frequent_than_needed(pipe, monkeypatch):
    _, mail = pipe
    looks = []
    monkeypatch.setattr(mail, "_poll", lambda timeout: looks.append(timeout) or False)
    for _ in range(1000):
        mail.check("job")
    assert 1 <= len(looks) < 100


def test_the_end_of_the_pipe_is_told_wherever_it_is_met(pipe):
    host, mail = pipe
    host.close()
    for meet in (
        lambda: mail.receive(1),
        lambda: mail.check("job", at_once=True),
        lambda: mail.send(Cancelled("x")),
    ):
        with pytest.raises(HostGone):
            meet()


def test_no_library_can_catch_a_cancel():
    assert not issubclass(JobCancelled, Exception)
    assert not issubclass(HostGone, Exception)

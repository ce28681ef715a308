"""Cancel acts within a block in every phase, leaves no picture, frees what was placed, and the next job works."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from diffusers.models.autoencoders import vae as vae_module
from diffusers.models.unets import unet_2d_blocks
from transformers.models.clip import modeling_clip

from app.core.errors import ErrorKind
from app.core.messages import Cancel, Cancelled, Failed, Finished, Phase, PictureDone, Progress
from app.engine import loader, mailbox

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def looks_at_every_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine looks for a Cancel at each block, and not only at those 10 ms apart: a tiny model has passed several
    phases by then."""
    monkeypatch.setattr(mailbox, "POLL_EVERY", 0.0)


class Gate:
    """Stops the engine's thread at a place until the test has done something meanwhile."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self.open.wait(PATIENCE)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Inside, the engine stands at the gate."""
        assert self.reached.wait(PATIENCE)
        yield
        self.open.set()


def gated(monkeypatch, owner: type, method: str) -> Gate:
    """A gate before each call of a method."""
    gate, real = Gate(), getattr(owner, method)

    def stop_first(self, *args, **options):
        gate()
        return real(self, *args, **options)

    monkeypatch.setattr(owner, method, stop_first)
    return gate


PLACES = {
    "the second text encoder": (modeling_clip.CLIPEncoder, Phase.ENCODE),
    "the first step": (unet_2d_blocks.UNetMidBlock2DCrossAttn, Phase.DENOISE),
    "the decoder": (vae_module.Decoder, Phase.DECODE),
}


@pytest.mark.parametrize("place", PLACES)
def test_c172_cancel_acts_within_a_phase_not_only_between_steps(engine, job, monkeypatch, place):
    owner, phase = PLACES[place]
    gate = gated(monkeypatch, owner, "forward")
    run = job(steps=50)
    engine.conn.send(run)
    with gate.held():
        engine.conn.send(Cancel(run.job))
    ended = engine.until(lambda event: isinstance(event, Cancelled | Finished | Failed))
    assert ended == Cancelled(run.job)
    told = [event for event in engine.events if isinstance(event, Progress)]
    assert told[-1].phase is phase
    assert not [event for event in engine.events if isinstance(event, PictureDone)]
    assert not list(run.output.folder.iterdir())
    monkeypatch.undo()
    assert isinstance(engine.run(job("next", steps=1)), Finished)


def test_c171_cancel_acts_while_a_component_is_being_read(engine, job, monkeypatch):
    from diffusers.models import modeling_utils

    gate, real, read = Gate(), modeling_utils.load_state_dict, []
    real_part = loader.load_part

    def slow(*args, **options):
        gate()
        return real(*args, **options)

    def noted(info, part, plan, family):
        found = real_part(info, part, plan, family)
        read.append(part.name)
        return found

    monkeypatch.setattr(modeling_utils, "load_state_dict", slow)
    monkeypatch.setattr(loader, "load_part", noted)
    run = job()
    engine.conn.send(run)
    with gate.held():
        engine.conn.send(Cancel(run.job))
    assert engine.until(lambda event: isinstance(event, Cancelled | Finished | Failed)) == Cancelled(run.job)
    assert "unet" not in read
    monkeypatch.undo()
    after = engine.run(job("next"))
    assert isinstance(after, Finished)
    # what was read whole before is kept, the rest follows
    assert "unet" in after.loaded
    assert "text_encoder" not in after.loaded


def test_a_cancelled_job_keeps_the_pictures_it_has_finished(engine, job):
    run = job(count=50, steps=1)
    engine.conn.send(run)
    first = engine.until(PictureDone)
    engine.conn.send(Cancel(run.job))
    ended = engine.until(lambda event: isinstance(event, Cancelled | Finished))
    assert isinstance(ended, Cancelled)
    assert ended.files[0] == first.path
    assert set(run.output.folder.iterdir()) == set(ended.files)


def test_a_soft_cancel_acts_before_the_next_step(engine, job, monkeypatch):
    gate = gated(monkeypatch, unet_2d_blocks.UNetMidBlock2DCrossAttn, "forward")
    run = job(steps=1000)
    engine.conn.send(run)
    with gate.held():
        engine.conn.send(Cancel(run.job))
    engine.until(Cancelled)
    told = [event for event in engine.events if isinstance(event, Progress)]
    assert {event.step for event in told if event.phase is Phase.DENOISE} == {0}


def test_a_job_that_waits_in_the_engine_is_cancelled_without_being_run(engine, job, monkeypatch):
    gate = gated(monkeypatch, vae_module.Decoder, "forward")
    engine.conn.send(job("first"))
    with gate.held():
        engine.conn.send(job("second"))
        engine.conn.send(Cancel("second"))
    endings = [engine.until(lambda event: isinstance(event, Cancelled | Finished)) for _ in range(2)]
    assert {(type(event), event.job) for event in endings} == {(Cancelled, "second"), (Finished, "first")}
    assert not [event for event in engine.events if isinstance(event, Progress) and event.job == "second"]


def test_a_cancel_that_comes_too_late_does_no_harm(engine, job):
    engine.run(job("one"))
    engine.conn.send(Cancel("one"))
    engine.conn.send(Cancel("unknown"))
    assert isinstance(engine.run(job("two")), Finished)


def test_c181_jobs_are_run_one_after_the_other(engine, job):
    for name in ("a", "b", "c"):
        engine.conn.send(job(name, steps=4))
    ends = [engine.until(Finished).job for _ in range(3)]
    assert ends == ["a", "b", "c"]
    jobs = [event.job for event in engine.events if isinstance(event, Progress)]
    assert jobs == sorted(jobs)


def test_c178_a_job_that_fails_leaves_a_working_engine(engine, job, tmp_path):
    failed = engine.run(job("bad", model=str(tmp_path)))
    assert isinstance(failed, Failed)
    assert failed.problem.kind is ErrorKind.MODEL_INCOMPLETE or failed.problem.kind.name.startswith("MODEL")
    assert isinstance(engine.run(job("good")), Finished)

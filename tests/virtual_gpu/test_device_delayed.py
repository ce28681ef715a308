"""The delayed mode: a copy on a side stream reads as NaN until it is waited for, and what is freed too early counts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import headroom_vgpu as vgpu
import pytest
import torch


@pytest.fixture(scope="module", autouse=True)
def nothing_of_others() -> None:
    """What tests before these left in cycles is not counted here."""
    gc.collect()


@pytest.fixture(autouse=True)
def delayed() -> Iterator[None]:
    """The mode, and nothing left of it."""
    vgpu.reset()
    vgpu.set_delayed(True)
    yield
    vgpu.set_delayed(False)
    assert [vgpu.stats(index)["live"] for index in range(2)] == [0, 0]


def later(source: torch.Tensor, stream: torch.Stream, device: str = "vgpu") -> torch.Tensor:
    """A copy of ``source`` that nobody has waited for."""
    with torch.vgpu.stream(stream):
        return source.to(device, non_blocking=True)


def arrived(target: torch.Tensor) -> bool:
    """Whether an op of the current stream finds the bytes there."""
    return not (target * 1).cpu().isnan().any()


def wait_stream(stream: torch.Stream) -> None:
    torch.vgpu.current_stream().wait_stream(stream)


def wait_event(stream: torch.Stream) -> None:
    torch.vgpu.current_stream().wait_event(stream.record_event())


def event_wait(stream: torch.Stream) -> None:
    event = torch.vgpu.Event()
    event.record(stream)
    event.wait(torch.vgpu.current_stream())


WAITS: dict[str, Callable[[torch.Stream], object]] = {
    "stream.synchronize": lambda stream: stream.synchronize(),
    "stream.query": lambda stream: stream.query(),
    "event.synchronize": lambda stream: stream.record_event().synchronize(),
    "event.query": lambda stream: stream.record_event().query(),
    "synchronize": lambda _: torch.vgpu.synchronize(),
    "accelerator.synchronize": lambda _: torch.accelerator.synchronize(),
    "wait_stream": wait_stream,
    "wait_event": wait_event,
    "event.wait": event_wait,
    "the mode's end": lambda _: vgpu.set_delayed(False),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_a_copy_arrives_when_it_is_waited_for(wait: Callable[[torch.Stream], object]) -> None:
    stream = torch.vgpu.Stream()
    target = later(torch.ones(8).pin_memory(), stream)
    assert not arrived(target)
    wait(stream)
    assert arrived(target)
    assert (vgpu.stats()["late"], vgpu.stats()["h2d_n"]) == (1, 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float8_e4m3fn])
def test_every_floating_type_reads_as_nan(dtype: torch.dtype) -> None:
    stream = torch.vgpu.Stream()
    target = later(torch.ones(3, 4, dtype=dtype).t().pin_memory(), stream)
    assert target.cpu().float().isnan().all()
    stream.synchronize()
    assert (target.cpu().float() == 1).all()


def test_work_on_the_copys_own_stream_comes_after_it() -> None:
    stream = torch.vgpu.Stream()
    with torch.vgpu.stream(stream):
        doubled = torch.ones(8).pin_memory().to("vgpu", non_blocking=True) * 2
    stream.synchronize()
    assert doubled.cpu().tolist() == [2.0] * 8


def test_only_the_stream_that_waited_sees_it() -> None:
    copying, waiting, other = (torch.vgpu.Stream() for _ in range(3))
    target = later(torch.ones(8).pin_memory(), copying)
    waiting.wait_stream(copying)
    with torch.vgpu.stream(other):
        assert not arrived(target)
    other.wait_stream(waiting)  # and so, after copying too
    with torch.vgpu.stream(other):
        assert arrived(target)


def test_an_event_covers_what_was_issued_before_it() -> None:
    stream = torch.vgpu.Stream()
    first = later(torch.ones(8).pin_memory(), stream)
    event = stream.record_event()
    second = later(torch.ones(8).pin_memory(), stream)
    event.synchronize()
    assert (arrived(first), arrived(second)) == (True, False)
    stream.synchronize()
    assert arrived(second)


def test_another_devices_synchronization_does_not_help() -> None:
    stream = torch.vgpu.Stream("vgpu:1")
    target = later(torch.ones(8).pin_memory(), stream, "vgpu:1")
    torch.vgpu.synchronize(0)
    assert target.cpu().isnan().all()
    torch.vgpu.synchronize(1)
    assert not target.cpu().isnan().any()


def test_blocking_copies_and_the_default_streams_are_immediate() -> None:
    source = torch.ones(8).pin_memory()
    assert arrived(source.to("vgpu", non_blocking=True))
    with torch.vgpu.stream(torch.vgpu.Stream()):
        target = source.to("vgpu")
    assert arrived(target)
    assert vgpu.stats()["late"] == 0


def test_a_blocking_copy_waits_for_all_before_it_on_its_stream() -> None:
    stream = torch.vgpu.Stream()
    target = later(torch.ones(8).pin_memory(), stream)
    with torch.vgpu.stream(stream):
        torch.ones(1).to("vgpu")
    assert arrived(target)


def test_pinned_memory_is_read_when_the_copy_runs_and_pageable_memory_at_once() -> None:
    stream = torch.vgpu.Stream()
    pinned, pageable = torch.ones(8).pin_memory(), torch.ones(8)
    targets = later(pinned, stream), later(pageable, stream)
    pinned.fill_(5)
    pageable.fill_(5)
    stream.synchronize()
    assert [target.cpu()[0].item() for target in targets] == [5.0, 1.0]


def test_a_pinned_source_that_is_let_go_stays_until_the_copy_has_run() -> None:
    stream = torch.vgpu.Stream()
    source = torch.ones(8).pin_memory()
    target = later(source, stream)
    del source
    assert vgpu.stats()["pinned"] == 32
    stream.synchronize()
    assert (vgpu.stats()["pinned"], target.cpu().tolist()) == (0, [1.0] * 8)


def test_a_target_that_is_freed_takes_its_copy_with_it() -> None:
    stream = torch.vgpu.Stream()
    target = later(torch.ones(8).pin_memory(), stream)
    del target
    assert (vgpu.stats()["live"], vgpu.stats()["pinned"]) == (0, 0)
    stream.synchronize()


def test_copies_back_to_pinned_memory_are_late_too() -> None:
    source, stream = torch.ones(8, device="vgpu"), torch.vgpu.Stream()
    back, pageable = later(source, stream, "cpu"), torch.zeros(8)
    with torch.vgpu.stream(stream):
        pageable.copy_(source, non_blocking=True)
    assert pageable.tolist() == [1.0] * 8
    assert back.isnan().all()
    torch.vgpu.current_stream().wait_stream(stream)  # which is the device's business, not the host's
    assert back.isnan().all()
    stream.synchronize()
    assert back.tolist() == [1.0] * 8


# ------------------------------------------------------------------------------------- freed too early


def used_and_freed(*, record: bool = False, wait: Callable[[torch.Stream], object] | None = None) -> int:
    """How often memory was given away early when a block of a side stream is used on the default one and freed."""
    stream, default = torch.vgpu.Stream(), torch.vgpu.current_stream()
    target = later(torch.ones(8).pin_memory(), stream)
    default.wait_stream(stream)
    target * 2
    if record:
        target.record_stream(default)
    if wait is not None:
        wait(stream)
    del target
    return vgpu.stats()["early_frees"]


def test_freeing_what_another_stream_may_still_use_is_counted() -> None:
    assert used_and_freed() == 1


@pytest.mark.parametrize(
    "wait",
    [
        lambda _: torch.vgpu.current_stream().synchronize(),
        lambda _: torch.vgpu.synchronize(),
        lambda stream: stream.wait_stream(torch.vgpu.current_stream()),
    ],
    ids=["stream.synchronize", "synchronize", "its own stream waits"],
)
def test_freeing_after_a_wait_is_not(wait: Callable[[torch.Stream], object]) -> None:
    assert used_and_freed(wait=wait) == 0


def test_freeing_after_record_stream_is_not() -> None:
    assert used_and_freed(record=True) == 0


def test_one_stream_alone_never_frees_too_early() -> None:
    torch.ones(8, device="vgpu") * 2
    with torch.vgpu.stream(torch.vgpu.Stream()):
        torch.ones(8, device="vgpu") * 2
    assert vgpu.stats()["early_frees"] == 0

"""The delayed mode under real users of streams: group offload is right with it, a forgotten wait shows."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import headroom_vgpu as vgpu
import pytest
import tiny_models
import torch
from diffusers.hooks import apply_group_offloading

LEVELS: dict[str, dict[str, Any]] = {
    "block": {"offload_type": "block_level", "num_blocks_per_group": 1},
    "leaf": {"offload_type": "leaf_level"},
}


@pytest.fixture(scope="module", autouse=True)
def nothing_for_others() -> Iterator[None]:
    """Hooked models are cycles: their pinned memory would count in the tests that come after."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def delayed() -> Iterator[None]:
    """The mode, and nothing left of it."""
    vgpu.reset()
    vgpu.set_delayed(True)
    yield
    vgpu.set_delayed(False)


OPTIONS: dict[str, dict[str, bool]] = {
    "": {},
    "record_stream": {"record_stream": True},
    "low_cpu_mem": {"low_cpu_mem_usage": True},
    "record_stream, low_cpu_mem": {"record_stream": True, "low_cpu_mem_usage": True},
}


@pytest.mark.parametrize("disk", [False, True], ids=["", "disk"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
@torch.no_grad()
def test_group_offload_with_a_stream_waits_for_its_copies(
    level: dict[str, Any], options: dict[str, bool], disk: bool, tmp_path: Path
) -> None:
    model = tiny_models.wan().transformer
    expected = model(**tiny_models.wan_inputs())[0]
    folder = {"offload_to_disk_path": str(tmp_path)} if disk else {}
    model.enable_group_offload(torch.device("vgpu"), use_stream=True, **level, **options, **folder)
    for _ in range(3):  # the first pass traces the order, with blocking copies; the others prefetch
        assert torch.equal(model(**tiny_models.wan_inputs("vgpu"))[0].cpu(), expected)
    assert vgpu.stats()["late"] > 50
    assert vgpu.stats()["early_frees"] == 0


@torch.no_grad()
def test_a_whole_pipeline_with_streams_gives_the_same_picture() -> None:
    expected = tiny_models.run("flux", tiny_models.flux())
    pipe = tiny_models.flux()
    pipe.enable_group_offload(torch.device("vgpu"), offload_type="leaf_level", use_stream=True)
    for _ in range(2):
        assert (tiny_models.run("flux", pipe) == expected).all()
    assert vgpu.stats()["late"] > 100
    assert vgpu.stats()["early_frees"] == 0


class Prefetching(torch.nn.Module):
    """Layers whose weights come to the device one layer ahead of their use, on a stream of their own."""

    def __init__(self, *, wait: bool = True, keep_until_used: bool = True) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            self.layers = torch.nn.ModuleList(torch.nn.Linear(16, 16) for _ in range(4))
        self.held = [layer.weight.data.pin_memory() for layer in self.layers]
        self.stream = torch.vgpu.Stream()
        self.wait, self.keep_until_used = wait, keep_until_used

    def fetch(self, index: int) -> torch.Tensor:
        with torch.vgpu.stream(self.stream):
            return self.held[index].to("vgpu", non_blocking=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        coming = self.fetch(0)
        for index in range(len(self.layers)):
            weight = coming
            if self.wait:
                torch.vgpu.current_stream().wait_stream(self.stream)
            x = torch.nn.functional.linear(x, weight)
            if self.keep_until_used:
                weight.record_stream(torch.vgpu.current_stream())
            if index + 1 < len(self.layers):
                coming = self.fetch(index + 1)
        return x.cpu()


def by_hand(model: Prefetching) -> torch.Tensor:
    x = torch.ones(1, 16)
    for weight in model.held:
        x = torch.nn.functional.linear(x, weight)
    return x


@torch.no_grad()
def test_prefetching_that_waits_is_right() -> None:
    model = Prefetching()
    assert torch.equal(model(torch.ones(1, 16, device="vgpu")), by_hand(model))
    assert (vgpu.stats()["late"], vgpu.stats()["early_frees"]) == (4, 0)


@torch.no_grad()
def test_a_forgotten_wait_gives_nan() -> None:
    assert Prefetching(wait=False)(torch.ones(1, 16, device="vgpu")).isnan().all()


@torch.no_grad()
def test_a_forgotten_record_stream_is_counted() -> None:
    Prefetching(keep_until_used=False)(torch.ones(1, 16, device="vgpu"))
    assert vgpu.stats()["early_frees"] > 0


@torch.no_grad()
def test_without_the_delayed_mode_a_forgotten_wait_does_not_show() -> None:
    """Why the mode is there."""
    vgpu.set_delayed(False)
    model = Prefetching(wait=False)
    assert torch.equal(model(torch.ones(1, 16, device="vgpu")), by_hand(model))


@torch.no_grad()
def test_a_group_that_is_not_waited_for_gives_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """diffusers' own group offload, with its synchronizations taken out, to show that the tests above could fail."""

    class Hasty(torch.Stream):
        def synchronize(self) -> None:
            """Not waited."""

    monkeypatch.setattr(torch.vgpu, "Stream", Hasty)
    model = tiny_models.wan().transformer
    apply_group_offloading(
        model, torch.device("vgpu"), offload_type="leaf_level", use_stream=True, record_stream=True
    )
    for _ in range(2):
        result = model(**tiny_models.wan_inputs("vgpu"))[0].cpu()
    assert result.isnan().any()

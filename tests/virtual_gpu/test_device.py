"""The virtual GPU itself: where it must behave like a real card, and what it must count."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import headroom_vgpu as vgpu
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file


@pytest.fixture(autouse=True)
def counters() -> Iterator[None]:
    """Counters at zero before; nothing left on either device after."""
    vgpu.reset()
    yield
    assert [vgpu.stats(index)["live"] for index in range(2)] == [0, 0]


def test_tensors_are_plain() -> None:
    x = torch.randn(3, 4).to("vgpu")
    assert type(x) is torch.Tensor
    assert x.device == torch.device("vgpu", 0)
    assert x.is_vgpu
    with torch.device("vgpu"):
        assert torch.nn.Linear(2, 2).weight.device.type == "vgpu"
    with pytest.raises(TypeError, match=r"Use Tensor\.cpu"):
        x.numpy()


def test_modules_move_in_place() -> None:
    model = torch.nn.Linear(4, 4)
    weight = model.weight
    model.to("vgpu:1")
    assert model.weight is weight
    assert weight.device.index == copy.deepcopy(model).weight.device.index == 1
    weight.data = weight.data.cpu()
    assert weight.device.type == "cpu"
    weight.data = weight.data.to("vgpu", torch.float8_e4m3fn)
    assert (weight.device.index, weight.dtype) == (0, torch.float8_e4m3fn)


BINARY: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": lambda x, y: x + y,
    "matmul": lambda x, y: x @ y,
    "linear": F.linear,
    "cat": lambda x, y: torch.cat([x, y]),
    "where": lambda x, y: torch.where(x > 0, x, y),
    "layer_norm": lambda x, y: F.layer_norm(x, (4,), y[0]),
    "conv2d": lambda x, y: F.conv2d(x[None, None], y[None, None]),
    "embedding": lambda x, y: F.embedding(y.long(), x),
    "copy_": lambda x, y: x.copy_(y) + y,
}


@pytest.mark.parametrize("other", ["cpu", "vgpu:1"])
@pytest.mark.parametrize("op", BINARY.values(), ids=BINARY)
def test_devices_do_not_mix(op: Callable[..., torch.Tensor], other: str) -> None:
    x, y = torch.rand(4, 4, device="vgpu"), torch.rand(4, 4).to(other)
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        op(x, y)


def test_cpu_scalars_and_indices_mix() -> None:
    x = torch.rand(4, 4, device="vgpu")
    assert (x * torch.tensor(2.0)).device.type == x[torch.tensor([0, 1])].device.type == "vgpu"
    x[torch.tensor([0])] = 5.0
    assert x[0].tolist() == [5.0] * 4
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device"):
        x.cpu()[torch.tensor([0], device="vgpu")]


def test_copies_are_counted() -> None:
    x = torch.ones(256, dtype=torch.bfloat16).to("vgpu")
    y = x.to("vgpu:1").float()
    y.cpu()
    x[0].item()
    here, there = vgpu.stats(0), vgpu.stats(1)
    assert (here["h2d_n"], here["h2d_bytes"], here["d2h_n"], here["items"]) == (1, 512, 0, 1)
    assert (there["p2p_n"], there["p2p_bytes"], there["d2h_n"], there["d2h_bytes"]) == (1, 512, 1, 1024)


def test_attention_has_no_square_matrix() -> None:
    q = torch.randn(1, 4, 512, 16, device="vgpu")
    vgpu.reset()
    before = vgpu.stats()["live"]
    F.scaled_dot_product_attention(q, q, q)
    assert vgpu.stats()["peak"] - before < 2 * q.nbytes
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        F.scaled_dot_product_attention(q, q, q)
    assert vgpu.stats()["peak"] - before > 4 * 512 * 512 * 4


def test_same_numbers_as_the_cpu_with_gradients() -> None:
    torch.manual_seed(0)
    layers = torch.nn.Conv2d(3, 8, 3), torch.nn.GroupNorm(2, 8), torch.nn.SiLU(), torch.nn.Conv2d(8, 4, 1)
    net, x = torch.nn.Sequential(*layers), torch.randn(2, 3, 8, 8)
    net(x).square().sum().backward()
    expected = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    net.to("vgpu")(x.to("vgpu")).square().sum().backward()
    for a, p in zip(expected, net.parameters(), strict=True):
        torch.testing.assert_close(a, p.grad.cpu())


def test_a_seed_gives_what_it_gives_on_the_cpu() -> None:
    def on(device: str) -> torch.Tensor:
        return torch.randn(5, device=device, generator=torch.Generator(device).manual_seed(3)).cpu()

    assert torch.equal(on("vgpu"), on("cpu"))
    with pytest.raises(RuntimeError, match="device type for generator"):
        torch.randn(5, device="vgpu", generator=torch.Generator())


def test_the_global_seed_reaches_every_device() -> None:
    torch.manual_seed(1)
    first = torch.randn(5, device="vgpu").cpu()
    torch.vgpu.manual_seed_all(1)
    with torch.random.fork_rng(devices=[0], device_type="vgpu"):
        torch.randn(5, device="vgpu")
    assert torch.equal(first, torch.randn(5, device="vgpu").cpu())


def test_streams_and_events() -> None:
    start, end = torch.vgpu.Event(enable_timing=True), torch.vgpu.Event(enable_timing=True)
    stream, default = torch.vgpu.Stream(), torch.vgpu.current_stream()
    with torch.vgpu.stream(stream):
        assert torch.vgpu.current_stream() == stream != default
        start.record()
        y = torch.ones(1000).to("vgpu", non_blocking=True)
        y.record_stream(default)
    assert torch.vgpu.current_stream() == default
    default.wait_stream(stream)
    end.record()
    end.synchronize()
    assert end.query()
    assert stream.query()
    assert start.elapsed_time(end) >= 0


def test_pinned_memory_is_counted() -> None:
    x = torch.ones(1000).pin_memory()
    assert x.is_pinned()
    assert x[5:].is_pinned()
    assert not torch.ones(1).is_pinned()
    assert vgpu.stats()["pinned"] == 4000
    del x
    assert vgpu.stats()["pinned"] == 0


@pytest.mark.parametrize(("size", "charged"), [(4000, 4096), (4096, 4096), (4097, 8192), (1, 1)])
def test_pinned_blocks_are_rounded_up_where_the_switch_says_so(size: int, charged: int) -> None:
    """As CachingHostAllocator: to the next power of two; a block keeps its own figure when the switch changes."""
    exact = torch.ones(size, dtype=torch.uint8).pin_memory()
    vgpu.set_pinned_round(True)
    try:
        rounded = exact.clone().pin_memory()
    finally:
        vgpu.set_pinned_round(False)
    assert rounded.is_pinned()
    assert vgpu.stats()["pinned"] == size + charged == vgpu.stats()["pinned_peak"]
    del rounded
    assert vgpu.stats()["pinned"] == size
    del exact


def test_torch_files_load_to_any_device() -> None:
    state = {"a": torch.randn(3, device="vgpu"), "b": torch.randn(2, device="vgpu:1").bfloat16()}
    buffer = io.BytesIO()
    torch.save(state, buffer)
    expected = {None: ["vgpu:0", "vgpu:1"], "vgpu:1": ["vgpu:1"] * 2, "cpu": ["cpu"] * 2}
    for where, devices in expected.items():
        buffer.seek(0)
        assert [str(t.device) for t in torch.load(buffer, map_location=where).values()] == devices


def test_safetensors_load_to_any_device(tmp_path: Path) -> None:
    state = {"a": torch.randn(3, device="vgpu"), "b": torch.randn(2, device="vgpu:1").bfloat16()}
    save_file(state, tmp_path / "x.safetensors")
    loaded = load_file(tmp_path / "x.safetensors", device="vgpu:1")
    assert str(loaded["b"].device) == "vgpu:1"
    assert torch.equal(loaded["b"], state["b"])


def test_autocast() -> None:
    x, model = torch.rand(2, 4, device="vgpu"), torch.nn.Linear(4, 4).to("vgpu")
    with torch.autocast("vgpu", dtype=torch.bfloat16):
        y = model(x)
        assert y.dtype == torch.bfloat16
        assert y.softmax(-1).dtype == torch.float32


def test_fresh_memory_reads_as_nan() -> None:
    assert torch.empty(4, device="vgpu").isnan().all()


def test_torch_reports_it_as_the_accelerator() -> None:
    assert torch.accelerator.current_accelerator().type == "vgpu"
    assert torch.vgpu.device_count() == 2

"""Decoding on a server that the person named: the same picture as here, each fault in words, nothing without it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tiny_models
import torch
from diffusers import AutoencoderKL
from vae_server import VaeServer, serving

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.messages import Cancel, Cancelled, Failed, Finished, Run
from app.core.request import Task
from app.engine.remote_call import Patience
from app.engine.remote_vae import RemoteVae, stand_in
from app.media.clip import read_clip

Job = Callable[..., Run]


@pytest.fixture(scope="module")
def vae(demo_model: Path) -> Any:
    """The built-in model's own."""
    return AutoencoderKL.from_pretrained(demo_model / "vae").eval()


@pytest.fixture
def server(vae: Any) -> Iterator[VaeServer]:
    """A server with that VAE."""
    with serving(vae) as found:
        yield found


def pixels(ending: Any) -> Any:
    """What was written."""
    assert isinstance(ending, Finished), ending
    return torch.stack([torch.tensor(list(frame.tobytes())) for frame in read_clip(ending.files[0]).frames])


def test_a_server_gives_the_picture_that_is_made_here(
    engine: Any, job: Job, demo_model: Path, server: VaeServer
) -> None:
    here = engine.run(job("here", model=str(demo_model)))
    assert server.asked == []  # running, but not named
    there = engine.run(job("there", {"vae_endpoint": server.address}, model=str(demo_model)))
    assert torch.equal(pixels(here), pixels(there))
    assert [query["shape"] for query in server.asked] == [["1", "4", "8", "8"]]
    again = engine.run(job("again", model=str(demo_model)))
    assert "vae" in again.loaded  # it was not kept, nor loaded, beside the server
    assert len(server.asked) == 1


def test_a_picture_to_begin_from_is_encoded_there_too(
    engine: Any, job: Job, demo_model: Path, server: VaeServer
) -> None:
    first = engine.run(job("first", model=str(demo_model)))
    request = {"model": str(demo_model), "task": Task.IMAGE_TO_IMAGE.value, "strength": 0.9}
    media = {"image": str(first.files[0])}
    ending = engine.run(job("second", {"vae_endpoint": server.address}, **request, **media))
    assert isinstance(ending, Finished), ending
    assert [query["shape"] for query in server.asked] == [["1", "3", "64", "64"], ["1", "4", "8", "8"]]
    assert "output_type" not in server.asked[0]


FAULTS = {
    "error": (ErrorKind.REMOTE_REFUSED, "503"),
    "elsewhere": (ErrorKind.REMOTE_REFUSED, "302"),
    "garbage": (ErrorKind.REMOTE_NONSENSE, "not what such a server sends"),
    "endless": (ErrorKind.REMOTE_NONSENSE, "more than the picture"),
    "small": (ErrorKind.REMOTE_NONSENSE, "another size"),
    "nan": (ErrorKind.REMOTE_NONSENSE, "not numbers"),
    "cut": (ErrorKind.REMOTE_NONSENSE, "breaks off"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_a_server_is_named(server: VaeServer, vae: Any, fault: str) -> None:
    server.misbehave = fault
    kind, words = FAULTS[fault]
    with pytest.raises(AppError) as caught:
        remote(vae, server.address).decode(torch.zeros(1, 4, 8, 8))
    assert caught.value.kind is kind
    assert words in str(sentence(caught.value.problem))


def remote(vae: Any, address: str, silence: float = 20.0) -> RemoteVae:
    """A stand-in for it in front of a server."""
    patience = Patience(connect=5.0, silence=silence)
    return RemoteVae(vae.config, torch.float32, "cpu", address, patience)


def test_a_silent_server_is_given_up(server: VaeServer, vae: Any) -> None:
    server.misbehave = "silent"
    with pytest.raises(AppError) as caught:
        remote(vae, server.address, silence=0.2).decode(torch.zeros(1, 4, 8, 8))
    assert caught.value.kind is ErrorKind.REMOTE_SILENT


def test_an_address_where_nobody_listens_is_named_without_its_secrets(vae: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(AppError) as caught:
        remote(vae, f"http://user:secret@127.0.0.1:{port}/?key=secret").decode(torch.zeros(1, 4, 8, 8))
    assert caught.value.kind is ErrorKind.REMOTE_UNREACHABLE
    assert f"http://127.0.0.1:{port}" in str(sentence(caught.value.problem))
    assert "secret" not in str(caught.value)


def test_the_engine_says_what_the_server_did(
    engine: Any, job: Job, demo_model: Path, server: VaeServer
) -> None:
    server.misbehave = "error"
    ending = engine.run(job("job", {"vae_endpoint": server.address}, model=str(demo_model)))
    assert isinstance(ending, Failed)
    assert ending.problem.kind is ErrorKind.REMOTE_REFUSED
    server.misbehave = ""
    assert isinstance(
        engine.run(job("next", {"vae_endpoint": server.address}, model=str(demo_model))), Finished
    )


def test_a_job_that_waits_for_a_server_can_be_stopped(
    engine: Any, job: Job, demo_model: Path, server: VaeServer
) -> None:
    server.misbehave = "silent"
    engine.conn.send(job("job", {"vae_endpoint": server.address}, model=str(demo_model)))
    watching = threading.Thread(target=lambda: server.arrived.wait(120) and engine.conn.send(Cancel("job")))
    watching.start()
    assert isinstance(engine.until(Cancelled), Cancelled)
    watching.join()


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("flux", (1, 4, 6, 8)), ("cogvideox", (1, 4, 3, 8, 8)), ("wan", (1, 16, 3, 8, 8))],
)
def test_every_kind_of_latents_is_decoded_there_as_here(
    tmp_path: Path, kind: str, shape: tuple[int, ...]
) -> None:
    own = tiny_models.BUILDERS[kind]().vae
    own.save_pretrained(tmp_path / "vae")
    latents = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    with serving(own) as server, torch.no_grad():
        found = stand_in(type(own), str(tmp_path / "vae"), torch.float32, "cpu", server.address)
        there = found.decode(latents, return_dict=False)[0]
        here = own.decode(latents, return_dict=False)[0]
        assert torch.equal(there, here)
        assert found.encode(here).latents.shape == latents.shape

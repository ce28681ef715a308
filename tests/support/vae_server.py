"""A real HTTP server on loopback that decodes and encodes with a VAE, and misbehaves when told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import torch

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
PIECE = b"x" * 65536


@dataclass
class VaeServer:
    """What it does with a request, and what it was asked."""

    vae: Any
    misbehave: str = ""
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    address: str = ""
    arrived: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)

    def answer(self, query: dict[str, list[str]], body: bytes) -> torch.Tensor:
        """Pixels of latents, or latents of pixels where no output type is named."""
        shape = [int(side) for side in query["shape"]]
        given = torch.frombuffer(bytearray(body), dtype=_DTYPES[query["dtype"][0]]).reshape(shape)
        with torch.no_grad():
            if "output_type" in query:
                return self.vae.decode(given.to(self.vae.dtype), return_dict=False)[0]
            return self.vae.encode(given.to(self.vae.dtype)).latent_dist.mode()


@contextmanager
def serving(vae: Any) -> Iterator[VaeServer]:
    """The server on a free port while inside."""
    state = VaeServer(vae)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # http.server's name
            query = parse_qs(urlsplit(self.path).query)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.asked.append(query)
            state.arrived.set()
            with suppress(BrokenPipeError, ConnectionResetError):
                _respond(self, state, query, body)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False  # so that closing it joins them
    state.address = f"http://127.0.0.1:{server.server_address[1]}/vae"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _respond(handler: Any, state: VaeServer, query: dict[str, list[str]], body: bytes) -> None:
    match state.misbehave:
        case "silent":
            state.closing.wait(60)
            return
        case "error":
            handler.send_error(503, "overloaded")
            return
        case "elsewhere":
            handler.send_response(302)
            handler.send_header("Location", state.address + "/other")
            handler.end_headers()
            return
        case "garbage":
            _send(handler, b"<html>welcome</html>", {"Content-Type": "text/html"})
            return
        case "endless":
            handler.send_response(200)
            handler.end_headers()
            while not state.closing.is_set():
                handler.wfile.write(PIECE)
            return
    found = state.answer(query, body)
    if state.misbehave == "small":
        found = found[..., :-8]
    if state.misbehave == "nan":
        found[0, 0, 0, 0] = float("nan")
    data = found.contiguous().view(torch.uint8).numpy().tobytes()
    told = {
        "shape": json.dumps(list(found.shape)),
        "dtype": str(found.dtype).removeprefix("torch."),
        "Content-Length": str(len(data)),
    }
    _send(handler, data[:-100] if state.misbehave == "cut" else data, told)


def _send(handler: Any, data: bytes, headers: dict[str, str]) -> None:
    handler.send_response(200)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)

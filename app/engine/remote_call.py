"""One POST to a server that a person named, from a thread: with bounds on time and size, and stopped at once on cancel.

Not by diffusers' own helper: it waits for ever, reads any length, follows redirects elsewhere and cannot be stopped.
Knows nothing of tensors.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.core.errors import AppError, ErrorKind

LOOK_EVERY = 0.05
"""Seconds between looks whether the job was cancelled."""
_PIECE = 1 << 18
Check = Callable[[], None]


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds: until the server takes the connection, and between two signs of life (the first after it computed)."""

    connect: float = 15.0
    silence: float = 300.0


@dataclass(frozen=True)
class Answer:
    """A body of the wanted size at most, with the headers in small letters."""

    headers: Mapping[str, str]
    body: bytes


def post(
    address: str,
    query: Sequence[tuple[str, str]],
    data: bytes,
    limit: int,
    check: Check,
    patience: Patience,
) -> Answer:
    """The server's answer of at most ``limit`` bytes. Raises AppError, or whatever ``check`` raises."""
    call = _Call(address, query, data, limit, patience)
    thread = threading.Thread(target=call.run, name="remote-vae", daemon=True)
    thread.start()
    try:
        while not call.done.wait(LOOK_EVERY):
            check()
    except BaseException:
        call.stop()
        raise
    thread.join()
    if call.answer is None:
        raise _as_app_error(call.error, address, limit)
    return call.answer


class _TooLong(Exception):
    """More came than was asked for."""


class _Refused(Exception):
    """An HTTP status that is no success, with the beginning of what the server says."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}")
        self.status = status


@dataclass
class _Call:
    """The thread's side."""

    address: str
    query: Sequence[tuple[str, str]]
    data: bytes
    limit: int
    patience: Patience
    answer: Answer | None = None
    error: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)
    _socket: socket.socket | None = None
    _stopped: bool = False

    def run(self) -> None:
        """Ends in an answer or an error, never in an exception."""
        try:
            self.answer = self._post()
        except (OSError, http.client.HTTPException, ValueError, _TooLong, _Refused) as error:
            self.error = error
        finally:
            self.done.set()

    def stop(self) -> None:
        """Wakes the thread out of whatever it waits for; one that still connects ends by itself soon."""
        self._stopped = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _post(self) -> Answer:
        parts = urllib.parse.urlsplit(self.address)
        query = "&".join(text for text in (parts.query, urllib.parse.urlencode(self.query)) if text)
        target = urllib.parse.urlunsplit(("", "", parts.path or "/", query, ""))
        headers = {"Content-Type": "tensor/binary", "Accept": "tensor/binary", "User-Agent": "Headroom"}
        with contextlib.closing(_connection_to(parts, self.patience.connect)) as connection:
            connection.connect()
            self._socket = connection.sock  # the connection forgets it as soon as the answer begins
            if self._stopped:
                raise OSError("stopped")
            connection.sock.settimeout(self.patience.silence)
            connection.request("POST", target, self.data, headers)
            with connection.getresponse() as response:
                return self._answer(response)

    def _answer(self, response: http.client.HTTPResponse) -> Answer:
        if not 200 <= response.status < 300:
            raise _Refused(response.status, response.read(2000).decode("utf-8", "replace"))
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(found, self._body(response))

    def _body(self, response: http.client.HTTPResponse) -> bytes:
        found = bytearray()
        while piece := response.read1(_PIECE):
            found += piece
            if len(found) > self.limit:
                raise _TooLong
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return bytes(found)


def _connection_to(parts: urllib.parse.SplitResult, timeout: float) -> http.client.HTTPConnection:
    if parts.hostname is None:
        raise ValueError("no host")
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=context)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)


def host_of(address: str) -> str:
    """The part of an address that may be shown: it can hold a password or a key elsewhere."""
    parts = urllib.parse.urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _as_app_error(error: BaseException | None, address: str, limit: int) -> AppError:
    host, detail = host_of(address), f"{type(error).__name__}: {error}"
    if isinstance(error, _Refused):
        return AppError(ErrorKind.REMOTE_REFUSED, detail, address=host, status=error.status)
    if isinstance(error, _TooLong):
        return AppError(
            ErrorKind.REMOTE_NONSENSE, f"more than {limit} bytes", address=host, reason="too_long"
        )
    if isinstance(error, TimeoutError):
        return AppError(ErrorKind.REMOTE_SILENT, detail, address=host)
    if isinstance(error, http.client.HTTPException):
        return AppError(ErrorKind.REMOTE_NONSENSE, detail, address=host, reason="cut")
    return AppError(ErrorKind.REMOTE_UNREACHABLE, detail, address=host)

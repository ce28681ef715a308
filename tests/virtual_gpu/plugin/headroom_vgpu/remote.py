"""A side door into a process with the virtual GPU: tests read counters and set bounds of a running engine.

A daemon thread listens on ``FOLDER/PID.sock`` (VGPU_CONTROL names the folder) and runs ``controls``' functions.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

Commands = Mapping[str, Callable[..., Any]]


def serve(folder: Path, commands: Commands) -> None:
    """Start listening; the socket is there when this returns."""
    listener = Listener(str(_socket(folder, os.getpid())), family="AF_UNIX")
    threading.Thread(target=_accept, args=(listener, commands), name="vgpu-remote", daemon=True).start()


class Remote:
    """The other end: ``remote("stats", 0)`` runs ``stats(0)`` over there and gives its result."""

    def __init__(self, folder: Path, pid: int) -> None:
        self._connection = Client(str(_socket(folder, pid)), family="AF_UNIX")

    def __call__(self, command: str, *args: Any) -> Any:
        self._connection.send((command, args))
        problem, result = self._connection.recv()
        if problem:
            raise RuntimeError(f"vgpu {command}{args}: {problem}")
        return result

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def _socket(folder: Path, pid: int) -> Path:
    return folder / f"{pid}.sock"


def _accept(listener: Listener, commands: Commands) -> None:
    while True:
        connection = listener.accept()
        threading.Thread(target=_answer, args=(connection, commands), name="vgpu-remote", daemon=True).start()


def _answer(connection: Connection, commands: Commands) -> None:
    while True:
        try:
            command, args = connection.recv()
        except (EOFError, OSError):
            return
        try:
            reply = ("", commands[command](*args))
        except (RuntimeError, ValueError, TypeError, KeyError) as error:
            reply = (f"{type(error).__name__}: {error}", None)
        connection.send(reply)

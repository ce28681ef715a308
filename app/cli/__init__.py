"""The command line: the same engine, plans and history as the window, without Qt. English only."""

from app.cli.main import main

__all__ = ["main"]

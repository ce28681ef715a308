"""The program's entry: without arguments the window, with arguments the command line. Nothing heavy at import:
the spawned engine process imports this module again."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    multiprocessing.freeze_support()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments and _is_console_program():
        arguments = ["--help"]
    try:
        return _command_line(arguments) if arguments else _window()
    except KeyboardInterrupt:  # while it still loads; later the command line and the window see to it
        return 130


def _is_console_program() -> bool:
    """Whether this is the bundle's headroom-cli, which opens no window."""
    return getattr(sys, "frozen", False) and Path(sys.executable).stem == "headroom-cli"


def _command_line(arguments: list[str]) -> int:
    from app.cli import main as command_line

    return command_line(arguments)


def _window() -> int:
    try:
        from app.ui.app import main as window
    except ImportError as error:
        from app.cli.console import Console
        from app.core.errors import AppError, ErrorKind

        console = Console()
        console.problem(
            AppError(ErrorKind.PACKAGE_MISSING, str(error), package=error.name or "PySide6").problem
        )
        console.note("The command line works without a window: headroom --help")
        return 4
    return window()


if __name__ == "__main__":
    sys.exit(main())

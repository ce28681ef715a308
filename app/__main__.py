"""The program's entry: without arguments the window, with arguments the command line. Nothing heavy at import:
the spawned engine process imports this module again."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:  # while it still loads; later the command line and the window see to it
        if sys.stderr is not None:
            print("Stopped.", file=sys.stderr)
        return 130


def _run(arguments: list[str]) -> int:
    import multiprocessing  # not above: Ctrl-C while it loads would show where in Python it struck

    multiprocessing.freeze_support()
    if not arguments and _is_console_program():
        arguments = ["--help"]
    return _command_line(arguments) if arguments else _window()


def _is_console_program() -> bool:
    """Whether this is the bundle's headroom-cli, which opens no window."""
    from pathlib import Path

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

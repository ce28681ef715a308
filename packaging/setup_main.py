"""The command line of packaging/run.py: what is wanted, then the environment, then Headroom itself.

Decides nothing about packages (setup_venv, setup_torch) and knows nothing of Headroom but `python -m app`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import setup_torch
from setup_base import MISSING, Place, Problem, clean_environment, project, say
from setup_qt import check_libraries, check_screen
from setup_tests import run_tests
from setup_venv import Wish, ensure

USAGE = f"""\
Sets Headroom up in .venv, once, and runs it.

  python3 packaging/run.py                             open the window
  python3 packaging/run.py generate "a red circle" --out circle.png
                                                       any command: generate, resume, plan, models, doctor
  python3 packaging/run.py generate --help             the options of one of them
  python3 packaging/run.py test [pytest's arguments]   run the tests
  python3 packaging/run.py --setup-only                set up and stop

Options, before anything else:
  --torch {"|".join(setup_torch.KINDS)}   the build of PyTorch, instead of the one that fits this machine
  --extra NAME                 install an extra of pyproject.toml as well (test, bundle)
"""


@dataclass
class Asked:
    """The options of run.py itself, and the rest of the command line."""

    torch: str = ""
    extras: set[str] = field(default_factory=set)
    setup_only: bool = False
    help: bool = False
    rest: list[str] = field(default_factory=list)


def parse(argv: Sequence[str]) -> Asked:
    """Read the options that stand before the first word; everything from there on is not run.py's."""
    asked, left = Asked(), list(argv)
    while left and left[0].startswith("-"):
        name, equals, value = left.pop(0).partition("=")
        if name in ("-h", "--help"):
            asked.help = True
        elif name == "--setup-only":
            asked.setup_only = True
        elif name in ("--torch", "--extra"):
            if not equals and not left:
                raise Problem(f"{name} needs a value.\n\n{USAGE}", 2)
            value = value if equals else left.pop(0)
            if name == "--torch" and value not in setup_torch.KINDS:
                raise Problem(f"--torch is one of {', '.join(setup_torch.KINDS)}, not {value!r}.", 2)
            asked.torch = value if name == "--torch" else asked.torch
            asked.extras |= {value} if name == "--extra" else set()
        else:
            raise Problem(f"There is no option {name}.\n\n{USAGE}", 2)
    asked.rest = left
    if left[:1] == ["test"]:
        asked.extras.add("test")
    return asked


def main(argv: Sequence[str]) -> int:
    """Run; a problem becomes a sentence and an exit code."""
    try:
        return run(parse(argv), project())
    except Problem as problem:
        say(problem.sentence)
        return problem.code
    except KeyboardInterrupt:
        say("\nStopped. Run the same command again to go on.")
        return 130


def run(asked: Asked, place: Place) -> int:
    """Set up, then start what was asked for."""
    if asked.help:
        print(USAGE)
        return 0
    check_machine()
    window = not asked.rest and not asked.setup_only
    if window:
        check_screen()
    ensure(place, Wish(asked.torch, frozenset(asked.extras)))
    if asked.setup_only:
        return 0
    testing = asked.rest[:1] == ["test"]
    if window or testing:
        check_libraries(place)
    if testing:
        return run_tests(place, asked.rest[1:])
    return start([str(place.python), "-s", "-P", "-m", "app", *asked.rest])


def check_machine() -> None:
    """What no set-up can mend."""
    if sys.maxsize < 2**32:
        raise Problem(
            "This is a 32-bit Python, and PyTorch needs a 64-bit one. Install that and run this with it.",
            MISSING,
        )


def start(command: list[str]) -> int:
    """Become Headroom; on Windows, which cannot, wait for it and end as it ends."""
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(command[0], command, clean_environment())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for Headroom; its exit code comes back here
    return subprocess.run(command, env=clean_environment(), check=False).returncode

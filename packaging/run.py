#!/usr/bin/env python3
"""Set Headroom up in .venv and run it, or set it up and run its tests.

Standard library only. This file must parse on Python 3.6, so that an old Python ends with a sentence and not
with a traceback; everything newer stands in the setup_*.py files beside it, imported after the check.
"""

import sys
from pathlib import Path

OLDEST = (3, 11)


def newer_python() -> str:
    """A command on this machine that runs a Python new enough, or nothing."""
    import subprocess

    check = "import sys; sys.exit(sys.version_info < {!r})".format(OLDEST)  # noqa: UP032
    for minor in range(14, OLDEST[1] - 1, -1):
        name = "python3.{}".format(minor)  # noqa: UP032
        try:
            if subprocess.call([name, "-c", check], stderr=subprocess.DEVNULL) == 0:
                return name
        except OSError:
            continue
    return ""


def too_old() -> str:
    """The sentence for a Python that is too old; it names a newer one when there is one."""
    versions = OLDEST + sys.version_info[:2]
    text = "Headroom needs Python {}.{} or newer, and this is Python {}.{}. ".format(*versions)
    found = newer_python()
    if found:
        return text + "A newer one is installed here, so run: {} packaging/run.py".format(found)  # noqa: UP032
    return text + "Install a newer one (https://www.python.org/downloads/) and run this again with it."


def main(argv: list) -> int:
    """Check the Python, then hand over to setup_main."""
    if sys.version_info < OLDEST:
        print(too_old(), file=sys.stderr)
        return 3
    here = str(Path(__file__).resolve().parent)
    sys.path.insert(0, here)
    try:
        import setup_main
    finally:
        # This folder has a library's name and files with everyday names: nothing else may be found in it.
        sys.path[:] = [entry for entry in sys.path if entry != here]
    return setup_main.main(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Log files of engines: one per process, the last few kept. Knows nothing of their contents."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
import time
from pathlib import Path

KEPT = 8


def new_log(folder: Path) -> Path:
    """The path of a new engine's log, in ``folder``; older ones beyond the last few are removed.

    Where nothing can be written the system's temporary folder serves: an engine must start on a full disk too.
    """
    try:
        return _new_log(folder)
    except OSError:
        return _new_log(Path(tempfile.gettempdir()) / "headroom-logs")


def _new_log(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob("engine-*.log"))[: -(KEPT - 1)]:
        with contextlib.suppress(OSError):
            old.unlink()
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in itertools.count():
        path = folder / f"engine-{stamp}-{number:02}.log"
        try:
            path.open("x").close()
        except FileExistsError:
            continue
        return path
    raise AssertionError("unreachable")

"""Where the program's own files lie: in the source tree, in an installed wheel, or in a frozen build."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def resources_root() -> Path:
    """The folder with ``presets``, ``style``, ``i18n``, ``icons`` and ``demo-models``."""
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        return Path(frozen) / "resources"
    app = Path(__file__).resolve().parent.parent
    if find_spec("app._resources") is not None:
        return app / "_resources"
    return app.parent / "resources"

"""Where the program's own data files lie: beside the source, in the installed package, or in the bundle."""

from __future__ import annotations

import sys
from pathlib import Path

import app


def resources_root() -> Path:
    """The folder with ``presets``, ``demo-models``, ``i18n`` … Raises RuntimeError when it is nowhere."""
    package = Path(app.__file__).resolve().parent
    places = [package / "_resources", package.parent / "resources"]
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle:
        places = [Path(bundle) / "resources", Path(bundle) / "app" / "_resources", *places]
    for place in places:
        if place.is_dir():
            return place
    raise RuntimeError(f"resources are in none of {', '.join(map(str, places))}")

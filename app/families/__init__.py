"""One module per model family: a declaration on top, callables below that import torch only when called.

Nothing outside a family's own file may name it; ``all_families`` finds them by walking this package. Modules whose
name begins with an underscore hold what several families share.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from app.core.family import Family


def all_families() -> Mapping[str, Family]:
    """Family id → Family. Raises RuntimeError when none is found: a frozen build that forgot to collect them."""
    names = sorted(
        module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")
    )
    found = [importlib.import_module(f"{__name__}.{name}").FAMILY for name in names]
    if not found:
        raise RuntimeError("no model families were found: the program was packed without app.families")
    return {family.id: family for family in found}

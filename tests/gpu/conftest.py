"""The measuring script's modules are found by their names, as they are when it runs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

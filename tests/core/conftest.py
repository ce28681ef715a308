"""What plans are made of in these tests: models, machines and requests by their numbers (``planning.py``)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def given(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("planning", root / "tests" / "core" / "planning.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

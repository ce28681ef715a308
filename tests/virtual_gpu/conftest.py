"""The virtual GPU in this process and on the path of the processes that tests spawn; nothing is skipped silently.

These tests run in a pytest process of their own (``pytest tests/virtual_gpu``): one device type per process.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Spawned children take over sys.path, so this is also how an engine finds the device.
sys.path.insert(0, str(Path(__file__).parent / "plugin"))


def pytest_configure() -> None:
    """Build the device and register it here; without a compiler the run ends with the reason in one sentence."""
    try:
        import torch  # noqa: F401 (first: it loads the plugin by itself)
        from headroom_vgpu import install

        install(devices=2)
    except RuntimeError as error:
        raise pytest.UsageError(str(error.__cause__ or error)) from error

"""Says when something that tests know of diffusers is no longer so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def still_happens(trap: int) -> Iterator[None]:
    """What shows a trap of diffusers; when it fails in any way, upstream has changed and the program may need less."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:  # the latter where nothing raised that should
        raise AssertionError(
            f"upstream has changed: D{trap} no longer happens, or differently ({type(error).__name__}: {error})"
        ) from error

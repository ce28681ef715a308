"""The sources are formatted, linted and typed; the settings stand in pyproject.toml."""

from __future__ import annotations

import pytest


def test_ruff_finds_nothing(python):
    done = python("-m", "ruff", "check", "--output-format", "concise", ".")
    assert done.returncode == 0, done.stdout


def test_ruff_format_changes_nothing(python):
    done = python("-m", "ruff", "format", "--check", "--output-format", "concise", ".")
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_mypy_finds_nothing(python):
    done = python("-m", "mypy")
    assert done.returncode == 0, done.stdout

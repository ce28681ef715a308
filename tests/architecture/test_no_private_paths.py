"""Nothing that is only true on one machine stands in the sources: no paths of a checkout, no package mirrors."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

INDEXES = {"pypi.org", "files.pythonhosted.org", "download.pytorch.org", "127.0.0.1"}
SYSTEM = "bin dev etc home lib media mnt opt proc root run srv sys tmp usr var"
SHARED = {"/", *(f"/{name}" for name in SYSTEM.split())}
"""Folders that every machine has: a checkout right in one of them betrays nothing."""
OPTIONS = re.compile(
    r"(?:--(?:extra-)?index-url|--find-links|PIP_\w*(?:INDEX_URL|FIND_LINKS)\w*)[\s=\"',]+(\S+)"
)
ADDRESS = re.compile(r"https?://([\w.-]+)(?::\d+)?(/[^\s\"'<>)]*)?")
NOBODY = "user|me|you|name|somebody|anna|runner"
HOME = re.compile(rf"(?:/home/|/Users/|[A-Z]:\\\\?Users\\\\?)(?!(?:{NOBODY})\b)[a-z]\w+", re.IGNORECASE)


@pytest.fixture(scope="module")
def texts(root: Path) -> dict[Path, str]:
    """Every text file that the project keeps, this one left out."""
    found = {}
    for path in kept(root):
        data = path.read_bytes() if path.is_file() and path != Path(__file__) else b"\0"
        if b"\0" not in data[:8192]:
            found[path.relative_to(root)] = data.decode("utf-8", "replace")
    assert Path("pyproject.toml") in found
    return found


def kept(root: Path) -> Iterator[Path]:
    """The tracked files; in a copy without git, the project's own folders."""
    if (root / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True
        ).stdout
        yield from (root / name for name in listed.split("\0") if name)
        return
    yield from (path for path in root.iterdir() if path.is_file())
    for folder in ("app", "resources", "tests", "packaging", ".ci"):
        yield from (root / folder).rglob("*")


def test_no_path_of_this_checkout(texts, root):
    places = {str(folder) for folder in (root, root.parent)} - SHARED
    words = re.compile("|".join(rf"(?<![\w./-]){re.escape(place)}(?:/|\b)" for place in sorted(places)))
    assert not offences(texts, words)


def test_no_path_of_somebodys_home(texts):
    assert not offences(texts, HOME)


def test_no_package_index_but_the_public_ones(texts):
    found = []
    for path, text in texts.items():
        for match in ADDRESS.finditer(text):
            host, rest = match.group(1), match.group(2) or ""
            if host not in INDEXES and re.search(r"/simple\b|/whl\b|/wheels\b", rest):
                found.append(f"{path}: {match.group()}")
        for match in OPTIONS.finditer(text):
            host = ADDRESS.match(match.group(1))
            if re.match(r"https?://|file:|/", match.group(1)) and (not host or host.group(1) not in INDEXES):
                found.append(f"{path}: {match.group()}")
    assert not found


def offences(texts: dict[Path, str], pattern: re.Pattern[str]) -> list[str]:
    """The lines that match, with their place."""
    return [
        f"{path}:{number}: {line.strip()[:120]}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]

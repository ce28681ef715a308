"""No model family is named outside its own file: a new family is one new file, and nothing else knows it."""

from __future__ import annotations

import re
from pathlib import Path

from app.families import all_families


def own_files(root: Path, sources: list[Path]) -> dict[str, Path]:
    """Family id → the file that declares it."""
    folder = root / "app" / "families"
    files = {path: path.read_text(encoding="utf-8") for path in sources if path.parent == folder}
    return {
        name: path
        for name in all_families()
        for path, text in files.items()
        if re.search(rf"\bid=[\"']{name}[\"']", text)
    }


def test_every_family_is_declared_in_one_file(root, sources):
    assert set(own_files(root, sources)) == set(all_families())


def test_no_family_is_named_elsewhere(root, sources):
    offences = []
    for name, own in own_files(root, sources).items():
        word = re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", re.IGNORECASE)
        for path in sources:
            if path == own:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if word.search(line):
                    offences.append(f"{path.relative_to(root)}:{number}: {name}: {line.strip()}")
    assert not offences, "\n".join(offences)

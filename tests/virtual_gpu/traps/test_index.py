"""Every trap has a bare reproduction, which the table names, and a test that the program cannot fall into it."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
NUMBERS = list(range(1, 30))


def test_every_trap_has_a_bare_test_and_a_row() -> None:
    rows = re.findall(
        r"^\| D(\d+) \|.*\| `(\w+)` \| (.*) \|$", (HERE / "README.md").read_text(), re.MULTILINE
    )
    assert [int(number) for number, _, _ in rows] == NUMBERS
    told = {
        (f"test_{file}_bare.py", name) for _, file, names in rows for name in re.findall(r"`(\w+)`", names)
    }
    written = {
        (file.name, name)
        for file in HERE.glob("test_*_bare.py")
        for name in re.findall(r"^def (test_d\d+_bare_\w+)", file.read_text(), re.MULTILINE)
    }
    assert told == written


def test_every_trap_has_a_test_of_the_program(root: Path) -> None:
    files = [file for file in (root / "tests").rglob("test_*.py") if not file.name.endswith("_bare.py")]
    names = [
        name
        for file in files
        for name in re.findall(r"^def test_(d\d+_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted({int(name[1:].partition("_")[0]) for name in names}) == NUMBERS

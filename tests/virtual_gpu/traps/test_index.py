"""The README's table of traps and the tests are the same list, without a gap."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_every_trap_has_a_bare_test_and_a_row() -> None:
    rows = re.findall(
        r"^\| D(\d+) \|.*\| `(\w+)` \| (.*) \|$", (HERE / "README.md").read_text(), re.MULTILINE
    )
    assert [int(number) for number, _, _ in rows] == list(range(1, 30))
    told = {
        (f"test_{file}_bare.py", name) for _, file, names in rows for name in re.findall(r"`(\w+)`", names)
    }
    written = {
        (file.name, name)
        for file in HERE.glob("test_*_bare.py")
        for name in re.findall(r"^def (test_d\d+_bare_\w+)", file.read_text(), re.MULTILINE)
    }
    assert told == written

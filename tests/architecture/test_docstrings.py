"""Every module says what it is, files stay short, and functions too."""

from __future__ import annotations

import ast
from pathlib import Path

LONGEST_FILE = 400
LONGEST_FUNCTION = 35


def test_every_module_says_what_it_is(sources, root):
    silent = [
        str(path.relative_to(root))
        for path in sources
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_no_file_is_too_long(sources, root):
    scripts = [*(root / "packaging").glob("*.py"), *(root / "tests").rglob("*.py")]
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in [*sources, *scripts]}
    assert not {str(path.relative_to(root)): n for path, n in lengths.items() if n > LONGEST_FILE}


def test_functions_are_short(sources, root):
    lengths = sorted(length for path in sources for length in function_lengths(path))
    assert lengths
    longest = lengths[int(len(lengths) * 0.95)]
    assert longest <= LONGEST_FUNCTION, f"95 % of the functions have up to {longest} lines"


def function_lengths(path: Path) -> list[int]:
    """Lines of each function, its docstring included."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        node.end_lineno - node.lineno + 1 for node in nodes if isinstance(node, kinds) and node.end_lineno
    ]

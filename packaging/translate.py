#!/usr/bin/env python3
"""Keeps translations in step with the program: ``update`` collects sentences, ``release`` compiles, ``check`` tests.

Needs PySide6's tools (``pyside6-lupdate``, ``pyside6-lrelease``). Sentences are those of ``self.tr("…")``,
``QCoreApplication.translate("Context", "…")`` and ``say("core", "…")``; the last is ours, see ``app/core/text.py``.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "i18n"
LANGUAGES = {"en": True, "es": False, "pt_BR": False}
"""Language → whether only its plural forms are needed: English is the source."""
CALLS = {"say": 0, "translate": 0, "tr": -1}
"""Name of a marking call → place of its context argument; -1: the class around it."""


@dataclass(frozen=True)
class Message:
    """One sentence of a .ts file."""

    context: str
    source: str
    forms: tuple[str, ...]
    plural: bool
    state: str
    """Empty when translated, else ``unfinished``, ``vanished`` or ``obsolete``."""


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["update", "release", "check"])
    action = parser.parse_args().action
    if action == "update":
        for language in LANGUAGES:
            collect(FOLDER / f"headroom_{language}.ts", language)
    if action == "release":
        for language in LANGUAGES:
            compile_messages(FOLDER / f"headroom_{language}.ts", FOLDER / f"headroom_{language}.qm")
    if action == "check":
        faults = list(find_faults())
        print("\n".join(faults) if faults else "All translations are complete.")
        return 1 if faults else 0
    return 0


def collect(target: Path, language: str) -> None:
    """Brings one .ts file in step with the sentences of the program; what is gone is dropped."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "app").rglob("*.py"))
    flags = ["-tr-function-alias", "translate+=say", "-no-obsolete", "-locations", "none"]
    flags += ["-source-language", "en", "-target-language", language]
    flags += ["-pluralonly"] if LANGUAGES[language] else []
    _run("lupdate", *flags, *sources, "-ts", str(target))


def compile_messages(source: Path, target: Path) -> None:
    """A .ts file as the .qm that the program reads."""
    _run("lrelease", str(source), "-qm", str(target))


def read(path: Path) -> list[Message]:
    """The sentences of a .ts file."""
    found = []
    for context in ElementTree.parse(path).getroot().iter("context"):
        name = context.findtext("name") or ""
        for message in context.iter("message"):
            found.append(_message(name, message))
    return found


def find_faults() -> Iterator[str]:
    """Everything that keeps a person from reading a sentence in their language."""
    found = set(find_marked())
    marked = {pair for pair in found if pair[0]}
    yield from sorted(f"no context (outside a class use translate): {source}" for _, source in found - marked)
    for language, plural_only in LANGUAGES.items():
        ts = FOLDER / f"headroom_{language}.ts"
        messages = read(ts)
        known = {(message.context, message.source) for message in messages}
        if not plural_only:
            for context, source in sorted(marked - known):
                yield f"{ts.name}: not collected (run update): {context}: {source}"
        for context, source in sorted(known - marked):
            yield f"{ts.name}: no longer in the program (run update): {context}: {source}"
        for message in messages:
            yield from (f"{ts.name}: {fault}: {message.source}" for fault in _faults_of(message))
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder) / "fresh.qm"
            compile_messages(ts, fresh)
            qm = ts.with_suffix(".qm")
            if not qm.is_file() or qm.read_bytes() != fresh.read_bytes():
                yield f"{qm.name}: not compiled from {ts.name} as it is now (run release)"


def find_marked() -> Iterator[tuple[str, str]]:
    """(context, sentence) of every marking call, found by Python's own parser: lupdate silently skips some forms."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from _marked_in(tree, "")


def _marked_in(node: ast.AST, around: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, ast.ClassDef) else around
        if isinstance(child, ast.Call):
            found = _marked_call(child, inside)
            if found is not None:
                yield found
        yield from _marked_in(child, inside)


def _marked_call(call: ast.Call, around: str) -> tuple[str, str] | None:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in CALLS or (name == "say" and isinstance(call.func, ast.Attribute)):
        return None  # methods named say are something else
    texts = [arg.value if isinstance(arg, ast.Constant) else None for arg in call.args]
    if CALLS[name] < 0:
        texts.insert(0, around)
    if len(texts) > 1 and isinstance(texts[0], str) and isinstance(texts[1], str):
        return texts[0], texts[1]
    # Only the program's own translator may take a sentence from a variable.
    return None if name == "translate" else ("", f"not a plain text: {ast.unparse(call)[:80]}")


def _message(context: str, element: ElementTree.Element) -> Message:
    translation = element.find("translation")
    plural = element.get("numerus") == "yes"
    if translation is None:
        forms: tuple[str, ...] = ()
    elif plural:
        forms = tuple(form.text or "" for form in translation.iter("numerusform"))
    else:
        forms = (translation.text or "",)
    state = "" if translation is None else translation.get("type", "")
    return Message(context, element.findtext("source") or "", forms, plural, state)


def _faults_of(message: Message) -> Iterator[str]:
    if message.state or not message.forms or not all(message.forms):
        yield message.state or "not translated"
        return
    for form in message.forms:
        if _places(form) != _places(message.source):
            yield f"other places than the source ({form})"
        # One form may leave the number out in words, but only the first.
        if message.plural and "%n" in message.source and "%n" not in form and form is not message.forms[0]:
            yield f"the number is missing ({form})"
        if form != form.strip() and message.source == message.source.strip():
            yield f"blanks around it ({form})"
        if message.source.endswith(("…", ":")) and form[-1:] != message.source[-1:]:
            yield f"another ending ({form})"


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _run(tool: str, *arguments: str) -> None:
    beside = Path(sys.executable).parent / f"pyside6-{tool}"
    program = str(beside) if beside.exists() else shutil.which(f"pyside6-{tool}")
    if program is None:
        raise SystemExit(f"pyside6-{tool} was not found: install PySide6-Essentials.")
    done = subprocess.run([program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"pyside6-{tool} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())

"""Every sentence is collected, translated with the same places, compiled; a run of the tool says what is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def run_check(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "packaging" / "translate.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_spanish_and_portuguese_are_complete_and_compiled(root: Path) -> None:
    done = run_check(root, "check")
    assert done.returncode == 0, done.stdout + done.stderr


# What must be found: a program of one sentence, its translation, and the fault.
FAULTS = {
    "unfinished": ('<translation type="unfinished"></translation>', "unfinished"),
    "empty": ("<translation></translation>", "not translated"),
    "place": ("<translation>Quedan {size} libres</translation>", "other places"),
    "blank": ("<translation>Quedan {free} libres </translation>", "blanks"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_found(root: Path, tmp_path: Path, case: str) -> None:
    translation, fault = FAULTS[case]
    copy_with(root, tmp_path, 'A = say("core", "{free} are left")\n', translation)
    done = run_check(tmp_path, "check")
    assert done.returncode == 1
    assert fault in done.stdout


def test_a_sentence_that_the_collector_would_miss_is_found(root: Path, tmp_path: Path) -> None:
    code = 'A = say("core", "{free} are left")\nB = say("core", "%n file(s)", n=3)\n'
    copy_with(root, tmp_path, code, "<translation>Quedan {free}</translation>")
    done = run_check(tmp_path, "check")
    assert "not collected (run update): core: %n file(s)" in done.stdout


@pytest.mark.parametrize("code", ["B = say('core', f'{1} left')", "B = say('core', NAME)", "B = tr('left')"])
def test_what_cannot_be_collected_is_found(root: Path, tmp_path: Path, code: str) -> None:
    sentence = 'A = say("core", "{free} are left")\n'
    copy_with(root, tmp_path, f"{sentence}{code}\n", "<translation>Quedan {free}</translation>")
    assert "no context" in run_check(tmp_path, "check").stdout


def test_a_compiled_file_that_is_behind_is_found(root: Path, tmp_path: Path) -> None:
    copy_with(
        root, tmp_path, 'A = say("core", "{free} are left")\n', "<translation>Quedan {free}</translation>"
    )
    assert run_check(tmp_path, "release").returncode == 0
    assert run_check(tmp_path, "check").returncode == 0
    ts = tmp_path / "resources" / "i18n" / "headroom_es.ts"
    ts.write_text(ts.read_text(encoding="utf-8").replace("Quedan", "Hay"), encoding="utf-8")
    assert "headroom_es.qm: not compiled" in run_check(tmp_path, "check").stdout


def copy_with(root: Path, folder: Path, code: str, translation: str) -> None:
    """A small project: the tool itself, one module, translations with one sentence."""
    for part in ("app", "packaging", "resources/i18n"):
        (folder / part).mkdir(parents=True)
    tool = (root / "packaging" / "translate.py").read_text(encoding="utf-8")
    (folder / "packaging" / "translate.py").write_text(tool, encoding="utf-8")
    (folder / "app" / "one.py").write_text(code, encoding="utf-8")
    message = f"<message><source>{{free}} are left</source>{translation}</message>"
    for language, inside in (("en", ""), ("es", message), ("pt_BR", message)):
        context = f"<context><name>core</name>{inside}</context>" if inside else ""
        start = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'
        text = f'{start}<TS version="2.1" language="{language}">{context}</TS>\n'
        (folder / "resources" / "i18n" / f"headroom_{language}.ts").write_text(text, encoding="utf-8")

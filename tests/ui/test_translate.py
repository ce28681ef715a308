"""Sentences in the person's language: choice of the language, facts, plurals, and that all of it fits its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from app.core.errors import ErrorKind, Problem
from app.core.text import Text, say
from app.core.units import GIB
from app.store.library import default_model
from app.ui.translate import (
    BUILT_IN,
    LANGUAGES,
    language_for,
    model_name,
    size_words,
    words,
)

SHARE = say("core", "Its log is at {log}.")
FIELD = say("core", "The value {value} for {name} cannot be used.")


def many(n: int) -> Text:
    return say("core", "%n picture(s)", "", n)


def test_english_is_the_source() -> None:
    assert words(SHARE.of(log="/x")) == "Its log is at /x."
    assert (words(many(1)), words(many(3))) == ("1 picture", "3 pictures")
    assert words(Text("")) == ""


def test_facts_are_put_in_and_nested_sentences_translated(speak: Callable[[str], object]) -> None:
    speak("es")
    sentence = FIELD.of(value=3, name=say("core", "steps"))
    assert words(sentence) == "El valor 3 de pasos no se puede usar."
    speak("pt_BR")
    assert words(sentence) == "O valor 3 de passos não pode ser usado."


def test_what_a_person_wrote_is_not_taken_for_a_place(speak: Callable[[str], object]) -> None:
    speak("es")
    assert words(SHARE.of(log="{name} %n %1 <b>")) == "Su registro está en {name} %n %1 <b>."


def test_plurals_of_widgets_in_each_language(speak: Callable[[str], object]) -> None:
    expected = {
        "en": ("1 picture done", "2 pictures done"),
        "es": ("1 imagen terminada", "2 imágenes terminadas"),
        "pt_BR": ("1 imagem pronta", "2 imagens prontas"),
    }
    for language, (one, two) in expected.items():
        speak(language)
        said = [QApplication.translate("JobDesk", "%n picture(s) done", None, n) for n in (1, 2)]
        assert said == [one, two]


@pytest.mark.parametrize(
    ("locale", "language"),
    [("es_MX", "es"), ("es_ES", "es"), ("pt_BR", "pt_BR"), ("pt_PT", "pt_BR"), ("de_DE", "en"), ("C", "en")],
)
def test_the_system_s_language_if_it_is_complete_here(locale: str, language: str) -> None:
    assert language_for("system", QLocale(locale)) == language
    assert language_for("", QLocale(locale)) == language


def test_a_chosen_language_wins_and_an_unknown_one_is_the_system_s() -> None:
    assert language_for("pt_BR", QLocale("es_ES")) == "pt_BR"
    assert language_for("xx", QLocale("es_ES")) == "es"


def test_changing_the_language_leaves_no_old_translator(
    qapp: QApplication, speak: Callable[[str], object], qtbot: Any
) -> None:
    speak("es")
    speak("en")
    assert words(SHARE.of(log="/x")) == "Its log is at /x."


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_fits_its_place_in_the_smallest_window(
    studio: Any, qtbot: Any, speak: Callable[[str], object], language: str
) -> None:
    speak(language)
    studio.open()
    window = studio.window
    window.resize(window.minimumSize())
    window.memory.fold.set_opened(True)
    window.prompt.set_negative_open(True)
    window.show_queue(True)
    window.errors.show_problem(Problem(ErrorKind.ENGINE_KEEPS_DYING, (("log", "/x"),)), studio.link.log_path)
    qtbot.waitExposed(window)
    for _ in range(3):  # wrapped text says the height it needs once it has its width
        QApplication.processEvents()
    assert [fault for widget in visible(window) for fault in faults_of(widget)] == []


def visible(window: QWidget) -> list[QWidget]:
    return [widget for widget in window.findChildren(QWidget) if widget.isVisibleTo(window)]


def faults_of(widget: QWidget) -> list[str]:
    """What of a widget's text is cut off; a text that is cut on purpose is whole in its tooltip."""
    if isinstance(widget, QLabel) and widget.text() and not widget.toolTip():
        wide = widget.wordWrap() or widget.sizeHint().width() <= widget.width()
        high = widget.heightForWidth(widget.width()) if widget.wordWrap() else widget.sizeHint().height()
        return [] if wide and high <= widget.height() + 1 else [f"{widget.text()!r} in {widget.size()}"]
    if isinstance(widget, QAbstractButton) and widget.text():
        enough = widget.sizeHint().width() <= widget.width()
        return [] if enough else [f"{widget.text()!r}: {widget.sizeHint().width()} in {widget.width()}"]
    return []


def test_sizes_have_the_languages_own_decimal_point(speak: Callable[[str], object]) -> None:
    speak("en")
    assert size_words(int(9.4 * GIB)) == "9.4 GiB"
    for language in ("es", "pt_BR"):
        speak(language)
        assert size_words(int(9.4 * GIB)) == "9,4 GiB"
        assert "9,4 GiB" in words(say("core", "{size} more").of(size="9.4 GiB"))
        assert "model 1.5" in words(SHARE.of(log="model 1.5"))


def test_the_built_in_models_name_is_translated_and_no_other(speak: Callable[[str], object]) -> None:
    model = default_model()
    assert model is not None
    assert json.loads((model / "headroom.json").read_text(encoding="utf-8"))["name"] == BUILT_IN.source
    speak("es")
    assert model_name(BUILT_IN.source) == "Formas (incluido)"
    assert model_name("Another") == "Another"

"""Turns Text values into the person's language, through Qt's translators. English's file holds only plurals."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.core.text import Text, plural_source, say
from app.core.units import gib
from app.store.resources import resources_root

LANGUAGES = {"en": "English", "es": "Español", "pt_BR": "Português (Brasil)"}
"""The languages that are complete, by locale name, each in its own words."""


BUILT_IN = say("core", "Shapes (built in)")
_SIZE = re.compile(r"[\d.]+( / [\d.]+)? [MG]iB")


def words(text: Text) -> str:
    """The sentence in the language in force, its facts put in (nested Texts too)."""
    if not text.source:
        return ""
    count = -1 if text.n is None else text.n
    found = QCoreApplication.translate(text.context, text.source, None, count)
    # Qt puts %n in by itself; without a translation, English has to choose between one and many.
    counted = str(text.n) if text.n is not None else ""
    if found in (text.source, text.source.replace("%n", counted)):
        found = plural_source(text.source, text.n)
    return text.render(
        found, write=lambda value: words(value) if isinstance(value, Text) else local(str(value))
    )


def local(text: str) -> str:
    """A size such as ``9.4 GiB`` with the decimal point of the person's language; anything else as it is."""
    return text.replace(".", QLocale().decimalPoint()) if _SIZE.fullmatch(text) else text


def size_words(size: int) -> str:
    """Bytes as people read them."""
    return local(gib(size))


def model_name(name: str) -> str:
    """The built-in model's name is ours, so it is translated; all others are their makers'."""
    return words(BUILT_IN) if name == BUILT_IN.source else name


def language_for(setting: str, locale: QLocale | None = None) -> str:
    """The language to use for ``system`` or a name of LANGUAGES: the system's if complete here, else English."""
    if setting in LANGUAGES:
        return setting
    for name in (locale or QLocale.system()).uiLanguages():
        start = name.replace("-", "_").split("_")[0]
        match = next((known for known in LANGUAGES if known.split("_")[0] == start), None)
        if match:
            return match
    return "en"


def install_translators(app: QCoreApplication, setting: str = "system") -> str:
    """Puts the language's translators on the application, before any widget is made; answers the language.

    Texts already on screen stay as they are: a change in the settings shows after the next start.
    """
    language = language_for(setting)
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    QLocale.setDefault(QLocale.system() if setting not in LANGUAGES else QLocale(language))
    qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    for name, folder in (
        (f"qtbase_{language}", qt_folder),
        (f"headroom_{language}", str(resources_root() / "i18n")),
    ):
        translator = QTranslator(app)
        if translator.load(name, folder):
            app.installTranslator(translator)
    return language

"""Sentences for people as data: an English source, its facts, and a mark that Qt's lupdate finds.

This module does not translate; the window does (``ui.translate``), the command line prints the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Text:
    """A sentence: ``source`` with ``{named}`` places, filled from ``facts`` (themselves plain values or Texts)."""

    source: str
    facts: tuple[tuple[str, Any], ...] = ()
    n: int | None = None
    context: str = "core"

    def of(self, **facts: Any) -> Text:
        """The same sentence with its places filled."""
        merged = dict(self.facts) | facts
        return Text(self.source, tuple(sorted(merged.items())), self.n, self.context)

    def render(self, translated: str, write: Any = str) -> str:
        """``translated`` (the source in some language) with the facts put in; ``write`` renders every text in it."""
        values = {key: write(value) if isinstance(value, Text | str) else value for key, value in self.facts}
        counted = translated.replace("%n", str(self.n)) if self.n is not None else translated
        return counted.format_map(_Facts(values)) if self.facts else counted

    def __str__(self) -> str:
        return self.render(plural_source(self.source, self.n))


class _Facts(dict[str, Any]):
    """A missing fact shows as its own name: a sentence for people must not raise."""

    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def say(context: str, source: str, comment: str = "", n: int | None = None) -> Text:
    """Marks ``source`` for translation (lupdate knows ``say`` as an alias of translate) and makes a Text.

    ``comment`` is for translators; ``n`` chooses the plural form and stands where the source has ``%n``.
    """
    return Text(source, (), n, context)


def plural_source(source: str, n: int | None) -> str:
    """English for a source such as ``%n picture(s)`` without a translator: drops or keeps the ``(s)``."""
    if n is None:
        return source
    return source.replace("(s)", "" if n == 1 else "s")


def facts_of(mapping: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """A mapping as the sorted pairs that a frozen value can hold."""
    return tuple(sorted(mapping.items()))

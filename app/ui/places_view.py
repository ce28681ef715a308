"""Where the parts of a model lie, read only: as the plan says, and as the engine reported of the last run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.core.model_file import ComponentInfo
from app.core.places import device_words, places
from app.core.plan import Plan
from app.core.text import Text
from app.ui import labels
from app.ui.translate import words
from app.ui.widgets import column

MANY = 8
"""From so many modules on, those of one part on one device are told as one line."""
Pairs = tuple[tuple[str, str], ...]


class PlacesView(QWidget):
    """Two short tables of name and place; the second only once a model was placed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: Plan | None = None
        self._parts: Sequence[ComponentInfo] = ()
        self._placed: Pairs = ()
        self._planned_table, self._placed_table = QWidget(), QWidget()
        self._last = labels.soft(self.tr("In the last run, as the engine found it:"))
        self._none = labels.soft(self.tr("Known once a model is chosen and the engine is up."))
        layout = column(self, spacing=8)
        for part in (self._none, self._planned_table, self._last, self._placed_table):
            layout.addWidget(part)
        for table in (self._planned_table, self._placed_table):
            grid = QGridLayout(table)
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setHorizontalSpacing(8)
            grid.setVerticalSpacing(4)
            grid.setColumnStretch(1, 1)
        self._show()

    def set_plan(self, plan: Plan | None) -> None:
        """The plan in force; None while there is none."""
        if plan != self._plan:
            self._plan = plan
            self._show()

    def set_parts(self, parts: Sequence[ComponentInfo]) -> None:
        """The chosen model's parts."""
        if parts != self._parts:
            self._parts = parts
            self._show()

    def set_placed(self, pairs: Pairs) -> None:
        """What the engine reported; empty: nothing is loaded."""
        if pairs != self._placed:
            self._placed = pairs
            self._show()

    def lines(self) -> list[tuple[str, str]]:
        """All that is shown, for tests and for those who hear it."""
        return [*self._planned(), *self._found()]

    def _planned(self) -> list[tuple[str, str]]:
        if self._plan is None:
            return []
        return [(self._called(name), words(place)) for name, place in places(self._plan, self._parts)]

    def _found(self) -> list[tuple[str, str]]:
        return [(self._called(name), words(place)) for name, place in gathered(self._placed)]

    def _called(self, name: str) -> str:
        """A whole part by what it is; a module inside one by its name."""
        part = next((part for part in self._parts if part.name == name), None)
        return words(part.label) if part is not None else name

    def _show(self) -> None:
        planned, found = self._planned(), self._found()
        self._none.setVisible(not planned)
        self._last.setVisible(bool(found))
        for table, lines in ((self._planned_table, planned), (self._placed_table, found)):
            table.setVisible(bool(lines))
            _fill(table, lines)


def gathered(pairs: Pairs) -> list[tuple[str, Text]]:
    """The pairs in words; of a part that is split into many modules, one line for each place."""
    parts: dict[str, list[tuple[str, str]]] = {}
    for name, place in pairs:
        parts.setdefault(name.partition(".")[0], []).append((name, place))
    found: list[tuple[str, Text]] = []
    for part, lines in parts.items():
        if len(lines) <= MANY:
            found += [(name, device_words(place)) for name, place in lines]
            continue
        held = [place for _, place in lines]
        found += [(f"{part} ({held.count(place)})", device_words(place)) for place in dict.fromkeys(held)]
    return found


def _fill(table: QWidget, lines: Sequence[tuple[str, str]]) -> None:
    grid = table.layout()
    assert isinstance(grid, QGridLayout)
    while (item := grid.takeAt(0)) is not None:
        old = item.widget()
        if old is not None:
            old.hide()
            old.deleteLater()
    for row, (name, place) in enumerate(lines):
        grid.addWidget(labels.soft(name, wrap=False), row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(labels.soft(place), row, 1, Qt.AlignmentFlag.AlignTop)

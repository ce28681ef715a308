"""The Qt binding itself: PySide6 6.12.0 lost a reference to None at each call on Python 3.11, until it aborted."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject


def test_a_call_of_qt_keeps_its_references_to_none() -> None:
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(1000):
        thing.setObjectName("x")
    assert sys.getrefcount(None) > before - 500

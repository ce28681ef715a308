"""The memory panel's states for ``screenshots.py``: all settings open, several GPUs, the two tables.

Must not be imported by the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any


def _memory(stage: Any) -> None:
    """The whole panel with all of its settings, as tall as they are."""
    stage.open()
    _tall(stage)


def _tall(stage: Any) -> None:
    from PySide6.QtWidgets import QScrollArea

    panel = stage.window.memory
    panel.fold.set_opened(True)
    stage.settle(1.5)
    inside = panel.findChild(QScrollArea).widget()
    stage.window.resize(1440, 300 + inside.sizeHint().height())
    stage.show(inside)


def _several(stage: Any) -> None:
    """Two cards, each with a limit, groups offloaded, what cannot apply said, and where it all lies."""
    _with_parts(stage)
    session = stage.program.session
    values = replace(
        session.memory, max_memory="cuda:0=10GiB,cuda:1=100%,cpu=24GiB", offload="group_block",
        component=(("vae.device", "cuda:1"), ("vae.offload", "none")), storage="fp8_e4m3", vae_tiling="on",
    )  # fmt: skip
    session.set_memory(values, "fits")
    stage.window.memory.places_fold.set_opened(True)
    _tall(stage)


def _device_map(stage: Any) -> None:
    _with_parts(stage)
    session = stage.program.session
    places = '{"unet": "cuda:0", "vae": "cuda:1", "text_encoder": "cpu"}'
    session.set_memory(replace(session.memory, spread="custom", device_map=places), "fits")
    stage.settle(1.5)
    stage.show(stage.window.memory.forms[1].row("device_map").editor.open())


def _single_parts(stage: Any) -> None:
    _with_parts(stage)
    editor = stage.window.memory.forms[1].row("component").editor
    editor.set_value((("vae.device", "cuda:1"),))
    stage.show(editor.open())


def _with_parts(stage: Any) -> None:
    stage.open(ready=False)
    stage.ready(cards=2)
    stage.until(lambda: stage.program.session.decision is not None)


MEMORY_STATES: dict[str, Callable[[Any], None]] = {
    "memory": _memory,
    "several-gpus": _several,
    "device-map": _device_map,
    "single-parts": _single_parts,
}

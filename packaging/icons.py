#!/usr/bin/env python3
"""Draws the icon files from ``resources/icons/headroom.svg``, and the small marks of the style sheet.

Needs PySide6 and Pillow: ``python packaging/icons.py``. The results are committed; a build needs none of this.
"""

from __future__ import annotations

import json
import os
import sys
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
CHEVRON_DOWN = "M2.5 4.5 L6 8 L9.5 4.5"
CHEVRON_UP = "M2.5 7.5 L6 4 L9.5 7.5"
CHECK = "M2.5 6.3 L5 8.8 L9.5 3.5"


def main() -> int:
    """Writes PNGs, .ico and .icns beside the drawing, and the marks beside the style sheet."""
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT / "packaging"]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    application = QGuiApplication(sys.argv[:1])
    drawing = (ROOT / "resources" / "icons" / "headroom.svg").read_bytes()
    _write_icons(drawing, ROOT / "resources" / "icons")
    _write_marks(ROOT / "resources" / "style")
    application.quit()
    return 0


def _write_icons(drawing: bytes, folder: Path) -> None:
    from PIL import Image

    pictures = {}
    for size in SIZES:
        data = render(drawing, size)
        (folder / f"headroom-{size}.png").write_bytes(data)
        pictures[size] = Image.open(BytesIO(data)).convert("RGBA")
    small = [pictures[size] for size in SIZES if size < 256]
    pictures[256].save(
        folder / "headroom.ico", sizes=[(s, s) for s in SIZES if s <= 256], append_images=small
    )
    pictures[512].save(folder / "headroom.icns", append_images=[pictures[s] for s in (16, 32, 64, 128, 256)])


def _write_marks(folder: Path) -> None:
    colours = json.loads((folder / "tokens.json").read_text(encoding="utf-8"))
    marks = {
        # One grey is legible on the controls of both themes.
        "down": (CHEVRON_DOWN, "#7c8794"),
        "up": (CHEVRON_UP, "#7c8794"),
        "check-light": (CHECK, colours["light"]["on_accent"]),
        "check-dark": (CHECK, colours["dark"]["on_accent"]),
    }
    for name, (path, colour) in marks.items():
        stroke = f'stroke="{colour}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"'
        start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 12 12">'
        svg = f'{start}<path d="{path}" fill="none" {stroke}/></svg>'
        for scale, suffix in ((1, ""), (2, "@2x"), (3, "@3x")):
            (folder / f"{name}{suffix}.png").write_bytes(render(svg.encode(), 12 * scale))


def render(svg: bytes, size: int) -> bytes:
    """The drawing as a square PNG."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(QByteArray(svg)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


if __name__ == "__main__":
    sys.exit(main())

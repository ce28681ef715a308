"""Texts in picture files, whatever the format keeps them in: PNG chunks or EXIF. No meaning here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # Pillow is slow to load, and the window's start needs none of it
    from PIL import Image

_EXIF_IFD, _MAKER_NOTE, _USER_COMMENT = 0x8769, 0x927C, 0x9286
_OURS = b"headroom\0"
_KEY = "headroom"
EXIF_MAX = 65_000
"""Bytes of EXIF that a JPEG holds, less its frame."""


def texts_of(picture: Image.Image) -> dict[str, str]:
    """All texts of an opened picture by their key; EXIF's user comment counts as ``parameters``."""
    texts = {
        key: value for key, value in picture.info.items() if isinstance(key, str) and isinstance(value, str)
    }
    if "exif" in picture.info or picture.format in ("JPEG", "WEBP", "TIFF"):
        texts |= _exif_texts(picture)
    return {key: str(value) for key, value in texts.items()}


def exif_of(parameters: str, ours: str, limit: int | None) -> bytes:
    """EXIF with both texts; where a format has room for ``limit`` bytes, ours goes first, then the end."""
    encoded = parameters.encode("utf-16-be", "replace")
    for note in (ours, ""):
        data = _exif_bytes(encoded, note)
        if limit is None or len(data) <= limit:
            return data
    return _exif_bytes(encoded[: (limit or 0) // 2 * 2 - 200], "")


def _exif_bytes(comment: bytes, note: str) -> bytes:
    from PIL import Image

    exif = Image.Exif()
    inner: dict[int, Any] = {_USER_COMMENT: b"UNICODE\0" + comment}
    if note:
        inner[_MAKER_NOTE] = _OURS + note.encode("utf-8", "replace")
    exif[_EXIF_IFD] = inner
    return exif.tobytes()


def _exif_texts(picture: Image.Image) -> dict[str, str]:
    try:
        exif = picture.getexif()
        inner = exif.get_ifd(_EXIF_IFD)
    except (OSError, ValueError, SyntaxError, TypeError, KeyError, IndexError):  # a damaged block
        return {}
    texts: dict[str, str] = {}
    comment = inner.get(_USER_COMMENT) or exif.get(_USER_COMMENT)
    if isinstance(comment, bytes | str):
        texts["parameters"] = decode_comment(comment)
    note = inner.get(_MAKER_NOTE)
    if isinstance(note, bytes) and note.startswith(_OURS):
        texts[_KEY] = note[len(_OURS) :].decode("utf-8", "replace")
    return texts


def decode_comment(comment: bytes | str) -> str:
    """A user comment as text. Programs write UTF-16 of either order or UTF-8 behind any of three marks."""
    if isinstance(comment, str):
        comment = comment.encode("latin-1", "replace")
    body = comment[8:] if comment[:8] in (b"UNICODE\0", b"ASCII\0\0\0", b"\0" * 8) else comment
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace").rstrip("\0")
    if comment[:8] == b"UNICODE\0" and b"\0" in body:
        # of Latin text every other byte is 0: the high one. Text without any is told by line ends and blanks
        odd, even = body[1::2].count(0), body[0::2].count(0)
        return body.decode("utf-16-le" if odd > even else "utf-16-be", "replace").rstrip("\0")
    try:
        return body.decode("utf-8").rstrip("\0")
    except UnicodeDecodeError:
        return body.decode("utf-16-be" if comment[:8] == b"UNICODE\0" else "latin-1", "replace").rstrip("\0")

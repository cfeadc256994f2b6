"""What the bytes of a file are, for showing: text, or bytes with a guess at their kind and a preview.

Pure functions, no Qt; call off the GUI thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inspector import format
from inspector.json_text import indented, looks_like_json
from inspector.models.shown_text import ShownText, shown

PREVIEW = 4_096
"""Bytes shown of what is no text."""

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or an office document)"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\x00", "xz-compressed data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard-compressed data"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"OggS", "Ogg media"),
    (b"ID3", "an MP3 recording"),
    (b"\xd0\xcf\x11\xe0", "an older office document"),
    (b"\xff\xfe", "text in UTF-16, little-endian"),
    (b"\xfe\xff", "text in UTF-16, big-endian"),
)


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it can be shown."""

    text: str
    """The text itself, or the preview of its bytes."""
    note: str = ""
    """Why it isn't shown as text; empty for text."""
    json: bool = False
    """Worth offering to indent."""

    @property
    def is_text(self) -> bool:
        """Whether ``text`` is the file's own text."""
        return not self.note


@dataclass(frozen=True, slots=True)
class Laid:
    """A content made ready to draw."""

    content: Content
    text: ShownText
    offset: int
    """Where the reader was in an earlier state of the same file."""


def read_laid(read: Callable[[str, str], bytes], thread_id: str, path: str, indent: bool, offset: int = 0) -> Laid:
    """Read a file of a thread and make it ready to draw."""
    return lay_out(content_of(path, read(thread_id, path)), indent, offset)


def lay_out(content: Content, indent: bool, offset: int = 0) -> Laid:
    """Make a content ready to draw, JSON indented where that is wanted."""
    text = (indented(content.text) if indent and content.json else None) or content.text
    return Laid(content, shown(text), min(offset, len(text)))


def content_of(path: str, data: bytes) -> Content:
    """Text where the bytes are UTF-8, else a preview with the reason."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Content(hex_preview(data), not_text(data, error))
    return Content(text, json=looks_like_json(path, text))


def not_text(data: bytes, error: UnicodeDecodeError) -> str:
    """In words: where the first byte stands that is not UTF-8, and what the bytes probably are."""
    shown = f" The first {format.exact(PREVIEW)} of {format.exact(len(data))} bytes are shown."
    return (
        f"Not UTF-8: byte {format.exact(error.start)} is 0x{data[error.start]:02x}. "
        f"It looks like {guess(data)}.{shown if len(data) > PREVIEW else ''}"
    )


def guess(data: bytes) -> str:
    """What bytes probably are, from how they begin."""
    for magic, name in _MAGIC:
        if data.startswith(magic):
            return name
    if data[:4] == b"RIFF" and len(data) >= 12:
        return {b"WEBP": "a WebP picture", b"WAVE": "a WAV recording"}.get(data[8:12], "RIFF media")
    if data[4:8] == b"ftyp":
        return "MP4 media"
    sample = data[:PREVIEW]
    odd = sum(byte < 9 or 13 < byte < 32 for byte in sample)
    return "text in another encoding, such as Latin-1" if not odd else "binary data of an unknown kind"


def hex_preview(data: bytes) -> str:
    """Offset, sixteen bytes and their ASCII characters a line."""
    lines = []
    for at in range(0, min(len(data), PREVIEW), 16):
        row = data[at : at + 16]
        left, right = row[:8].hex(" "), row[8:].hex(" ")
        plain = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in row)
        lines.append(f"{at:08x}  {left:<23}  {right:<23}  {plain}")
    return "\n".join(lines)

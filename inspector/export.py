"""Saving a copy of something shown to a file that the user named. No Qt; call off the GUI thread."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

_LONGEST = 120
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def safe_name(path: str, fallback: str = "file") -> str:
    """A file name to suggest for ``path``: its last part, harmless on every system.

    No folder, no leading dot or dash, no control, direction or reserved character, no device name.
    """
    name = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    name = "".join("_" if _unsafe(ch) else ch for ch in unicodedata.normalize("NFC", name))
    name = name.strip(" .").lstrip("-~")
    if not name.strip("_"):
        return fallback
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    stem, dot, ending = name.rpartition(".")
    if len(name) > _LONGEST:
        ending = f".{ending}" if dot and stem and len(ending) <= 10 else ""
        name = name[: _LONGEST - len(ending)].rstrip(" .") + ending
    return name


def save_copy(target: str | Path, data: bytes) -> Path:
    """Write ``data`` whole or not at all. Raises ``InspectorError`` with the reason."""
    file = Path(target)
    part = file.with_name(f".{file.name[:80]}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        from engine.errors import InspectorError

        raise InspectorError(f"The copy could not be written to {file}: {error.strerror or error}.") from error
    return file


def copy_file(read: Callable[[str, str], bytes], thread_id: str, path: str, target: str) -> str:
    """Save a copy of a thread's file; the name of the copy."""
    return str(save_copy(target, read(thread_id, path)))


def _unsafe(ch: str) -> bool:
    return ch in '<>:"/\\|?*%\0' or unicodedata.category(ch) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")

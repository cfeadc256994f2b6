"""Where an SQLite file is damaged: the first page of a tree that is none, found by walking the pages themselves.

SQLite says only that something is malformed, and its own checks give up at such a page.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

_INNER = {2, 5}
_LEAVES = {10, 13}
_MOST = 2_000_000  # pages looked at


def damaged_page(file: Path, roots: Iterable[int]) -> int | None:
    """Number of a page that these trees need and that is not there or is no page; None where all are."""
    with file.open("rb") as data:
        header = data.read(100)
        size = struct.unpack(">H", header[16:18])[0]
        size = 65536 if size == 1 else size
        waiting, seen = list(roots), set[int]()
        while waiting and size >= 512 and len(seen) < _MOST:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            data.seek((number - 1) * size)
            page = data.read(size)
            start = 100 if number == 1 else 0
            if len(page) < size or page[start] not in _INNER | _LEAVES:
                return number
            if page[start] in _INNER:
                waiting += reversed(_children(page, start))
    return None


def _children(page: bytes, start: int) -> list[int]:
    """Pages under an inner one, in the order of their keys."""
    cells, last = struct.unpack(">H", page[start + 3 : start + 5])[0], page[start + 8 : start + 12]
    pointers = struct.unpack_from(f">{min(cells, len(page) // 2 - start - 6)}H", page, start + 12)
    inner = [page[at : at + 4] for at in pointers if at + 4 <= len(page)]
    return [struct.unpack(">I", child)[0] for child in (*inner, last)]

"""How bodies are made smaller in the record, and read back.

With zstandard where it is installed; a program that is recorded in its own environment may not have it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

PLAIN, ZSTD, ZLIB = 0, 1, 2
"""In ``parts.packed``: how a body is stored."""


def packer() -> tuple[int, Callable[[bytes], bytes]]:
    """The best way that is at hand, and its function."""
    try:
        import zstandard
    except ImportError:
        return ZLIB, lambda body: zlib.compress(body, 6)
    # zstd's level 3 halves what zlib's fastest leaves, at a fraction of its time.
    return ZSTD, zstandard.ZstdCompressor(level=3).compress


def unpack(how: int, body: bytes) -> bytes:
    """A stored body as it was. Raises ``ValueError`` with a reason where that can't be."""
    if how == PLAIN:
        return bytes(body)
    if how == ZLIB:
        try:
            return zlib.decompress(body)
        except zlib.error as error:
            raise ValueError(str(error)) from error
    if how != ZSTD:
        raise ValueError(f"it is packed in an unknown way ({how})")
    try:
        import zstandard
    except ImportError as error:
        raise ValueError("reading it needs the package zstandard") from error
    try:
        return zstandard.decompress(body)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error

"""Parts and lists of a stranger's threads in memory: each piece once, each list a path in a tree.

The same shape as the record's tables (``parts``, ``chain``), so that what reads a record can
read these. Ids are handed out as pieces come; they mean nothing outside this process.
"""

from __future__ import annotations

import hashlib
from typing import Any

from engine.canonical import from_json, to_json
from engine.errors import InspectorError
from engine.packing import PLAIN, packer, unpack
from engine.trace.book import Recent
from engine.trace.model import Piece

_PACK_FROM = 1_000  # bytes
SIZED = ("human", "ai", "tool", "summary", "system", "other")
"""Kinds whose tokens a node adds up, in this order."""


class Shelf:
    """Pieces and chains. Adding is for one thread at a time; reading for any."""

    def __init__(self) -> None:
        self._ids: dict[bytes, int] = {}
        self._pieces: list[Piece] = []
        self._bodies: list[bytes] = []
        self._packed: list[int] = []
        self._how, self._pack = packer()
        self._nodes: dict[tuple[int, int], int] = {}
        self._parent: list[int] = [0]
        self._part: list[int] = [0]
        self._chars: list[int] = [0]
        self._tokens: list[tuple[int, ...]] = [(0,) * len(SIZED)]
        self._paths: Recent[int, tuple[Piece, ...]] = Recent(400_000, len)
        self._values: Recent[int, bytes] = Recent(32_000_000, len)

    def part(self, kind: str, value: Any, chars: int = 0, tokens: int = 0) -> int:
        """Id of a piece, kept if it is new."""
        body = to_json(value)
        digest = hashlib.blake2b(body, digest_size=16, person=kind.encode()[:16]).digest()
        known = self._ids.get(digest)
        if known is None:
            known = self._ids[digest] = len(self._pieces) + 1
            long = len(body) >= _PACK_FROM
            self._bodies.append(self._pack(body) if long else body)
            self._packed.append(self._how if long else PLAIN)
            self._pieces.append((known, kind, chars, tokens))
        return known

    def piece(self, part: int) -> Piece:
        """Sizes of a part."""
        return self._pieces[part - 1]

    def value(self, part: int) -> Any:
        """The JSON value of a part."""
        if not 0 < part <= len(self._pieces):
            raise InspectorError(f"There is no part {part}; it belonged to another opening of this file.")
        return from_json(self._values.get(part, lambda: unpack(self._packed[part - 1], self._bodies[part - 1])))

    def node(self, parent: int, part: int) -> int:
        """Id of the list that is ``parent`` and this part."""
        known = self._nodes.get((parent, part))
        if known is None:
            known = self._nodes[parent, part] = len(self._parent)
            _, kind, chars, tokens = self._pieces[part - 1]
            self._parent.append(parent)
            self._part.append(part)
            self._chars.append(self._chars[parent] + chars)
            place = SIZED.index(kind) if kind in SIZED else len(SIZED) - 1
            sizes = self._tokens[parent]
            self._tokens.append((*sizes[:place], sizes[place] + tokens, *sizes[place + 1 :]))
        return known

    def chars(self, node: int) -> int:
        """Characters of text in a list."""
        return self._chars[node]

    def sizes(self, node: int) -> dict[str, int]:
        """Tokens of a list by kind, those that are there."""
        return {kind: tokens for kind, tokens in zip(SIZED, self._tokens[node], strict=True) if tokens}

    def path(self, node: int) -> tuple[Piece, ...]:
        """Pieces of a list, in order."""
        return self._paths.get(node, lambda: self._walk(node)) if node else ()

    def _walk(self, node: int) -> tuple[Piece, ...]:
        found = []
        while node:
            found.append(self._pieces[self._part[node] - 1])
            node = self._parent[node]
        return tuple(reversed(found))

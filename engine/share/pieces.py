"""The pieces that a document tells of: each part, list and origin once, numbered in the order of their use."""

from __future__ import annotations

import json
import math
from typing import Any

from engine.canonical import to_json
from engine.errors import InspectorError
from engine.masking import Masker
from engine.trace.book import Book


class Pieces:
    """Parts, nodes and origins of a record, by numbers that count from 1. Secrets are masked on the way."""

    def __init__(self, book: Book, masker: Masker) -> None:
        self._book, self._masker = book, masker
        self.parts: list[dict[str, Any]] = []
        """As the document tells them; so the others."""
        self.nodes: list[list[int]] = []
        self.origins: list[Any] = []
        self._part_numbers: dict[int, int] = {}
        self._node_numbers: dict[int, int] = {}
        self._origin_numbers: dict[int, int] = {}

    def part(self, part: int | None) -> int | None:
        """Number of a part, told when it is first used."""
        if part is None:
            return None
        if part not in self._part_numbers:
            (piece,) = self._book.pieces([part]).values()
            body = self._book.body(part)
            told: dict[str, Any] = {"kind": piece[1], "chars": piece[2], "tokens": piece[3]}
            value = json.loads(body.decode("utf-8", "surrogatepass"))
            if _finite(value) and to_json(value) == body:
                told["value"] = self._masker.value(value)
            else:  # numbers that JSON has no word for, or a text that was not written by us
                told["text"] = self._text(body.decode("utf-8", "surrogatepass"), value)
            self.parts.append(told)
            self._part_numbers[part] = len(self.parts)
        return self._part_numbers[part]

    def _text(self, text: str, value: Any) -> str:
        """JSON text, exactly, unless there is a secret in it: then the text of what is left."""
        before = self._masker.counts.total()
        masked = self._masker.value(value)
        if self._masker.counts.total() == before:
            return text
        return to_json(masked).decode("utf-8", "surrogatepass")

    def node(self, node: int) -> int:
        """Number of the node that a list ends in; 0 for an empty list. Its ancestors are told before it."""
        new: list[tuple[int, int]] = []
        at = node
        while at and at not in self._node_numbers:
            row = self._book.one("SELECT parent, part FROM chain WHERE id = ?", (at,))
            if row is None:
                raise InspectorError(f"The record of this thread is damaged: the list node {at} is missing.")
            new.append((at, row[1]))
            at = row[0]
        above = self._node_numbers[at] if at else 0
        for id, part in reversed(new):
            self.nodes.append([above, self.part(part) or 0])
            above = self._node_numbers[id] = len(self.nodes)
        return above

    def origin(self, part: int | None) -> int | None:
        """Number of what says who contributed; its layers name nodes and parts of the document."""
        if part is None:
            return None
        if part not in self._origin_numbers:
            origin = self._book.value(part)
            if origin.get("layers"):
                origin = origin | {"layers": [self._layer(layer) for layer in origin["layers"]]}
            self.origins.append(self._masker.value(origin))
            self._origin_numbers[part] = len(self.origins)
        return self._origin_numbers[part]

    def _layer(self, layer: dict[str, Any]) -> dict[str, Any]:
        told = dict(layer)
        for name in ("system", "tools", "messages"):
            if isinstance(told.get(name), int):
                told[name] = self.node(told[name])
            elif name in told:
                base, *differing = told[name]
                told[name] = [base, *([at, self.part(part)] for at, part in differing)]
        return told


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    return all(map(_finite, value)) if isinstance(value, list) else True

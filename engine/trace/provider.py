"""The Provider area as it is shown: parameters, where cache markers stand, and what went over the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.trace.book import Book
from engine.trace.model import PartRow
from engine.wire.markers import langchain_markers, message_of, wire_markers
from engine.wire.model import CacheMarker
from engine.wire.read import LateWire, attempts, marked_items

_LAST = 8
"""Messages looked at for LangChain's own markers: integrations put them on the last ones, and keep some older."""


def provider_of(
    book: Book,
    request_id: int,
    params: Mapping[str, Any],
    system: Sequence[PartRow],
    tools: Sequence[PartRow],
    messages: Sequence[PartRow],
) -> dict[str, Any]:
    """The recorded parameters, with ``cache_markers`` and ``wire`` (None: nothing was sent, or nobody listened).

    A marker is ``{"area", "index", "marker", "place", "source"}``, plus ``block`` inside a message and
    ``in`` for the whole request. They are those that were sent where the wire was recorded.
    """
    tries = attempts(book, request_id)
    last = next((attempt for attempt in reversed(tries) if attempt.has_body), None)
    source = "langchain" if last is None else "wire"
    if last is None:
        markers = langchain_markers(
            [book.value(row.part) for row in system],
            [book.value(row.part) for row in tools],
            [(row.index, book.value(row.part)) for row in messages[-_LAST:]],
            params,
        )
    else:
        shell, items = marked_items(book, last.id)
        markers = wire_markers(shell, items, lambda block: message_of(block, _from_the_end(book, messages)))
    wire = LateWire(book, request_id, len(tries)) if tries else None
    return {**params, "cache_markers": [_shape(marker, source) for marker in markers], "wire": wire}


def _from_the_end(book: Book, messages: Sequence[PartRow]) -> Iterator[tuple[int, Any]]:
    for row in reversed(messages):
        yield row.index, book.value(row.part)


def _shape(marker: CacheMarker, source: str) -> dict[str, Any]:
    found: dict[str, Any] = {"area": marker.area, "index": marker.index, "marker": marker.marker}
    if marker.block is not None:
        found["block"] = marker.block
    if marker.area == "provider":
        found["in"] = marker.place.rpartition(".")[0] or "body"
    return {**found, "place": marker.place, "source": source}

"""How far an import is, and whether somebody stopped it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TypeVar

from engine.errors import InspectorError
from engine.share.format import Document
from engine.share.outline import Progress

T = TypeVar("T")


class Way:
    """The way of one document into a workspace; its steps are counted over all lists of the document."""

    def __init__(self, found: Document, progress: Progress, stop: threading.Event) -> None:
        self._total = sum(len(each) for each in (found.parts, found.nodes, found.requests, found.events, found.wire))
        self._done, self._progress, self._stop = 0, progress, stop

    def check(self) -> None:
        """Raises ``InspectorError`` once it was stopped."""
        if self._stop.is_set():
            raise InspectorError("The import was stopped. Nothing was imported.")

    def along(self, items: Sequence[T], what: str) -> Iterator[T]:
        """Go through these, and tell."""
        for item in items:
            self.check()
            yield item
            self._done += 1
            self._progress(self._done, self._total, what)

"""The search of one source, made when it is first needed. Called in jobs only."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from inspector.jobs import Cancelled, Progress

if TYPE_CHECKING:
    from engine.search.model import Results
    from engine.trace.model import RequestRow

LIMIT = 200
"""Texts that one query shows at most."""
AT_ONCE_S = 0.04
"""What the first answer to a query may take: what it has by then is on the screen before a reader looks up."""
PATIENCE_S = 5.0
"""What a query may take that was not done at once."""


class Finding:
    """Hands out one ``engine.Search`` a source; of whatever kind."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self.available = bool(getattr(reader, "kind", ""))
        """Whether the source can be searched; requests can be filtered anyway."""
        self._made: Any = None
        self._closed = False
        self._lock = Lock()

    def update(self, progress: Progress) -> bool:
        """Bring the index up to date; False when it was stopped before the end."""

        def told(done: int, total: int, what: str) -> None:
            try:
                progress.report(done, total, f"Indexing {what}")
            except Cancelled:
                pass  # the update looks at ``stop`` itself, between two steps

        return bool(self._search().update(told, progress.stop))

    def find(self, query: str) -> Results:
        """What a query finds at once; raises ``QueryError`` with a sentence."""
        found: Results = self._search().find(query, LIMIT, seconds=AT_ONCE_S)
        return found

    def find_patiently(self, query: str) -> Results:
        """What a query finds when it may take its time."""
        found: Results = self._search().find(query, LIMIT, seconds=PATIENCE_S)
        return found

    def complete(self, text: str, cursor: int) -> list[Any]:
        """What can stand at the cursor of a query."""
        if self.available:
            return list(self._search().complete(text, cursor))
        from engine.search.complete import Values, complete

        return list(complete(text, cursor, Values()))

    def filter(
        self, rows: list[RequestRow], query: str, marked: frozenset[int], noted: frozenset[int], progress: Progress
    ) -> list[int]:
        """Ids of the requests that a query lets through."""
        import engine
        from engine.search import Facts

        asked = engine.parse_query(query)
        facts = Facts()
        if self.available and (asked.of("tool") or asked.of("file") or asked.of("thread")):
            self._search().update(stop=progress.stop)  # it may not have seen the latest requests
            facts = self._search().facts()
        progress.check()
        facts = replace(facts, marked=marked, noted=noted)
        return [row.id for row in engine.filter_requests(rows, asked, facts)]

    def close(self) -> None:
        """Close the files; nothing is searched any more."""
        with self._lock:
            made, self._made, self._closed = self._made, None, True
        if made is not None:
            made.close()

    def _search(self) -> Any:
        with self._lock:
            if self._closed:
                raise Cancelled
            if self._made is None:
                import engine

                self._made = engine.Search(self._reader)
            return self._made

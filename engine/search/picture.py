"""The corpus as a search sees it at one moment: its requests, where parts stand, what filters ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy

from engine.folding import fold
from engine.kinds import block_kind
from engine.search.corpus import EARLIER, FILE, Corpus, file_of, stored_of
from engine.search.filters import Facts, holds, matcher
from engine.search.matching import Match
from engine.search.model import Hit, Source
from engine.search.places import Place
from engine.search.query import Query
from engine.search.snippets import snippet
from engine.search.update import PART
from engine.trace.model import Kind, RequestRow, ThreadRow

_TEXT_FILTERS = {"kind", "tool", "file"}
"""With words they choose among the texts; without, among the requests."""
_RECENT = 50
"""Requests of which something may still change after they ended."""
_MESSAGE_KINDS = {"human", "ai", "tool", "summary", "system"}


@dataclass(frozen=True, slots=True)
class Scope:
    """What a query's filters leave."""

    requests: Any
    """Booleans by number of the request."""
    parts: Any
    """Booleans by part id; None for all."""
    only_requests: bool
    """The filters ask for something that only requests have."""
    only_files: bool
    threads: frozenset[str] | None
    """Threads that filters ask for; None for all."""


class Picture:
    """One moment of a corpus. ``before`` saves reading again what can't have changed."""

    def __init__(self, corpus: Corpus, before: Picture | None = None) -> None:
        self._corpus = corpus
        self.places = corpus.places()
        self._threads = corpus.thread_numbers()
        self.threads: list[ThreadRow] = corpus.threads()
        self.titles = {thread.thread_id: thread.title for thread in self.threads}
        self.rows = self._requests(before)

    def _requests(self, before: Picture | None) -> dict[int, RequestRow]:
        ids = self.places.requests.tolist()
        known = before.rows if before is not None and before._threads.items() <= self._threads.items() else {}
        settled = {id: row for id in ids[:-_RECENT] if (row := known.get(id)) is not None and row.status != "running"}
        new = {row.id: row for row in self._corpus.rows([id for id in ids if id not in settled])}
        return {id: row for id in ids if (row := settled.get(id) or new.get(id)) is not None}

    @cached_property
    def told(self) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
        """Tools that answers call and paths that events name, by request."""
        return self._corpus.calls(), self._corpus.named()

    def facts(self) -> Facts:
        """What filters ask for and the rows don't say. Notes are as they stand now."""
        calls, files = self.told
        notes = self._corpus.notes()
        return Facts(
            titles=self.titles,
            calls=calls,
            files=files,
            noted={note.request for note in notes if note.kind == "note" and note.request is not None},
            marked={note.request for note in notes if note.kind == "mark" and note.request is not None},
        )

    def scope(self, query: Query, thread_id: str | None) -> Scope:
        """What the filters of a query leave; with words, those that choose among texts are left to the texts."""
        asked = {filter.name for filter in query.filters}
        if query.terms:
            asked -= _TEXT_FILTERS
        mine = Query(filters=tuple(filter for filter in query.filters if filter.name in asked))
        let = numpy.ones(len(self.places.requests), bool)
        threads: frozenset[str] | None = None
        if thread_id is not None or "thread" in asked:
            threads = frozenset(
                thread.thread_id
                for thread in self.threads
                if (thread_id is None or thread.thread_id == thread_id)
                and _any(query, "thread", thread.thread_id, thread.title)
            )
            rows = [row for row, name in self._threads.items() if name in threads]
            let &= numpy.isin(self.places.threads, rows)
        if asked - {"thread"}:
            test = matcher(mine, self.facts() if asked - {"agent", "purpose", "tokens", "error"} else Facts())
            for number in numpy.flatnonzero(let):
                row = self.rows.get(int(self.places.requests[number]))
                let[number] = row is not None and test(row)
        narrowed = threads is not None or bool(asked)
        return Scope(
            requests=let,
            parts=self.places.parts(let, self.places.largest_part + 1) if narrowed else None,
            only_requests=bool(asked - {"thread", "file"}),
            only_files=bool(query.of("file")),
            threads=threads,
        )

    def plain_hits(self, query: Query, terms: Sequence[str], scope: Scope) -> Iterator[Hit]:
        """Hits among what needs no index: threads, notes, errors; requests, for a query of filters alone."""
        if not terms:
            for number in numpy.flatnonzero(scope.requests) if query.filters else ():
                row = self.rows.get(int(self.places.requests[number]))
                if row is not None:
                    yield self._hit("request", row.thread_id, row=row, requests=1)
            return
        if query.of("kind") or query.of("tool") or scope.only_files:
            return
        if not scope.only_requests:
            for thread in self.threads:
                if scope.threads is None or thread.thread_id in scope.threads:
                    for field, text in (("title", thread.title), ("id", thread.thread_id)):
                        if all(term in fold(text) for term in terms):
                            yield self._hit("thread", thread.thread_id, terms, field, text, at=thread.updated_at)
                            break
        for note in self._corpus.notes():
            row = self.rows.get(note.request) if note.request is not None else None
            if self._in(scope, note.thread_id, note.request) and all(term in fold(note.text) for term in terms):
                yield self._hit(
                    "note", note.thread_id, terms, "text", note.text, row=row, at=note.updated_at, version=note.id
                )
        for row in self.rows.values():
            if row.error and all(term in fold(row.error) for term in terms) and self._in(scope, row.thread_id, row.id):
                yield self._hit("error", row.thread_id, terms, "error", row.error, row=row, requests=1)

    def hits(self, match: Match, terms: Sequence[str], scope: Scope, query: Query) -> Iterator[Hit]:
        """The hits of one text: one a thread that holds it, or one for a file."""
        if match.source == PART:
            for place in self.places.of(match.part or 0, scope.requests):
                hit = self._part_hit(match, terms, place)
                if hit is not None and (not query.of("kind") or _any(query, "kind", hit.kind)):
                    yield hit
            return
        thread, path = file_of(match.ref) if match.source == FILE else (None, stored_of(match.ref))
        if scope.only_requests and query.terms:
            return
        if scope.threads is not None and thread not in scope.threads:
            return
        if not _any(query, "file", path):
            return
        around, position, length = match.around, match.position - match.around_start, match.length
        if not match.field:
            around, position, length = path, 0, 0
        words = snippet(around, position, terms)
        yield Hit(
            source="file" if match.source == FILE else "memory",
            thread_id=thread,
            thread_title=self.titles.get(thread, "") if thread is not None else "",
            request=None,
            request_number=None,
            requests=0,
            area=None,
            index=None,
            kind=None,
            part=None,
            path=path,
            version=match.version.hex(),
            current=match.source != EARLIER,
            field=match.field or "path",
            position=match.position,
            length=length,
            snippet=words.text,
            marks=words.marks,
            occurrences=match.occurrences,
            at=match.at,
        )

    def _part_hit(self, match: Match, terms: Sequence[str], place: Place) -> Hit | None:
        row = self.rows.get(place.request)
        if row is None:
            return None
        words = snippet(match.around, match.position - match.around_start, terms)
        return Hit(
            source="part",
            thread_id=row.thread_id,
            thread_title=self.titles.get(row.thread_id, row.thread_id),
            request=row.id,
            request_number=row.number,
            requests=place.requests,
            area=place.area,
            index=place.index,
            kind=self._kind(match, place),
            part=match.part,
            path=None,
            version=None,
            current=True,
            field=match.field,
            position=match.position,
            length=match.length,
            snippet=words.text,
            marks=words.marks,
            occurrences=match.occurrences,
            at=row.started_at,
        )

    def _kind(self, match: Match, place: Place) -> Kind:
        if place.area == "tools":
            return "tools"
        if place.area == "system":
            return block_kind(self._corpus.contributor(place.request, place.index or 0))  # type: ignore[return-value]
        return match.kind if match.kind in _MESSAGE_KINDS else "other"  # type: ignore[return-value]

    def _hit(
        self,
        source: Source,
        thread_id: str,
        terms: Sequence[str] = (),
        field: str = "",
        text: str = "",
        row: RequestRow | None = None,
        requests: int = 0,
        at: float | None = None,
        version: str | None = None,
    ) -> Hit:
        """A hit in a text that is short enough to be looked at whole."""
        position = fold(text).find(terms[0]) if terms else 0
        words = snippet(text, position, terms)
        return Hit(
            source=source,
            thread_id=thread_id,
            thread_title=self.titles.get(thread_id, thread_id),
            request=row.id if row else None,
            request_number=row.number if row else None,
            requests=requests,
            area=None,
            index=None,
            kind=None,
            part=None,
            path=None,
            version=version,
            current=True,
            field=field,
            position=position,
            length=len(terms[0]) if terms else 0,
            snippet=words.text,
            marks=words.marks,
            occurrences=sum(fold(text).count(term) for term in terms),
            at=at if at is not None else row.started_at if row else None,
        )

    def _in(self, scope: Scope, thread_id: str, request: int | None) -> bool:
        if scope.threads is not None and thread_id not in scope.threads:
            return False
        if request is None:
            return not scope.only_requests
        number = self.places.number.get(request)
        return number is not None and bool(scope.requests[number])


def _any(query: Query, name: str, *texts: str | None) -> bool:
    """Whether one of the filters of a name, if there are any, is found in one of the texts."""
    filters = query.of(name)
    return not filters or any(holds(text, filter.value) for filter in filters for text in texts)

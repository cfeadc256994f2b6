"""A query's filters applied to requests: what a list of requests and a search both go by.

A filter's value is found anywhere in what it is compared with, in any case; ``kind:``, ``purpose:`` and
``has:`` take one of their own words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.folding import fold
from engine.search.query import Filter, Query, parse_query
from engine.trace.model import RequestRow

MAIN = "main"
"""What ``agent:`` calls an agent without a name."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What filters ask for and a row of the list does not say; without it nothing matches these."""

    titles: Mapping[str, str] = field(default_factory=dict)
    """Of threads, by id."""
    calls: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Names of the tools that a request's answer calls."""
    files: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Paths that a request's events name."""
    noted: Collection[int] = frozenset()
    marked: Collection[int] = frozenset()


def filter_requests(rows: Iterable[RequestRow], query: Query | str, facts: Facts | None = None) -> list[RequestRow]:
    """Those rows that all filters let through; words are found in what the row itself says.

    Raises:
        QueryError: the query can't be understood.
    """
    query = parse_query(query) if isinstance(query, str) else query
    let = matcher(query, facts or Facts())
    terms = [fold(term) for term in query.terms]
    return [row for row in rows if let(row) and all(term in _words(row) for term in terms)]


def matcher(query: Query, facts: Facts) -> Callable[[RequestRow], bool]:
    """Whether a request is let through by a query's filters; its words play no part."""
    checks: list[Callable[[RequestRow], bool]] = []
    for name, check in _CHECKS.items():
        filters = query.of(name)
        if filters:
            together = all if name in {"has", "tokens"} else any
            checks.append(
                lambda row, check=check, filters=filters, together=together: together(  # type: ignore[misc]
                    check(row, filter, facts) for filter in filters
                )
            )
    return lambda row: all(check(row) for check in checks)


def holds(text: str | None, value: str) -> bool:
    """Whether a filter's value is somewhere in a text."""
    return text is not None and fold(value) in fold(text)


def _agent(row: RequestRow, filter: Filter, _: Facts) -> bool:
    return holds(row.agent, filter.value) or (row.agent is None and fold(filter.value) == MAIN)


def _tool(row: RequestRow, filter: Filter, facts: Facts) -> bool:
    return any(holds(name, filter.value) for name in facts.calls.get(row.id, ()))


def _kind(row: RequestRow, filter: Filter, _: Facts) -> bool:
    return any(size and kind == filter.value for kind, size in row.sizes.items())


def _tokens(row: RequestRow, filter: Filter, _: Facts) -> bool:
    tokens, bound = row.input_tokens, filter.number
    if tokens is None:
        return False
    return {
        ">": tokens > bound,
        "<": tokens < bound,
        ">=": tokens >= bound,
        "<=": tokens <= bound,
        "=": tokens == bound,
    }[filter.operator]


def _error(row: RequestRow, filter: Filter, _: Facts) -> bool:
    return holds(row.error, filter.value)


def _has(row: RequestRow, filter: Filter, facts: Facts) -> bool:
    if filter.value == "error":
        return row.error is not None or row.status == "failed"
    if filter.value == "note":
        return row.id in facts.noted
    if filter.value == "mark":
        return row.id in facts.marked
    return any(event.split()[0] == filter.value for event in row.events)


def _file(row: RequestRow, filter: Filter, facts: Facts) -> bool:
    return any(holds(path, filter.value) for path in facts.files.get(row.id, ()))


def _thread(row: RequestRow, filter: Filter, facts: Facts) -> bool:
    return holds(row.thread_id, filter.value) or holds(facts.titles.get(row.thread_id), filter.value)


def _purpose(row: RequestRow, filter: Filter, _: Facts) -> bool:
    return row.purpose == filter.value


_CHECKS: dict[str, Callable[[RequestRow, Filter, Facts], bool]] = {
    "agent": _agent,
    "tool": _tool,
    "kind": _kind,
    "tokens": _tokens,
    "error": _error,
    "has": _has,
    "file": _file,
    "thread": _thread,
    "purpose": _purpose,
}


def _words(row: RequestRow) -> str:
    said = (f"#{row.number}", row.agent or MAIN, row.purpose, row.model, row.status, row.error, *row.events)
    return fold("\n".join(word for word in said if word))

"""Finding: one query over all areas, threads, files and memory versions of a workspace, and filters of requests.

Names are loaded when they are first used: a terminal command must not wait for what it doesn't need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.importing import late

if TYPE_CHECKING:
    from engine.search.complete import Completion as Completion
    from engine.search.complete import Values as Values
    from engine.search.filters import Facts as Facts
    from engine.search.filters import filter_requests as filter_requests
    from engine.search.model import Hit as Hit
    from engine.search.model import Results as Results
    from engine.search.query import FILTERS as FILTERS
    from engine.search.query import Query as Query
    from engine.search.query import QueryError as QueryError
    from engine.search.query import parse_query as parse_query
    from engine.search.search import Search as Search
    from engine.search.search import forget as forget

_NAMES = {
    "FILTERS": "engine.search.query",
    "Completion": "engine.search.complete",
    "Facts": "engine.search.filters",
    "Hit": "engine.search.model",
    "Query": "engine.search.query",
    "QueryError": "engine.search.query",
    "Results": "engine.search.model",
    "Search": "engine.search.search",
    "Values": "engine.search.complete",
    "filter_requests": "engine.search.filters",
    "forget": "engine.search.search",
    "parse_query": "engine.search.query",
}

__all__ = [*_NAMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(late(_NAMES[name]), name)
    raise AttributeError(f"module 'engine.search' has no attribute {name!r}")

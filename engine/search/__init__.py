"""Finding: one query over all areas, threads, files and memory versions of a workspace, and filters of requests."""

from engine.search.complete import Completion, Values
from engine.search.filters import Facts, filter_requests
from engine.search.model import Hit, Results
from engine.search.query import FILTERS, Query, QueryError, parse_query
from engine.search.search import Search, forget

__all__ = [
    "FILTERS",
    "Completion",
    "Facts",
    "Hit",
    "Query",
    "QueryError",
    "Results",
    "Search",
    "Values",
    "filter_requests",
    "forget",
    "parse_query",
]

"""Which requests belong to one another: an agent's runs, and the request before."""

from __future__ import annotations

from collections.abc import Iterable

from engine.trace.model import RequestRow

Line = tuple[str, str | None, str]
"""Purpose, agent and run: requests of one line extend one another."""


def line_of(row: RequestRow) -> Line:
    """The line of a request; each run of a subagent is one of its own."""
    return row.purpose, row.agent, row.checkpoint_ns.rpartition("|")[0]


def predecessors(rows: Iterable[RequestRow], answered: bool = False) -> dict[int, RequestRow | None]:
    """For each request of a thread the same agent's one before: on its branch, in its run, else in the run before.

    With ``answered``, one that failed is nobody's predecessor.
    """
    in_line: dict[Line, RequestRow] = {}
    of_agent: dict[tuple[str, str | None], RequestRow] = {}
    found: dict[int, RequestRow | None] = {}
    answering: dict[int | None, RequestRow] = {}
    for row in rows:
        line, agent = line_of(row), (row.purpose, row.agent)
        found[row.id] = answering.get(row.follows) or in_line.get(line) or of_agent.get(agent)
        if not answered or row.status != "failed":
            in_line[line] = of_agent[agent] = answering[row.id] = row
    return found

"""Table rows as values of the read model."""

from __future__ import annotations

import json
import os
from typing import Any

from engine.kinds import CALLER
from engine.trace.book import Book, Recent
from engine.trace.model import RequestRow, ThreadRow, Usage

REQUEST_COLUMNS = (
    "r.id, t.thread_id, r.number, r.purpose, r.agent, r.parent, r.parent_call, r.depth, r.step, r.checkpoint_ns, "
    "r.checkpoint_id, r.status, r.error, r.started_at, r.ended_at, r.model, r.messages, r.raw_messages, r.chars, "
    "r.tokens, r.input_tokens, r.output_tokens, r.cache_read, r.cache_creation, r.sizes, r.window, r.trigger_at, "
    "u.pid, u.status, r.system_node, r.origin_part"
)
"""Of ``requests r``, its ``threads t`` and ``runs u``, as :func:`request_row` takes them."""


GUESSED_SUMMARY = "guessed to be a summarizing call, by the shape of its prompt: the call carries no mark"


def request_row(row: tuple[Any, ...], events: tuple[str, ...], system_base: int | None) -> RequestRow:
    """One row of ``REQUEST_COLUMNS``; ``system_base`` are the tokens of the caller's own system blocks."""
    started, ended, status = row[13], row[14], row[11]
    if status == "running" and not (row[28] == "running" and alive(row[27])):
        status = "stopped"  # its process ended before it did
    return RequestRow(
        id=row[0],
        thread_id=row[1],
        number=row[2],
        purpose=row[3],
        agent=row[4],
        parent=row[5],
        parent_call=row[6],
        depth=row[7],
        step=row[8],
        checkpoint_ns=row[9],
        checkpoint_id=row[10],
        status=status,
        error=row[12],
        started_at=started,
        duration_ms=None if ended is None else max(0.0, (ended - started) * 1000),
        model=row[15],
        messages=row[16],
        raw_messages=row[17],
        chars=row[18],
        estimated_tokens=row[19],
        usage=Usage(row[20], row[21], row[22], row[23]),
        sizes=json.loads(row[24]),
        window=row[25],
        trigger=row[26],
        events=events,
        system_base=system_base,
        problem=GUESSED_SUMMARY if "purpose guessed" in events else None,
    )


class SystemBases:
    """How much of a system message the caller passed, from who appended its blocks. Requests mostly share theirs."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._known: Recent[tuple[int | None, int | None], int | None] = Recent(2_000, lambda _: 1)

    def of(self, node: int | None, origin_part: int | None) -> int | None:
        """Estimated tokens of the caller's blocks in the list of this node; None where nobody saw who appended."""
        return self._known.get((node, origin_part), lambda: self._count(node, origin_part))

    def _count(self, node: int | None, origin_part: int | None) -> int | None:
        contributors = (self._book.value(origin_part).get("system") or ()) if origin_part else ()
        if not any(contributors):
            return None
        blocks = self._book.path_of(node)[1:]
        return sum(piece[3] for piece, who in zip(blocks, contributors, strict=False) if who == CALLER)


def thread_row(row: tuple[Any, ...]) -> ThreadRow:
    """thread_id, title, agent, requests, created_at, updated_at, status and pid of its last run."""
    status = {"done": "idle", None: "idle"}.get(row[6], row[6])
    if status == "running" and not alive(row[7]):
        status = "stopped"
    return ThreadRow(row[0], row[1] or row[0], row[2], row[3], row[4], row[5], "workspace", status)


def alive(pid: int | None) -> bool:
    """Whether a process of this number runs on this machine (always, where that can't be asked)."""
    if pid is None:
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

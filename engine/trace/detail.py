"""One request with its four areas, put together from the record."""

from __future__ import annotations

import json
from typing import Any

from engine.errors import UsageError
from engine.kinds import CALLER, block_kind
from engine.trace.book import Book
from engine.trace.fate import align
from engine.trace.happened import events_of_request
from engine.trace.model import RequestDetail, RequestRow, SystemBlock, ToolRow
from engine.trace.provider import provider_of


def detail_of(book: Book, row: RequestRow) -> RequestDetail:
    """The request of this row with its areas, without bodies. Raises ``UsageError`` when it was deleted meanwhile."""
    record = book.one(
        "SELECT system_node, tools_node, messages_node, raw_node, cutoff, params_part, origin_part, "
        "response_part, exact, thread, lane FROM requests WHERE id = ?",
        (row.id,),
    )
    if record is None:
        raise UsageError(f"There is no request {row.id} in {book.path}.")
    system, tools, messages, raw, cutoff, params, origin_part, response, exact, thread, lane = record
    origin = book.value(origin_part)
    earlier = book.one(
        "SELECT messages_node FROM requests WHERE thread = ? AND lane = ? AND number < ? ORDER BY number DESC LIMIT 1",
        (thread, lane, row.number),
    )
    before = frozenset(piece[0] for piece in book.path_of(earlier[0])) if earlier else frozenset()
    state = book.path_from(raw, cutoff or 0, row.raw_messages or 0)
    raw_rows, sent_rows, aligned = align(state, book.path_of(messages), cutoff, before, book.value)
    blocks, schemas = _blocks(book, system, origin), _tools(book, tools, origin, thread)
    answer = book.value(response) if response else None
    return RequestDetail(
        row=row,
        system=blocks,
        messages=sent_rows,
        tools=schemas,
        raw=raw_rows,
        aligned=aligned,
        cutoff=cutoff,
        provider=provider_of(book, row.id, book.value(params), blocks, schemas, sent_rows),
        response=response,
        usage=(answer.get("data") or {}).get("usage_metadata") if answer else None,
        events=tuple(events_of_request(book, row.id)),
        exact=bool(exact),
    )


def _blocks(book: Book, node: int, origin: dict[str, Any]) -> tuple[SystemBlock, ...]:
    contributors = origin.get("system") or []
    rows = []
    for index, (part, _, chars, tokens) in enumerate(book.path_of(node)[1:]):
        who = contributors[index] if index < len(contributors) else ""
        rows.append(SystemBlock(index, part, block_kind(who), chars, tokens, who))  # type: ignore[arg-type]
    return tuple(rows)


def _tools(book: Book, node: int, origin: dict[str, Any], thread: int) -> tuple[ToolRow, ...]:
    pieces = book.path_of(node)
    if not pieces:
        return ()
    calls: dict[str, int] = {}
    counted = "SELECT calls, count(*) FROM requests WHERE thread = ? AND calls IS NOT NULL GROUP BY calls"
    for names, times in book.rows(counted, (thread,)):
        for name in json.loads(names):
            calls[name] = calls.get(name, 0) + times
    rows = []
    for index, (part, _, chars, tokens) in enumerate(pieces):
        schema = book.value(part)
        named = schema.get("function") if isinstance(schema.get("function"), dict) else schema
        name = str(named.get("name") or named.get("type") or "")
        who = (origin.get("tools") or {}).get(name, CALLER)
        about = str(named.get("description") or "")
        rows.append(ToolRow(index, part, "tools", chars, tokens, name, about, who, calls.get(name, 0)))
    return tuple(rows)

"""The lists of a request, and the request after each of its contributors, as pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.trace.book import Book
from engine.trace.model import Layer, Piece, RequestLists

COLUMNS = "system_node, tools_node, messages_node, raw_node, cutoff, response_part, origin_part"
"""Of ``requests``, as :func:`lists_of` takes them."""


def lists_of(book: Book, record: tuple[Any, ...]) -> RequestLists:
    """The lists of a request from its row."""
    system, tools, messages, raw, cutoff, response, origin_part = record
    origin = book.value(origin_part) if origin_part else {}
    sent, state = book.path_of(messages), book.path_of(raw)
    return RequestLists(
        system=book.path_of(system)[1:],  # the message around its blocks comes first
        tools=book.path_of(tools),
        messages=sent,
        raw=state,
        cutoff=cutoff,
        response=response,
        system_by=origin.get("system") or (),
        tools_by=origin.get("tools") or {},
        messages_by=origin.get("messages"),
        order=origin.get("order") or (),
        rules=origin.get("rules") or {},
        layers=_layers(book, origin.get("layers") or (), {"raw": state, "messages": sent}),
    )


def _layers(book: Book, told: Sequence[Mapping[str, Any]], bases: Mapping[str, Sequence[Piece]]) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    now = Layer("", (), (), (), {}, None)
    for one in told:
        now = Layer(
            by=str(one["by"]),
            system=book.path_of(one["system"]) if "system" in one else now.system,
            tools=book.path_of(one["tools"]) if "tools" in one else now.tools,
            messages=_messages(one["messages"], bases, book) if "messages" in one else now.messages,
            settings=one.get("settings", now.settings),
            model=one.get("model", now.model),
        )
        layers.append(now)
    return tuple(layers)


def _messages(told: Any, bases: Mapping[str, Sequence[Piece]], book: Book) -> Sequence[Piece]:
    if isinstance(told, int):
        return book.path_of(told)
    base, *differing = told
    if not differing:
        return bases[base]
    pieces: Callable[[Any], dict[int, Piece]] = book.pieces
    found = pieces(part for _, part in differing)
    patched = list(bases[base])
    for at, part in differing:
        patched[at] = found[part]
    return tuple(patched)

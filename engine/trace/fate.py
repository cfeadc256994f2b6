"""What became of each raw message in a request: the two lists, aligned, with the rule in words.

Messages that are the same part need no explaining. The rest is paired by message id, by
the tool call it answers, or by place, and the pair's difference names the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.trace.book import Piece
from engine.trace.content import text_of
from engine.trace.model import Aligned, Fate, MessageRow, Origin, RawRow
from engine.trace.sequences import Rows

_REASONING = {"thinking", "redacted_thinking", "reasoning_content", "reasoning"}
_KINDS = {"human", "ai", "tool", "summary", "system"}

REASONS: dict[Fate, str] = {
    "sent": "",
    "summarized": "Older than the cut: the summary stands in its place.",
    "arguments cut": "Long arguments of an old tool call were cut before sending; the raw call is whole.",
    "clipped": "The latest results did not fit: this one was clipped and saved to a file.",
    "offloaded": "Longer than the limit for user messages: a preview was sent, the whole lies in a file.",
    "reasoning dropped": "Kept across a summary: its reasoning blocks are bound to what came before and were left out.",
    "patched": "Repaired before sending: a tool call without a result, or one that could not be parsed.",
    "replaced": "A middleware sent other contents in its place.",
    "not sent": "It is in the state and was not sent; no known rule explains it.",
}


def align(
    raw: Sequence[Piece],
    sent: Sequence[Piece],
    cutoff: int | None,
    before: frozenset[int],
    message: Callable[[int], dict[str, Any]],
) -> tuple[Sequence[RawRow], tuple[MessageRow, ...], Sequence[Aligned]]:
    """Rows of both lists and their alignment.

    ``before`` holds the parts of the same agent's request before; ``message`` reads one.
    """
    cut = min(cutoff or 0, len(raw))
    start = 1 if cutoff is not None and sent and sent[0][1] == "summary" else 0
    pairs = _pairs(raw, cut, sent, start, message)
    by_sent = {sent_index: raw_index for raw_index, sent_index in pairs.items()}

    def evicted(index: int) -> RawRow:
        part, _, chars, tokens = raw[index]
        return RawRow(index, part, _kind(raw[index]), chars, tokens, "summarized", REASONS["summarized"])

    kept: list[RawRow] = []
    for index in range(cut, len(raw)):
        piece, twin = raw[index], pairs.get(index)
        fate: Fate = "not sent"
        if twin is not None:
            fate = "sent" if piece[0] == sent[twin][0] else _difference(message(piece[0]), message(sent[twin][0]))
        kept.append(RawRow(index, piece[0], _kind(piece), piece[2], piece[3], fate, REASONS[fate], twin))
    sent_rows: list[MessageRow] = []
    for index, piece in enumerate(sent):
        twin = by_sent.get(index)
        origin: Origin = "raw" if twin is not None or not raw else "summary" if piece[1] == "summary" else "inserted"
        sent_rows.append(
            MessageRow(
                index,
                piece[0],
                _kind(piece),
                piece[2],
                piece[3],
                piece[0] not in before,
                origin,
                twin,
                kept[twin - cut].fate if twin is not None else None,
            )
        )
    aligned: Sequence[Aligned] = ()
    if raw:
        rest = _aligned(kept, sent_rows)
        aligned = Rows(cut, lambda index: Aligned(evicted(index), None, REASONS["summarized"]), rest)
    return Rows(cut, evicted, kept), tuple(sent_rows), aligned


def _aligned(kept: list[RawRow], sent: list[MessageRow]) -> list[Aligned]:
    """Rows from the cut on: first what was made in place of the evicted, then the kept with their twins."""
    rows: list[Aligned] = []
    waiting = 0

    def inserted(until: int) -> None:
        nonlocal waiting
        for row in sent[waiting:until]:
            made = "Made by summarization" if row.origin == "summary" else "Inserted by a middleware"
            rows.append(Aligned(None, row, f"{made}; no such message is in the state."))
        waiting = max(waiting, until)

    inserted(_run_of_inserted(sent, 0))
    for item in kept:
        if item.sent_index is None:
            rows.append(Aligned(item, None, item.reason))
        else:
            inserted(item.sent_index)
            rows.append(Aligned(item, sent[item.sent_index], item.reason))
            waiting = item.sent_index + 1
    inserted(len(sent))
    return rows


def _run_of_inserted(sent: list[MessageRow], start: int) -> int:
    """End of the messages without a raw twin that begin at ``start``."""
    while start < len(sent) and sent[start].raw_index is None:
        start += 1
    return start


def _pairs(
    raw: Sequence[Piece],
    cut: int,
    sent: Sequence[Piece],
    start: int,
    message: Callable[[int], dict[str, Any]],
) -> dict[int, int]:
    """Raw index → effective index of its twin, both rising."""
    pairs: dict[int, int] = {}
    low_raw, low_sent, high_raw, high_sent = cut, start, len(raw), len(sent)
    while low_raw < high_raw and low_sent < high_sent and raw[low_raw][0] == sent[low_sent][0]:
        pairs[low_raw] = low_sent
        low_raw, low_sent = low_raw + 1, low_sent + 1
    while low_raw < high_raw and low_sent < high_sent and raw[high_raw - 1][0] == sent[high_sent - 1][0]:
        high_raw, high_sent = high_raw - 1, high_sent - 1
        pairs[high_raw] = high_sent
    places: dict[int, list[int]] = {}
    for index in range(low_sent, high_sent):
        places.setdefault(sent[index][0], []).append(index)
    names: dict[tuple[str, str], list[int]] | None = None
    at = low_sent
    for index in range(low_raw, high_raw):
        found = next((place for place in places.get(raw[index][0], ()) if place >= at), None)
        if found is None:
            if names is None:
                names = {}
                for place in range(low_sent, high_sent):
                    for name in _names(message(sent[place][0])):
                        names.setdefault(name, []).append(place)
            candidates = [names.get(name, []) for name in _names(message(raw[index][0]))]
            found = next((place for group in candidates for place in group if place >= at), None)
        if found is None and at < high_sent and len(raw) - cut == len(sent) - start and at - start == index - cut:
            found = at if raw[index][1] == sent[at][1] else None
        if found is not None:
            pairs[index] = found
            at = found + 1
    return pairs


def _names(message: dict[str, Any]) -> list[tuple[str, str]]:
    data = message.get("data") or {}
    found = [(name, data.get(name)) for name in ("id", "tool_call_id")]
    return [(name, value) for name, value in found if isinstance(value, str)]


def _difference(raw: dict[str, Any], sent: dict[str, Any]) -> Fate:
    old, new = raw.get("data") or {}, sent.get("data") or {}
    if isinstance(new.get("additional_kwargs"), dict) and new["additional_kwargs"].get("lc_evicted_to"):
        return "offloaded"
    if raw.get("type") == "ai":
        if old.get("invalid_tool_calls") != new.get("invalid_tool_calls"):
            return "patched"
        if old.get("tool_calls") != new.get("tool_calls"):
            same = [call.get("id") for call in old.get("tool_calls") or ()] == [
                call.get("id") for call in new.get("tool_calls") or ()
            ]
            return "arguments cut" if same else "patched"
        if _reasoning(old) > _reasoning(new):
            return "reasoning dropped"
    if raw.get("type") == "tool" and len(text_of(new.get("content"))) < len(text_of(old.get("content"))):
        return "clipped"
    return "replaced"


def _reasoning(data: dict[str, Any]) -> int:
    content = data.get("content")
    blocks = content if isinstance(content, list) else []
    return sum(1 for block in blocks if isinstance(block, dict) and block.get("type") in _REASONING)


def _kind(piece: Piece) -> Any:
    return piece[1] if piece[1] in _KINDS else "other"

"""What it costs to have put-away text back, and how much of it the model has read since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import InspectorError
from engine.ledger.model import ReadBack
from engine.ledger.pages import PAGE_CHARS, lines_of, paging, returned
from engine.trace.model import Artifact, Event, Piece

if TYPE_CHECKING:
    from engine.ledger.count import Source

_KINDS = {"offloaded result", "offloaded message", "history"}
_TOOL = "read_file"


class Reads:
    """The calls of ``read_file`` in a thread's messages, and what they returned."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._asked: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._seen: set[int] = set()
        self._returned: dict[str, list[tuple[int, int, float]]] = {}

    def see(self, pieces: Iterable[Piece]) -> None:
        """Look through messages that are new in a list."""
        parts = [piece[0] for piece in pieces if piece[1] in {"ai", "tool"} and piece[0] not in self._seen]
        self._seen.update(parts)
        for part, head in self._source.heads(parts).items():
            for call in head.tool_calls:
                if call.name == _TOOL and call.id and call.error is None:
                    args = json.loads(call.args)
                    if isinstance(args, dict) and isinstance(args.get("file_path"), str):
                        self._asked[call.id] = args["file_path"], args
            asked = self._asked.get(head.tool_call_id or "")
            if asked is not None and head.status != "error":
                found = returned(self._source.text(part), asked[1])
                if found is not None:
                    self._returned.setdefault(asked[0], []).append(found)

    def of(self, path: str) -> list[tuple[int, int, float]]:
        """What was returned of a file: first and last line, and the share of the last one."""
        return self._returned.get(path, [])


def read_back(
    source: Source, thread_id: str, events: Sequence[Event], reads: Reads, limits: Mapping[str, int | None]
) -> tuple[ReadBack, ...]:
    """Every offloaded text and saved history of a thread, by path."""
    first: dict[str, int | None] = {}
    for event in events:
        path = event.data.get("path")
        if event.kind in {"offload", "summary"} and isinstance(path, str):
            first.setdefault(path, event.request_number)
    page_chars = limits.get("limit", PAGE_CHARS)
    files = [file for file in source.files(thread_id) if file.kind in _KINDS]
    return tuple(_one(source, thread_id, file, first.get(file.path), reads, page_chars) for file in files)


def _one(
    source: Source, thread_id: str, file: Artifact, request: int | None, reads: Reads, page_chars: int | None
) -> ReadBack:
    try:
        text = source.file(thread_id, file.path).decode("utf-8")
    except (InspectorError, UnicodeDecodeError) as error:
        problem = str(error) if isinstance(error, InspectorError) else f"{file.path} is not UTF-8 text."
        return ReadBack(file.path, file.kind, request, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, problem)
    whole, lines, made = paging(text, file.path, page_chars), len(lines_of(text)), reads.of(file.path)
    read = _covered(made, lines)
    return ReadBack(
        path=file.path,
        kind=file.kind,
        request=request,
        chars=len(text),
        lines=lines,
        reads_needed=whole.reads,
        read_chars=whole.chars,
        read_tokens=whole.tokens,
        unreachable_chars=whole.unreachable,
        reads_made=len(made),
        lines_read=read,
        read_percent=100 * read / lines if lines else 0.0,
        problem=file.problem,
    )


def _covered(ranges: Sequence[tuple[int, int, float]], lines: int) -> float:
    """Lines that the ranges cover, each once."""
    total, done = 0.0, 0
    parts: dict[int, float] = {}
    for first, last, share in sorted(ranges):
        last = min(last, lines)
        if share < 1.0:
            parts[last] = max(parts.get(last, 0.0), share)
            last -= 1
        if last > done:
            total += last - max(first - 1, done)
            done = last
    whole = [(first, min(last, lines)) for first, last, share in ranges if share >= 1.0]
    return total + sum(share for line, share in parts.items() if not any(a <= line <= b for a, b in whole))

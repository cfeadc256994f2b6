"""Memory sources of a thread's agent: how each stands on its backend, in the thread, and in its last request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine import fenced
from engine.kinds import block_kind
from engine.lifetimes import PLACE_OF_KIND
from engine.memory.sent import sections_in, sent_text, tokens_of
from engine.memory.stored import version_of
from engine.memory.text import facts_of
from engine.memory.versions import attributed, texts_of
from engine.places import Located
from engine.trace.book import Book
from engine.trace.content import text_of
from engine.trace.files import Files, content_of, size_of
from engine.trace.model import Drift, Event, MemoryFile

ELSEWHERE = "elsewhere"
CACHE = "memory_contents"


@dataclass(frozen=True, slots=True)
class LastBlock:
    """The memory block of a thread's last request of its main agent."""

    request: int
    number: int
    text: str
    index: int
    """Of the block in the system message."""


def memory_of(book: Book, files: Files, thread_id: str, events: Sequence[Event]) -> list[MemoryFile]:
    """Memory sources in the order of loading."""
    values = files.state(thread_id)[1]
    cached = values.get(CACHE)
    cached = cached if isinstance(cached, dict) else None
    sources = list(files.sources(thread_id, events))
    last = last_block(book, thread_id)
    sent = _sent(last, sources, cached or {})
    layout = files.layout(thread_id)
    return [
        _memory(book, path, layout.locate(path), files.entry(thread_id, path), cached, sent, last) for path in sources
    ]


def last_block(book: Book, thread_id: str) -> LastBlock | None:
    """The memory block that the thread's main agent last sent; None where it sent none."""
    row = book.one(
        "SELECT r.id, r.number, r.system_node, r.origin_part FROM requests r JOIN threads t ON t.id = r.thread "
        "WHERE t.thread_id = ? AND r.purpose = 'agent' ORDER BY r.number DESC LIMIT 1",
        (thread_id,),
    )
    if row is None or row[3] is None:
        return None
    contributors = book.value(row[3]).get("system") or []
    for index, piece in enumerate(book.path_of(row[2])[1:]):
        if index < len(contributors) and block_kind(contributors[index]) == "memory":
            return LastBlock(row[0], row[1], text_of([book.value(piece[0])]), index)
    return None


def drift_of(
    path: str, there: bool, text: str | None, cached: Mapping[str, str] | None, sent: Mapping[str, str] | None
) -> Drift:
    """How the file, the thread's copy and the last request differ.

    ``text`` is None for a file that isn't ``there`` or isn't UTF-8; ``sent`` is None where no request tells, and
    then the other two are compared.
    """
    if cached is None:
        return "not-loaded"
    copy = cached.get(path)
    as_copied = True if sent is None else sent.get(path, "") == _as_sent(path, copy)
    if text == copy and there is (text is not None):
        return "none" if as_copied else "request-older"
    if as_copied:
        return "file-newer" if there else "file-gone"
    return "thread-differs" if sent is not None and sent.get(path, "") == _as_sent(path, text) else "all-differ"


def _memory(
    book: Book,
    path: str,
    located: Located,
    data: Any,
    cached: Mapping[str, str] | None,
    sent: Mapping[str, str] | None,
    last: LastBlock | None,
) -> MemoryFile:
    there, in_state = data is not None, located.kind == "state"
    content, damage = content_of(data) if there else (None, None)
    facts = facts_of(content or b"")
    text = content.decode("utf-8") if content is not None and facts.fault is None else None
    problem = damage and f"{damage}; the agent stops on it"
    if content is not None and facts.fault is not None:
        problem = f"not UTF-8: byte {facts.fault} is 0x{content[facts.fault]:02x}; the agent stops on it"
    elif not there:
        problem = "not in the store of this workspace, and not among the thread's files" if in_state else "missing"
    changed_at, changed_by = (None, None) if in_state else _last_change(book, located, path, content)
    return MemoryFile(
        path=path,
        text=text,
        version=version_of(content),
        size=size_of(data),
        place=PLACE_OF_KIND[located.kind] if there or not in_state else ELSEWHERE,
        modified_at=data.get("modified_at") if isinstance(data, dict) else None,
        in_thread=(cached or {}).get(path),
        problem=problem,
        state="missing" if not there else "loaded" if text is not None else "stops",
        tokens=tokens_of(_as_sent(path, text)) if text is not None else None,
        facts=facts,
        in_request=sent.get(path) if sent is not None else None,
        request_number=last.number if last is not None else None,
        drift=drift_of(path, there, text, cached, sent),
        changed_at=changed_at,
        changed_by=changed_by,
        read_only=_read_only(located, damage),
        within=located.within,
    )


def _sent(last: LastBlock | None, sources: Sequence[str], cached: Mapping[str, str]) -> dict[str, str] | None:
    if last is None:
        return None
    likely = {path: _as_sent(path, text) for path, text in cached.items()}
    return sections_in(last.text, sources, likely)


def _as_sent(path: str, text: str | None) -> str:
    return sent_text(path, text) if text else ""


def _read_only(located: Located, damage: str | None) -> str:
    """Why a file can't be edited from here; empty when it can."""
    if located.kind == "state":
        return "It lies in the thread's state: it can be read here, not edited."
    if located.kind == "filesystem" and damage:
        return f"It can't be read: {damage}."
    return ""


def _last_change(book: Book, located: Located, path: str, content: bytes | None) -> tuple[float | None, str | None]:
    """When the file became what it is, and by whom, in words."""
    found = attributed(book, located, path, texts_of(book, located, path))
    if not found or found[-1][0].data != content:
        changed = fenced.read(located.root, located.key).modified if located.kind == "filesystem" else None
        return changed, "outside" if changed is not None else None
    text, call = found[-1]
    if call is not None:
        return (text.at, f"the agent's {call.tool} in request {call.number} of {call.thread_id}")
    return text.at, "you, here" if text.author else "outside"

"""What the engine's rules look at in a message, read once a part."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from engine.explain.source import Source
from engine.stubs import history_path, offload_path
from engine.trace.content import text_of
from engine.trace.model import Piece

_REASONING = {"thinking", "redacted_thinking", "reasoning_content", "reasoning"}
_MEDIA = {"image", "audio", "video", "file", "image_url", "input_audio", "input_file", "document"}
_CUT_TOOLS = {"write_file", "edit_file"}


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """One message, as far as rules go by it."""

    role: str
    id: str | None
    answers: str | None
    """Id of the tool call that it answers."""
    calls: tuple[tuple[str, str, Any], ...]
    """Id, name and ``file_path`` of its tool calls."""
    invalid: tuple[dict[str, Any], ...]
    """Its tool calls that could not be parsed and have an id."""
    evicted: str | None
    """File that a long user message was put into."""
    stub: str | None
    """File that a tool's result was put into: the message is the preview."""
    history: str | None
    """Of a summary: file that holds what it stands for."""
    longest_argument: int
    """Characters of the longest argument of a call that writes a file."""
    after_results: bool
    """Media that a tool read, which must come after the results of its batch."""
    source: str | None
    """What made it, where it says so: ``summarization``, ``pinned_skill``."""
    error: bool

    @property
    def names(self) -> tuple[Hashable, ...]:
        """By what a message is known again: its id, the call that it answers, being the summary."""
        named = (("id", self.id), ("call", self.answers))
        summary = ("summary",) if self.source == "summarization" else ()
        return (*(name for name in named if name[1] is not None), *summary)


class Facts:
    """Facts of a source's messages by part, and the parts that some rule would change. Thread-safe."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[int, MessageFacts] = {}
        self._seen: set[int] = set()
        self.with_invalid: set[int] = set()
        self.evicted: set[int] = set()
        self.with_blobs: set[int] = set()
        self.after_results: set[int] = set()
        self.with_reasoning: set[int] = set()
        self.with_media: set[int] = set()

    def of(self, part: int) -> MessageFacts:
        """The facts of a message."""
        found = self._known.get(part)
        if found is None:
            found = self._read(part)
        return found

    def see(self, pieces: Iterable[Piece]) -> None:
        """Read the messages that were not read before, so that the sets of parts hold for them."""
        parts = {piece[0] for piece in pieces}
        if not self._seen.issuperset(parts):
            for part in parts - self._seen:
                self.of(part)

    def _read(self, part: int) -> MessageFacts:
        message = self._source.message(part)
        data = message.get("data") or {}
        role = str(message.get("type", "")).removesuffix("MessageChunk").lower()
        given = data.get("additional_kwargs")
        kwargs: dict[str, Any] = given if isinstance(given, dict) else {}
        content = data.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        calls = [call for call in data.get("tool_calls") or () if isinstance(call, dict)]
        evicted = kwargs.get("lc_evicted_to")
        facts = MessageFacts(
            role=role,
            id=data["id"] if isinstance(data.get("id"), str) else None,
            answers=data.get("tool_call_id") if role == "tool" else None,
            calls=tuple((str(call.get("id")), str(call.get("name")), _args(call).get("file_path")) for call in calls),
            invalid=tuple(call for call in data.get("invalid_tool_calls") or () if call.get("id") is not None),
            evicted=evicted if role == "human" and isinstance(evicted, str) else None,
            stub=offload_path(text_of(content)) if role == "tool" else None,
            history=history_path(text_of(content)) if kwargs.get("lc_source") == "summarization" else None,
            longest_argument=max(
                (
                    len(value)
                    for call in calls
                    if call.get("name") in _CUT_TOOLS
                    for value in _args(call).values()
                    if isinstance(value, str)
                ),
                default=0,
            ),
            after_results=role == "human" and kwargs.get("read_file_media_result") is True,
            source=kwargs.get("lc_source"),
            error=data.get("status") == "error",
        )
        self._known[part] = facts
        for flag, parts in (
            (facts.invalid, self.with_invalid),
            (facts.evicted, self.evicted),
            (facts.after_results, self.after_results),
            (any("deepagents_blob" in block for block in blocks), self.with_blobs),
            (role == "ai" and any(block.get("type") in _REASONING for block in blocks), self.with_reasoning),
            (role in {"human", "tool"} and any(block.get("type") in _MEDIA for block in blocks), self.with_media),
        ):
            if flag:
                parts.add(part)
        self._seen.add(part)
        return facts


def _args(call: dict[str, Any]) -> dict[str, Any]:
    args = call.get("args")
    return args if isinstance(args, dict) else {}

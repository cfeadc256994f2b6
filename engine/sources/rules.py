"""What deepagents' rules make of a state's messages before they are sent, as far as the state alone decides it.

A summary event replaces what lies before its cut; reasoning bound to that is left out of
what was kept; a long user message that was put into a file is sent as its preview. What
depends on settings that no checkpoint holds (cut arguments, inserted messages) is not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.importing import late
from engine.sources.line import Contents
from engine.sources.messages import Message
from engine.sources.shelf import Shelf

EVENT = "_summarization_event"
_NATIVE_REASONING = frozenset({"thinking", "redacted_thinking", "reasoning_content"})
_BEDROCK = {"bedrock", "bedrock_converse"}


@dataclass(frozen=True, slots=True)
class SummaryEvent:
    """A summary in force."""

    part: int
    """The summary message."""
    cutoff: int
    kept_to: int
    """Messages from the cut to here were in the state when it was made."""
    path: Any
    """File of the saved history as it is stored: a text, None, or something damaged."""


def event_of(value: Any, contents: Contents) -> tuple[SummaryEvent | None, str]:
    """The event that a channel's value holds, and why it can't be used; deepagents passes over a malformed one."""
    if value is None:
        return None, ""
    if not isinstance(value, dict) or "summary_message" not in value or "cutoff_index" not in value:
        return None, "the summary event in the state is malformed"
    cutoff, kept_to = value["cutoff_index"], value.get("created_at_index")
    if not isinstance(cutoff, int) or isinstance(cutoff, bool):
        return None, "the summary event in the state has no usable cut"
    found = contents.messages([value["summary_message"]])[0]
    shelf = contents.shelf
    _, _, chars, tokens = shelf.piece(found.part)
    part = shelf.part("summary", shelf.value(found.part), chars, tokens)
    return SummaryEvent(part, cutoff, kept_to if isinstance(kept_to, int) else cutoff, value.get("file_path")), ""


class Rules:
    """Makes effective messages; each derived one once."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._derived: dict[tuple[str, int], int] = {}
        self.previews = 0
        """How many messages were rebuilt as previews."""

    def effective(self, message: Message, kept_before_summary: bool) -> int:
        """Part of a message as it is sent."""
        if message.evicted is not None:
            return self._derive("preview", message.part)
        if kept_before_summary and message.answer:
            return self._derive("reasoning", message.part)
        return message.part

    def _derive(self, rule: str, part: int) -> int:
        known = self._derived.get((rule, part))
        if known is None:
            value = self._shelf.value(part)
            made = _preview(value) if rule == "preview" else _without_bound_reasoning(value)
            known = part if made is None else _keep(self._shelf, self._shelf.piece(part)[1], made)
            self._derived[rule, part] = known
        return known


def _keep(shelf: Shelf, kind: str, message: dict[str, Any]) -> int:
    from engine.sources.messages import measure

    return shelf.part(kind, message, *measure(message["data"]))


def _without_bound_reasoning(message: dict[str, Any]) -> dict[str, Any] | None:
    """The message without reasoning blocks that belong to the conversation before a summary; None when it has none."""
    data = message["data"]
    content, metadata = data.get("content"), data.get("response_metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    provider, model = metadata.get("model_provider"), str(metadata.get("model_name", "")).lower()
    bound: frozenset[str] = frozenset()
    if provider is None:
        bound = _NATIVE_REASONING
    elif provider == "anthropic" or (provider in _BEDROCK and ("claude" in model or "anthropic" in model)):
        bound = _NATIVE_REASONING | {"reasoning"}
    if not bound or not isinstance(content, list):
        return None
    kept = [block for block in content if not (isinstance(block, dict) and block.get("type") in bound)]
    return None if len(kept) == len(content) else {**message, "data": {**data, "content": kept}}


def _preview(message: dict[str, Any]) -> dict[str, Any] | None:
    """What the installed deepagents sends in place of a user message that was put into a file."""
    try:
        data = message["data"]
        found = late("langchain_core.messages").HumanMessage(
            **{name: value for name, value in data.items() if name != "type"}
        )
        # Private, and held by a contract test.
        filesystem = late("deepagents.middleware.filesystem")
        made = filesystem._build_truncated_human_message(found, found.additional_kwargs["lc_evicted_to"])
    except Exception:  # another release of deepagents, or a message that it would not take
        return None
    return {**message, "data": {**data, "content": made.content}}

"""Reading a request as a model gets it: is it well-formed, is it the summarizing call, where does it stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from engine.agent.scripted.script import ScriptError


def check_messages(messages: list[BaseMessage]) -> None:
    """Refuse what a provider refuses: no messages, a late system message, calls and results unpaired."""
    if not messages:
        raise ScriptError("the request has no messages")
    if all(isinstance(message, SystemMessage) for message in messages):
        raise ScriptError("the request has no message but the system's")
    open_calls: set[str] = set()
    for n, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in open_calls:
                raise ScriptError(f"message {n} is a result of {message.tool_call_id!r}, which was not called")
            open_calls.discard(message.tool_call_id)
            continue
        if open_calls:
            raise ScriptError(f"no result before message {n} for {', '.join(sorted(open_calls))}")
        if isinstance(message, SystemMessage) and n:
            raise ScriptError(f"message {n} is a system message; it must come first")
        if isinstance(message, AIMessage):
            open_calls = {str(call["id"]) for call in message.tool_calls}
    if open_calls:
        raise ScriptError(f"no result at the end for {', '.join(sorted(open_calls))}")


def is_summary_call(messages: list[BaseMessage], tools: Sequence[Any], metadata: Mapping[str, Any]) -> bool:
    if tools or len(messages) != 1 or not isinstance(messages[0], HumanMessage):
        return False
    if metadata.get("lc_source") == "summarization":
        return True
    text = messages[0].text
    return "Messages to summarize:" in text and text.rstrip().endswith("</messages>")


def is_summary(message: BaseMessage) -> bool:
    return message.additional_kwargs.get("lc_source") == "summarization"


def has_summary(messages: list[BaseMessage]) -> bool:
    return any(is_summary(message) for message in messages)


def last_answer_and_user(
    messages: list[BaseMessage],
) -> tuple[AIMessage | None, HumanMessage | None]:
    """The last answer, and the last user message if it came after that answer."""
    user: HumanMessage | None = None
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return message, user
        if user is None and isinstance(message, HumanMessage) and not is_summary(message):
            user = message
    return None, user


def describe(message: BaseMessage) -> str:
    text = message.text
    return f"the {message.type} message {text[:80]!r}" + ("…" if len(text) > 80 else "")

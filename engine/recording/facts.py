"""Facts about one request, computed from what LangChain's objects hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage, ToolMessage
from langchain_core.runnables.config import var_child_runnable_config

from engine.canonical import from_json
from engine.kinds import block_kind
from engine.recording import notice
from engine.recording.canon import Encoded, encode, encode_message, text_of
from engine.recording.handler import OpenRequest
from engine.recording.lanes import Lane
from engine.recording.observers import Call
from engine.recording.origin import blocks_of
from engine.wire.secrets import without_keys, without_secrets


def system_values(system: SystemMessage | None) -> list[Any]:
    """The system area as a list: the message without its content, then a block each."""
    if system is None:
        return []
    shell = {"type": system.type, "data": system.model_dump(exclude={"content"})}
    shell["form"] = "list" if isinstance(system.content, list) else "str"
    return [shell, *blocks_of(system)]


def sizes(lane: Lane, contributors: list[str]) -> dict[str, int]:
    """Estimated tokens by kind."""
    sizes: dict[str, int] = {}

    def add(kind: str, tokens: int) -> None:
        if tokens:
            sizes[kind] = sizes.get(kind, 0) + tokens

    for index, block in enumerate(lane.encoded("system")[1:]):
        add(block_kind(contributors[index] if index < len(contributors) else ""), block.tokens)
    add("tools", sum(schema.tokens for schema in lane.encoded("tools")))
    for entry in lane.sent.entries:
        add(entry.encoded.kind, entry.encoded.tokens)
    return sizes


def title(messages: list[BaseMessage]) -> str:
    """The first thing a human says, on one line."""
    for message in messages:
        if message.type == "human" and not notice.is_summary(message):
            return " ".join(text_of(message)[:400].split())[:100]
    return ""


def checkpoint_id(namespace: str) -> str | None:
    """Id of the checkpoint that the running node started from."""
    found = (configurable().get("checkpoint_map") or {}).get(namespace)
    return str(found) if found else None


def limits(call: Call | None, model: Any) -> tuple[dict[str, Any], int | None]:
    """The model's profile, and the tokens at which its agent starts to summarize."""
    if call is not None and call.layers and call.layers[-1] is not None:
        model = call.layers[-1].model
    profile = dict(getattr(model, "__dict__", {}).get("profile") or {})  # a property would warn, in LangChain 1.0
    if call is None:
        return profile, None
    window = profile.get("max_input_tokens")
    helper = getattr(call.assembly.summarizer, "_lc_helper", None)
    sizes = []
    for clause in getattr(helper, "_trigger_clauses", None) or ():
        if "tokens" in clause:
            sizes.append(int(clause["tokens"]))
        elif "fraction" in clause and isinstance(window, int):
            sizes.append(int(clause["fraction"] * window))
    return profile, min(sizes) if sizes else None


def model_name(opened: OpenRequest) -> str | None:
    """The model's name, as its integration tells it."""
    params = opened.extra.get("invocation_params") or {}
    return opened.metadata.get("ls_model_name") or params.get("model") or params.get("model_name")


def answer(message: BaseMessage | None, *, failed: bool) -> Encoded | None:
    """The response as a part. What stands for one after a failure quotes the provider, headers and all."""
    if message is None:
        return None
    encoded = encode_message(message)
    if not failed:
        return encoded
    value = from_json(without_keys(encoded.body.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass"))
    return encode(encoded.kind, without_secrets(value), encoded.chars, encoded.tokens)


def result(value: Any, call_id: str | None) -> ToolMessage | None:
    """The tool message in what a tool call gave."""
    if isinstance(value, ToolMessage):
        return value
    update = getattr(value, "update", None)  # of LangGraph's Command
    if isinstance(update, dict):
        for message in update.get("messages") or ():
            if isinstance(message, ToolMessage) and message.tool_call_id == call_id:
                return message
    return None


def configurable() -> Mapping[str, Any]:
    """What the configuration of the run in this context says of its place; empty outside of one."""
    return (var_child_runnable_config.get() or {}).get("configurable") or {}

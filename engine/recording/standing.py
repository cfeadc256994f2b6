"""What a model call is: whose, on which thread, made from which state, and started by what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from engine.recording import assembling
from engine.recording.handler import OpenRequest
from engine.recording.observers import Assembly, Call


@dataclass(slots=True)
class Standing:
    """A call's place in its thread."""

    thread_id: str
    checkpoint_ns: str
    namespace: str
    """LangGraph's namespace of the agent that called."""
    purpose: str
    own: bool
    """Whether it is one of an agent's own requests, each of which mostly extends the one before."""
    lane: str
    """Names the agent's lists within the thread."""
    call: Call | None
    """The pass through the agent's middlewares, or as much of it as the node's state tells."""
    raw: list[BaseMessage] | None
    """Messages in the state that it was made from; None where that isn't known."""
    passed: Call | None
    """The same where the middlewares were observed."""
    known: bool
    """Whether what was not seen to be a middleware's is known to be the caller's."""
    parent: str | None
    """Token of the request that asked for the tool in which it was made."""
    parent_call: str | None

    @property
    def beside(self) -> str:
        """Name of the lists of a call that is made beside an agent's own requests."""
        return f"{self.namespace}|{self.purpose}" if self.namespace else self.purpose

    @property
    def depth(self) -> int:
        """How many subagents deep."""
        return self.namespace.count("tools:")


def standing_of(opened: OpenRequest, thread: str | None) -> Standing:
    """Where a call stands; ``thread`` names the thread where its configuration names none."""
    metadata, place, tree = opened.metadata, opened.place, opened.place.tree
    full = str(metadata.get("langgraph_checkpoint_ns") or metadata.get("checkpoint_ns") or "")
    namespace = full.rpartition("|")[0]
    known_thread = metadata.get("thread_id") or thread or (tree.root if tree is not None else None)
    summary = metadata.get("lc_source") == "summarization"
    passed = opened.call if opened.call is not None and opened.call.inside else None
    # Nodes of middlewares have names like "Name.before_model".
    at_node = opened.call is None and not summary and place.node is not None and "." not in place.node
    call, raw = passed, None
    if passed is not None:
        raw = list(passed.state.get("messages") or ())
    elif at_node and place.state is not None:
        raw = messages_in(place.state)
        call = Call(Assembly([], {}), place.state, inside=True) if raw is not None else None
    lane = namespace
    if at_node and place.node != "model":
        lane = f"{namespace}|{place.node}" if namespace else str(place.node)
    own = passed is not None or at_node
    if own:
        purpose = "subagent" if "tools:" in namespace else "agent"
    else:
        purpose = "summary" if summary else "other"
    return Standing(
        thread_id=str(known_thread or f"run {opened.extra.get('parent_run_id') or opened.token}"),
        checkpoint_ns=full,
        namespace=namespace,
        purpose=purpose,
        own=own,
        lane=lane,
        call=call,
        raw=raw,
        passed=passed,
        known=place.node != "model" or assembling.complete(),
        parent=tree.calls.get(place.tool_call) if tree is not None and place.tool_call is not None else None,
        parent_call=place.tool_call,
    )


def messages_in(state: Mapping[str, Any]) -> list[BaseMessage] | None:
    """The messages of a state, where it has a list of them."""
    found = state.get("messages")
    if isinstance(found, list) and all(isinstance(item, BaseMessage) for item in found):
        return found
    return None

"""Lists merged as deepagents merges them, whatever is written to them."""

from __future__ import annotations

from typing import Any

from deepagents._messages_reducer import _messages_delta_reducer
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from engine.sources.messages import Message, MessageList, keep_message
from engine.sources.shelf import Shelf

IDS = st.sampled_from([None, "1", "2", "3", "4"])
SAID = st.builds(
    lambda kind, text, id: kind(text, id=id), st.sampled_from([HumanMessage, AIMessage]), st.sampled_from("abcdef"), IDS
)
REMOVAL = st.sampled_from(["1", "2", "3", "9", REMOVE_ALL_MESSAGES]).map(lambda id: RemoveMessage(id=id))
STEPS = st.lists(st.lists(st.one_of(SAID, SAID, SAID, REMOVAL), max_size=5), max_size=8)


def kept(shelf: Shelf, messages: list[Any]) -> list[Message]:
    return [keep_message(shelf, message.model_dump()) for message in messages]


def shown(shelf: Shelf, items: MessageList) -> list[Any]:
    """The list by its items, and by its chain."""
    mine = [shelf.value(item.part)["data"] for item in items.items]
    assert [shelf.value(piece[0])["data"] for piece in shelf.path(items.node)] == mine
    return mine


@settings(max_examples=400, deadline=None)
@given(STEPS)
def test_writes_are_merged_as_deepagents_merges_them(steps: list[list[Any]]) -> None:
    shelf = Shelf()
    items, state = MessageList(shelf), list[AnyMessage]()
    for step in steps:
        items.apply(kept(shelf, step))
        state = _messages_delta_reducer(state, [step])
        assert shown(shelf, items) == [message.model_dump() for message in state]


@settings(max_examples=200, deadline=None)
@given(STEPS, STEPS)
def test_a_fork_goes_on_by_itself(first: list[list[Any]], second: list[list[Any]]) -> None:
    shelf = Shelf()
    items = MessageList(shelf)
    for step in first:
        items.apply(kept(shelf, step))
    before, fork = shown(shelf, items), items.fork()
    for step in second:
        fork.apply(kept(shelf, step))
    assert shown(shelf, items) == before


@settings(max_examples=200, deadline=None)
@given(STEPS, st.lists(SAID, max_size=6))
def test_what_is_kept_of_a_list_has_stayed_as_it_was(steps: list[list[Any]], whole: list[Any]) -> None:
    shelf = Shelf()
    items = MessageList(shelf)
    for step in steps:
        items.apply(kept(shelf, step))
    before = [item.part for item in items.items]
    items.kept = len(before)
    for step in reversed(steps):
        items.apply(kept(shelf, step))
    items.set(kept(shelf, whole))
    assert [item.part for item in items.items][: items.kept] == before[: items.kept]
    assert shown(shelf, items) == [message.model_dump() for message in whole]


def test_equal_lists_are_one_node() -> None:
    shelf = Shelf()
    one, other = MessageList(shelf), MessageList(shelf)
    messages = kept(shelf, [HumanMessage("a", id="1"), AIMessage("b", id="2")])
    one.set(messages)
    for message in messages:
        other.apply([message])
    assert one.node == other.node
    assert shelf.chars(one.node) == 2
    assert set(shelf.sizes(one.node)) == {"human", "ai"}

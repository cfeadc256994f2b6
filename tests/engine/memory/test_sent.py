"""What a model gets of memory files is what the engine sends, and each file is found again in a block that was sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from engine.memory.sent import sections_in, sent_memory, sent_text, tokens_of
from tests.contract.models import Told, deep_agent, memory_and_skills, say

A, B, C = "/memories/a.md", "/memories/b.md", "/memories/c.md"
SOURCES = [A, B, C]


def sent_by_the_engine(files: dict[str, str], sources: list[str]) -> str:
    """The block that a real agent's model receives."""
    model = Told(turns=["one"])
    agent = deep_agent(
        model,
        backend=memory_and_skills(InMemoryStore()),
        files={path: text.encode() for path, text in files.items()},
        memory=sources,
    )
    say(agent, "a")
    blocks: Any = model.given[0].messages[0].content
    return next(block["text"] for block in blocks if "<agent_memory>" in block["text"])


@pytest.mark.parametrize(
    "files",
    [
        {},
        {A: "One."},
        {A: "One.\n\n", B: "Two.\n<!-- not\nsent -->\nThree.", C: "<!-- nothing -->"},
        {A: "", B: " \n", C: "{braces} and {0}"},
        {B: f"Looks like another file:\n\n{C}\n\nbut is not.", C: "The real one."},
        {A: "unclosed <!-- comment", B: "\ufeffbyte order mark"},
    ],
)
def test_the_block_is_the_engines(files: dict[str, str]) -> None:
    block = sent_by_the_engine(files, SOURCES)
    sent = sent_memory(files, SOURCES)
    assert block.removeprefix("\n\n") == sent.block
    assert sent.tokens == tokens_of(sent.block)
    likely = {path: sent_text(path, text) for path, text in files.items()}
    assert sections_in(block, SOURCES, likely) == sent.sections


pieces = st.sampled_from(["a", " ", "\n", "<!--", "-->", "{", "}", "é", "\u2028", f"\n\n{B}\n\n"])
texts = st.lists(pieces, max_size=12).map("".join)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(SOURCES), texts))
def test_every_file_is_found_again_in_a_block(files: dict[str, str]) -> None:
    sent = sent_memory(files, SOURCES)
    likely = {path: sent_text(path, text) for path, text in files.items()}
    found = sections_in(sent.block, SOURCES, likely)
    assert found is not None
    # Where a text imitates the head of another file, the block itself can be read in several ways.
    rebuilt = "\n\n".join(f"{path}\n\n{text}" for path, text in found.items())
    assert rebuilt == "\n\n".join(f"{path}\n\n{text}" for path, text in sent.sections.items())
    if not any(f"\n\n{path}\n\n" in text for path in SOURCES for text in likely.values()):
        assert found == sent.sections


def test_a_file_that_is_not_known_any_more_is_found_all_the_same() -> None:
    sent = sent_memory({A: "One.", B: "Two."}, SOURCES)
    assert sections_in(sent.block, SOURCES, {}) == {A: "One.", B: "Two."}


def test_a_block_of_another_make_is_not_guessed_at() -> None:
    assert sections_in("You are a helpful assistant.", SOURCES, {}) is None
    assert sections_in(sent_memory({A: "x"}, SOURCES).block, [B], {}) is None


def test_what_is_not_sent_is_counted() -> None:
    sent = sent_memory({A: "One. <!-- twelve -->\n\n", B: "Two."}, SOURCES)
    assert sent.removed == {A: 18, B: 0}
    assert sent.sections == {A: "One.", B: "Two."}
    assert sent.section_tokens == {A: tokens_of(f"{A}\n\nOne."), B: tokens_of(f"{B}\n\nTwo.")}

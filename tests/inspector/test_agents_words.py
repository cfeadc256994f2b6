"""What the window Agents says of settings, keys and places, in words."""

from __future__ import annotations

import pytest

from engine.blueprint import EffectiveValue
from engine.keys import KeyState
from engine.lifetimes import lifetime_table
from inspector.models.agents import effective_line, field_words, key_line, problems_line, threads_sentence
from inspector.views.agents_files import survival


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("model", "Model"),
        ("subagents[1].system_prompt", "Subagents 2, system prompt"),
        ("backend.routes[/my_memories/]", "Backend, routes /my_memories/"),
        ("interrupts[write_file]", "Interrupts write_file"),
        ("", ""),
    ],
)
def test_the_field_of_a_problem_is_named_for_reading(field: str, words: str) -> None:
    assert field_words(field) == words


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (None, "Not known while there are errors."),
        (EffectiveValue("keep", 6, "messages", "engine default"), "6 messages · engine default"),
        (
            EffectiveValue("summarize at", 0.855, "of the window", "model profile"),
            "85.5 % of the window · model profile",
        ),
        (EffectiveValue("offload results", None, "tokens", "you"), "off · set here"),
        (EffectiveValue("window", None, "tokens", "model profile"), "not known · model profile"),
        (EffectiveValue("summaries by", "openai:x", "", "you"), "openai:x · set here"),
    ],
)
def test_what_a_setting_comes_to_says_where_that_is_from(value: EffectiveValue | None, line: str) -> None:
    assert effective_line(value) == line


def test_a_missing_key_says_where_it_was_looked_for() -> None:
    missing = KeyState("openai", "OPENAI_API_KEY", "", "The keyring is locked.")
    assert key_line(missing).endswith("The keyring is locked.")
    assert "OPENAI_API_KEY" in key_line(missing)
    assert key_line(None) == "Name a model first."


def test_numbers_and_lists_are_read_as_sentences() -> None:
    assert problems_line(2, 1) == "2 errors, 1 warning"
    assert problems_line(0, 0) == ""
    assert threads_sentence(()) == "No thread goes on with it."
    assert threads_sentence(("a", "b", "c", "d", "e")) == "5 threads go on with it: a, b, c and 2 more."


def test_what_a_file_survives_is_told_apart_for_every_place() -> None:
    told = {lives.place: survival(lives) for lives in lifetime_table()}
    assert told["thread state"] == (
        "Stays for the next turn and after a restart. Other threads don’t see it. It is deleted with its thread."
    )
    assert told["store"] == "Stays for the next turn and after a restart. Other threads see it. It outlives its thread."
    assert told["thread state, no checkpointer"].startswith("Gone when the run ends.")

"""Settings as JSON, and back."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.agent.scripted import ScriptedChat
from engine.agent.settings import (
    AgentSettings,
    ArgumentCut,
    BackendSettings,
    Identity,
    Permission,
    Place,
    SubagentSettings,
)
from engine.agent.written import described, settings_form, settings_from, unread
from engine.errors import UsageError

FULL = AgentSettings(
    model="openai:gpt-5.5",
    name="analyst",
    model_parameters={"temperature": 0.5, "stop": ["END"], "use_responses_api": False},
    base_url="http://localhost:8000/v1",
    profile={"max_input_tokens": 32_000},
    system_prompt="Be brief. 🙂\n",
    tools=["/a/tools.py", "/a/tools.py:one", "pack.age:two"],
    subagents=[
        SubagentSettings("a", "Does a.", "A.", tools=["/a/b.py"], model="openai:b", skills=["/skills/a/"]),
        SubagentSettings("b", "Does b.", "B.", tools=(), mode="fork"),
    ],
    memory=["/memories/a.md", "/memories/b.md"],
    skills=[],
    backend=BackendSettings(
        Place("filesystem", root="/srv/x"), {"/m/": Place("store", namespace=("m", "{user}")), "/s/": Place()}, "/art/"
    ),
    identity=Identity("acme", "ann"),
    permissions=[Permission(["read", "write"], ["/x/**"], "deny"), Permission(["read"], ["/**"])],
    interrupts={"write_file": ["approve", "reject"], "task": []},
    offload_results=5_000,
    offload_messages="off",
    summarize=("fraction", 0.5),
    keep=("messages", 4),
    cut_arguments=ArgumentCut(("tokens", 900), ("messages", 3), 77),
    summary_prompt="Sum up {messages}",
    summary_model="anthropic:c",
    compact_tool=True,
    compact_prompt="Compact.",
    tags={"team": "x"},
)


def through(value: AgentSettings) -> AgentSettings:
    return settings_from(json.loads(json.dumps(settings_form(value))))


def test_settings_come_back_exactly() -> None:
    plain = AgentSettings(model="hand")
    same = {each.name for each in fields(FULL) if getattr(FULL, each.name) == getattr(plain, each.name)}
    assert same == {"other"}, "a field that FULL leaves at its default is not tried"
    for value in (FULL, plain, replace(FULL, cut_arguments="off", summarize="off", keep=None)):
        assert through(value) == value
        assert json.dumps(settings_form(through(value))) == json.dumps(settings_form(value))


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        AgentSettings,
        model=st.text(st.characters(exclude_categories=["Cs"])),
        system_prompt=st.none() | st.text(st.characters(exclude_categories=["Cs"])),
        summarize=st.sampled_from(["default", "off"])
        | st.tuples(st.sampled_from(["tokens", "messages", "fraction"]), st.integers() | st.floats(0, 1)),
        memory=st.lists(st.text(st.characters(exclude_categories=["Cs"]))),
        compact_tool=st.booleans(),
    )
)
def test_any_settings_come_back_exactly(value: AgentSettings) -> None:
    assert through(value) == value


def test_lists_and_tuples_say_the_same() -> None:
    assert AgentSettings(model="x", memory=["/a"], interrupts={"t": ["approve"]}) == AgentSettings(
        model="x", memory=("/a",), interrupts={"t": ("approve",)}
    )


def test_what_a_form_lacks_has_its_default() -> None:
    assert settings_from({"model": "hand"}) == AgentSettings(model="hand")
    assert settings_from({"model": "hand", "subagents": [{"name": "a"}]}).subagents == (SubagentSettings("a", "", ""),)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("offload_results", {"tokens": 5}),
        ("compact_tool", 1),
        ("memory", "/one/path"),
        ("keep", ["pages", 3]),
        ("permissions", [{"operations": ["read"], "paths": ["/x"], "mode": "deny", "between": "9 and 5"}]),
        ("backend", {"default": {"kind": "state", "root": None, "namespace": [], "quota": 7}, "routes": {}}),
        ("identity", {"tenant": "a", "user": "b", "group": "c"}),
        ("cut_arguments", {"trigger": ["messages", 3], "keep": ["messages", 2], "max_length": 5, "text": "…"}),
        ("mood", "new"),
    ],
)
def test_what_another_version_stored_is_kept_and_named(field: str, value: Any) -> None:
    form = {**json.loads(json.dumps(settings_form(FULL))), field: value}
    found = settings_from(form)
    assert unread(found) == (field,)
    assert getattr(found, field, None) == getattr(AgentSettings(model=""), field, None)
    assert settings_form(replace(found, name="renamed")) == {**form, "name": "renamed"}


def test_what_another_version_stored_in_a_subagent_goes_with_it() -> None:
    form = json.loads(json.dumps(settings_form(FULL)))
    form["subagents"][1]["mood"] = "new"
    found = settings_from(form)
    assert unread(found) == ("subagents[1].mood",)
    turned = replace(found, subagents=found.subagents[::-1])
    assert settings_form(turned)["subagents"] == form["subagents"][::-1]


def test_setting_it_again_replaces_what_could_not_be_read() -> None:
    found = settings_from({"model": "hand", "offload_results": {"tokens": 5}})
    assert settings_form(replace(found, offload_results=9))["offload_results"] == 9


@pytest.mark.parametrize("value", [ScriptedChat(), len, object()])
def test_objects_are_not_stored(value: Any) -> None:
    for given_settings in (AgentSettings(model=value), AgentSettings(model="hand", tools=[value])):
        with pytest.raises(UsageError, match="can't be stored"):
            settings_form(given_settings)


def test_half_a_character_is_not_stored() -> None:
    with pytest.raises(UsageError, match="system_prompt holds half of a character"):
        settings_form(AgentSettings(model="hand", system_prompt="a\ud83d"))


def test_a_record_names_objects_and_keeps_no_key() -> None:
    def look() -> str:
        """Looks."""
        return ""

    told = described(
        AgentSettings(
            model=ScriptedChat(), tools=[look], model_parameters={"api_key": "sk-1234567890"}, tags={"week": "22"}
        )
    )
    assert (told["model"], told["tools"], told["week"]) == ("ScriptedChat", ["look"], "22")
    assert "sk-1234567890" not in json.dumps(told)

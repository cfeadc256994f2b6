"""What is wrong with settings, and what they come to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.agent.checking import check_settings
from engine.agent.effective import effective
from engine.agent.scenarios import demo_scenarios
from engine.agent.settings import (
    AgentSettings,
    ArgumentCut,
    BackendSettings,
    Identity,
    Permission,
    Place,
    SubagentSettings,
)
from engine.agent.written import settings_form
from engine.blueprint import EffectiveValue


def helper(**given: Any) -> SubagentSettings:
    return SubagentSettings(**{"name": "helper", "description": "Helps.", "system_prompt": "", **given})


def store(*namespace: str) -> Place:
    return Place("store", namespace=namespace)


def files(default: Place = Place(), routes: dict[str, Place] | None = None, root: str = "/") -> BackendSettings:  # noqa: B008
    return BackendSettings(default, routes or {}, root)


ERRORS: list[tuple[dict[str, Any], str, str]] = [
    ({"model": ""}, "model", "No model is named"),
    ({"model": "nobody:x"}, "model", "There is no provider 'nobody'"),
    ({"model": "openai:"}, "model", "names a provider and no model"),
    ({"model": "groq:x"}, "model", "langchain-groq"),
    ({"summary_model": "nobody:x"}, "summary_model", "There is no provider 'nobody'"),
    ({"base_url": "localhost:8000"}, "base_url", "begins with http"),
    ({"model_parameters": {"api_key": "abcdef"}}, "model_parameters.api_key", "looks like a key"),
    ({"tools": ["/nowhere.py"]}, "tools[0]", "There is no file"),
    ({"tools": ["json:dumps", "json:dumps"]}, "tools[1]", "named twice"),
    ({"tools": ["json:dumps"]}, "tools[0]", "was not allowed to run yet"),
    ({"subagents": [helper(name=" ")]}, "subagents[0].name", "needs a name"),
    ({"subagents": [helper(), helper()]}, "subagents[1].name", "Two subagents are called 'helper'"),
    ({"subagents": [helper(description="")]}, "subagents[0].description", "Without a description"),
    ({"subagents": [helper(mode="both")]}, "subagents[0].mode", "isolated or a fork"),
    ({"subagents": [helper(mode="fork", skills=["/s/"])]}, "subagents[0].skills", "A fork has the agent's skills"),
    ({"subagents": [helper(model="nobody:x")]}, "subagents[0].model", "There is no provider"),
    ({"subagents": [helper(tools=["/nowhere.py"])]}, "subagents[0].tools[0]", "There is no file"),
    (
        {"subagents": [helper(model="hand")], "keep": ("fraction", 0.1)},
        "subagents[0].model",
        "keep is a fraction of the window",
    ),
    ({"memory": ["notes.md"]}, "memory[0]", "begins with /"),
    ({"memory": ["/a.md", "/x/../a.md"]}, "memory[1]", "no .. and no ~"),
    ({"skills": ["~/skills/"]}, "skills[0]", "begins with /"),
    ({"permissions": [Permission(["run"], ["/x"])]}, "permissions[0].operations", "read, write, or both"),  # type: ignore[list-item]
    ({"permissions": [Permission(["read"], [])]}, "permissions[0].paths", "without a path"),
    ({"permissions": [Permission(["read"], ["x"])]}, "permissions[0].paths", "must start with '/'"),
    ({"permissions": [Permission(["read"], ["/../x"])]}, "permissions[0].paths", "must not contain '..'"),
    ({"permissions": [Permission(["read"], ["/x"], "ask")]}, "permissions[0].mode", "allows, denies or interrupts"),  # type: ignore[arg-type]
    ({"interrupts": {"fetch": ()}}, "interrupts[fetch]", "has no tool 'fetch'"),
    ({"interrupts": {"compact_conversation": ()}}, "interrupts[compact_conversation]", "has no tool"),
    ({"interrupts": {"ls": ("maybe",)}}, "interrupts[ls]", "approve, edit, reject, respond; not maybe"),
    ({"backend": files(routes={"/x": Place()})}, "backend.routes[/x]", "begins and ends with /"),
    ({"backend": files(routes={"/x/../y/": Place()})}, "backend.routes[/x/../y/]", "begins and ends with /"),
    ({"backend": files(Place("filesystem"))}, "backend.default", "none is named"),
    ({"backend": files(Place("filesystem", root="here"))}, "backend.default", "not a whole path"),
    ({"backend": files(Place("filesystem", root="/no/where"))}, "backend.default", "doesn't exist"),
    ({"backend": files(store("{tenant}"))}, "backend.default", "needs the identity of the run"),
    ({"backend": files(store("*"))}, "backend.default", "can't be a part of a namespace"),
    ({"backend": files(root="art")}, "backend.artifacts_root", "begins with /"),
    ({"identity": Identity("", "ann")}, "identity.tenant", "is empty"),
    ({"identity": Identity("acme", "*")}, "identity.user", "can't name a namespace"),
    ({"offload_results": 0}, "offload_results", "above 0"),
    ({"offload_messages": True}, "offload_messages", "above 0"),
    ({"summarize": ("tokens", 0)}, "summarize", "above 0"),
    ({"summarize": ("tokens", 1.5)}, "summarize", "above 0"),
    ({"summarize": ("fraction", 1.5)}, "summarize", "above 0 and at most 1"),
    ({"summarize": ("fraction", 0)}, "summarize", "above 0 and at most 1"),
    ({"summarize": ("pages", 3)}, "summarize", "none of them"),
    ({"summarize": "never"}, "summarize", "or not at all"),
    ({"model": "hand", "summarize": ("fraction", 0.5)}, "summarize", "needs the model's window"),
    ({"model": "openai:of-my-own", "keep": ("fraction", 0.5)}, "keep", "needs the model's window"),
    (
        {"cut_arguments": ArgumentCut(("messages", 4), ("messages", 2), 0)},
        "cut_arguments.max_length",
        "above 0",
    ),
    ({"profile": {"max_input_tokens": "many"}}, "profile", "whole number"),
    ({"summary_prompt": "Sum up."}, "summary_prompt", "Without {messages}"),
    ({"summary_prompt": "{messages} as {json}"}, "summary_prompt", "double any others"),
    ({"summary_prompt": "{messages} {"}, "summary_prompt", "double any others"),
    ({"other": {"memory": 5}}, "memory", "can't be read"),
]
WARNINGS: list[tuple[dict[str, Any], str, str]] = [
    ({"model": "hand"}, "profile", "whatever the model's window is"),
    ({"model": "gpt-5.5"}, "model", "names no provider"),
    ({"name": "my agent"}, "name", "OpenAI refuses"),
    ({"model": "openai:gpt-5.5", "base_url": "http://localhost:1"}, "base_url", "Responses API"),
    ({"subagents": [helper(name="general-purpose")]}, "subagents[0].name", "takes the place"),
    ({"subagents": [helper(mode="fork")]}, "subagents[0].mode", "experimental"),
    ({"memory": ["/a.md", "/a.md"]}, "memory[1]", "named twice"),
    ({"compact_tool": True, "summarize": "off"}, "compact_tool", "with summaries off it never does"),
    ({"summarize": ("tokens", 100), "keep": ("tokens", 100)}, "keep", "next to nothing is shortened"),
    ({"summarize": ("messages", 10), "keep": ("messages", 12)}, "keep", "next to nothing is shortened"),
    ({"summarize": ("fraction", 0.1), "keep": ("tokens", 20_000)}, "keep", "next to nothing is shortened"),
    (
        {"cut_arguments": ArgumentCut(("messages", 4), ("messages", 5))},
        "cut_arguments.keep",
        "next to nothing is shortened",
    ),
    ({"compact_prompt": "Compact."}, "compact_prompt", "hasn't got"),
    ({"summarize": ("fraction", 0.99)}, "summarize", "never reached: the engine summarizes every request over"),
    ({"other": {"mood": 5}}, "mood", "has no effect here"),
]
FINE: list[dict[str, Any]] = [
    {},
    {"summarize": "off"},
    {"cut_arguments": "off", "offload_results": "off", "offload_messages": 1},
    {"model": "hand", "profile": {"max_input_tokens": 9_000}},
    {"model": "hand", "summarize": ("tokens", 9_000)},
    {"model": "anthropic:claude-sonnet-4-6", "model_parameters": {"max_tokens": 1_000}},
    {"interrupts": {"write_file": (), "task": ("approve",)}},
    {"interrupts": {"compact_conversation": ()}, "compact_tool": True},
    {"backend": files(store("{tenant}", "{user}")), "identity": Identity("acme", "ann@example.org")},
    {"summary_prompt": "Sum {{up}} {messages}"},
    {"subagents": [helper(model="scripted", tools=())]},
    {"keep": ("messages", 3), "summarize": ("fraction", 0.5)},
]


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def problems(given: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = check_settings(AgentSettings(**{"model": "scripted", **given}))
    return [(problem.field, problem.level, problem.sentence) for problem in found]


@pytest.mark.parametrize("level", ["error", "warning"])
def test_each_problem_is_told_at_its_field(level: str) -> None:
    for given, field, words in {"error": ERRORS, "warning": WARNINGS}[level]:
        found = problems(given)
        assert any((field, level) == one[:2] and words in one[2] for one in found), (given, found)
        if level == "warning":
            assert not [one for one in found if one[1] == "error"], (given, found)
        assert all(one[2].endswith(".") or "Read" in one[2] for one in found), found


def test_settings_without_a_problem_have_none() -> None:
    for given in FINE:
        assert problems(given) == [], given


def test_the_demos_have_no_errors() -> None:
    for scenario in demo_scenarios():
        for thread in scenario.threads:
            assert [p for p in check_settings(thread.settings) if p.level == "error"] == []


def test_the_stored_form_is_checked_as_it_stands() -> None:
    form = {**settings_form(AgentSettings(model="scripted")), "memory": 5, "mood": "new"}
    assert [(p.field, p.level) for p in check_settings(form)] == [("memory", "error"), ("mood", "warning")]


def test_listed_tools_are_tools(tmp_path: Path) -> None:
    given = AgentSettings(model="scripted", tools=["json:dumps"], interrupts={"fetch": ()})
    assert not [p for p in check_settings(given) if p.field.startswith("interrupts")], "it can't be known yet"
    assert not [p for p in check_settings(given, ["fetch"]) if p.field.startswith("interrupts")]
    assert [p for p in check_settings(given, ["other"]) if p.field == "interrupts[fetch]"]


def test_no_provider_is_imported_for_it() -> None:
    program = (
        "import sys\nfrom engine import AgentSettings, check_settings, effective\n"
        "s = AgentSettings(model='openai:gpt-5.5', summary_model='anthropic:claude-sonnet-4-6')\n"
        "check_settings(s); effective(s)\n"
        "print([name for name in ('openai', 'anthropic', 'langchain_openai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- effective values ---


def values(**given: Any) -> dict[str, EffectiveValue]:
    return {item.name: item for item in effective(AgentSettings(**{"model": "scripted", **given}))}


def test_the_names_of_effective_values_are_the_same_for_all_settings() -> None:
    assert list(values()) == list(values(model="hand")) == list(values(offload_results="off", keep=("messages", 2)))


def test_where_a_value_comes_from_is_told() -> None:
    profiled, plain = values(), values(model="hand")
    assert (profiled["summarize at"].origin, plain["summarize at"].origin) == ("model profile", "engine default")
    assert profiled["summarize at"].note == f"{int(profiled['window'].value * 0.85):,} tokens."
    assert plain["window"].value is None and "whatever the model's window" in plain["summarize at"].note.lower()
    mine = values(
        offload_results=7,
        offload_messages="off",
        summarize=("messages", 9),
        keep=("messages", 3),
        cut_arguments=ArgumentCut(("messages", 5), ("messages", 2), 33),
        summary_prompt="{messages}",
        summary_model="openai:x",
        profile={"max_input_tokens": 900},
    )
    assert {name: (item.value, item.unit) for name, item in mine.items() if item.origin == "you"} == {
        "window": (900, "tokens"),
        "largest request": (855, "tokens"),
        "offload results": (7, "tokens"),
        "offload messages": (None, "tokens"),
        "summarize at": (9, "messages"),
        "keep": (3, "messages"),
        "summary prompt": (10, "characters"),
        "summaries by": ("openai:x", ""),
        "cut arguments at": (5, "messages"),
        "arguments left whole": (2, "messages"),
        "longest argument": (33, "characters"),
    }


def test_the_tokens_of_an_answer_are_taken_off_the_window() -> None:
    claude = values(model="anthropic:claude-sonnet-4-6")
    less = values(model="anthropic:claude-sonnet-4-6", model_parameters={"max_tokens": 1_000})
    assert claude["largest request"].value < less["largest request"].value
    assert "the engine summarizes from" in claude["summarize at"].note
    assert "the engine summarizes from" not in less["summarize at"].note
    assert (
        f"{claude['largest request'].value:,}"
        in values(model="anthropic:claude-sonnet-4-6", summarize="off")["summarize at"].note
    )

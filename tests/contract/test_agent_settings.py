"""Every setting of an agent, seen in what the model really received, and nothing else changed by it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from deepagents import create_deep_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from engine.agent.build import backend_over, build_agent
from engine.agent.settings import (
    AgentSettings,
    ArgumentCut,
    BackendSettings,
    Identity,
    Permission,
    Place,
    SubagentSettings,
)
from engine.checkpoints import WorkspaceSaver, WorkspaceStore
from engine.errors import UsageError
from engine.workspace import Workspace
from tests.contract.models import Told, call, say, thread

PROFILE = {"max_input_tokens": 100_000}
HALF = "\n".join(f"line {n} of a long text" for n in range(2_000))
"""About 12,400 tokens; the schemas of the tools take about 2,400 more."""
LONG = "\n".join(f"line {n} of a long text" for n in range(400))
"""About 2,400 tokens as the engine counts."""

pytestmark = pytest.mark.filterwarnings("ignore:.*forked subagents.*")


def fetch(lines: int) -> str:
    """Gives a long text."""
    return "\n".join(f"line {n} of a long text" for n in range(lines))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "w.ctx")


@contextmanager
def built(workspace: Workspace, settings: AgentSettings) -> Iterator[Any]:
    agent = build_agent(workspace, settings)
    try:
        yield agent.graph
    finally:
        agent.close()


def told(workspace: Workspace, turns: list[Any], *texts: str, summaries: list[str] | None = None, **given: Any) -> Told:
    """The model of an agent after some messages."""
    model = Told(turns=turns, summaries=summaries or [], profile=given.pop("window", PROFILE))
    with built(workspace, AgentSettings(model=model, **given)) as graph:
        for text in texts or ("Hello",):
            say(graph, text)
    return model


# --- the stack of middlewares: by default the engine's own, and one setting changes one thing ---


def stacks(make: Any) -> dict[str, dict[str, Any]]:
    """What every agent and subagent that ``make`` builds is made of: middleware.field → value."""
    from langchain.agents import create_agent

    found: dict[str, dict[str, Any]] = {}

    def noted(*args: Any, **kwargs: Any) -> Any:
        order = [item.name for item in kwargs["middleware"]]
        held = {"order": order, "tools": [flat(item) for item in kwargs.get("tools") or ()]}
        held["system"] = kwargs.get("system_prompt")
        for item in kwargs["middleware"]:
            held |= {f"{item.name}.{name}": flat(value) for name, value in parts(item).items()}
        found[kwargs.get("name") or "main"] = held
        return create_agent(*args, **kwargs)

    with patch("deepagents.graph.create_agent", noted), patch("deepagents.middleware.subagents.create_agent", noted):
        make()
    return found


def parts(item: Any) -> dict[str, Any]:
    held = dict(vars(item))
    helper = held.pop("_lc_helper", None)
    return held if helper is None else held | vars(helper)


def flat(value: Any) -> Any:
    """A value in a form that is equal for two that were made alike."""
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, Mapping):
        return {str(key): flat(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [flat(item) for item in value]
    if isinstance(value, BaseTool):
        return value.name, value.description, flat(value.args)
    if isinstance(value, BaseChatModel):
        return value._llm_type, value.name, flat(value.profile)
    if isinstance(value, functools.partial):
        return flat(value.func), flat(value.keywords)
    bound = getattr(value, "bound", None)
    return (type(value).__name__, getattr(value, "__qualname__", ""), None if bound is None else flat(bound))


HELPER = SubagentSettings("helper", "Helps.", "Help.")


def by_settings(workspace: Workspace, **given: Any) -> dict[str, dict[str, Any]]:
    given = {"model": Told(name="main", profile=PROFILE), "subagents": (HELPER,), "tools": (fetch,), **given}

    def make() -> None:
        with built(workspace, AgentSettings(**given)):
            pass

    return stacks(make)


def test_the_default_settings_give_the_engines_own_stack(workspace: Workspace) -> None:
    def make() -> None:
        saver, store = WorkspaceSaver(workspace), WorkspaceStore(workspace)
        with closing(saver.conn), closing(store.conn):
            create_deep_agent(
                Told(name="main", profile=PROFILE),
                tools=[fetch],
                subagents=[{"name": "helper", "description": "Helps.", "system_prompt": "Help."}],
                memory=["/memories/AGENTS.md"],
                skills=["/skills/"],
                backend=backend_over(store),
                checkpointer=saver,
                store=store,
            )

    ours, engines = by_settings(workspace), stacks(make)
    assert ours.keys() == engines.keys() == {"main", "general-purpose", "helper"}
    assert ours == engines


FILES, SUMMARIES = "FilesystemMiddleware", "SummarizationMiddleware"
EVERYWHERE = ("main", "general-purpose", "helper")
TRIGGER = ("trigger", "_trigger_clauses", "_trigger_conditions")
CUT = ("_truncate_args_trigger", "_truncate_args_keep", "_max_arg_length")

ONE_SETTING = {
    "offload_results": (100, EVERYWHERE, FILES, ["_tool_token_limit_before_evict"]),
    "offload_messages": ("off", EVERYWHERE, FILES, ["_human_message_token_limit_before_evict"]),
    "summarize": (("tokens", 5_000), EVERYWHERE, SUMMARIES, TRIGGER),
    "keep": (("messages", 3), EVERYWHERE, SUMMARIES, ["keep"]),
    "cut_arguments": (ArgumentCut(("messages", 4), ("messages", 2), 50), EVERYWHERE, SUMMARIES, CUT),
    "summary_prompt": ("Sum up {messages}", EVERYWHERE, SUMMARIES, ["summary_prompt"]),
    "summary_model": (
        Told(name="writer"),
        EVERYWHERE,
        SUMMARIES,
        ["_summary_model", "_summary_chat_model"],
    ),
}


@pytest.mark.parametrize("name", ONE_SETTING)
def test_one_setting_changes_just_that(workspace: Workspace, name: str) -> None:
    value, agents, middleware, fields = ONE_SETTING[name]
    before, after = by_settings(workspace), by_settings(workspace, **{name: value})
    assert changed(before, after) == {(agent, f"{middleware}.{field}") for agent in agents for field in fields}


def test_summaries_off_leaves_all_but_the_trigger(workspace: Workspace) -> None:
    """A request that the provider refuses as too long is summarized even then, so the rest still counts."""
    before, after = by_settings(workspace), by_settings(workspace, summarize="off")
    assert changed(before, after) == {(agent, f"{SUMMARIES}.{field}") for agent in EVERYWHERE for field in TRIGGER}
    assert after["main"][f"{SUMMARIES}.trigger"] is None


def test_a_model_without_a_profile_gets_the_engines_other_defaults(workspace: Workspace) -> None:
    model = Told(name="main")
    plain, limited = by_settings(workspace, model=model), by_settings(workspace, model=model, keep=("messages", 3))
    assert plain["main"][f"{SUMMARIES}.trigger"] == ["tokens", 170_000]
    assert changed(plain, limited) == {(agent, f"{SUMMARIES}.keep") for agent in EVERYWHERE}


def test_the_compacting_tool_uses_the_summaries_of_its_agent(workspace: Workspace) -> None:
    before, after = by_settings(workspace), by_settings(workspace, compact_tool=True, compact_prompt="Compact early.")
    assert {agent for agent, _ in changed(before, after)} == {"main"}
    order = after["main"]["order"]
    assert [name for name in order if name not in before["main"]["order"]] == ["SummarizationToolMiddleware"]
    model = Told(name="main", profile=PROFILE)
    with patch("deepagents.graph.create_agent") as create, pytest.raises(AttributeError):
        create.side_effect = AttributeError
        build_agent(workspace, AgentSettings(model=model, compact_tool=True))
    stack = {item.name: item for item in create.call_args.kwargs["middleware"]}
    assert stack["SummarizationToolMiddleware"]._summarization is stack[SUMMARIES]


def changed(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> set[tuple[str, str]]:
    assert before.keys() == after.keys()
    return {
        (agent, name)
        for agent in before
        for name in before[agent].keys() | after[agent].keys()
        if before[agent].get(name) != after[agent].get(name)
    }


# --- what the model received ---


def test_the_system_prompt_comes_first(workspace: Workspace) -> None:
    assert told(workspace, ["Hi."], system_prompt="You are brief.").given[0].system.startswith("You are brief.")


def test_a_result_over_the_limit_becomes_a_file(workspace: Workspace) -> None:
    turns = [call("fetch", "c1", lines=400), "Done."]
    whole = told(workspace, turns, tools=(fetch,))
    assert whole.given[1].conversation[-1].text == LONG
    cut = told(Workspace.create(workspace.path.with_name("o.ctx")), turns, tools=(fetch,), offload_results=500)
    assert "/large_tool_results/c1" in cut.given[1].conversation[-1].text


def test_artifacts_lie_under_their_root(workspace: Workspace) -> None:
    backend = BackendSettings(Place(), {}, "/kept/")
    model = told(
        workspace, [call("fetch", "c1", lines=400), "Done."], tools=(fetch,), offload_results=500, backend=backend
    )
    assert "/kept/large_tool_results/c1" in model.given[1].conversation[-1].text


def test_summaries_are_made_when_of_what_and_by_whom_it_was_set(workspace: Workspace) -> None:
    writer = Told(summaries=["So far: greetings."])
    model = told(
        workspace,
        ["one", "two", "three"],
        "a",
        "b",
        "c",
        summarize=("messages", 4),
        keep=("messages", 1),
        summary_prompt="Shorten this:\n{messages}",
        summary_model=writer,
    )
    assert [given.summarizing for given in model.given] == [False] * 3
    (summary,) = writer.given
    assert summary.summarizing and summary.messages[-1].text.startswith("Shorten this:\n")
    assert "So far: greetings." in model.given[2].conversation[0].text
    assert [message.text for message in model.given[2].conversation[1:]] == ["c"]


def test_summaries_that_are_off_are_not_made(workspace: Workspace) -> None:
    window = {"max_input_tokens": 30_000}  # 85 % of it is less than both halves, 95 % is more
    other = Workspace.create(workspace.path.with_name("on.ctx"))
    on = told(other, ["x", "y"], HALF, HALF, summaries=["S"], window=window)
    off = told(workspace, ["x", "y"], HALF, HALF, summarize="off", window=window)
    assert [given.summarizing for given in on.given] == [False, True, False]
    assert [given.summarizing for given in off.given] == [False, False]
    assert off.given[1].conversation[0].text == HALF


def test_summaries_that_are_off_still_keep_a_request_within_the_window(workspace: Workspace) -> None:
    """The engine's budget is 95 % of the window without the answer's tokens; no trigger takes it away."""
    window = {"max_input_tokens": 28_000}
    model = told(workspace, ["x", "y"], HALF, HALF, summarize="off", summaries=["S"], window=window)
    assert [given.summarizing for given in model.given] == [False, True, False]


def test_arguments_of_old_calls_are_cut_as_set(workspace: Workspace) -> None:
    turns = [call("write_file", "c1", file_path="/a.md", content=LONG), "one", "two"]
    cut = ArgumentCut(("messages", 4), ("messages", 1), 100)
    model = told(workspace, turns, "a", "b", cut_arguments=cut)
    content = model.given[-1].conversation[1].tool_calls[0]["args"]["content"]
    assert content == LONG[:20] + "...(argument truncated)"
    whole = told(
        Workspace.create(workspace.path.with_name("off.ctx")), turns, "a", "b", cut_arguments="off", window=None
    )
    assert whole.given[-1].conversation[1].tool_calls[0]["args"]["content"] == LONG


def test_the_compacting_tool_is_offered_and_named(workspace: Workspace) -> None:
    model = told(workspace, ["Hi."], compact_tool=True, compact_prompt="Compact when you change topic.")
    assert "compact_conversation" in names(model.given[0])
    assert "Compact when you change topic." in model.given[0].system
    plain = told(Workspace.create(workspace.path.with_name("o.ctx")), ["Hi."])
    assert "compact_conversation" not in names(plain.given[0])


def test_permissions_are_kept(workspace: Workspace) -> None:
    turns = [call("write_file", "c1", file_path="/secret/a.md", content="x"), "Done."]
    model = told(workspace, turns, permissions=(Permission(["write"], ["/secret/**"], "deny"),))
    result = model.given[1].conversation[-1]
    assert isinstance(result, ToolMessage) and "permission denied" in result.text


def test_memory_and_skills_are_read_where_they_were_set(workspace: Workspace) -> None:
    store = WorkspaceStore(workspace)
    with closing(store.conn):
        skill = b"---\nname: digging\ndescription: How to dig.\n---\nDig."
        answers = backend_over(store).upload_files(
            [("/memories/own.md", b"The user is Ann."), ("/memories/skills/digging/SKILL.md", skill)]
        )
        assert [answer.error for answer in answers] == [None, None]
    model = told(workspace, ["Hi."], memory=("/memories/own.md",), skills=("/memories/skills/",))
    assert "The user is Ann." in model.given[0].system
    assert "How to dig." in model.given[0].system


@pytest.mark.parametrize(
    ("decisions", "allowed"),
    [((), ["approve", "edit", "reject", "respond"]), (("approve", "reject"), ["approve", "reject"])],
)
def test_a_tool_waits_for_the_decisions_that_were_set(workspace: Workspace, decisions: Any, allowed: Any) -> None:
    model = Told(turns=[call("fetch", "c1", lines=1), "Done."], profile=PROFILE)
    with built(workspace, AgentSettings(model=model, tools=(fetch,), interrupts={"fetch": decisions})) as graph:
        graph.invoke({"messages": [HumanMessage("Go")]}, thread())
        (waiting,) = graph.get_state(thread()).interrupts
        (review,) = waiting.value["review_configs"]
        assert (review["action_name"], list(review["allowed_decisions"])) == ("fetch", allowed)
        assert len(model.given) == 1
        graph.invoke(Command(resume={"decisions": [{"type": "reject", "message": "No."}]}), thread())
    assert model.given[1].conversation[-1].text.endswith("No.")


def test_a_subagent_has_the_tools_skills_and_model_that_were_set(workspace: Workspace) -> None:
    def look(place: str) -> str:
        """Looks."""
        return place

    own = Told(turns=["Found."], profile=PROFILE)
    for tools, offered in ((None, "fetch"), ((look,), "look"), ((), None)):
        own = Told(turns=["Found."], profile=PROFILE)
        helper = SubagentSettings("helper", "Helps.", "Help well.", tools=tools, model=own)
        turns = [call("task", "c1", description="Look", subagent_type="helper"), "Done."]
        file = Workspace.create(workspace.path.with_name(f"{offered}.ctx"))
        told(file, turns, tools=(fetch,), subagents=(helper,))
        (given,) = own.given
        assert given.system.startswith("Help well.")
        assert [message.text for message in given.conversation] == ["Look"]
        assert names(given) & {"fetch", "look"} == ({offered} if offered else set())


def test_a_fork_goes_on_with_the_conversation(workspace: Workspace) -> None:
    own = Told(turns=["Found."], profile=PROFILE)
    helper = SubagentSettings("helper", "Helps.", "You are a fork.", model=own, mode="fork")
    turns = [call("task", "c1", description="Look", subagent_type="helper"), "Done."]
    model = told(workspace, turns, "Remember blue.", system_prompt="Main.", subagents=(helper,), compact_tool=True)
    (given,) = own.given
    assert given.system.startswith("Main.") and "You are a fork." in given.system
    assert given.conversation[0].text == "Remember blue."
    assert names(given) == names(model.given[0])


def test_a_fork_with_skills_is_refused_with_a_sentence(workspace: Workspace) -> None:
    helper = SubagentSettings("helper", "Helps.", "", mode="fork", skills=("/skills/",))
    with pytest.raises(UsageError, match="cannot set skills under mode='fork'"):
        build_agent(workspace, AgentSettings(model=Told(), subagents=(helper,)))


def test_identity_is_in_no_schema_and_no_message(workspace: Workspace) -> None:
    backend = BackendSettings(Place("store", namespace=("{tenant}", "{user}", "files")), {})
    model = told(workspace, ["Hi."], identity=Identity("acme", "ann-77"), backend=backend, tools=(fetch,))
    (given,) = model.given
    assert "ann-77" not in repr((given.messages, given.tools, given.kwargs))
    plain = told(Workspace.create(workspace.path.with_name("o.ctx")), ["Hi."], tools=(fetch,))
    assert given.tools == plain.given[0].tools


def test_the_name_of_an_agent_is_that_of_its_answers(workspace: Workspace) -> None:
    model = told(workspace, ["one", "two"], "a", "b", name="analyst")
    assert model.given[1].conversation[1].name == "analyst"


def names(given: Any) -> set[str]:
    return {tool["function"]["name"] for tool in given.tools}

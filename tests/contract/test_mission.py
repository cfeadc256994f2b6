"""The behaviours that the program's ideas call contracts: each with the tests that hold it, and those told here.

A contract is held through a real agent and what its model received. Where one was tested already the table
names the test; a name that is gone fails.
"""

from __future__ import annotations

import ast
import socket
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.store.memory import InMemoryStore

from engine import AgentSettings, Permission, Runner, SubagentSettings, Workspace, findings_in
from engine.agent.hearing import words_in
from engine.agent.scripted import ScriptedChat, Turn
from engine.places import BackendSettings, Identity, Place
from tests.contract.models import Told, deep_agent, say, summarizing, thread

HERE = Path(__file__).parent
MEMORY = "/memories/AGENTS.md"

CONTRACTS = {
    "a memory file is well-formed and small": (
        "test_mission.test_a_small_memory_file_has_no_findings_and_a_long_one_is_told_and_sent",
        "test_memory_and_skills.test_a_file_that_is_not_utf8_raises",
    ),
    "memory is in the request that the model got, comments removed": (
        "test_memory_and_skills.test_memory_is_in_the_request_that_the_model_got",
        "test_memory_and_skills.test_html_comments_are_kept_in_state_and_not_sent",
    ),
    "state caches it": (
        "test_memory_and_skills.test_an_edit_does_not_reach_a_thread_that_has_run_and_reaches_a_new_one",
    ),
    "a missing file is skipped, other failures raise": (
        "test_memory_and_skills.test_a_missing_file_is_skipped_and_the_others_load",
        "test_memory_and_skills.test_any_other_failure_raises_and_nothing_is_asked_of_the_model",
    ),
    "the two summarization profiles": (
        "test_mission.test_a_model_with_a_window_is_summarized_at_its_share_and_one_without_is_not",
        "test_summaries.test_defaults_follow_the_models_profile",
    ),
    "raw messages are untouched by a summary": (
        "test_summaries.test_a_summary_leaves_the_messages_in_state_alone",
        "test_scenarios_engine.test_a_summary_leaves_the_raw_messages_alone",
    ),
    "the summary's tokens are kept out of the stream, malformed events are borne": (
        "test_mission.test_the_stream_speaks_the_conversation_alone_and_bears_malformed_events",
        "test_observation.test_the_summarizing_call_is_marked_and_not_streamed",
    ),
    "a checkpointer continues one thread and not another": (
        "test_state.test_a_checkpointer_continues_one_thread_and_not_another",
    ),
    "namespaces for two tenants and two users are apart, empty ids are refused": (
        "test_lifetimes.test_two_tenants_and_two_users_are_apart_and_no_tool_takes_an_identity",
        "test_state.test_namespaces_of_two_users_are_apart",
        "test_state.test_a_namespace_with_an_empty_or_unsafe_part_is_refused",
        "test_mission.test_an_empty_identity_is_refused_before_anything_is_sent",
    ),
    "file memory in the store reaches its own user's prompt and nobody else's": (
        "test_mission.test_file_memory_reaches_the_prompt_of_its_own_user_and_nobody_elses",
        "test_lifetimes.test_two_tenants_and_two_users_are_apart_and_no_tool_takes_an_identity",
    ),
    "identity is not in a tool's schema": (
        "test_agent_settings.test_identity_is_in_no_schema_and_no_message",
        "test_state.test_what_a_run_is_told_beside_the_messages_is_in_no_tools_schema",
    ),
    "a store that is falsy is still the one used": (
        "test_state.test_a_store_that_is_falsy_is_still_the_one_used",
        "test_lifetimes.test_a_store_that_is_falsy_is_still_the_one_used",
    ),
    "the whole agent can be built offline": (
        "test_mission.test_an_agent_with_everything_is_built_and_run_without_a_connection",
    ),
}


@pytest.mark.parametrize("named", sorted({name for names in CONTRACTS.values() for name in names}))
def test_every_contract_has_its_test(named: str) -> None:
    module, _, name = named.partition(".")
    tree = ast.parse((HERE / f"{module}.py").read_text("utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_a_small_memory_file_has_no_findings_and_a_long_one_is_told_and_sent() -> None:
    small, long = "# How we work\n\n- Bullet points.\n", "# How we work\n\n" + "- Bullet points are best.\n" * 2_000
    for text, found in ((small, []), (long, ["warning"])):
        model = Told(turns=["one"])
        store = InMemoryStore()
        say(deep_agent(model, store=store, files={MEMORY: text}, memory=[MEMORY]), "a")
        assert text.strip() in model.given[0].system
        assert [one.level for one in findings_in(MEMORY, text, window=100_000)] == found


@pytest.mark.parametrize(("window", "summaries"), [(40_000, 1), (None, 0)])
def test_a_model_with_a_window_is_summarized_at_its_share_and_one_without_is_not(
    window: int | None, summaries: int
) -> None:
    more = {"profile": {"max_input_tokens": window}} if window else {}
    model = Told(turns=[f"answer {n}" for n in range(5)], summaries=["SUMMARY"] * 5, **more)
    agent = deep_agent(model)
    for n in range(4):
        say(agent, f"question {n} " + "w" * 34_000)  # some 8,500 tokens, counted as the engine counts
    assert len(model.given) - len(model.asked) == summaries
    last = model.asked[-1].conversation
    assert ("SUMMARY" in last[0].text) == bool(summaries)
    questions = [m for m in last if isinstance(m, HumanMessage) and m.text.startswith("question")]
    assert (len(questions) == 4) == (not summaries)
    assert [m.text[:10] for m in agent.get_state(thread()).values["messages"]][::2] == [
        f"question {n}" for n in range(4)
    ]


def test_the_stream_speaks_the_conversation_alone_and_bears_malformed_events() -> None:
    secret = "SECRET OF THE SUMMARY"
    model = Told(turns=[f"answer {n}" for n in range(5)], summaries=[secret] * 3)
    agent = deep_agent(model, middleware=[summarizing(model, 5, 2)()])
    malformed: list[Any] = [
        None, (), ("x",), (None, None), (AIMessage("m"), None), (AIMessage("m"), "meta"), ("text", {}), 3, {"a": 1},
        (object(), {"langgraph_node": "model"}), (AIMessage([{"type": "odd"}]), {"langgraph_node": "model"}),
    ]  # fmt: skip
    heard = []
    for n in range(5):
        events = list(agent.stream({"messages": [HumanMessage(f"q{n}")]}, thread(), stream_mode="messages"))
        mixed = [each for event in events for each in (event, *malformed)]
        heard.append("".join(words_in(event) for event in mixed))
    assert heard == [f"answer {n}" for n in range(5)]
    assert len(model.given) > len(model.asked)


def test_an_empty_identity_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "w.ctx")
    for who in (Identity("", "ann"), Identity("acme", " "), None):
        model = Told(turns=["x"])
        runner = Runner(tmp_path / "w.ctx")
        try:
            run = runner.start("t", "hello", settings=_of_users(model, who))
            run.wait(60)
            assert run.error and ("identity" in run.error)
        finally:
            runner.close()
        assert not model.given


def test_file_memory_reaches_the_prompt_of_its_own_user_and_nobody_elses(tmp_path: Path) -> None:
    from engine import Reader, save_item

    Workspace.create(tmp_path / "w.ctx")
    people = [Identity("acme", "ann"), Identity("acme", "bob"), Identity("globex", "ann")]
    for who in people:
        value = {"content": f"I am {who.user} of {who.tenant}.", "encoding": "utf-8"}
        save_item(tmp_path / "w.ctx", f"{who.tenant}.{who.user}.memories", "/AGENTS.md", value, "")
    for who in people:
        runner = Runner(tmp_path / "w.ctx")
        try:
            thread_id = f"{who.tenant} {who.user}"
            model = ScriptedChat(script=[Turn("x")])
            run = runner.start(thread_id, "hello", settings=_of_users(model, who))
            assert run.wait(60) and run.error is None
        finally:
            runner.close()
        reader = Reader(tmp_path / "w.ctx")
        (row,) = reader.requests(thread_id)
        system = "".join(reader.text(block.part) for block in reader.request(row.id).system)
        assert [one for one in people if f"I am {one.user} of {one.tenant}." in system] == [who]
        reader.close()


def _of_users(model: Any, who: Identity | None) -> AgentSettings:
    routes = {"/memories/": Place("store", namespace=("{tenant}", "{user}", "memories"))}
    return AgentSettings(model=model, memory=[MEMORY], backend=BackendSettings(routes=routes), identity=who)


def test_an_agent_with_everything_is_built_and_run_without_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Any] = []

    def refuse(*where: Any, **_more: Any) -> Any:
        tried.append(where)
        raise OSError("no network here")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LANGSMITH_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    folder = tmp_path / "folder"
    folder.mkdir()
    file = Workspace.create(tmp_path / "w.ctx").path
    settings = AgentSettings(
        model=ScriptedChat(script=[Turn("done")], summaries=["s"]),
        system_prompt="Be brief.",
        memory=[MEMORY],
        skills=["/skills/"],
        subagents=[SubagentSettings(name="helper", description="Helps.", system_prompt="Help.")],
        permissions=[Permission(operations=["write"], paths=["/kept/**"], mode="deny")],
        interrupts={"write_file": ["approve", "edit", "reject"]},
        backend=BackendSettings(
            routes={
                "/memories/": Place("store", namespace=("{tenant}", "{user}", "memories")),
                "/skills/": Place("store", namespace=("skills",)),
                "/work/": Place("filesystem", root=str(folder)),
            }
        ),
        identity=Identity("acme", "ann"),
    )
    runner = Runner(file)
    try:
        run = runner.start("t", "hello", settings=settings)
        assert run.wait(60)
        assert run.error is None
    finally:
        runner.close()
    assert tried == []

"""The demo scenarios on the pinned engine: what is offloaded, summarized, learned, and received, exactly.

The eight rounds are counted as the text of the messages that the model received, without the system
message. ``facts.md`` counted them elsewhere, with other rows, tool call ids and another summary:

- both off: 870,013 there and here, in any order (5 × 30,000 + 3 × 240,000 + 13);
- defaults: 153,757 to 153,790 there by order, 153,853 here, since three stubs of 1,280 characters stand for the
  large results. A stub's length depends on its lines (62 characters here) and, twice, on the tool call's id;
- offloading off: 541,793 to 721,793 there by order, 540,497 here (mixed). The difference is the summary's length.

What is left in state is 870,018 with offloading off: the results, the question, and "Done.".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend, StoreBackend
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from engine.agent.scenarios import (
    Scenario,
    ScenarioThread,
    Variant,
    competitor_report,
    demo_scenarios,
    eight_rounds,
)


class _NoSummaries(AgentMiddleware):  # type: ignore[type-arg]
    name = "SummarizationMiddleware"


@dataclass
class Request:
    """What one model call got and gave."""

    messages: list[BaseMessage]
    tools: list[str]
    agent: str | None
    namespace: str
    summary: bool
    response: Any = None

    @property
    def purpose(self) -> str:
        if self.summary:
            return "summary"
        return "subagent" if "|" in self.namespace else "agent"

    @property
    def characters(self) -> int:
        return sum(len(m.text) for m in self.messages if m.type != "system")


class Capture(BaseCallbackHandler):
    """Keeps every request in the order of its start."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._by_run: dict[Any, Request] = {}

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: Any, metadata: Any = None, **kwargs: Any
    ) -> None:
        metadata = metadata or {}
        tools = kwargs.get("invocation_params", {}).get("tools") or []
        request = Request(
            messages=list(messages[0]),
            tools=[tool["function"]["name"] for tool in tools],
            agent=metadata.get("lc_agent_name"),
            namespace=str(metadata.get("langgraph_checkpoint_ns") or ""),
            summary=metadata.get("lc_source") == "summarization",
        )
        self.requests.append(request)
        self._by_run[run_id] = request

    def on_llm_end(self, response: Any, *, run_id: Any, **kwargs: Any) -> None:
        self._by_run[run_id].response = response.generations[0][0].message


@dataclass
class ThreadRun:
    """One thread after its run."""

    agent: Any
    config: dict[str, Any]
    capture: Capture
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def state(self) -> dict[str, Any]:
        return dict(self.agent.get_state(self.config).values)

    def of(self, purpose: str) -> list[Request]:
        return [r for r in self.capture.requests if r.purpose == purpose]


def backend_over(store: BaseStore) -> CompositeBackend:
    return CompositeBackend(
        default=StateBackend(),
        routes={
            "/memories/": StoreBackend(store=store, namespace=lambda _: ("memories",)),
            "/skills/": StoreBackend(store=store, namespace=lambda _: ("skills",)),
        },
    )


def build(thread: ScenarioThread, store: BaseStore) -> Any:
    settings, backend = thread.settings, backend_over(store)
    middleware: list[Any] = []
    if settings.offload_results == "off":
        middleware.append(
            FilesystemMiddleware(
                backend=backend,
                tool_token_limit_before_evict=None,
                human_message_token_limit_before_evict=None,
            )
        )
    if settings.summarize == "off":
        middleware.append(_NoSummaries())
    return create_deep_agent(
        model=settings.model,
        tools=list(settings.tools),
        system_prompt=settings.system_prompt,
        middleware=middleware,
        subagents=[
            {
                "name": sub.name,
                "description": sub.description,
                "system_prompt": sub.system_prompt,
                "tools": list(sub.tools),
                "model": sub.model or settings.model,
            }
            for sub in settings.subagents
        ],
        skills=list(settings.skills) or None,
        memory=list(settings.memory) or None,
        backend=backend,
        checkpointer=InMemorySaver(),
        store=store,
        name=settings.name,
    )


def run_thread(thread: ScenarioThread, store: BaseStore) -> ThreadRun:
    capture = Capture()
    config: dict[str, Any] = {
        "configurable": {"thread_id": thread.thread_id},
        "callbacks": [capture],
        "recursion_limit": 1000,
    }
    run = ThreadRun(build(thread, store), config, capture)
    for text in thread.turns:
        run.agent.invoke({"messages": [{"role": "user", "content": text}]}, config)
        event = run.state.get("_summarization_event")
        if event and event not in run.events:
            run.events.append(event)
    return run


def seed(scenario: Scenario, store: BaseStore) -> None:
    backend = backend_over(store)
    for path, text in scenario.seed_files.items():
        (answer,) = backend.download_files([path])
        if answer.error is not None:
            (written,) = backend.upload_files([(path, text.encode())])
            assert written.error is None, written


def run_scenario(scenario: Scenario) -> tuple[dict[str, ThreadRun], InMemoryStore]:
    store = InMemoryStore()
    seed(scenario, store)
    return {t.thread_id: run_thread(t, store) for t in scenario.threads}, store


# --- the weekly competitor report ---

FIRST, SECOND = "competitor-report-week-22", "competitor-report-week-23"
COMPANIES = ("arctis", "brightbox", "coldtrace", "deltanode", "everfrost")
SKILL = "/skills/qbr-report/SKILL.md"
MEMORY = "/memories/AGENTS.md"
PREFERENCE = "as bullet points, not as paragraphs"


@dataclass(frozen=True)
class Report:
    scenario: Scenario
    first: ThreadRun
    second: ThreadRun
    store: InMemoryStore

    @property
    def memory(self) -> str:
        (answer,) = backend_over(self.store).download_files([MEMORY])
        return (answer.content or b"").decode()


@pytest.fixture(scope="module")
def report() -> Report:
    scenario = competitor_report()
    runs, store = run_scenario(scenario)
    return Report(scenario, runs[FIRST], runs[SECOND], store)


def calls(run: ThreadRun, name: str) -> list[dict[str, Any]]:
    """The arguments of every call of a tool in the raw messages."""
    return [
        call["args"]
        for message in run.state["messages"]
        if isinstance(message, AIMessage)
        for call in message.tool_calls
        if call["name"] == name
    ]


def results(run: ThreadRun) -> Iterator[BaseMessage]:
    return (message for message in run.state["messages"] if message.type == "tool")


def test_as_many_requests_as_planned(report: Report) -> None:
    assert {p: len(report.first.of(p)) for p in ("agent", "subagent", "summary")} == {
        "agent": 45,
        "subagent": 8,
        "summary": 2,
    }
    assert {p: len(report.second.of(p)) for p in ("agent", "subagent", "summary")} == {
        "agent": 9,
        "subagent": 8,
        "summary": 0,
    }


def test_no_tool_call_failed(report: Report) -> None:
    for run in (report.first, report.second):
        for result in results(run):
            assert getattr(result, "status", "success") == "success", result.text[:300]
            assert not result.text.startswith(("Error", "No matches")), result.text[:300]


def test_every_export_lies_in_a_file_and_its_stub_in_the_messages(report: Report) -> None:
    for run, week in ((report.first, 22), (report.second, 23)):
        files = run.state["files"]
        for company in COMPANIES:
            text = files[f"/large_tool_results/call_{company}_{week}"]["content"]
            assert len(text) > 800_000
            assert len(text.splitlines()) == 20_166
        stubs = [m for m in results(run) if m.text.startswith("Tool result too large")]
        assert [len(stub.text) < 1_300 for stub in stubs] == [True] * 3


def test_parts_of_the_files_were_read_back(report: Report) -> None:
    reads = calls(report.first, "read_file")
    assert {"offset", "limit"} <= set(reads[0])
    paths = {args["file_path"] for args in reads} | {args["path"] for args in calls(report.first, "grep")}
    assert any(path.startswith("/large_tool_results/") for path in paths)
    assert any(re.fullmatch(r"/conversation_history/session_[0-9a-f]+\.md", path) for path in paths)


def test_two_researchers_start_in_one_turn_and_stay_apart(report: Report) -> None:
    (turn,) = [
        m
        for m in report.first.state["messages"]
        if isinstance(m, AIMessage) and [c["name"] for c in m.tool_calls] == ["task", "task"]
    ]
    assert {call["args"]["subagent_type"] for call in turn.tool_calls} == {"market-researcher"}
    requests = report.first.of("subagent")
    assert {request.agent for request in requests} == {"market-researcher"}
    spaces = {request.namespace.split("|")[0] for request in requests}
    assert len(spaces) == 2
    for space in spaces:
        mine = [r for r in requests if r.namespace.startswith(space)]
        text = "".join(message.text for message in mine[-1].messages)
        assert ("Coldtrace" in text) != ("Deltanode" in text)
        assert "task" not in mine[-1].tools
        assert mine[-1].messages[-1].text.count("\n") == 630


def test_the_pasted_transcript_is_a_file_and_whole_in_state(report: Report) -> None:
    pasted = report.scenario.threads[0].turns[2]
    assert len(pasted) > 200_000
    (message,) = [m for m in report.first.state["messages"] if m.additional_kwargs.get("lc_evicted_to")]
    assert message.text == pasted
    path = message.additional_kwargs["lc_evicted_to"]
    assert path.startswith("/conversation_history/")
    assert report.first.state["files"][path]["content"] == pasted
    received = [
        m for r in report.first.of("agent") for m in r.messages if m.additional_kwargs.get("lc_evicted_to") == path
    ]
    assert received
    assert {len(m.text) for m in received} == {1_457}


def test_two_summaries_the_second_with_the_first_in_force(report: Report) -> None:
    first, second = report.first.events
    assert [(e["cutoff_index"], e["created_at_index"]) for e in (first, second)] == [(38, 44), (68, 70)]
    assert first["file_path"] == second["file_path"]
    calls_made = report.first.of("summary")
    told = [request.response.text for request in calls_made]
    assert told[0] in first["summary_message"].text
    assert told[1] in second["summary_message"].text
    assert "Put Everfrost into the notes" in calls_made[1].messages[0].text
    assert "(not known)" not in told[1]
    history = report.first.state["files"][first["file_path"]]["content"]
    assert history.count("## Summarized at") == 2


def test_work_goes_on_after_each_summary(report: Report) -> None:
    requests = report.first.capture.requests
    for summary in report.first.of("summary"):
        after = requests[requests.index(summary) + 1]
        assert after.messages[1].additional_kwargs["lc_source"] == "summarization"
        later = [r.response for r in requests[requests.index(summary) :] if r.purpose == "agent"]
        assert sum(len(answer.tool_calls) for answer in later) >= 8
        # The tools and the system message are the prefix that the summary left as it was.
        usage = after.response.usage_metadata["input_token_details"]
        assert 4_000 < usage["cache_read"] < 6_000
    after_second = requests[requests.index(report.first.of("summary")[1]) + 1]
    assert not [m for m in after_second.messages[2:] if isinstance(m, HumanMessage)]


def test_a_summary_leaves_the_raw_messages_alone(report: Report) -> None:
    raw = report.first.state["messages"]
    users = [m.text for m in raw if isinstance(m, HumanMessage)]
    assert tuple(users) == report.scenario.threads[0].turns
    received = report.first.of("agent")[-1].messages
    assert len(received) < len(raw) // 2


def test_the_skill_is_listed_always_and_read_once(report: Report) -> None:
    for run in (report.first, report.second):
        for request in run.of("agent"):
            menu = request.messages[0].text
            for name in ("qbr-report", "press-release", "churn-analysis", "battlecard"):
                assert f"**{name}**" in menu
        assert [args["file_path"] for args in calls(run, "read_file") if "/skills/" in args["file_path"]] == [SKILL]
        assert sum("The quarterly business review puts" in m.text for m in results(run)) == 1


def test_the_memory_learns_and_keeps_what_it_had(report: Report) -> None:
    memory, seed = report.memory, report.scenario.seed_files[MEMORY]
    assert PREFERENCE in memory
    assert PREFERENCE not in seed
    for line in seed.splitlines():
        assert line in memory
    for request in report.first.of("agent"):
        assert PREFERENCE not in request.messages[0].text


def test_the_second_thread_starts_from_what_was_learned(report: Report) -> None:
    system = report.second.of("agent")[0].messages[0].text
    assert PREFERENCE in system
    assert "Known from week 22" in system
    assert "Kept by Ines Falk" not in system  # an HTML comment of the memory file
    asked = [m.text.count("?") for m in report.second.state["messages"] if m.type == "ai"]
    assert sum(asked) == 0
    written = report.second.state["files"]["/reports/week-23.md"]["content"]
    assert not [path for path in report.second.state["files"] if "22" in path]
    assert "\n- " in written


def test_running_it_again_gives_the_same_texts(report: Report) -> None:
    runs, _store = run_scenario(competitor_report())
    for before, again in ((report.first, runs[FIRST]), (report.second, runs[SECOND])):
        random = re.compile(r"session_[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}")
        one, two = ([random.sub("…", m.text) for m in run.state["messages"]] for run in (before, again))
        assert one == two


def test_a_thread_goes_on_with_a_new_model_object_in_the_middle(report: Report) -> None:
    """A process that ends after a request is the same as a model object that knows nothing."""
    thread = competitor_report().threads[1]
    store = InMemoryStore()
    seed(report.scenario, store)
    run = run_thread(ScenarioThread(SECOND, thread.title, thread.settings, thread.turns[:1]), store)
    other = build(competitor_report().threads[1], store)
    other.checkpointer = run.agent.checkpointer
    state = other.invoke({"messages": [HumanMessage(thread.turns[1])]}, run.config)
    assert state["messages"][-1].text == report.second.state["messages"][-1].text
    state = other.invoke({"messages": [HumanMessage("Anything else?")]}, run.config)
    assert "offline scripted model" in state["messages"][-1].text


# --- the eight rounds ---

RECEIVED: dict[Variant, list[int]] = {
    "defaults": [13, 30_013, 31_293, 61_293, 91_293, 92_573, 122_573, 123_853, 153_853],
    "no-offloading": [13, 30_013, 270_013, 300_013, 330_013, 570_013, 600_013, 510_497, 540_497],
    "neither": [13, 30_013, 270_013, 300_013, 330_013, 570_013, 600_013, 840_013, 870_013],
}
IN_STATE: dict[Variant, int] = {"defaults": 153_858, "no-offloading": 870_018, "neither": 870_018}
SUMMARIES: dict[Variant, int] = {"defaults": 0, "no-offloading": 1, "neither": 0}


@pytest.mark.parametrize("variant", list(RECEIVED))
def test_characters_received_in_every_round(variant: Variant) -> None:
    runs, _store = run_scenario(eight_rounds(variant))
    (run,) = runs.values()
    assert [request.characters for request in run.of("agent")] == RECEIVED[variant]
    assert len(run.of("summary")) == SUMMARIES[variant]
    assert sum(len(message.text) for message in run.state["messages"]) == IN_STATE[variant]
    large = {len(file["content"]) for path, file in run.state.get("files", {}).items() if "large" in path}
    assert large == ({240_000} if variant == "defaults" else set())


# --- all of them ---


def test_the_demo_has_every_scenario_once_and_no_thread_twice() -> None:
    scenarios = demo_scenarios()
    threads = [thread.thread_id for scenario in scenarios for thread in scenario.threads]
    assert len(scenarios) == 4
    assert len(set(threads)) == len(threads) == 5
    for scenario in scenarios:
        assert all(path.startswith(("/memories/", "/skills/")) for path in scenario.seed_files)

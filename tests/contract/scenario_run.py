"""Runs a scenario over in-memory savers, with a model that keeps what it received. For tests only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend, StoreBackend
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from engine.agent.scenarios import Scenario, ScenarioThread


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

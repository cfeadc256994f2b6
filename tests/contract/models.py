"""What the contract tests run agents with: a model that keeps what it was given, and agents around it.

``Told`` is as strict as a provider about what it gets, and knows nothing of the recorder: what it kept is
what the model object received.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend, StoreBackend
from deepagents.middleware.summarization import SummarizationMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import Field, PrivateAttr

from engine import Reader, Recorder, Workspace
from engine.agent.build import backend_over
from engine.checkpoints import WorkspaceSaver, WorkspaceStore

Turn = AIMessage | str | Exception


@dataclass(frozen=True)
class Given:
    """One call of the model, as its own method got it."""

    messages: list[BaseMessage]
    tools: list[Any]
    kwargs: dict[str, Any]
    metadata: dict[str, Any]
    tags: list[str]
    configurable: dict[str, Any]

    @property
    def summarizing(self) -> bool:
        return self.metadata.get("lc_source") == "summarization"

    @property
    def system(self) -> str:
        """Text of the system message, empty without one."""
        return self.messages[0].text if isinstance(self.messages[0], SystemMessage) else ""

    @property
    def conversation(self) -> list[BaseMessage]:
        """The messages without the system message."""
        return self.messages[1:] if isinstance(self.messages[0], SystemMessage) else self.messages


class Told(BaseChatModel):
    """Answers with its turns in order, with ``summaries`` where it is to summarize; keeps what it is given."""

    turns: Sequence[Any] = Field(default=(), exclude=True, repr=False)
    summaries: Sequence[str] = Field(default=(), exclude=True, repr=False)
    usage: int | None = None
    """Input tokens to report."""

    _given: list[Given] = PrivateAttr(default_factory=list)
    _said: int = PrivateAttr(default=0)
    _summed: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "told"

    @property
    def given(self) -> list[Given]:
        """Every call, in order."""
        return self._given

    @property
    def asked(self) -> list[Given]:
        """The calls that weren't for a summary."""
        return [call for call in self._given if not call.summarizing]

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        call = Given(
            copy.deepcopy(list(messages)),
            list(kwargs.get("tools") or ()),
            {name: value for name, value in kwargs.items() if name != "tools"},
            dict(run_manager.metadata or {}),
            list(run_manager.tags or ()),
            dict(get_config()["configurable"]),
        )
        check(call.messages)
        self._given.append(call)
        return ChatResult(generations=[ChatGeneration(message=self._answer(call))])

    def _answer(self, call: Given) -> AIMessage:
        if call.summarizing:
            self._summed += 1
            return AIMessage(self.summaries[self._summed - 1])
        self._said += 1
        turn = self.turns[self._said - 1]
        if isinstance(turn, Exception):
            raise turn
        answer = AIMessage(turn) if isinstance(turn, str) else turn.model_copy()
        bound = {tool["function"]["name"] for tool in call.tools}
        assert {tool_call["name"] for tool_call in answer.tool_calls} <= bound
        if self.usage is not None:
            answer.usage_metadata = {"input_tokens": self.usage, "output_tokens": 1, "total_tokens": self.usage + 1}
            answer.response_metadata = {"model_provider": "told"}
        return answer


def check(messages: list[BaseMessage]) -> None:
    """Refuse what providers refuse: a result without its call, a call without its result, a late system message."""
    assert messages
    assert not any(isinstance(message, SystemMessage) for message in messages[1:])
    open_calls: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            assert message.tool_call_id in open_calls
            open_calls.discard(message.tool_call_id)
            continue
        assert not open_calls
        if isinstance(message, AIMessage):
            open_calls = {str(call["id"]) for call in message.tool_calls}
    assert not open_calls


def call(name: str, id: str, **args: Any) -> AIMessage:
    """An answer that calls one tool."""
    return calls((name, id, args))


def calls(*wanted: tuple[str, str, dict[str, Any]]) -> AIMessage:
    """An answer that calls tools."""
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": id} for name, id, args in wanted])


def thread(name: str = "t", **more: Any) -> dict[str, Any]:
    """The configuration that names a thread."""
    return {"configurable": {"thread_id": name}, **more}


def memory_and_skills(store: BaseStore) -> CompositeBackend:
    """Thread files in state; memory and skills in the store, as agents of a workspace have them."""
    routes = {f"/{name}/": StoreBackend(store=store, namespace=_always(name)) for name in ("memories", "skills")}
    return CompositeBackend(default=StateBackend(), routes=routes)


def _always(name: str) -> Callable[..., tuple[str, ...]]:
    return lambda *_: (name,)


def deep_agent(model: Told, *, backend: Any = None, files: dict[str, str | bytes] | None = None, **more: Any) -> Any:
    """An agent with a checkpointer and a store of its own, and files of memory or skills that are there."""
    store = more.pop("store") if "store" in more else InMemoryStore()
    backend = backend or memory_and_skills(store)
    put(backend, files or {})
    return create_deep_agent(
        model=model, backend=backend, store=store, checkpointer=more.pop("checkpointer", InMemorySaver()), **more
    )


def put(backend: Any, files: dict[str, str | bytes]) -> None:
    """Write files, replacing those that are there."""
    for path, text in files.items():
        (written,) = backend.upload_files([(path, text.encode() if isinstance(text, str) else text)])
        assert written.error is None


def say(agent: Any, text: Any, config: dict[str, Any] | None = None) -> list[BaseMessage]:
    """Send a user's message and give the messages in state."""
    messages = agent.invoke({"messages": [HumanMessage(text)]}, config or thread())["messages"]
    return list(messages)


@dataclass
class Recorded:
    """A thread whose runs are recorded into a workspace."""

    workspace: Workspace
    build: Callable[[Any, WorkspaceSaver, WorkspaceStore], Any]
    """Makes the agent over a backend, a saver and a store."""
    name: str = "t"
    kept: Recorder | None = None
    """A recorder that serves every turn; without one, each turn has its own, as in processes of their own."""

    def say(self, text: Any) -> dict[str, Any]:
        """Run one turn, recorded, and give the state."""
        with self.agent() as (agent, recorder):
            token = uuid.uuid4().hex
            recorder.begin_run(token, self.name, "", None, {})
            with recorder.observing():
                agent.invoke({"messages": [HumanMessage(text)]}, thread(self.name, callbacks=[recorder.handler]))
            recorder.end_run(token, self.name, "done")
            recorder.flush()
            assert recorder.losses.count == 0, recorder.losses.reason
            return dict(agent.get_state(thread(self.name)).values)

    @contextmanager
    def agent(self) -> Iterator[tuple[Any, Recorder]]:
        """The agent and the recorder that observes it."""
        recorder = self.kept or Recorder(self.workspace)
        saver, store = WorkspaceSaver(self.workspace), WorkspaceStore(self.workspace)
        with closing(saver.conn), closing(store.conn):
            try:
                with recorder.observing():
                    agent = self.build(backend_over(store), saver, store)
                yield agent, recorder
            finally:
                if self.kept is None:
                    recorder.close()

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """A reader of the record."""
        with closing(Reader(self.workspace.path)) as reader:
            yield reader


def recorded(
    folder: Path, model: Told, *, wrap: Callable[[Any], Any] = lambda backend: backend, **more: Any
) -> Recorded:
    """A thread in a new workspace. ``more`` goes to ``create_deep_agent``; callables in ``middleware`` get the backend.

    ``wrap`` makes another backend of the workspace's.
    """

    def build(backend: Any, saver: WorkspaceSaver, store: WorkspaceStore) -> Any:
        backend = wrap(backend)
        middleware = [make(backend) for make in more.get("middleware", ())]
        return create_deep_agent(
            **{**more, "middleware": middleware}, model=model, backend=backend, checkpointer=saver, store=store
        )

    return Recorded(Workspace.create(folder / "recorded.ctx"), build)


def summarizing(model: Told, at: int, keep: int, **more: Any) -> Callable[..., Any]:
    """Summarization at so many messages that keeps so many, over the backend that it is given."""
    return lambda backend=None: SummarizationMiddleware(
        model=model, backend=backend or StateBackend(), trigger=("messages", at), keep=("messages", keep), **more
    )

"""Driving an agent by hand: a chat model whose answers are somebody's.

Each request goes to the *desk* of the run that it is made in and waits there, without holding up the run's loop,
until it is answered, handed to a provider's model, or the run is stopped. A thread that was stopped so stands
where it stood: going on asks again.
"""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, message_to_dict
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from engine import importing
from engine.arguments import arguments, schema_of
from engine.canonical import from_json, to_json
from engine.errors import InspectorError, UsageError
from engine.recording.observers import current
from engine.running import HandReply, HandRequest, HandTool

if TYPE_CHECKING:
    from engine.recording import Recorder
    from engine.workspace import Workspace

PROVIDER = "hand"
_FLUSH = 5.0  # seconds to wait until a request is in the file, where it is looked at before it is answered


class HandChat(BaseChatModel):
    """The model that is you. It has no window of its own and reports no usage."""

    model: str = "hand"

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return {"ls_provider": PROVIDER, "ls_model_name": self.model, "ls_model_type": "chat"}

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any | None = None, **kwargs: Any
    ) -> Runnable[Any, AIMessage]:
        """Bind tools in OpenAI's format, as a provider's integration does."""
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        raise InspectorError("A model that is driven by hand answers only in a run of the program, which waits for it.")

    async def _agenerate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        desk = _desk.get()
        if desk is None:
            return self._generate(messages, stop)
        message = await desk.ask(messages, stop, run_manager, kwargs)
        return ChatResult(generations=[ChatGeneration(message=message)])


@dataclass
class _Waiting:
    request: HandRequest
    answer: asyncio.Future[AIMessage | str]
    """The answer, or the name of the model that is to give it."""


class Desk:
    """The requests of one run that wait for an answer. Any thread may answer; ``show`` is told of each.

    ``find`` gives the id and the number that a request has in the record, by its token; it may wait.
    """

    def __init__(
        self,
        thread_id: str,
        show: Callable[[HandRequest], None],
        find: Callable[[str], tuple[int, int] | None],
        handed: Callable[[int | None, str], None],
        model: Callable[[str], BaseChatModel],
    ) -> None:
        self._thread_id, self._show, self._find, self._handed, self._model = thread_id, show, find, handed, model
        self._lock = threading.Lock()
        self._waiting: dict[str, _Waiting] = {}

    def open(self) -> None:
        """Requests made in this context, and in tasks begun in it, come to this desk."""
        _desk.set(self)

    def waiting(self) -> list[HandRequest]:
        """Requests that are not answered yet, oldest first."""
        with self._lock:
            return [item.request for item in self._waiting.values()]

    def reply(self, token: str, reply: HandReply) -> None:
        """Answer a request.

        Raises:
            UsageError: it does not wait (any more), the reply is empty, or a call does not fit; it then still waits.
        """
        item = self._of(token)
        self._give(token, item, _message(item.request, reply))

    def let_provider(self, token: str, model: str) -> None:
        """Let ``provider:model`` answer this one. A failure of its is the run's.

        Raises:
            UsageError: the request does not wait, or there is no such model.
        """
        item = self._of(token)
        if model == PROVIDER:
            raise UsageError("Name a provider's model, such as openai:gpt-5.5; hand is the one that asks.")
        self._model(model)  # refuses what can't be had
        self._give(token, item, model)

    def _of(self, token: str) -> _Waiting:
        with self._lock:
            item = self._waiting.get(token)
        if item is None:
            raise UsageError("This request waits no more: it was answered, or its run was stopped.")
        return item

    def _give(self, token: str, item: _Waiting, answer: AIMessage | str) -> None:
        with self._lock:
            if self._waiting.pop(token, None) is None:
                raise UsageError("This request waits no more: it was answered, or its run was stopped.")

        def give() -> None:
            if not item.answer.done():
                item.answer.set_result(answer)

        try:
            item.answer.get_loop().call_soon_threadsafe(give)
        except RuntimeError:  # the loop was closed meanwhile
            raise UsageError("This request waits no more: its run was stopped.") from None

    async def ask(self, messages: list[BaseMessage], stop: Any, run_manager: Any, kwargs: dict[str, Any]) -> AIMessage:
        """Wait for the answer to a request."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(None, self._find, str(run_manager.run_id))
        request = _request(self._thread_id, found, messages, kwargs.get("tools") or (), run_manager.metadata or {})
        item = _Waiting(request, loop.create_future())
        with self._lock:
            self._waiting[request.token] = item
        self._show(request)
        try:
            answer = await item.answer
        finally:
            with self._lock:
                self._waiting.pop(request.token, None)
        if isinstance(answer, AIMessage):
            return answer
        self._handed(request.request, answer)
        return await self._provided(answer, messages, stop, kwargs)

    async def _provided(self, name: str, messages: list[BaseMessage], stop: Any, kwargs: dict[str, Any]) -> AIMessage:
        """A provider's answer to the same messages with the same tools, recorded beside this request."""
        given = dict(kwargs)
        tools = given.pop("tools", None)
        model: Any = self._model(name)
        if tools:
            chosen = {"tool_choice": given["tool_choice"]} if "tool_choice" in given else {}
            model = model.bind_tools(tools, **chosen)
        token = current.set(None)  # it is no second request of the agent's own
        try:
            answer = await model.ainvoke(messages, {"metadata": {"by_hand": True}}, stop=stop)
        finally:
            current.reset(token)
        # Its tokens are reported where they were used: on the provider's own request.
        return AIMessage(
            answer.content,
            tool_calls=answer.tool_calls,
            invalid_tool_calls=answer.invalid_tool_calls,
            additional_kwargs=answer.additional_kwargs,
            response_metadata=answer.response_metadata,
            id=answer.id,
        )


_desk: ContextVar[Desk | None] = ContextVar("context_inspector_desk", default=None)


def desk_of(thread_id: str, show: Callable[[HandRequest], None], workspace: Workspace, recorder: Recorder) -> Desk:
    """The desk of a run whose requests ``recorder`` writes into a workspace."""
    with importing.lock:  # deferred: a model may be this one
        from engine.agent.models import resolve_model

    def find(token: str) -> tuple[int, int] | None:
        recorder.flush(_FLUSH)
        with closing(workspace.connect()) as connection:
            row = connection.execute("SELECT id, number FROM requests WHERE token = ?", (token,)).fetchone()
        return None if row is None else (int(row[0]), int(row[1]))

    def handed(request: int | None, model: str) -> None:
        recorder.note(thread_id, request, "by hand", {"answered_by": model})

    return Desk(thread_id, show, find, handed, resolve_model)


def _request(
    thread_id: str,
    found: tuple[int, int] | None,
    messages: Sequence[BaseMessage],
    tools: Sequence[Any],
    metadata: dict[str, Any],
) -> HandRequest:
    namespace = str(metadata.get("langgraph_checkpoint_ns") or "").rpartition("|")[0]
    purpose: Literal["agent", "subagent", "summary"] = "subagent" if "tools:" in namespace else "agent"
    if metadata.get("lc_source") == "summarization":
        purpose = "summary"
    return HandRequest(
        token=uuid.uuid4().hex,
        thread_id=thread_id,
        request=found[0] if found else None,
        number=found[1] if found else None,
        agent=metadata.get("lc_agent_name"),
        purpose=purpose,
        messages=tuple(from_json(to_json(message_to_dict(message))) for message in messages),
        tools=tuple(HandTool(*schema_of(tool)) for tool in tools),
    )


def _message(request: HandRequest, reply: HandReply) -> AIMessage:
    schemas = {tool.name: tool.schema for tool in request.tools}
    calls = []
    for call in reply.calls:
        if call.name not in schemas:
            names = ", ".join(schemas) or "none"
            raise UsageError(f"This request has no tool {call.name!r}. Its tools: {names}.")
        args = arguments(call.name, call.args, schemas[call.name])
        calls.append({"name": call.name, "args": args, "id": f"hand_{uuid.uuid4().hex[:12]}", "type": "tool_call"})
    if not calls and not reply.text.strip():
        raise UsageError("The reply is empty. Type a text, or call a tool.")
    return AIMessage(reply.text, tool_calls=calls, response_metadata={"model_provider": PROVIDER, "model_name": "hand"})

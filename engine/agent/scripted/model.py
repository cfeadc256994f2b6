"""The scripted chat model itself: LangChain's methods around a script."""

from __future__ import annotations

import asyncio
import hashlib
import html
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr

from engine.agent.scripted.offline import unscripted_turn, write_summary
from engine.agent.scripted.pieces import pieces_of
from engine.agent.scripted.request import (
    check_messages,
    describe,
    has_summary,
    is_summary_call,
    last_answer_and_user,
)
from engine.agent.scripted.script import Script, ScriptError, SummaryText, Turn

PROVIDER: Final = "scripted"
_PLACE: Final = "script"
_UNSCRIPTED: Final = "unscripted"
_REMEMBERED_CONVERSATIONS: Final = 64
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Step:
    """A turn chosen for one request, with what marks it and names its tool calls."""

    turn: Turn
    place: Mapping[str, Any] | None
    ids: tuple[str, ...]


class ScriptedChat(BaseChatModel):
    """Plays ``script``; the package's text says how it finds its place."""

    model: str = "scripted"
    """Name shown for the model; also tells one script's answers from another's."""
    script: Sequence[Any] = Field(default=(), repr=False, exclude=True)
    """Exchanges, or plain items that follow one another whatever the user writes."""
    summaries: Sequence[Any] = Field(default=(), repr=False, exclude=True)
    """Answers to the summarizing calls in order; afterwards one is written out of the prompt."""
    call_prefix: str = Field(default="call_", repr=False, exclude=True)
    """Tool call ids are this and a number. Agents sharing a backend need different ones."""
    start_at: int = Field(default=0, repr=False, exclude=True)
    """Item of a plain script to begin at when the messages hold none of its answers."""
    strict: bool = Field(default=False, repr=False, exclude=True)
    """Raise ``ScriptError`` where there is no scripted turn, instead of answering so."""
    delay: float = Field(default=0.0, repr=False, exclude=True)
    """Seconds between two streamed pieces."""

    _plan: Script = PrivateAttr()
    _raised: set[int] = PrivateAttr(default_factory=set)
    _raised_summaries: set[int] = PrivateAttr(default_factory=set)
    _reached: int = PrivateAttr(default=0)
    _previous: OrderedDict[Any, tuple[list[BaseMessage], Any]] = PrivateAttr(default_factory=OrderedDict)

    def model_post_init(self, context: Any, /) -> None:
        """Lay the script out once."""
        super().model_post_init(context)
        self._plan = Script(self.script)

    # --- what LangChain asks of a model ---

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        params = {"ls_provider": PROVIDER, "ls_model_name": self.model, "ls_model_type": "chat"}
        return {**params, "ls_stop": stop} if stop else params

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any | None = None, **kwargs: Any
    ) -> Runnable[Any, AIMessage]:
        """Bind tools in OpenAI's format, as a provider's integration does."""
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message, step = self._answer(messages, run_manager, kwargs)
        if step.turn.fail is not None:
            raise step.turn.fail
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message, step = self._answer(messages, run_manager, kwargs)
        if step.turn.fail is not None:
            raise step.turn.fail
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message, step = self._answer(messages, run_manager, kwargs)
        for chunk in pieces_of(message, step.turn.fail):
            if self.delay:
                time.sleep(self.delay)
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        message, step = self._answer(messages, run_manager, kwargs)
        for chunk in pieces_of(message, step.turn.fail):
            await asyncio.sleep(self.delay)
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    # --- one request ---

    def _answer(
        self, messages: list[BaseMessage], run_manager: Any, kwargs: Mapping[str, Any]
    ) -> tuple[AIMessage, Step]:
        tools = kwargs.get("tools") or []
        metadata = getattr(run_manager, "metadata", None) or {}
        check_messages(messages)
        input_tokens = count_tokens_approximately(messages, tools=tools)
        window = (self.profile or {}).get("max_input_tokens")
        if isinstance(window, int) and input_tokens > window:
            raise ContextOverflowError(f"{input_tokens} input tokens are more than this model's window of {window}")
        summarizing = is_summary_call(messages, tools, metadata)
        if summarizing:
            step = Step(Turn(self._summary(messages[0].text)), None, ())
        else:
            step = self._step(messages, {tool.get("function", tool).get("name", "") for tool in tools})
        message = self._message(step)
        output_tokens = count_tokens_approximately([message])
        message.usage_metadata = UsageMetadata(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            total_tokens=input_tokens + output_tokens,
            input_token_details={"cache_read": self._cache_read(messages, tools, metadata, summarizing)},
        )
        return message, step

    def _message(self, step: Step) -> AIMessage:
        turn = step.turn
        content: Any = turn.text
        if turn.blocks:
            content = [dict(block) for block in turn.blocks]
            if turn.text:
                content.append({"type": "text", "text": turn.text})
            content = [{**block, "index": n} for n, block in enumerate(content)]
        response_metadata: dict[str, Any] = {
            "model_provider": PROVIDER,
            "model_name": self.model,
            "finish_reason": "tool_calls" if turn.calls else "stop",
        }
        if step.place is not None:
            response_metadata[_PLACE] = dict(step.place)
        return AIMessage(
            content=content,
            tool_calls=[
                {"name": call.name, "args": dict(call.args), "id": id_, "type": "tool_call"}
                for call, id_ in zip(turn.calls, step.ids, strict=True)
            ],
            response_metadata=response_metadata,
        )

    def _step(self, messages: list[BaseMessage], bound: set[str]) -> Step:
        place = self._locate(messages)
        if place is None:
            if self.strict:
                raise ScriptError(f"script {self.model!r} has no turn for {describe(messages[-1])}")
            turn = unscripted_turn(messages, bound)
            digest = hashlib.sha256("\0".join(m.text for m in messages).encode("utf-8", "replace"))
            ids = tuple(f"{self.call_prefix}{digest.hexdigest()[:8]}_{n}" for n in range(len(turn.calls)))
            mark: Mapping[str, Any] = {"of": self.model, "at": _UNSCRIPTED}
        else:
            item = self._plan.items[place]
            if isinstance(item, Exception):
                with _LOCK:
                    self._raised.add(place)
                raise item
            turn = item if isinstance(item, Turn) else item(messages)
            ids = self._plan.call_ids(place, turn, self.call_prefix)
            mark = {"of": self.model, "at": place}
            self._reached = place + 1
        for call in turn.calls:
            if call.name not in bound:
                names = ", ".join(sorted(bound)) or "none"
                raise ScriptError(
                    f"script {self.model!r} calls the tool {call.name!r}, which is not bound; bound: {names}"
                )
        return Step(turn, mark, ids)

    def _locate(self, messages: list[BaseMessage]) -> int | None:
        """Place of the item that answers these messages, or None where the script has none."""
        said, user = last_answer_and_user(messages)
        mark = said.response_metadata.get(_PLACE) if said is not None else None
        own = mark.get("at") if isinstance(mark, Mapping) and mark.get("of") == self.model else None
        after = own if isinstance(own, int) else None
        if user is not None:
            earliest = max(self.start_at, self._reached if has_summary(messages) else 0)
            return self._plan.answer_to(user, after, earliest, self._raised)
        return None if after is None else self._plan.next_after(after, self._raised)

    def _summary(self, prompt: str) -> str:
        """The summary after the last one that the prompt already holds."""
        plain = html.unescape(prompt)
        place = 0
        for n, entry in enumerate(self.summaries):
            text = SummaryText(entry) if isinstance(entry, str) else entry
            held = isinstance(text, SummaryText) and text.held_by(plain)
            if held or n in self._raised_summaries:
                place = n + 1
        if place >= len(self.summaries):
            return write_summary(plain)
        entry = self.summaries[place]
        if isinstance(entry, Exception):
            with _LOCK:
                self._raised_summaries.add(place)
            raise entry
        return entry if isinstance(entry, str) else entry.given(plain)

    def _cache_read(
        self, messages: list[BaseMessage], tools: Sequence[Any], metadata: Mapping[str, Any], summarizing: bool
    ) -> int:
        """Tokens of the prefix shared with this conversation's previous request of the same kind."""
        namespace = str(metadata.get("langgraph_checkpoint_ns") or "").rpartition("|")[0]
        key = (metadata.get("thread_id"), namespace, summarizing)
        with _LOCK:
            before = self._previous.pop(key, None)
            self._previous[key] = (list(messages), tools)
            while len(self._previous) > _REMEMBERED_CONVERSATIONS:
                self._previous.popitem(last=False)
        if before is None or before[1] != tools:
            return 0
        shared = 0
        for old, new in zip(before[0], messages, strict=False):
            calls = getattr(old, "tool_calls", None) != getattr(new, "tool_calls", None)
            if type(old) is not type(new) or old.content != new.content or calls:
                break
            shared += 1
        return count_tokens_approximately(messages[:shared], tools=list(tools)) if shared else 0

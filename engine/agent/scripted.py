"""A chat model that plays a script: for demos, tests and driving an agent by hand, offline.

It behaves as a provider does at every point that the engine can see: it gets its tools through
``bind_tools``, streams, reports usage and cache reads, refuses malformed message lists and requests
over its window, and answers the engine's summarizing call. It calls only tools that were bound.

Where it stands in its script follows from the messages alone (each answer carries its place in
``response_metadata["script"]``), so a thread goes on rightly in a new process, from an earlier
checkpoint, and with one model object serving parallel subagents. A user message that no script
knows gets an honest answer and one real tool call.

It must not know workspaces, recording or scenarios.
"""

from __future__ import annotations

import asyncio
import hashlib
import html
import json
import re
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from typing import Any, Final

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models.chat_models import BaseChatModel, LangSmithParams
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr

PROVIDER: Final = "scripted"
_PLACE: Final = "script"
_UNSCRIPTED: Final = "unscripted"
_REMEMBERED_CONVERSATIONS: Final = 64
_LOCK = threading.Lock()


class ScriptError(RuntimeError):
    """The script and the request don't fit: a tool that isn't bound, a malformed list, no turn left."""


@dataclass(frozen=True)
class Call:
    """One tool call of a turn."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    """The tool call's id; by default the model's prefix and a number given by the place in the script."""


@dataclass(frozen=True)
class Turn:
    """One assistant message: content blocks first (thinking, for example), then text, then tool calls."""

    text: str = ""
    calls: Sequence[Call] = ()
    blocks: Sequence[Mapping[str, Any]] = ()
    fail: Exception | None = None
    """Raised after the text has been streamed; a call that breaks off in the middle."""


Item = Turn | Exception | Callable[[list[BaseMessage]], Turn]
"""What stands in a script: a turn, an exception to raise once, or a function of the messages received."""


@dataclass(frozen=True)
class Exchange:
    """The turns that answer one user message."""

    user: str | None
    """The user's text, exactly; None answers any message."""
    turns: Sequence[Item]


@dataclass(frozen=True)
class SummaryText:
    """A summary with ``$name`` for what only the prompt knows, such as a path with a random part."""

    text: str
    find: Mapping[str, str] = field(default_factory=dict)
    """Name → regular expression; the last match in the prompt takes the name's place."""

    def given(self, prompt: str) -> str:
        """The text with what was found, or ``(not known)``."""
        found = {name: (re.findall(pattern, prompt) or ["(not known)"])[-1] for name, pattern in self.find.items()}
        return Template(self.text).safe_substitute(found).strip()

    def held_by(self, prompt: str) -> bool:
        """Whether the prompt holds this summary, judged by its longest line without a ``$``."""
        fixed = max((x for x in self.text.splitlines() if "$" not in x), key=len, default="")
        return bool(fixed) and fixed.strip() in prompt


Summary = str | SummaryText | Exception
"""What answers a summarizing call: a text, or an exception to raise once."""


@dataclass(frozen=True)
class _Step:
    """A turn chosen for one request, with what marks it and names its tool calls."""

    turn: Turn
    place: Mapping[str, Any] | None
    ids: tuple[str, ...]


class ScriptedChat(BaseChatModel):
    """Plays ``script``; see the module's text for how it finds its place."""

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

    _items: tuple[Item, ...] = PrivateAttr()
    _exchanges: tuple[tuple[str | None, int, int], ...] = PrivateAttr()
    _first_id: tuple[int, ...] = PrivateAttr()
    _raised: set[str] = PrivateAttr(default_factory=set)
    _reached: int = PrivateAttr(default=0)
    _previous: OrderedDict[Any, tuple[list[BaseMessage], Any]] = PrivateAttr(default_factory=OrderedDict)

    def model_post_init(self, context: Any, /) -> None:
        """Flatten the script, so that one number names a place in it."""
        super().model_post_init(context)
        items: list[Item] = []
        exchanges: list[tuple[str | None, int, int]] = []
        plain: list[Item] = []

        def close() -> None:
            if plain:
                exchanges.append((None, len(items), len(items) + len(plain)))
                items.extend(plain)
                plain.clear()

        for entry in self.script:
            if isinstance(entry, Exchange):
                close()
                exchanges.append((entry.user, len(items), len(items) + len(entry.turns)))
                items.extend(entry.turns)
            else:
                plain.append(entry)
        close()
        number, first = 1, []
        for item in items:
            first.append(number)
            number += len(item.calls) if isinstance(item, Turn) else 10
        self._items, self._exchanges, self._first_id = tuple(items), tuple(exchanges), tuple(first)

    # --- what LangChain asks of a model ---

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        params = LangSmithParams(ls_provider=PROVIDER, ls_model_name=self.model, ls_model_type="chat")
        if stop:
            params["ls_stop"] = stop
        return params

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
        for chunk in _chunks(message, step.turn.fail):
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
        for chunk in _chunks(message, step.turn.fail):
            await asyncio.sleep(self.delay)
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    # --- one request ---

    def _answer(
        self, messages: list[BaseMessage], run_manager: Any, kwargs: Mapping[str, Any]
    ) -> tuple[AIMessage, _Step]:
        tools = kwargs.get("tools") or []
        metadata = getattr(run_manager, "metadata", None) or {}
        _check_messages(messages)
        input_tokens = count_tokens_approximately(messages, tools=tools)
        window = (self.profile or {}).get("max_input_tokens")
        if isinstance(window, int) and input_tokens > window:
            raise ContextOverflowError(f"{input_tokens} input tokens are more than this model's window of {window}")
        if _is_summary_call(messages, tools, metadata):
            step = _Step(Turn(self._summary(messages[0].text)), None, ())
        else:
            step = self._step(messages, {tool["function"]["name"] for tool in tools})
        message = self._message(step)
        output_tokens = count_tokens_approximately([message])
        message.usage_metadata = UsageMetadata(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            total_tokens=input_tokens + output_tokens,
            input_token_details={"cache_read": self._cache_read(messages, tools, metadata)},
        )
        return message, step

    def _message(self, step: _Step) -> AIMessage:
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

    def _step(self, messages: list[BaseMessage], bound: set[str]) -> _Step:
        place = self._locate(messages)
        if place is None:
            if self.strict:
                raise ScriptError(f"script {self.model!r} has no turn for {_describe(messages[-1])}")
            turn = _unscripted_turn(messages, bound)
            digest = hashlib.sha256("\0".join(m.text for m in messages).encode("utf-8", "replace"))
            ids = tuple(f"{self.call_prefix}{digest.hexdigest()[:8]}_{n}" for n in range(len(turn.calls)))
            mark: Mapping[str, Any] = {"of": self.model, "at": _UNSCRIPTED}
        else:
            item = self._items[place]
            if isinstance(item, Exception):
                with _LOCK:
                    self._raised.add(str(place))
                raise item
            turn = item if isinstance(item, Turn) else item(messages)
            first = self._first_id[place]
            ids = tuple(call.id or f"{self.call_prefix}{first + n}" for n, call in enumerate(turn.calls))
            mark = {"of": self.model, "at": place}
            self._reached = place + 1
        for call in turn.calls:
            if call.name not in bound:
                names = ", ".join(sorted(bound)) or "none"
                raise ScriptError(
                    f"script {self.model!r} calls the tool {call.name!r}, which is not bound; bound: {names}"
                )
        return _Step(turn, mark, ids)

    def _locate(self, messages: list[BaseMessage]) -> int | None:
        """Index of the item that answers these messages, or None where the script has none."""
        said, user = _last_answer_and_user(messages)
        mark = said.response_metadata.get(_PLACE) if said is not None else None
        own = mark["at"] if mark and mark.get("of") == self.model else None
        after = own if isinstance(own, int) else None
        if user is not None:
            for start, end, plain in self._candidates(user, after):
                if plain and after is not None and after >= start:
                    start = after + 1
                elif plain:
                    start = max(start, self.start_at, self._reached if _has_summary(messages) else 0)
                return self._skip_raised(start, end)
            return None
        if after is None:
            return None
        for _user, start, end in self._exchanges:
            if start <= after < end:
                return self._skip_raised(after + 1, end)
        return None

    def _candidates(self, user: HumanMessage, after: int | None) -> Iterator[tuple[int, int, bool]]:
        matching = [(s, e, t is None) for t, s, e in self._exchanges if _matches(user, t)]
        if after is not None:
            yield from (x for x in matching if x[0] > after or (x[2] and after + 1 < x[1]))
        yield from matching

    def _skip_raised(self, start: int, end: int) -> int | None:
        while start < end and str(start) in self._raised:
            start += 1
        return start if start < end else None

    def _summary(self, prompt: str) -> str:
        """The summary after the last one that the prompt already holds."""
        plain = html.unescape(prompt)
        place = 0
        for n, entry in enumerate(self.summaries):
            text = SummaryText(entry) if isinstance(entry, str) else entry
            held = isinstance(text, SummaryText) and text.held_by(plain)
            if held or f"summary-{n}" in self._raised:
                place = n + 1
        if place >= len(self.summaries):
            return write_summary(plain)
        entry = self.summaries[place]
        if isinstance(entry, Exception):
            with _LOCK:
                self._raised.add(f"summary-{place}")
            raise entry
        return entry if isinstance(entry, str) else entry.given(plain)

    def _cache_read(self, messages: list[BaseMessage], tools: Sequence[Any], metadata: Mapping[str, Any]) -> int:
        """Tokens of the prefix shared with this conversation's previous request."""
        namespace = str(metadata.get("langgraph_checkpoint_ns") or "").rpartition("|")[0]
        key = (metadata.get("thread_id"), namespace)
        with _LOCK:
            before = self._previous.pop(key, None)
            self._previous[key] = (list(messages), tools)
            while len(self._previous) > _REMEMBERED_CONVERSATIONS:
                self._previous.popitem(last=False)
        if before is None or before[1] != tools:
            return 0
        shared = 0
        for old, new in zip(before[0], messages, strict=False):
            if type(old) is not type(new) or old.content != new.content:
                break
            if isinstance(old, AIMessage) and old.tool_calls != new.tool_calls:  # type: ignore[attr-defined]
                break
            shared += 1
        return count_tokens_approximately(messages[:shared], tools=tools) if shared else 0


# --- reading requests ---


def _check_messages(messages: list[BaseMessage]) -> None:
    """Refuse what a provider refuses: no messages, a late system message, calls and results unpaired."""
    if not messages:
        raise ScriptError("the request has no messages")
    if all(isinstance(message, SystemMessage) for message in messages):
        raise ScriptError("the request has no message but the system's")
    open_calls: set[str] = set()
    for n, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in open_calls:
                raise ScriptError(f"message {n} is a result of {message.tool_call_id!r}, which was not called")
            open_calls.discard(message.tool_call_id)
            continue
        if open_calls:
            raise ScriptError(f"no result before message {n} for {', '.join(sorted(open_calls))}")
        if isinstance(message, SystemMessage) and n:
            raise ScriptError(f"message {n} is a system message; it must come first")
        if isinstance(message, AIMessage):
            open_calls = {str(call["id"]) for call in message.tool_calls}
    if open_calls:
        raise ScriptError(f"no result at the end for {', '.join(sorted(open_calls))}")


def _is_summary_call(messages: list[BaseMessage], tools: Sequence[Any], metadata: Mapping[str, Any]) -> bool:
    if tools or len(messages) != 1 or not isinstance(messages[0], HumanMessage):
        return False
    if metadata.get("lc_source") == "summarization":
        return True
    text = messages[0].text
    return "Messages to summarize:" in text and text.rstrip().endswith("</messages>")


def _is_summary(message: BaseMessage) -> bool:
    return message.additional_kwargs.get("lc_source") == "summarization"


def _has_summary(messages: list[BaseMessage]) -> bool:
    return any(_is_summary(message) for message in messages)


def _last_answer_and_user(
    messages: list[BaseMessage],
) -> tuple[AIMessage | None, HumanMessage | None]:
    """The last answer, and the last user message if it came after that answer."""
    user: HumanMessage | None = None
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return message, user
        if user is None and isinstance(message, HumanMessage) and not _is_summary(message):
            user = message
    return None, user


def _matches(message: HumanMessage, text: str | None) -> bool:
    if text is None or message.text == text:
        return True
    if message.additional_kwargs.get("lc_evicted_to"):
        head = next((line for line in text.splitlines() if line.strip()), "")
        return head[:200] in message.text
    return False


def _describe(message: BaseMessage) -> str:
    text = message.text
    return f"the {message.type} message {text[:80]!r}" + ("…" if len(text) > 80 else "")


# --- answers without a script ---

OFFLINE_NOTE: Final = (
    "This is the offline scripted model: it plays prepared turns and understands nothing of what "
    "you write. Choose a model as provider:model, for example anthropic:claude-sonnet-4-5 with its "
    "key in the environment, to get real answers."
)


def _unscripted_turn(messages: list[BaseMessage], bound: set[str]) -> Turn:
    last = messages[-1]
    if isinstance(last, ToolMessage):
        entries = sum(1 for line in last.text.splitlines() if line.strip())
        return Turn(
            f"{OFFLINE_NOTE}\n\nThe call to `{last.name or 'the tool'}` just now was real: it "
            f"returned {len(last.text):,} characters in {entries:,} lines."
        )
    if "ls" in bound:
        return Turn(
            "No prepared turn answers this message, so I only list this thread's files.",
            (Call("ls", {"path": "/"}),),
        )
    return Turn(OFFLINE_NOTE)


_HISTORY_MESSAGE = re.compile(r'<message type="(\w+)"[^>]*>(.*?)</message>', re.DOTALL)
_PATH = re.compile(r"(?<![\w./])/(?:[\w.-]+/)+[\w.-]*\w")


def write_summary(prompt: str) -> str:
    """A summary made from the prompt of a summarizing call: requests, paths and last answer, as found."""
    history = prompt.rpartition("Messages to summarize:")[2]
    found = [(kind, body.strip()) for kind, body in _HISTORY_MESSAGE.findall(history)]
    asked = [body for kind, body in found if kind == "human"]
    said = [body for kind, body in found if kind == "ai" and body]
    paths = sorted(set(_PATH.findall(history)))

    def short(text: str, limit: int = 300) -> str:
        line = " ".join(text.split())
        return line if len(line) <= limit else line[:limit] + " …"

    return "\n".join(
        (
            "## SESSION INTENT",
            short(asked[0]) if asked else "None",
            "## SUMMARY",
            f"Written by the offline scripted model from {len(found)} messages, without "
            "understanding them. The requests were:",
            *(f"- {short(text)}" for text in asked),
            f"The last answer: {short(said[-1])}" if said else "There was no answer yet.",
            "## ARTIFACTS",
            *(f"- {path}" for path in paths[:40]),
            *(["None"] if not paths else []),
            "## NEXT STEPS",
            "Go on with the last request.",
        )
    )


# --- streaming ---

_WORD = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


def _chunks(message: AIMessage, fail: Exception | None) -> Iterator[ChatGenerationChunk]:
    """The message in pieces that add up to it: words, tool call pieces, usage last."""
    if isinstance(message.content, str):
        for word in _WORD.findall(message.content):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
    else:
        for block in message.content:
            if isinstance(block, dict) and block.get("type") == "text":
                for word in _WORD.findall(block["text"]):
                    yield ChatGenerationChunk(message=AIMessageChunk(content=[{**block, "text": word}]))
            else:
                yield ChatGenerationChunk(message=AIMessageChunk(content=[block]))
    if fail is not None:
        raise fail
    for index, call in enumerate(message.tool_calls):
        args = json.dumps(call["args"], ensure_ascii=False)
        opening = tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[opening]))
        for start in range(0, len(args), 64):
            piece = tool_call_chunk(args=args[start : start + 64], index=index)
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[piece]))
    yield ChatGenerationChunk(
        message=AIMessageChunk(
            content="",
            response_metadata=message.response_metadata,
            usage_metadata=message.usage_metadata,
            chunk_position="last",
        )
    )

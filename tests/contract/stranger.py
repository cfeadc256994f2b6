"""What a program that isn't ours runs: chat models that note what their own methods are given.

Knows langchain-core alone, and nothing of the recorder: also programs in processes of their own import it.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, message_to_dict
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
MEDIA: list[Any] = [
    {"type": "text", "text": "Look:"},
    {"type": "image", "base64": PNG, "mime_type": "image/png"},
    {"type": "image", "source_type": "base64", "data": PNG, "mime_type": "image/png"},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    {"type": "file", "base64": "JVBERi0=", "mime_type": "application/pdf"},
    {"type": "file", "source_type": "base64", "data": "JVBERi0=", "mime_type": "application/pdf", "filename": "a.pdf"},
    {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "b.pdf"}},
    {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
    {"image_url": {"url": "untyped"}},
]
"""Pictures, files and sound in the spellings of LangChain 0 and 1 and of OpenAI."""


def as_text(value: Any) -> str:
    """JSON that keeps the order of keys."""
    return json.dumps(
        value, default=lambda item: {"__unserializable__": f"{type(item).__module__}.{type(item).__qualname__}"}
    )


class Seen:
    """What models were given, as JSON texts; with a file, also for another process."""

    def __init__(self, path: str | None = None) -> None:
        self.calls: list[dict[str, Any]] = []
        self._path = path

    def note(self, messages: Sequence[Any], stop: Any, given: dict[str, Any]) -> None:
        given = {name: value for name, value in given.items() if name != "run_manager"}
        call = {
            "messages": [as_text(message_to_dict(copy.deepcopy(message))) for message in messages],
            "tools": [as_text(tool) for tool in given.pop("tools", None) or ()],
            "kwargs": as_text(given),
            "stop": as_text(stop),
        }
        self.calls.append(call)
        if self._path:
            with open(self._path, "a") as file:
                file.write(json.dumps(call) + "\n")


def seen_in(path: str) -> list[dict[str, Any]]:
    """The calls that a program noted in a file."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


class Plain(BaseChatModel):
    """Has ``_generate`` alone. Says its answers in turn, the last one for ever; an exception is raised."""

    answers: Sequence[Any] = Field(default=("yes",), exclude=True, repr=False)
    seen: Any = Field(default_factory=Seen, exclude=True, repr=False)
    said: list[int] = Field(default_factory=list, exclude=True, repr=False)

    @property
    def _llm_type(self) -> str:
        return "stranger"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _next(self) -> AIMessage:
        self.said.append(1)
        answer = self.answers[min(len(self.said), len(self.answers)) - 1]
        if isinstance(answer, BaseException):
            raise type(answer)(*answer.args)
        return answer if isinstance(answer, AIMessage) else AIMessage(answer)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        self.seen.note(messages, stop, kwargs)
        return ChatResult(generations=[ChatGeneration(message=self._next())])


class Streaming(Plain):
    """Streams too, word by word."""

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Iterator[Any]:
        self.seen.note(messages, stop, kwargs)
        yield from _chunks(self._next())


class Native(Streaming):
    """Has async methods of its own."""

    async def _agenerate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        self.seen.note(messages, stop, kwargs)
        return ChatResult(generations=[ChatGeneration(message=self._next())])

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        self.seen.note(messages, stop, kwargs)
        for chunk in _chunks(self._next()):
            yield chunk


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    for word in str(message.content).split(" "):
        yield ChatGenerationChunk(message=AIMessageChunk(word + " "))
    if message.tool_calls:
        calls = [
            {
                "name": call["name"],
                "args": json.dumps(call["args"]),
                "id": call["id"],
                "index": index,
                "type": "tool_call_chunk",
            }
            for index, call in enumerate(message.tool_calls)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=calls))


def call(name: str, id: str, **args: Any) -> AIMessage:
    """An answer that calls a tool."""
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": id}])

"""A provider on loopback: keeps the bodies that reach it, and answers as OpenAI and Anthropic do."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

KEY = "sk-fake-0123456789abcdefghijklmnop"
"""A key that no file may ever hold."""

CHAT, RESPONSES, ANTHROPIC = "/v1/chat/completions", "/v1/responses", "/v1/messages"


@dataclass(frozen=True)
class Received:
    """One request body, as it came."""

    path: str
    body: bytes
    retry: str | None


@dataclass
class Say:
    """An answer: text, or calls of tools."""

    text: str = ""
    calls: Sequence[tuple[str, str, dict[str, Any]]] = ()
    """(id, name, arguments)."""
    usage: dict[str, Any] = field(default_factory=dict)
    """In the provider's own words."""
    thinking: str | None = None


Answer = Say | Callable[[Request], Response]


def fails(status: int, message: str = "no", **headers: str) -> Callable[[Request], Response]:
    """An error in the form that both providers use."""

    def answer(_: Request) -> Response:
        body = {"type": "error", "error": {"type": "some_error", "message": message}}
        return Response(json.dumps(body), status, {"content-type": "application/json", "request-id": "r-1", **headers})

    return answer


def drops(request: Request) -> Response:
    """The connection is closed without an answer."""
    connection = request.environ["werkzeug.socket"]
    connection.shutdown(socket.SHUT_RDWR)
    return Response()


def breaks_off(request: Request) -> Response:
    """A stream that ends in the middle of its first words."""
    lines = _lines(request.path, json.loads(request.get_data()), Say("never heard whole"))

    def some() -> Iterator[str]:
        yield from lines[: max(1, len(lines) // 2)]
        request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        yield "x" * 100_000

    return Response(some(), 200, {"content-type": "text/event-stream", "content-length": "10000000"})


class Provider:
    """The server's side of the tests."""

    def __init__(self, server: HTTPServer) -> None:
        server.clear()
        self.url = server.url_for("").rstrip("/")
        self.received: list[Received] = []
        self._answers: list[Answer] = []
        self._plain = Say("Done.")
        for path in (CHAT, RESPONSES, ANTHROPIC):
            server.expect_request(path, method="POST").respond_with_handler(self._answer)

    def will(self, *answers: Answer) -> Provider:
        """Give these answers next, and "Done." when there is none left."""
        self._answers += answers
        return self

    @property
    def bodies(self) -> list[Any]:
        """What was received, as JSON values."""
        return [json.loads(item.body) for item in self.received]

    def _answer(self, request: Request) -> Response:
        assert KEY in str(request.headers)
        self.received.append(Received(request.path, request.get_data(), request.headers.get("x-stainless-retry-count")))
        answer = self._answers.pop(0) if self._answers else self._plain
        if not isinstance(answer, Say):
            return answer(request)
        body = json.loads(request.get_data())
        if body.get("stream"):
            return Response(_lines(request.path, body, answer), 200, {"content-type": "text/event-stream"})
        whole = {CHAT: _chat, RESPONSES: _responses, ANTHROPIC: _anthropic}[request.path](body, answer)
        return Response(json.dumps(whole), 200, {"content-type": "application/json", "x-request-id": "r-2"})


@contextmanager
def listening() -> Iterator[HTTPServer]:
    """A server on loopback. It takes half a second to stop, so a module's tests share one."""
    with HTTPServer(host="127.0.0.1", port=0) as server:
        yield server


# What the two say


def _chat(body: dict[str, Any], say: Say) -> dict[str, Any]:
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for id, name, args in say.calls
    ]
    message = {"role": "assistant", "content": say.text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"usage": say.usage} if say.usage else {}
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [choice],
        **usage,
    }


def _responses(body: dict[str, Any], say: Say) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if say.thinking:
        summary = [{"type": "summary_text", "text": say.thinking}]
        output.append({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAA"})
    if say.text:
        content = [{"type": "output_text", "text": say.text, "annotations": []}]
        output.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
        )
    output += [
        {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": json.dumps(args)}
        for id, name, args in say.calls
    ]
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "model": body["model"], "status": "completed",
        "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None,
        "incomplete_details": None, "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0,
        **({"usage": say.usage} if say.usage else {}),
    }  # fmt: skip


def _anthropic(body: dict[str, Any], say: Say) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if say.thinking:
        content.append({"type": "thinking", "thinking": say.thinking, "signature": "SIG-1"})
    if say.text:
        content.append({"type": "text", "text": say.text})
    content += [{"type": "tool_use", "id": id, "name": name, "input": args} for id, name, args in say.calls]
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": content,
        "stop_reason": "tool_use" if say.calls else "end_turn", "stop_sequence": None,
        "usage": say.usage or {"input_tokens": 5, "output_tokens": 2},
    }  # fmt: skip


def _lines(path: str, body: dict[str, Any], say: Say) -> list[str]:
    if path == CHAT:
        return [*(f"data: {json.dumps(chunk)}\n\n" for chunk in _chat_chunks(body, say)), "data: [DONE]\n\n"]
    chunks = _response_events(body, say) if path == RESPONSES else _anthropic_events(body, say)
    return [f"event: {chunk['type']}\ndata: {json.dumps(chunk)}\n\n" for chunk in chunks]


def _chat_chunks(body: dict[str, Any], say: Say) -> Iterator[dict[str, Any]]:
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
    for start in range(0, len(say.text), 4):
        delta = {"role": "assistant", "content": say.text[start : start + 4]}
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    for index, (id, name, args) in enumerate(say.calls):
        call = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        yield {**head, "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
    reason = "tool_calls" if say.calls else "stop"
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    if say.usage:
        yield {**head, "choices": [], "usage": say.usage}


def _response_events(body: dict[str, Any], say: Say) -> Iterator[dict[str, Any]]:
    whole = _responses(body, say)
    number = iter(range(1_000))

    def event(kind: str, **more: Any) -> dict[str, Any]:
        return {"type": kind, "sequence_number": next(number), **more}

    yield event("response.created", response={**whole, "output": [], "status": "in_progress"})
    for index, item in enumerate(whole["output"]):
        begun = {
            **item,
            **({"content": []} if "content" in item else {}),
            **({"arguments": ""} if "arguments" in item else {}),
        }
        yield event("response.output_item.added", output_index=index, item=begun)
        if item["type"] == "message":
            (part,) = item["content"]
            at = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield event("response.content_part.added", part={**part, "text": ""}, **at)
            yield event("response.output_text.delta", delta=part["text"], logprobs=[], **at)
            yield event("response.output_text.done", text=part["text"], logprobs=[], **at)
            yield event("response.content_part.done", part=part, **at)
        if item["type"] == "function_call":
            at = {"item_id": item["id"], "output_index": index}
            yield event("response.function_call_arguments.delta", delta=item["arguments"], **at)
            yield event("response.function_call_arguments.done", arguments=item["arguments"], name=item["name"], **at)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=whole)


def _anthropic_events(body: dict[str, Any], say: Say) -> Iterator[dict[str, Any]]:
    whole = _anthropic(body, say)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        kind = block["type"]
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}[kind]
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        deltas = {
            "text": [{"type": "text_delta", "text": block.get("text")}],
            "thinking": [
                {"type": "thinking_delta", "thinking": block.get("thinking")},
                {"type": "signature_delta", "signature": block.get("signature")},
            ],
            "tool_use": [{"type": "input_json_delta", "partial_json": json.dumps(block.get("input"))}],
        }[kind]
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"]}, "usage": whole["usage"]}
    yield {"type": "message_stop"}

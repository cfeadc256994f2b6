"""Real clients of OpenAI and Anthropic that talk to a loopback provider, in agents that are recorded."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import zstandard
from deepagents import create_deep_agent
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

from engine import Reader, Recorder, Workspace
from tests.engine.wire.provider import KEY, Provider

Kind = Literal["chat", "responses", "anthropic"]
KINDS: tuple[Kind, ...] = ("chat", "responses", "anthropic")
Way = Literal["invoke", "stream", "ainvoke", "astream"]
WAYS: tuple[Way, ...] = ("invoke", "stream", "ainvoke", "astream")


def model(kind: Kind, provider: Provider, **more: Any) -> Any:
    """A client of this API, whose server is the provider."""
    if kind == "anthropic":
        return ChatAnthropic(model="claude-sonnet-5", api_key=KEY, base_url=provider.url, **more)
    return ChatOpenAI(
        model="gpt-4o", api_key=KEY, base_url=f"{provider.url}/v1", use_responses_api=kind == "responses", **more
    )


def run(
    file: Path, chat: Any, *turns: Any, way: Way = "invoke", thread: str = "t", build: Callable[..., Any] | None = None
) -> None:
    """Run turns of one recorded agent. A turn is a text or a content; what the model raises goes on."""
    if not file.exists():
        Workspace.create(file)
    recorder = Recorder(Workspace.open(file))
    try:
        with recorder.observing():
            agent = (build or create_deep_agent)(model=chat)
            history: list[Any] = []
            for turn in turns:
                history.append({"role": "user", "content": turn})
                token = uuid.uuid4().hex
                recorder.begin_run(token, thread, "", None, {})
                config = {"configurable": {"thread_id": thread}, "callbacks": [recorder.handler]}
                try:
                    history = _ways[way](agent, history, config)
                    recorder.end_run(token, thread, "done")
                except Exception as error:
                    recorder.end_run(token, thread, "failed", f"{type(error).__name__}: {error}")
                    raise
    finally:
        recorder.close()
        assert recorder.losses.count == 0, recorder.losses.reason


def sent(file: Path) -> list[bytes]:
    """Every body in the record, in the order of sending."""
    with closing(Reader(file)) as reader:
        attempts = [
            attempt
            for thread in reader.threads()
            for id in reader.request_ids(thread.thread_id)
            for attempt in reader.wire(id)
        ]
        return [reader.wire_bytes(attempt.id) for attempt in sorted(attempts, key=lambda each: each.started_at)]


def holds(file: Path, text: str) -> list[str]:
    """Where the bytes of a text stand: in the file and what lies beside it, and in its packed parts."""
    needle = text.encode()
    found = [path.name for path in file.parent.glob(f"{file.name}*") if needle in path.read_bytes()]
    with closing(sqlite3.connect(file)) as connection:
        for id, packed, body in connection.execute("SELECT id, packed, body FROM parts"):
            if needle in (zstandard.decompress(body) if packed else body):
                found.append(f"part {id}")
    return found


def _invoke(agent: Any, messages: list[Any], config: Any) -> list[Any]:
    return list(agent.invoke({"messages": messages}, config)["messages"])


def _stream(agent: Any, messages: list[Any], config: Any) -> list[Any]:
    state: Any = {}
    for mode, data in agent.stream({"messages": messages}, config, stream_mode=["messages", "values"]):
        state = data if mode == "values" else state
    return list(state["messages"])


def _ainvoke(agent: Any, messages: list[Any], config: Any) -> list[Any]:
    return list(asyncio.run(agent.ainvoke({"messages": messages}, config))["messages"])


def _astream(agent: Any, messages: list[Any], config: Any) -> list[Any]:
    async def go() -> Any:
        state: Any = {}
        async for mode, data in agent.astream({"messages": messages}, config, stream_mode=["messages", "values"]):
            state = data if mode == "values" else state
        return state

    return list(asyncio.run(go())["messages"])


_ways: dict[str, Callable[..., list[Any]]] = {
    "invoke": _invoke,
    "stream": _stream,
    "ainvoke": _ainvoke,
    "astream": _astream,
}

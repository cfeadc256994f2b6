"""Any program's requests are recorded exactly, however its models are called, and nothing about it changes."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnableParallel
from langchain_core.tools import tool
from pydantic import BaseModel

from engine import record
from tests.contract.recorded import Recorded
from tests.contract.stranger import MEDIA, Native, Plain, Streaming, as_text

PROMPT = [SystemMessage("Be short."), HumanMessage(content=MEDIA), HumanMessage("What is it?")]
MODELS = [Plain, Streaming, Native]


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path / "any.ctx")


class Answer(BaseModel):
    """An answer."""

    word: str


@tool
def look(at: str) -> str:
    """Look at something."""
    return f"a {at}"


async def drain(stream: Any) -> None:
    async for _ in stream:
        pass


def first_of(stream: Any) -> None:
    next(stream)
    stream.close()


async def first_of_async(stream: Any) -> None:
    await anext(stream)
    await stream.aclose()


def in_threads(model: Plain) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(model.invoke, [PROMPT] * 8))


def in_a_thread(model: Plain) -> None:
    thread = threading.Thread(target=model.invoke, args=(PROMPT,))
    thread.start()
    thread.join()


async def gathered(model: Plain) -> None:
    await asyncio.gather(*(model.ainvoke([*PROMPT, HumanMessage(str(n))]) for n in range(8)))


def structured(model: Plain) -> None:
    with contextlib.suppress(Exception):  # what it answers is no call of the tool
        model.with_structured_output(Answer).invoke(PROMPT)


def parallel(model: Plain) -> None:
    prompt = ChatPromptTemplate.from_messages([("system", "s"), ("human", "{q}")])
    RunnableParallel(a=prompt | model, b=prompt | model, c=RunnableLambda(lambda _: model.invoke(PROMPT))).invoke(
        {"q": "?"}
    )


WAYS: dict[str, tuple[int, Callable[[Plain], Any]]] = {
    "invoke": (1, lambda m: m.invoke(PROMPT)),
    "a string": (1, lambda m: m.invoke("Hello")),
    "ainvoke": (1, lambda m: asyncio.run(m.ainvoke(PROMPT))),
    "stream": (1, lambda m: list(m.stream(PROMPT))),
    "astream": (1, lambda m: asyncio.run(drain(m.astream(PROMPT)))),
    "astream_events": (1, lambda m: asyncio.run(drain(m.astream_events(PROMPT, version="v2")))),
    "streamed, left early": (1, lambda m: first_of(m.stream(PROMPT))),
    "astreamed, left early": (1, lambda m: asyncio.run(first_of_async(m.astream(PROMPT)))),
    "batch": (3, lambda m: m.batch([PROMPT, "two", PROMPT])),
    "abatch": (3, lambda m: asyncio.run(m.abatch([PROMPT, "two", PROMPT]))),
    "generate": (3, lambda m: m.generate([PROMPT, [HumanMessage("b")], PROMPT[1:]])),
    "generate, streaming": (3, lambda m: m.generate([PROMPT, [HumanMessage("b")], PROMPT[2:]], stream=True)),
    "agenerate": (3, lambda m: asyncio.run(m.agenerate([PROMPT, [HumanMessage("b")], PROMPT[1:]]))),
    "tools and stop words": (1, lambda m: m.bind_tools([look], tool_choice="any").invoke(PROMPT, stop=["x"])),
    "structured output": (1, structured),
    "retry": (1, lambda m: m.with_retry().invoke(PROMPT)),
    "chain": (1, lambda m: (ChatPromptTemplate.from_messages([("human", "{q}")]) | m).invoke({"q": "?"})),
    "parallel": (3, parallel),
    "threads of a pool": (8, in_threads),
    "a thread": (1, in_a_thread),
    "gather": (8, lambda m: asyncio.run(gathered(m))),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_call_a_model_is_recorded_exactly(recorded: Recorded, kind: type[Plain], way: str) -> None:
    count, run = WAYS[way]
    with record(recorded.path):
        run(recorded.model(kind))
    rows = recorded.check(count)
    left_early = "left early" in way and kind is not Plain
    assert {row.status for row in rows} == {"stopped" if left_early else "done"}
    assert {row.purpose for row in rows} == {"other"}


@pytest.mark.parametrize("kind", MODELS)
def test_the_handler_alone_is_as_exact(recorded: Recorded, kind: type[Plain]) -> None:
    recording = record(recorded.path)
    model = recorded.model(kind)
    model.invoke(PROMPT, {"callbacks": [recording.handler]})
    model.invoke("not recorded")
    asyncio.run(model.ainvoke(PROMPT, {"callbacks": [recording.handler]}))
    list(model.stream(PROMPT, {"callbacks": [recording.handler]}))
    recording.close()
    assert [as_text("not recorded") in call["messages"][0] for call in recorded.seen.calls] == [
        False,
        True,
        False,
        False,
    ]
    del recorded.seen.calls[1]
    recorded.check(3)

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
from langchain_core.caches import InMemoryCache
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.rate_limiters import InMemoryRateLimiter
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


@pytest.mark.filterwarnings("ignore::langchain_core._api.beta_decorator.LangChainBetaWarning")
@pytest.mark.parametrize("kind", [Streaming, Native])
def test_events_of_the_third_version(recorded: Recorded, kind: type[Plain]) -> None:
    model = recorded.model(kind)

    async def events() -> None:
        await drain(await model.astream_events(PROMPT, version="v3"))

    with record(recorded.path):
        assert list(model.stream_events(PROMPT, version="v3"))
        asyncio.run(events())
    recorded.check(2)


@pytest.mark.parametrize("kind", MODELS)
def test_the_handler_alone_is_as_exact(recorded: Recorded, kind: type[Plain]) -> None:
    recording = record(recorded.path)
    model = recorded.model(kind)
    model.invoke(PROMPT, {"callbacks": [recording.handler]})
    model.invoke("not recorded")
    asyncio.run(model.ainvoke(PROMPT, {"callbacks": [recording.handler]}))
    list(model.stream(PROMPT, {"callbacks": [recording.handler]}))
    assert [as_text("not recorded") in call["messages"][0] for call in recorded.seen.calls] == [
        False,
        True,
        False,
        False,
    ]
    del recorded.seen.calls[1]
    recorded.check(3)  # the file is whole as soon as a run is over
    recording.close()


def test_a_call_that_a_cache_answers_is_recorded_as_callbacks_saw_it(recorded: Recorded) -> None:
    model = recorded.model(Plain, cache=InMemoryCache())
    with record(recorded.path):
        for _ in range(2):
            model.invoke("plain")
        for _ in range(2):
            model.invoke([HumanMessage(content=MEDIA[1:2])])
    assert len(recorded.seen.calls) == 2
    with recorded.reading() as reader:
        rows = [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]
        rows.sort(key=lambda row: row.started_at)
        # Words are never rewritten for callbacks; pictures are, and it is said.
        assert [reader.request(row.id).exact for row in rows] == [True, True, True, False]
        assert [reader.request(row.id).response is not None for row in rows] == [True] * 4


def test_calls_that_wait_for_their_turn(recorded: Recorded) -> None:
    model = recorded.model(
        Native, rate_limiter=InMemoryRateLimiter(requests_per_second=500, check_every_n_seconds=0.001)
    )
    with record(recorded.path):
        model.invoke(PROMPT)
        list(model.stream(PROMPT))
        asyncio.run(drain(model.astream(PROMPT)))
        asyncio.run(gathered(model))
    recorded.check(11)


def test_retries_and_fallbacks_are_requests_of_their_own(recorded: Recorded) -> None:
    flaky = recorded.model(Plain, ValueError("once"), "at last")
    broken = recorded.model(Native, ValueError("never"))
    with record(recorded.path, thread="t"):
        flaky.with_retry(wait_exponential_jitter=False).invoke(PROMPT)
        broken.with_fallbacks([recorded.model(Streaming)]).invoke(PROMPT)
    rows = recorded.check(4)
    assert [row.status for row in rows] == ["failed", "done", "failed", "done"]
    assert [row.number for row in rows] == [1, 2, 3, 4]


def test_a_model_around_another_is_a_request_and_so_is_the_other(recorded: Recorded) -> None:
    inner = recorded.model(Native, "from inside")

    class Around(Native):
        """Asks another model."""

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
            self.seen.note(messages, stop, kwargs)
            answer = inner.invoke([*messages, HumanMessage("more")])
            return ChatResult(generations=[ChatGeneration(message=answer)])

    with record(recorded.path):
        Around(seen=recorded.seen).invoke(PROMPT)
    recorded.check(2)


def test_a_method_that_somebody_else_has_exchanged(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    model = recorded.model(Plain)
    with record(recorded.path):
        model.invoke("first")
        own = Plain._generate
        monkeypatch.setattr(Plain, "_generate", lambda self, *args, **kwargs: own(self, *args, **kwargs))
        model.invoke(PROMPT)
    recorded.check(2)


def test_a_run_in_the_middle_of_which_recording_begins(recorded: Recorded) -> None:
    def inside(text: str) -> Any:
        with record(recorded.path):
            return recorded.model(Plain).invoke(text).content

    assert (RunnableLambda(lambda x: x) | RunnableLambda(inside)).invoke("x") == "yes it is"
    recorded.check(1)

"""Two long conversations for the real engine, the same at every run.

The answers are prepared before the run begins: the model costs next to nothing, so that what
the rest costs can be seen. Texts have the entropy of written English and of tables, since the
size of the record depends on how well its parts can be packed.
"""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from engine.agent.settings import AgentSettings

WINDOW = 128_000
"""Tokens of the model's window: the engine summarizes at 85 % of them."""


@dataclass(frozen=True)
class Workload:
    """The shape of a conversation."""

    name: str
    turns: int
    requests_a_turn: int
    """Of the main agent; summarizing calls come on top."""
    result_chars: int
    """Mean length of a tool's result."""

    @property
    def requests(self) -> int:
        """Requests of the main agent."""
        return self.turns * self.requests_a_turn


W2 = Workload("W2", turns=8, requests_a_turn=39, result_chars=3_700)
W3 = Workload("W3", turns=200, requests_a_turn=10, result_chars=3_050)
QUICK = {
    "W2": Workload("W2", turns=4, requests_a_turn=20, result_chars=3_700),
    "W3": Workload("W3", turns=30, requests_a_turn=10, result_chars=3_050),
}
FULL = {"W2": W2, "W3": W3}
WARM_UP = Workload("warm-up", turns=1, requests_a_turn=6, result_chars=1_000)


class Words:
    """Prose and tables out of an invented vocabulary, from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        maker = random.Random(0)  # the vocabulary is the same for all
        syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "is", "ol")]
        self._words = [
            "".join(maker.choice(syllables) for _ in range(maker.choice((1, 2, 2, 3, 3, 4)))) for _ in range(6_000)
        ]
        self._weights = [1 / (rank + 2) for rank in range(len(self._words))]  # Zipf's law, as in any language
        total = 0.0
        self._sums = [total := total + weight for weight in self._weights]

    def prose(self, chars: int) -> str:
        """Sentences of about this length in all."""
        words = self._random.choices(self._words, cum_weights=self._sums, k=max(4, chars // 6))
        sentences = []
        while words:
            length = self._random.randint(6, 18)
            sentence, words = words[:length], words[length:]
            sentences.append(" ".join(sentence).capitalize() + ".")
        return " ".join(sentences)[:chars]

    def table(self, chars: int) -> str:
        """Rows of figures of about this length in all."""
        lines, length = ["date,source,region,units,price,note"], 36
        while length < chars:
            draw = self._random
            note = " ".join(draw.choices(self._words, cum_weights=self._sums, k=draw.randint(1, 5)))
            lines.append(
                f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02},{draw.choice(self._words)},"
                f"{draw.choice('NESW')},{draw.randint(1, 90_000)},{draw.randint(100, 99_999) / 100:.2f},{note}"
            )
            length += len(lines[-1]) + 1
        return "\n".join(lines)[:chars]


class Prepared:
    """Everything that is said in one workload, made before the clock runs."""

    def __init__(self, shape: Workload) -> None:
        self.shape = shape
        words = Words(len(shape.name) + shape.requests)
        draw = random.Random(shape.requests)
        self.questions = [words.prose(draw.randint(60, 400)) for _ in range(shape.turns)]
        self.results: dict[str, str] = {}
        self.answers: list[AIMessageChunk] = []
        for turn in range(shape.turns):
            for step in range(shape.requests_a_turn):
                number = turn * shape.requests_a_turn + step
                last = step == shape.requests_a_turn - 1
                calls = [] if last else self._calls(number, step, words, draw)
                text = words.prose(draw.randint(500, 1_200) if last else draw.choice((0, 90, 180)))
                self.answers.append(_chunk(number, text, calls))
        self.summaries = [words.prose(6_000) for _ in range(1 + shape.requests // 20)]

    def _calls(self, number: int, step: int, words: Words, draw: random.Random) -> list[dict[str, Any]]:
        """One call, at times two at once; now and then one of the engine's own tools."""
        if step == 0 and number % 40 == 0:
            todos = [{"content": words.prose(60), "status": "pending"} for _ in range(4)]
            return [_call(number, 0, "write_todos", {"todos": todos})]
        if step == 1 and number % 50 == 1:
            path = f"/notes/{number}.md"
            return [_call(number, 0, "write_file", {"file_path": path, "content": words.prose(800)})]
        calls = []
        parts = 2 if number % 7 == 3 else 1
        for part in range(parts):
            key = f"{number}.{part}"
            chars = int(self.shape.result_chars * draw.uniform(0.4, 1.6) / parts)
            self.results[key] = words.table(chars) if draw.random() < 0.4 else words.prose(chars)
            calls.append(_call(number, part, "search_reports", {"key": key, "query": words.prose(40)}))
        return calls


class BenchChat(BaseChatModel):
    """Gives the prepared answers in order, one piece each; a call without tools is the summarizing one."""

    model: str = "bench-model"
    prepared: Any = Field(repr=False, exclude=True)
    place: dict[str, int] = Field(default_factory=lambda: {"answer": 0, "summary": 0}, repr=False, exclude=True)
    clock: list[float] = Field(default_factory=list, repr=False, exclude=True)
    """Processor seconds of the process at each call of the main agent's."""
    called_at: list[float] = Field(default_factory=list, repr=False, exclude=True)
    """``time.perf_counter`` at each call of the main agent's."""

    @property
    def _llm_type(self) -> str:
        return "bench"

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return {"ls_provider": "bench", "ls_model_name": self.model, "ls_model_type": "chat"}

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        """Bind tools in a provider's format, converted once for each list of them."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _next(self, kwargs: dict[str, Any]) -> AIMessageChunk:
        kind = "answer" if kwargs.get("tools") else "summary"
        number = self.place[kind]
        self.place[kind] += 1
        if kind == "summary":
            return AIMessageChunk(content=self.prepared.summaries[number], id=f"lc_run--summary-{number:08}")
        self.clock.append(time.process_time())
        self.called_at.append(time.perf_counter())
        return self.prepared.answers[number]

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        chunk = self._next(kwargs)
        message = AIMessage(**{name: getattr(chunk, name) for name in ("content", "tool_calls", "id")})
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        chunk = ChatGenerationChunk(message=self._next(kwargs))
        if run_manager is not None:
            run_manager.on_llm_new_token(chunk.text, chunk=chunk)
        yield chunk

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        chunk = ChatGenerationChunk(message=self._next(kwargs))
        if run_manager is not None:
            await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
        yield chunk


def settings_of(prepared: Prepared, first_turn: int = 0) -> AgentSettings:
    """The agent of a workload: summarization, offloading, memory and skills on, one tool of its own."""

    def search_reports(key: str, query: str) -> str:
        """Search the reports and return the passages or rows that match the query best."""
        return prepared.results[key]

    model = BenchChat(prepared=prepared, profile={"max_input_tokens": WINDOW})
    model.place["answer"] = first_turn * prepared.shape.requests_a_turn
    return AgentSettings(
        model=model,
        system_prompt="You read reports and answer questions about them. Cite what you found.",
        tools=(search_reports,),
    )


def seed_files() -> dict[str, str]:
    """A memory file and three skills."""
    words = Words(1)
    files = {"/memories/AGENTS.md": f"# What is known\n\n{words.prose(1_500)}\n"}
    for name in ("reports", "figures", "citations"):
        head = f"---\nname: {name}\ndescription: How to treat {name} in an answer.\n---\n"
        files[f"/skills/{name}/SKILL.md"] = f"{head}\n# {name.capitalize()}\n\n{words.prose(3_000)}\n"
    return files


def _call(number: int, part: int, name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "args": args, "id": f"call_{number:05}_{part}", "type": "tool_call"}


def _chunk(number: int, text: str, calls: list[dict[str, Any]]) -> AIMessageChunk:
    import json

    return AIMessageChunk(
        content=text,
        id=f"lc_run--answer-{number:08}",
        tool_call_chunks=[
            {
                "name": call["name"],
                "args": json.dumps(call["args"]),
                "id": call["id"],
                "index": index,
                "type": "tool_call_chunk",
            }
            for index, call in enumerate(calls)
        ],
        usage_metadata={"input_tokens": 1_000, "output_tokens": 100, "total_tokens": 1_100},
        response_metadata={"model_name": "bench-model", "finish_reason": "tool_calls" if calls else "stop"},
    )

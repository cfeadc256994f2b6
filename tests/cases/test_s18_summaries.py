"""S18: the summarizer's words in the chat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from deepagents.backends import StateBackend
from deepagents.middleware.summarization import SummarizationMiddleware
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.summarization import DEFAULT_SUMMARY_PROMPT
from langchain_core.messages import HumanMessage

from engine.agent.scripted import Turn
from engine.cli import main
from tests.cases.looking import MESSAGES, RAW_EFFECTIVE, area, pane, requests, said, tip
from tests.contract.test_odd_requests import Recorded

ASKED: list[Any] = [HumanMessage(f"m{i}", id=f"m{i}") for i in range(5)]
PURPOSE = 2


class OldSummary(AgentMiddleware):
    """Asks for a summary as releases did that put no mark on the call."""

    def __init__(self, model: Any, prompt: str) -> None:
        self._model, self._prompt = model, prompt

    async def abefore_model(self, state: Any, runtime: Any) -> None:
        await self._model.ainvoke(self._prompt.format(messages=state["messages"]).rstrip())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Recordings of three agents: today's summarization, an unmarked one, and a call with a prompt of its own."""
    found = {}
    for name in ("marked", "unmarked", "own prompt"):
        path = tmp_path_factory.mktemp("s18") / f"{name}.ctx"
        recorded = Recorded(path)
        try:
            model = recorded.model(Turn("the answer"))
            backend = StateBackend()
            middleware: Any = {
                "marked": SummarizationMiddleware(
                    model=model, backend=backend, trigger=("messages", 4), keep=("messages", 1)
                ),
                "unmarked": OldSummary(model, DEFAULT_SUMMARY_PROMPT),
                "own prompt": OldSummary(model, "Sum this up: {messages}"),
            }[name]
            state = recorded.run(ASKED, model=model, backend=backend, middleware=[middleware])
            assert not isinstance(state, Exception), state
            recorded.reader().close()
        finally:
            recorded.recorder.close()
        found[name] = path
    return found


def test_the_summarizing_call_is_its_own_kind_and_no_turn(qtbot, make_window, files: dict[str, Path]) -> None:
    window = make_window(files["marked"])
    table = requests(window)
    assert [row[PURPOSE] for row in table] == ["summary", "agent"]
    summary, answer = (window.session.rows.at(n) for n in range(2))
    assert summary.usage.input_tokens
    assert summary.usage.output_tokens
    assert summary.problem is None
    first = window.session.detail(answer.id).messages[0]
    assert first.origin == "summary"
    sent = area(qtbot, window, MESSAGES).table.model()
    assert sent.rowCount() == 2, "the summary and the message kept"
    both = area(qtbot, window, RAW_EFFECTIVE)
    raw = [row.raw for row in window.session.detail(answer.id).aligned if row.raw is not None]
    assert len(raw) == len(ASKED), "in no raw list"
    assert both.table.model().rowCount() == len(ASKED) + 1
    view = pane(qtbot, window, "summaries")
    assert "Summarizing call" in view.facts.text(), "joined to the event that it made"
    assert [row[PURPOSE] for row in requests(window)].count("agent") == 1, "never counted as the agent's request"


def test_an_unmarked_one_is_found_by_its_prompt_and_said_to_be_a_guess(
    qtbot, make_window, files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    window = make_window(files["unmarked"])
    assert [row[PURPOSE] for row in requests(window)] == ["summary?", "agent"]
    table = window.desk.requests.table
    assert tip(table, 0, PURPOSE).startswith("guessed to be a summarizing call")
    assert "guessed to be a summarizing call" in requests(window)[0][-1]
    window.session.select_index(0)
    qtbot.waitUntil(window.jobs.idle)
    assert "Guessed to be a summarizing call" in said(window.desk.request.header)
    assert main(["requests", str(files["unmarked"]), "--thread", "t", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["purpose"], second["purpose"]) == ("summary", "agent")
    assert "guessed" in first["problem"]
    assert second["problem"] is None


def test_a_prompt_of_ones_own_is_not_guessed_at(make_window, files: dict[str, Path]) -> None:
    window = make_window(files["own prompt"])
    assert [row[PURPOSE] for row in requests(window)] == ["other", "agent"]
    assert all("guessed" not in row[-1] for row in requests(window))

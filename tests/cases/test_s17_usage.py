"""S17: cache marks and token counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from engine.agent.scripted import Turn
from tests.cases.databases import MODEL
from tests.cases.looking import area, requests, tip
from tests.contract.test_odd_requests import Markers, Recorded
from tests.engine.sources.databases import put_state, saver_over
from tests.inspector.conftest import WAIT_MS

PROVIDER = 3
INPUT, OUTPUT = 3, 4


def used(given: int, out: int, total: int | None = None, **details: int) -> dict[str, Any]:
    counts = {"input_tokens": given, "output_tokens": out, "total_tokens": total or given + out}
    return {"usage_metadata": {**counts, "input_token_details": details}}


ANSWERS: dict[str, dict[str, Any]] = {
    "anthropic": used(130_213, 9, cache_read=128_955, cache_creation=1_253),
    "ttl keys": used(
        2_010, 9, cache_read=0, cache_creation=0, ephemeral_5m_input_tokens=1_500, ephemeral_1h_input_tokens=500
    ),
    "openai": used(17_903, 9, cache_read=17_817),
    "none": {},
    "zeros": used(0, 0),
    "wrong": used(5, 9, cache_read=128_955),
    "total only": {"usage_metadata": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 99}},
}
FRESH = {
    "anthropic": "5", "ttl keys": "10", "openai": "86", "zeros": "0", "wrong": "inconsistent", "total only": "3",
}  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thread whose answers report their tokens in every way."""
    path = tmp_path_factory.mktemp("s17") / "usage.db"
    messages: list[Any] = []
    config = None
    with saver_over(path) as saver:
        for step, (text, fields) in enumerate(ANSWERS.items()):
            messages.append(HumanMessage(f"question {step}", id=f"q{step}"))
            config = put_state(saver, "t", {"messages": list(messages)}, step, config)
            messages.append(AIMessage(text, id=f"a{step}", **fields))
            saver.put_writes(config, [("messages", [messages[-1]])], f"task{step}", MODEL)
    return path


def facts_of(qtbot: Any, window: Any, index: int) -> dict[str, Any]:
    """The provider area of a request, by the names of its lines."""
    window.session.select_index(index)
    wanted = window.session.rows.ids[index]
    qtbot.waitUntil(lambda: (found := window.desk.request.detail()) and found.row.id == wanted, timeout=WAIT_MS)
    view = area(qtbot, window, PROVIDER)
    qtbot.waitUntil(window.jobs.idle, timeout=WAIT_MS)
    return {fact.name: fact for fact in view.model.facts}


def test_counts_are_told_apart_and_none_is_not_zero(qtbot, make_window, file: Path) -> None:
    window = make_window(file)
    table = window.desk.requests.table
    for index, name in enumerate(ANSWERS):
        row = requests(window)[index]
        facts = facts_of(qtbot, window, index)
        if name == "none":
            assert row[INPUT].startswith("~"), "an estimate says so"
            assert row[OUTPUT] == "–"
            assert "did not report" in tip(table, index, OUTPUT)
            assert facts["reported"].value == "not reported"
            continue
        assert not row[INPUT].startswith("~")
        assert facts["fresh input"].value == FRESH[name], name
        assert not any(fact.value.startswith(("-", "−")) for fact in facts.values())
        assert facts["markers"].value == "not known", "a database does not tell"
    assert requests(window)[list(ANSWERS).index("zeros")][INPUT] == "0"
    assert "is not input + output" in facts["total"].note


def test_marks_are_shown_where_they_stand(qtbot, make_window, tmp_path: Path) -> None:
    recorded = Recorded(tmp_path / "marks.ctx")
    try:
        recorded.run(
            [HumanMessage("go")], model=recorded.model(Turn("done")), middleware=[Markers()], system_prompt="S"
        )
        recorded.reader().close()
    finally:
        recorded.recorder.close()
    window = make_window(tmp_path / "marks.ctx")
    facts = facts_of(qtbot, window, 0)
    assert any(name.startswith("system block") and fact.value == "ephemeral" for name, fact in facts.items())
    assert any(name.startswith("whole request") and fact.value == "ephemeral · 5m" for name, fact in facts.items())
    sent = window.desk.opened.reader
    detail = window.desk.request.detail()
    assert not any("cache_control" in sent.json_text(row.part) for row in detail.messages), "none in the messages"

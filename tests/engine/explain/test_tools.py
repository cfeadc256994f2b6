"""What tools cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Explainer, Reader
from engine.explain.model import ToolReport
from tests.contract.models import Told, call, calls, recorded
from tests.engine.explain.conftest import WEEK_22


def named(report: ToolReport, name: str):
    (one,) = [tool for tool in report.tools if tool.name == name]
    return one


def test_schemas_cost_what_every_request_says(explainer: Explainer, reader: Reader) -> None:
    report = explainer.tools(WEEK_22)
    sent: dict[str, int] = {}
    requests: dict[str, int] = {}
    for id in reader.request_ids(WEEK_22):
        for tool in reader.request(id).tools:
            sent[tool.name] = sent.get(tool.name, 0) + tool.tokens
            requests[tool.name] = requests.get(tool.name, 0) + 1
    assert {tool.name: tool.tokens_sent for tool in report.tools} == sent
    assert {tool.name: tool.requests for tool in report.tools} == requests
    costs = [tool.tokens_sent + tool.result_tokens for tool in report.tools]
    assert costs == sorted(costs, reverse=True)


def test_calls_are_those_of_the_responses(explainer: Explainer, reader: Reader) -> None:
    report = explainer.tools(WEEK_22)
    last = reader.request(reader.request_ids(WEEK_22)[-1])
    assert {tool.name: tool.calls for tool in last.tools} == {tool.name: tool.calls for tool in report.tools}
    assert {tool.name for tool in report.never_called} == {"ls", "glob", "delete"}


def test_offloaded_results_count_whole_in_characters_and_as_they_stand_in_tokens(explainer: Explainer) -> None:
    export = named(explainer.tools("eight-rounds-defaults"), "export")
    assert (export.calls, export.results, export.offloaded) == (8, 8, 3)
    assert (export.result_chars, export.largest) == (870_000, 240_000)
    whole = named(explainer.tools("eight-rounds-neither"), "export")
    assert whole.result_chars == 870_000
    assert export.result_tokens < whole.result_tokens / 5
    assert export.contributor == "caller"


def test_errors_are_counted_and_parallel_calls_are_told_apart(tmp_path: Path) -> None:
    both = calls(("read_file", "r1", {"file_path": "/none.md"}), ("ls", "l1", {"path": "/"}))
    world = recorded(tmp_path, Told(turns=[both, call("read_file", "r2", file_path="/none.md"), "done"]))
    world.say("a")
    with world.reader() as reader:
        report = Explainer(reader).tools("t")
    read = named(report, "read_file")
    assert (read.calls, read.results, read.errors) == (2, 2, 2)
    listed = named(report, "ls")
    assert (listed.calls, listed.results, listed.errors) == (1, 1, 0)


def test_long_work_can_be_ended(explainer: Explainer) -> None:
    class Enough(Exception):
        pass

    def tick() -> None:
        raise Enough

    for work in (explainer.tools, explainer.summaries, explainer.thread_cache):
        with pytest.raises(Enough):
            work(WEEK_22, tick)

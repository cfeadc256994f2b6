"""Summaries that are not the trigger's: after an overflow, and on demand. Each through a real agent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.exceptions import ContextOverflowError

from engine import AgentSettings, Reader, Runner, Workspace, shapes
from engine.errors import UsageError
from tests.contract.models import Told, call

LONG = "word " * 800


class World:
    def __init__(self, file: Path) -> None:
        self.file = Workspace.create(file).path
        self.runner = Runner(self.file)

    def run(self, started: Any) -> Any:
        assert started.wait(60)
        assert started.lost == 0, started.lost_reason
        return started

    def turn(self, text: str, settings: AgentSettings) -> Any:
        run = self.run(self.runner.start("t", text, settings=settings))
        assert run.error is None
        return run

    def reopen(self) -> None:
        self.runner.close()
        self.runner = Runner(self.file)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "a.ctx")
    yield made
    made.runner.close()


def looks(number: int) -> Any:
    answer = call("ls", f"look_{number}", path="/")
    answer.content = LONG
    return answer


def agent(*turns: Any, summaries: tuple[str, ...] = ("THE SUMMARY",), **more: Any) -> AgentSettings:
    return AgentSettings(model=Told(turns=turns, summaries=summaries), keep=("messages", 2), **more)


@pytest.mark.parametrize(
    "error",
    [ContextOverflowError("too long"), type("BadRequest", (Exception,), {"status_code": 400})("prompt is too long")],
)
def test_an_overflow_is_three_requests_that_name_each_other(world: World, error: Exception) -> None:
    settings = agent(*map(looks, range(4)), error, "The end.")
    world.turn("Go", settings)
    with closing(Reader(world.file)) as reader:
        rows = reader.requests("t")
        rejected, summary, retry = rows[-3:]
        assert [row.purpose for row in (rejected, summary, retry)] == ["agent", "summary", "agent"]
        assert [row.status for row in (rejected, summary, retry)] == ["failed", "done", "done"]
        assert summary.parent == retry.id
        linked = {"rejected": rejected.id, "summaries": [summary.id], "retry": retry.id}
        for row in (rejected, summary, retry):
            shown = shapes.detail(reader, row.id)
            assert [event["data"] for event in shown["events"] if event["kind"] == "overflow"] == [linked]
            assert "overflow" in shapes.request(row)["events"]
        assert all("overflow" not in row.events for row in rows[:-3])
        (made,) = reader.summaries("t")
        assert (made.request, made.summary_request) == (retry.id, summary.id)
        # What each of them got, as the model itself was given it.
        given = settings.model.given[-3:]
        assert [one.summarizing for one in given] == [False, True, False]
        for row, one in zip((rejected, summary, retry), given, strict=True):
            texts = [reader.text(part.part) for part in reader.request(row.id).messages]
            assert texts == [message.text for message in one.conversation]


def test_an_overflow_that_recovery_cannot_mend_says_so(world: World) -> None:
    overflow = ContextOverflowError("too long")
    run = world.run(world.runner.start("t", "Go", settings=agent(*map(looks, range(4)), overflow, overflow)))
    assert run.error is not None
    assert "longer than the window" in run.error
    with closing(Reader(world.file)) as reader:
        rejected, summary, retry = reader.requests("t")[-3:]
        assert [row.status for row in (rejected, summary, retry)] == ["failed", "done", "failed"]
        assert all("overflow" in row.events for row in (rejected, summary, retry))


def test_a_summary_on_demand_is_one_like_any_other(world: World) -> None:
    settings = agent(*map(looks, range(4)), "First.", "Second.", "Third.", summaries=("ONE", "TWO"))
    world.turn("Go", settings)
    with closing(Reader(world.file)) as reader:
        raw = [reader.message(row.part) for row in reader.request(reader.request_ids("t")[-1]).raw]
    run = world.run(world.runner.compact("t", settings=settings))
    assert run.error is None
    done = run.result
    assert (done.thread_id, done.summarized, done.kept) == ("t", 7, 3)  # two, and the call of the first one's result
    assert done.tokens_after < done.tokens_before
    assert done.path is not None
    asked = settings.model.given[-1]
    assert asked.summarizing
    assert LONG.strip() in asked.messages[0].text

    with closing(Reader(world.file)) as reader:
        assert reader.threads()[0].status == "idle"
        row = reader.requests("t")[-1]
        assert (row.purpose, row.status) == ("summary", "done")
        assert "summary" in row.events
        (made,) = reader.summaries("t")
        assert (made.summary_request, made.cutoff, made.evicted_from, made.chained) == (row.id, 7, 0, False)
        assert made.path == done.path
        assert "ONE" in reader.text(made.part)
        assert [reader.message(item.part) for item in reader.evicted(made.event)] == raw[:7]
        assert LONG.strip() in reader.file("t", done.path).decode()

    world.reopen()
    world.turn("Next", settings)
    with closing(Reader(world.file)) as reader:
        detail = reader.request(reader.request_ids("t")[-1])
        assert detail.cutoff == 7
        assert [reader.message(item.part) for item in detail.raw][: len(raw)] == raw  # untouched
        texts = [reader.text(item.part) for item in detail.messages]
        assert texts == [message.text for message in settings.model.given[-1].conversation]
        assert texts[0].count("ONE") == 1
        assert texts[-1] == "Next"
        assert len(reader.summaries("t")) == 1  # told once

    run = world.run(world.runner.compact("t", settings=settings))
    assert run.error is None
    with closing(Reader(world.file)) as reader:
        first, second = reader.summaries("t")
        assert (second.chained, second.evicted_from, second.path) == (True, first.cutoff, first.path)
        assert "ONE" in settings.model.given[-1].messages[0].text


def test_it_is_what_the_trigger_would_have_made(tmp_path: Path) -> None:
    """The same thread summarized by the trigger and on demand gives the same event, but for when it was."""
    found = []
    for name, more in (("trigger", {"summarize": ("messages", 10)}), ("demand", {})):
        world = World(tmp_path / f"{name}.ctx")
        try:
            world.turn("Go", agent(*map(looks, range(3)), "First."))
            settings = agent("Second.", **more)
            if name == "demand":
                world.turn("Next", agent("Meanwhile."))
                assert world.run(world.runner.compact("t", settings=settings)).error is None
            else:
                world.turn("Next", agent("Meanwhile."))
                world.turn("Last", settings)
            with closing(Reader(world.file)) as reader:
                (made,) = reader.summaries("t")
                (event,) = [event for event in reader.events("t") if event.kind == "summary"]
                kind = type(reader.message(made.part)["data"]["additional_kwargs"])
                found.append((set(event.data), made.chained, made.evicted_from, made.path is not None, kind))
        finally:
            world.runner.close()
    assert found[0] == found[1]


def test_with_nothing_to_summarize_it_says_so_and_changes_nothing(world: World) -> None:
    with pytest.raises(UsageError, match="no messages yet"):
        world.runner.compact("t")
    settings = agent("Hello.")
    world.turn("Hi", settings)
    run = world.run(world.runner.compact("t", settings=settings))
    assert run.error is not None
    assert "nothing to summarize" in run.error
    assert run.drain()[-1].kind == "failed"
    with closing(Reader(world.file)) as reader:
        assert reader.threads()[0].status == "idle"
        assert len(reader.requests("t")) == 1
        assert reader.summaries("t") == []


def test_a_summary_that_fails_changes_nothing(world: World) -> None:
    class Failing(Told):
        def _answer(self, call: Any) -> Any:
            if call.summarizing:
                raise ValueError("no words")
            return super()._answer(call)

    settings = AgentSettings(model=Failing(turns=[*map(looks, range(4)), "First.", "Second."]), keep=("messages", 2))
    world.turn("Go", settings)
    run = world.run(world.runner.compact("t", settings=settings))
    assert run.error == "ValueError: no words"
    with closing(Reader(world.file)) as reader:
        assert reader.summaries("t") == []
        assert reader.requests("t")[-1].error == "ValueError: no words"
    world.turn("Next", settings)
    assert len(settings.model.given[-1].conversation) == 11


def test_a_thread_that_failed_is_summarized_and_still_goes_on(world: World) -> None:
    settings = agent(*map(looks, range(4)), ValueError("not now"), "The end.")
    run = world.run(world.runner.start("t", "Go", settings=settings))
    assert run.error == "ValueError: not now"
    assert world.run(world.runner.compact("t", settings=settings)).error is None
    run = world.run(world.runner.resume("t", settings=settings))
    assert (run.error, run.answer) == (None, "The end.")
    assert "THE SUMMARY" in settings.model.given[-1].conversation[0].text

"""A database that its program is still writing to: what comes is shown, what was there stays what it was."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine import open_source
from engine.sources.reader import ForeignReader
from tests.contract.models import Told, call, deep_agent, say, summarizing, thread
from tests.engine.sources.databases import effective, received, saver_over

pytestmark = pytest.mark.filterwarnings("ignore:Offloading conversation history")


@contextmanager
def running(file: Path, wal: bool, model: Told, **more: Any) -> Iterator[Any]:
    """An agent whose database stays open."""
    with saver_over(file, wal=wal) as saver:
        if not wal:
            saver.conn.execute("PRAGMA journal_mode=DELETE")
        yield deep_agent(model, checkpointer=saver, **more)


@pytest.mark.parametrize("wal", [True, False])
def test_new_requests_are_appended_and_the_old_ones_keep_their_ids_and_parts(tmp_path: Path, wal: bool) -> None:
    model = Told(
        turns=[call("ls", f"c{n}", path="/") if n % 2 == 0 else f"answer {n}" for n in range(8)], summaries=["S"] * 5
    )
    with running(tmp_path / "t.db", wal, model, middleware=[summarizing(model, 6, 2)()]) as agent:
        say(agent, "question 0")
        with closing(open_source(tmp_path / "t.db")) as source:
            version, ids = source.data_version(), source.request_ids("t")
            rows = source.requests("t")
            events = source.events("t")
            assert source.data_version() == version, "nothing was written"
            for n in range(1, 4):
                say(agent, f"question {n}")
                assert source.data_version() != version
                version = source.data_version()
                now = source.request_ids("t")
                assert now[: len(ids)] == ids and len(now) > len(ids)
                assert source.requests("t")[: len(rows)] == rows
                assert source.events("t")[: len(events)] == events
                ids, rows, events = now, source.requests("t"), source.events("t")
            by_ns = {given.metadata["langgraph_checkpoint_ns"]: received(given) for given in model.asked}
            assert {row.checkpoint_ns: effective(source, row) for row in rows} == by_ns
            with closing(open_source(tmp_path / "t.db")) as fresh:
                assert fresh.requests("t") == rows
                assert fresh.events("t") == events


def test_a_request_is_there_before_its_answer(tmp_path: Path) -> None:
    seen: list[Any] = []

    class Watched(Told):
        def _answer(self, given: Any) -> Any:
            with closing(open_source(tmp_path / "t.db")) as source:
                seen.append([(row.status, row.id, len(effective(source, row))) for row in source.requests("t")])
            return super()._answer(given)

    with running(tmp_path / "t.db", True, Watched(turns=["one", "two"])) as agent:
        agent.invoke({"messages": [("user", "a")]}, thread(), durability="sync")
        agent.invoke({"messages": [("user", "b")]}, thread(), durability="sync")
    first, second = seen
    assert [status for status, _, _ in first] == ["running"]
    assert [(status, length) for status, _, length in second] == [("done", 1), ("running", 3)]
    with closing(open_source(tmp_path / "t.db")) as source:
        assert [(row.status, row.id) for row in source.requests("t")] == [("done", id) for _, id, _ in second]


def test_a_fork_made_meanwhile_is_a_line_of_its_own(tmp_path: Path) -> None:
    model = Told(turns=["one", "two", "two instead"])
    with running(tmp_path / "t.db", True, model) as agent:
        say(agent, "a")
        early = agent.get_state(thread()).config
        say(agent, "b")
        with closing(open_source(tmp_path / "t.db")) as source:
            rows = source.requests("t")
            agent.invoke({"messages": [("user", "b instead")]}, early)
            source.data_version()
            again = source.requests("t")
            assert again[:2] == rows
            assert [row.branch for row in again] == [0, 0, 1]
            assert [source.text(item.part) for item in source.request(again[2].id).messages] == [
                "a",
                "one",
                "b instead",
            ]


def test_a_thread_that_was_deleted_is_gone(tmp_path: Path) -> None:
    with running(tmp_path / "t.db", True, Told(turns=["one", "two"])) as agent:
        say(agent, "a", thread("x"))
        say(agent, "b", thread("y"))
        with closing(open_source(tmp_path / "t.db")) as source:
            assert len(source.requests("x")) == len(source.requests("y")) == 1
            agent.checkpointer.delete_thread("x")
            source.data_version()
            assert [row.thread_id for row in source.threads()] == ["y"]
            assert source.requests("x") == []


def test_reading_can_be_stopped_and_goes_on_where_it_was(tmp_path: Path) -> None:
    model = Told(turns=[f"answer {n}" for n in range(40)])
    with running(tmp_path / "t.db", False, model) as agent:
        for n in range(40):
            say(agent, f"question {n}")
    with closing(ForeignReader(tmp_path / "t.db")) as source:
        stop, told = threading.Event(), []

        def progress(done: int, total: int) -> None:
            told.append((done, total))
            if done > total // 2:
                stop.set()

        assert not source.load("t", stop, progress)
        some = source.loaded("t")
        assert 0 < len(some) < 40
        assert all(len(effective(source, row)) == 2 * row.number - 1 for row in source.request_rows(some))
        read = told[-1][0]
        stop.clear()
        assert source.load("t", stop, lambda done, total: told.append((done, total)))
        assert told[-1][0] == told[-1][1] == told[0][1]
        assert all(done >= read for done, _ in told[-3:])
        assert source.loaded("t")[: len(some)] == some
        assert source.request_ids("t") == source.loaded("t")
        assert len(source.request_ids("t")) == 40
        assert source.load("t")


class Waits:
    """A stop that says when it was first asked."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def is_set(self) -> bool:
        self.asked.set()
        return False


def test_a_question_does_not_keep_the_file_from_a_reading_that_can_be_stopped(tmp_path: Path) -> None:
    model = Told(turns=[f"answer {n}" for n in range(41)])
    with running(tmp_path / "t.db", False, model) as agent:
        for n in range(40):
            say(agent, f"question {n}")
        say(agent, "another thread", thread("u"))
    with closing(ForeignReader(tmp_path / "t.db")) as source:
        stop, some = Waits(), []
        whole: list[bool] = []
        reading = threading.Thread(target=lambda: whole.append(source.load("t", stop)))

        def progress(_done: int, _total: int) -> None:
            if not reading.ident:  # the file is held here, by the reading of another thread
                reading.start()
                assert stop.asked.wait(30)
                source.files("t")
                some.append(len(source.loaded("t")))

        assert source.load("u", threading.Event(), progress)
        reading.join(30)
        assert whole == [True]
        assert len(some) == 1 and some[0] < 40
        assert len(source.request_ids("t")) == 40


def test_questions_from_several_threads_at_once(tmp_path: Path) -> None:
    model = Told(turns=[f"answer {n}" for n in range(12)])
    with running(tmp_path / "t.db", True, model) as agent:
        for n in range(12):
            say(agent, f"question {n}", thread(f"t{n % 3}"))
        with closing(open_source(tmp_path / "t.db")) as source:
            found: list[Any] = []

            def ask(name: str) -> None:
                rows = source.requests(name)
                found.append((name, [len(effective(source, row)) for row in rows], len(source.threads())))

            workers = [threading.Thread(target=ask, args=(f"t{n % 3}",)) for n in range(9)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            assert sorted(found) == sorted([(f"t{n % 3}", [1, 3, 5, 7], 3) for n in range(9)])

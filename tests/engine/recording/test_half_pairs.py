"""Half a surrogate pair anywhere: what no column of SQLite can hold must cost no entry of the record."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from engine import Reader, Recorder, Runner, Workspace
from engine.notes import add_note, list_notes


class Calling(FakeMessagesListChatModel):
    """Answers as it was told, whatever tools there are."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


HALF = "\udc80 and \ud83d"
ESCAPED = r"\udc80 and \ud83d"


def recorded(tmp_path: Path, model: Any, **names: Any) -> tuple[Reader, Recorder, BaseException | None]:
    """A run of two requests at the most whose names hold halves; the reader, the recorder and the run's error."""
    from langchain.agents import create_agent

    @tool
    def look(what: str) -> str:
        """Look."""
        return f"seen {what}"

    workspace = Workspace.create(tmp_path / "halves.ctx")
    recorder = Recorder(workspace)
    caught: BaseException | None = None
    with recorder.observing():
        graph = create_agent(model, [look], name=names.get("agent", "agent"))
        thread = names.get("thread", "t")
        recorder.begin_run("run", thread, names.get("title", "title"), names.get("agent"), names.get("settings", {}))
        config: Any = {"configurable": {"thread_id": thread}, "callbacks": [recorder.handler]}
        try:
            asyncio.run(graph.ainvoke({"messages": [{"role": "user", "content": f"go {HALF}"}]}, config))
        except ValueError as error:
            caught = error
        recorder.end_run("run", thread, "failed" if caught else "done", str(caught) if caught else None)
    assert recorder.flush()
    return Reader(workspace.path), recorder, caught


@pytest.mark.parametrize("place", ["title", "thread", "agent", "tool", "settings"])
def test_in_a_name_it_costs_no_entry(tmp_path: Path, place: str) -> None:
    value: Any = {"model": HALF, HALF: [HALF]} if place == "settings" else HALF
    called = HALF if place == "tool" else "look"  # LangChain itself refuses a tool of that name, not a call of one
    call = {"name": called, "args": {"what": HALF}, "id": "1"}
    answers = [AIMessage("", tool_calls=[call]), AIMessage("done")]
    reader, recorder, error = recorded(
        tmp_path, Calling(responses=answers), **({} if place == "tool" else {place: value})
    )
    assert error is None
    assert recorder.losses.count == 0
    (thread,) = reader.threads()
    assert thread.thread_id == (ESCAPED if place == "thread" else "t")
    assert thread.title == (ESCAPED if place == "title" else "title")
    rows = reader.requests(thread.thread_id)
    assert [row.status for row in rows] == ["done", "done"]
    assert not [event for event in reader.events(thread.thread_id) if event.kind == "lost"]
    detail = reader.request(rows[1].id)
    assert reader.message(detail.messages[0].part)["data"]["content"] == f"go {HALF}"
    if place == "tool":
        response = reader.request(rows[0].id).response
        assert response is not None
        assert [each["name"] for each in reader.message(response)["data"]["tool_calls"]] == [HALF]
    reader.close()
    recorder.close()


def test_in_an_error_it_costs_no_entry(tmp_path: Path) -> None:
    class Failing(Calling):
        """Fails with half a pair in its words."""

        def _generate(self, *_: Any, **__: Any) -> Any:
            raise ValueError(f"no {HALF}")

    reader, recorder, error = recorded(tmp_path, Failing(responses=[]))
    assert str(error) == f"no {HALF}"
    assert recorder.losses.count == 0
    (row,) = reader.requests("t")
    assert row.status == "failed" and ESCAPED in (row.error or "")
    reader.close()
    recorder.close()


def test_in_the_first_message_of_a_thread_it_costs_no_entry(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "own.ctx")
    runner = Runner(workspace.path)
    run = runner.start("t", f"Hello {HALF}")
    assert run.wait(60)
    assert run.error is None and run.lost == 0
    runner.close()
    reader = Reader(workspace.path)
    (thread,) = reader.threads()
    assert thread.title == f"Hello {ESCAPED}"
    assert thread.requests >= 1
    add_note(workspace.path, "t", HALF)
    assert [note.text for note in list_notes(workspace.path, "t")] == [ESCAPED]
    reader.close()


def test_two_threads_that_differ_in_a_half_stay_two(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "two.ctx")
    recorder = Recorder(workspace)
    for half in ("\ud800", "\udfff"):
        recorder.begin_run(f"run{ord(half)}", f"t{half}", "title", None, {})
        recorder.end_run(f"run{ord(half)}", f"t{half}", "done")
    assert recorder.flush() and recorder.losses.count == 0
    reader = Reader(workspace.path)
    assert sorted(row.thread_id for row in reader.threads()) == [r"t\ud800", r"t\udfff"]
    reader.close()
    recorder.close()

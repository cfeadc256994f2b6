"""The two readers answer the same questions."""

from __future__ import annotations

import inspect
from contextlib import closing
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from engine import Reader, Workspace, open_source
from engine.errors import InspectorError, UsageError
from engine.sources.reader import ForeignReader
from engine.sources.source import Source
from tests.engine.sources.databases import put_state, saver_over


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_whatever_a_workspace_can_be_asked_a_database_can_be_asked_too() -> None:
    assert public(Reader) == public(Source)
    assert public(Reader) <= public(ForeignReader)
    for name in public(Reader):
        mine, theirs = inspect.getattr_static(Reader, name), inspect.getattr_static(ForeignReader, name)
        if inspect.isfunction(mine):
            assert inspect.signature(mine).parameters.keys() == inspect.signature(theirs).parameters.keys(), name


def test_a_workspace_opens_as_one(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "w.ctx")
    with closing(open_source(tmp_path / "w.ctx")) as source:
        assert isinstance(source, Reader)
        assert (source.kind, source.read_only, source.problem) == ("workspace", "", "")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with saver_over(tmp_path / "t.db") as saver:
        config = put_state(saver, "t", {"messages": [HumanMessage("a")]})
        saver.put_writes(config, [("messages", [AIMessage("b")])], "task", "~__pregel_pull, model")
    return tmp_path / "t.db"


def test_a_database_says_what_it_is(file: Path) -> None:
    with closing(open_source(file)) as source:
        assert source.kind == "langgraph"
        assert source.path == file
        assert source.read_only.startswith("a LangGraph database of another program; ")
        assert source.problem == ""


def test_what_is_not_there_is_said(file: Path) -> None:
    with closing(open_source(file)) as source:
        (id,) = source.request_ids("t")
        assert source.wire(id) == ()
        assert source.system_message(id) is None
        assert source.versions("/x") == source.edits() == []
        for ask in (source.wire_bytes, source.version, source.request, source.lists):
            with pytest.raises(UsageError):
                ask(987_654)
        with pytest.raises(InspectorError, match="no part 987654"):
            source.message(987_654)
        assert source.request_rows([987_654, id]) == source.requests("t")
        assert source.evicted(987_654) == []
        assert source.run_files("t", "tools:x") == frozenset()


def test_lists_are_those_of_the_detail(file: Path) -> None:
    with closing(open_source(file)) as source:
        (id,) = source.request_ids("t")
        lists, detail = source.lists(id), source.request(id)
        assert [piece[0] for piece in lists.raw] == [row.part for row in detail.raw]
        assert [piece[0] for piece in lists.messages] == [row.part for row in detail.messages]
        assert (lists.response, lists.cutoff, lists.layers) == (detail.response, None, ())
        assert source.value(lists.raw[0][0]) == source.message(lists.raw[0][0])
        assert source.text(lists.raw[0][0]) == "a"
        assert '"content": "a"' in source.json_text(lists.raw[0][0])

"""Our saver against LangGraph's own over the same file: the same answers, for every checkpoint."""

from __future__ import annotations

import asyncio
import operator
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Overwrite

from engine.checkpoints import WorkspaceSaver, WorkspaceStore
from engine.workspace import Workspace
from tests.contract.models import Told, call, deep_agent, say, summarizing, thread


class Both:
    """A workspace's saver, and LangGraph's over the same file."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace.create(folder / "w.ctx")
        self.ours = WorkspaceSaver(self.workspace)
        self.theirs = SqliteSaver(self.workspace.connect())

    def close(self) -> None:
        self.ours.conn.close()
        self.theirs.conn.close()

    def places(self) -> list[dict[str, Any]]:
        """Every checkpoint of the file, as a configuration."""
        self.ours.setup()
        rows = self.theirs.conn.execute("SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints").fetchall()
        keys = ("thread_id", "checkpoint_ns", "checkpoint_id")
        return [{"configurable": dict(zip(keys, row, strict=True))} for row in rows]

    def assert_equal(self, *channels: str, saver: BaseCheckpointSaver[Any] | None = None) -> int:
        """Compare every checkpoint's history; how many had a seed."""
        seeds = 0
        for place in self.places():
            expected = self.theirs.get_delta_channel_history(config=place, channels=channels)
            found = (saver or self.ours).get_delta_channel_history(config=place, channels=channels)
            assert found == expected, place
            seeds += sum("seed" in history for history in found.values())
        return seeds


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    made = Both(tmp_path)
    yield made
    made.close()


def merged(base: Any, writes: Any) -> list[str]:
    """Extend a list; a write that begins with ``=`` starts it anew, as the messages' reducer can."""
    result = list(base or [])
    for write in writes:
        for item in write if isinstance(write, list) else [write]:
            result = [item] if str(item).startswith("=") else [*result, item]
    return result


class State(TypedDict, total=False):
    """A channel with many snapshots, one with few, one with none, and one that is no delta channel."""

    often: Annotated[list[str], DeltaChannel(merged, snapshot_frequency=2)]
    seldom: Annotated[list[str], DeltaChannel(merged, snapshot_frequency=5)]
    never: Annotated[list[str], DeltaChannel(merged, snapshot_frequency=1_000)]
    plain: Annotated[list[str], operator.add]


DELTAS = ("often", "seldom", "never")


def graph(saver: Any) -> Any:
    """Two nodes that run beside one another, then one after them."""
    built = StateGraph(State)
    built.add_node("left", lambda state: {"often": ["l"], "seldom": ["l"], "plain": ["l"]})
    built.add_node("right", lambda state: {"often": ["r"], "never": ["r"]})
    built.add_node("after", lambda state: {"seldom": [f"{len(state.get('often', []))}"]})
    built.add_edge(START, "left")
    built.add_edge(START, "right")
    built.add_edge(["left", "right"], "after")
    built.add_edge("after", END)
    return built.compile(checkpointer=saver)


# --- every history of any thread ---

VALUES = st.lists(st.sampled_from(["a", "b", "=c"]), max_size=3)
UPDATE = st.dictionaries(st.sampled_from(DELTAS), VALUES, max_size=3)
STEP = st.one_of(
    st.tuples(st.just("run"), UPDATE),
    st.tuples(st.just("update"), UPDATE, st.integers(0, 40)),
    st.tuples(st.just("overwrite"), st.sampled_from(DELTAS), VALUES),
    st.tuples(st.just("go on"), st.integers(0, 40)),
)


def perform(app: Any, step: tuple[Any, ...], config: dict[str, Any]) -> None:
    """Run, or change the state at the end or at an earlier checkpoint, or go on from an earlier one."""
    states = list(app.get_state_history(config))
    if step[0] == "run":
        app.invoke(step[1] or {"often": ["x"]}, config)
    elif not states:
        return
    elif step[0] == "update":
        app.update_state(states[step[2] % len(states)].config, step[1], as_node="after")
    elif step[0] == "overwrite":
        app.update_state(config, {step[1]: Overwrite(step[2])}, as_node="after")
    else:
        app.invoke(None, states[step[1] % len(states)].config)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(STEP, min_size=2, max_size=9))
def test_histories_of_any_thread_equal_langgraphs(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        both = Both(Path(folder))
        try:
            app = graph(both.ours)
            for step in steps:
                perform(app, step, thread("any"))
            both.assert_equal(*DELTAS)
            theirs = graph(both.theirs)
            for state in app.get_state_history(thread("any")):
                assert state.values == theirs.get_state(state.config).values
        finally:
            both.close()


def test_histories_with_snapshots_forks_and_overwrites_equal_langgraphs(both: Both) -> None:
    app = graph(both.ours)
    for n in range(6):
        app.invoke({"often": [f"{n}"], "seldom": [f"{n}"], "never": [f"{n}"]}, thread())
    states = list(app.get_state_history(thread()))
    for place in (3, 9, 17):
        fork = app.update_state(states[place].config, {"often": [f"fork {place}"]}, as_node="after")
        app.invoke({"seldom": ["on the fork"]}, fork)
    app.update_state(thread(), {"often": Overwrite(["anew"]), "never": Overwrite([])}, as_node="after")
    app.invoke({"never": ["last"]}, thread())
    app.invoke({"never": ["of another thread"]}, thread("other"))
    assert both.assert_equal(*DELTAS) > 20
    held = [row.checkpoint["channel_values"].get("seldom") for row in both.theirs.list(thread())]
    assert any(isinstance(value, _DeltaSnapshot) for value in held)


def test_a_thread_of_many_hundred_steps_equals_langgraphs(both: Both) -> None:
    """More checkpoints than fit into one query."""
    app = graph(both.ours)
    for n in range(520):
        app.update_state(thread(), {"never": [str(n)]}, as_node="after")
    for n in range(40):
        app.update_state(thread(), {"often": [str(n)]}, as_node="after")
    last = both.ours.get_tuple(thread())
    assert last is not None
    assert both.theirs.conn.execute("SELECT count(*) FROM checkpoints").fetchone()[0] > 550
    for config in (last.config, thread()):
        found = both.ours.get_delta_channel_history(config=config, channels=DELTAS)
        assert found == both.theirs.get_delta_channel_history(config=config, channels=DELTAS)
    assert app.get_state(thread()).values["never"] == [str(n) for n in range(520)]


def agent_thread(saver: Any, store: Any) -> Any:
    """A thread of an agent with snapshots, files, a summary, two subagents, a fork and a second thread."""
    helper = Told(turns=[call("ls", "h1", path="/"), "helped"] * 2)
    writes = [call("write_file", f"c{n}", file_path=f"/{n}.md", content="x") for n in range(20)]
    tasks = [call("task", f"t{n}", description="do it", subagent_type="helper") for n in range(2)]
    model = Told(turns=[*writes, *tasks, "one", "two", "three", "four"], summaries=[f"S{n}" for n in range(9)])
    agent = deep_agent(
        model,
        store=store,
        checkpointer=saver,
        middleware=[summarizing(model, 30, 10)()],
        subagents=[{"name": "helper", "description": "helps", "system_prompt": "You help.", "model": helper}],
    )
    say(agent, "a", thread(recursion_limit=300))
    say(agent, "b")
    earlier = next(s for s in agent.get_state_history(thread()) if s.values["messages"][-1].text == "one")
    say(agent, "instead", agent.update_state(earlier.config, {"messages": [HumanMessage("forked")]}))
    say(agent, "c", thread("other"))
    return agent


def test_histories_of_an_agent_with_subagents_equal_langgraphs(both: Both) -> None:
    with closing((store := WorkspaceStore(both.workspace)).conn):
        agent = agent_thread(both.ours, store)
        spaces = {place["configurable"]["checkpoint_ns"] for place in both.places()}
        assert len([space for space in spaces if space.startswith("tools:")]) == 2
        both.assert_equal("files")
        mains = [place for place in both.places() if not place["configurable"]["checkpoint_ns"]]
        seeds = 0
        for place in mains:
            found = both.ours.get_delta_channel_history(config=place, channels=["messages", "files"])
            assert found == both.theirs.get_delta_channel_history(config=place, channels=["messages", "files"])
            seeds += "seed" in found["messages"]
        assert seeds
        state = agent.get_state(thread())
        agent.checkpointer = both.theirs
        assert agent.get_state(thread()).values == state.values


def test_the_messages_of_a_subagent_have_the_same_history_as_in_langgraphs(both: Both) -> None:
    with closing((store := WorkspaceStore(both.workspace)).conn):
        agent_thread(both.ours, store)
    both.assert_equal("messages")


def test_a_checkpoint_put_again_without_its_snapshot_holds_none(both: Both) -> None:
    app = graph(both.ours)
    for n in range(4):
        app.invoke({"often": [str(n)]}, thread())
    found = next(row for row in both.ours.list(thread(), limit=20) if "often" in row.checkpoint["channel_values"])
    del found.checkpoint["channel_values"]["often"]
    parent = {"configurable": {**thread()["configurable"], "checkpoint_ns": ""}}
    parent["configurable"]["checkpoint_id"] = found.parent_config["configurable"]["checkpoint_id"]
    both.ours.put(parent, found.checkpoint, {"source": "update", "step": 0, "parents": {}}, {})
    both.assert_equal("often")


def test_a_checkpoint_that_is_its_own_ancestor_ends_the_walk(both: Both) -> None:
    app = graph(both.ours)
    app.invoke({"never": ["a"]}, thread())
    both.ours.conn.execute(
        "UPDATE checkpoints SET parent_checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints) "
        "WHERE checkpoint_id = (SELECT min(checkpoint_id) FROM checkpoints)"
    )
    both.ours.conn.commit()
    both.assert_equal(*DELTAS)


def test_an_unknown_thread_has_no_history(both: Both) -> None:
    expected = both.theirs.get_delta_channel_history(config=thread("nobody"), channels=DELTAS)
    assert both.ours.get_delta_channel_history(config=thread("nobody"), channels=DELTAS) == expected
    assert expected == {name: {"writes": []} for name in DELTAS}


def test_a_checkpoint_id_that_is_not_there_has_no_history(both: Both) -> None:
    graph(both.ours).invoke({"never": ["a"]}, thread())
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1f000000"}}
    expected = both.theirs.get_delta_channel_history(config=config, channels=DELTAS)
    assert both.ours.get_delta_channel_history(config=config, channels=DELTAS) == expected


def test_a_thread_id_that_is_no_text_is_found(both: Both) -> None:
    app = graph(both.ours)
    app.invoke({"often": ["a", "b"]}, thread(7))
    app.invoke({"often": ["c"]}, thread(7))
    assert both.assert_equal(*DELTAS)


def test_a_file_that_langgraph_wrote_alone_gives_the_same_states_from_its_writes(both: Both) -> None:
    """Without our notes of snapshots the walk goes to the root, and the values are the same."""
    theirs = graph(both.theirs)
    for n in range(5):
        theirs.invoke({"often": [str(n)], "seldom": ["="]}, thread())
    ours = graph(both.ours)
    for state in theirs.get_state_history(thread()):
        assert ours.get_state(state.config).values == state.values


# --- async doors ---


def test_async_doors_give_what_the_others_do(both: Both) -> None:
    app = graph(both.ours)

    async def run() -> Any:
        for n in range(4):
            await app.ainvoke({"often": [str(n)], "never": [str(n)]}, thread())
        places = [row.config async for row in both.ours.alist(thread())]
        for place in places:
            found = await both.ours.aget_delta_channel_history(config=place, channels=DELTAS)
            assert found == both.theirs.get_delta_channel_history(config=place, channels=DELTAS)
            assert await both.ours.aget_tuple(place) == both.theirs.get_tuple(place)
        limited = [row.config async for row in both.ours.alist(thread(), limit=2, before=places[1])]
        assert limited == places[2:4]
        return await app.aget_state(thread())

    state = asyncio.run(run())
    assert state.values == graph(both.theirs).get_state(thread()).values
    assert both.assert_equal(*DELTAS) > 5


def test_the_async_door_deletes_a_thread(both: Both) -> None:
    graph(both.ours).invoke({"often": ["a"]}, thread())
    asyncio.run(both.ours.adelete_thread("t"))
    assert both.places() == []


def test_an_agent_runs_through_the_async_doors_of_saver_and_store(both: Both) -> None:
    with closing((store := WorkspaceStore(both.workspace)).conn):
        model = Told(turns=[call("write_file", "c1", file_path="/memories/a.md", content="kept"), "done"])
        agent = deep_agent(model, store=store, checkpointer=both.ours)
        answer = asyncio.run(agent.ainvoke({"messages": [HumanMessage("a")]}, thread()))
        assert answer["messages"][-1].text == "done"
        assert [item.value["content"] for item in store.search(("memories",))] == ["kept"]
        assert asyncio.run(store.aget(("memories",), "/a.md")).value["content"] == "kept"


# --- deleting, reading ---


def test_a_deleted_thread_leaves_nothing_and_others_alone(both: Both) -> None:
    app = graph(both.ours)
    for name in ("t", "other"):
        for n in range(4):
            app.invoke({"often": [str(n)]}, thread(name))
    both.ours.delete_thread("t")
    for table in ("checkpoints", "writes", "snapshots"):
        names = {row[0] for row in both.theirs.conn.execute(f"SELECT thread_id FROM {table}")}
        assert names == {"other"}
    assert both.assert_equal(*DELTAS)


def test_a_thread_made_again_after_its_deletion_has_no_seed_of_the_old_one(both: Both) -> None:
    app = graph(both.ours)
    for n in range(4):
        app.invoke({"often": [str(n)]}, thread())
    both.ours.delete_thread("t")
    app.invoke({"often": ["new"]}, thread())
    both.assert_equal(*DELTAS)
    assert app.get_state(thread()).values["often"] == ["new", "l", "r"]


def read_only(workspace: Workspace) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{workspace.path}?mode=ro", uri=True, check_same_thread=False)


def test_a_reading_saver_gives_every_state_over_a_read_only_connection(both: Both) -> None:
    app = graph(both.ours)
    for n in range(4):
        app.invoke({"often": [str(n)], "never": [str(n)]}, thread())
    with closing(read_only(both.workspace)) as connection:
        reading = WorkspaceSaver.reading(connection)
        both.assert_equal(*DELTAS, saver=reading)
        found = [state.values for state in graph(reading).get_state_history(thread())]
        assert found == [state.values for state in app.get_state_history(thread())]


@pytest.mark.parametrize(
    "write",
    [
        lambda saver: saver.delete_thread("t"),
        lambda saver: saver.put_writes({"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}},
                                       [("often", ["a"])], "task"),
        lambda saver: graph(saver).invoke({"often": ["b"]}, thread()),
    ],
)  # fmt: skip
def test_a_reading_saver_cant_write(both: Both, write: Callable[[Any], Any]) -> None:
    graph(both.ours).invoke({"often": ["a"]}, thread())
    before = list(both.theirs.conn.iterdump())
    with closing(read_only(both.workspace)) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        write(WorkspaceSaver.reading(connection))
    assert list(both.theirs.conn.iterdump()) == before


def test_a_reading_saver_changes_no_byte_of_the_file_nor_makes_one_beside_it(both: Both) -> None:
    graph(both.ours).invoke({"often": ["a"]}, thread())
    both.close()
    with closing(both.workspace.connect()) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode=DELETE")
    before = both.workspace.path.read_bytes()
    with closing(read_only(both.workspace)) as connection:
        assert graph(WorkspaceSaver.reading(connection)).get_state(thread()).values["often"] == ["a", "l", "r"]
    assert both.workspace.path.read_bytes() == before
    assert [path.name for path in both.workspace.path.parent.iterdir()] == ["w.ctx"]


def test_reading_a_long_thread_takes_no_checkpoint_apart_that_holds_no_snapshot(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = graph(both.ours)
    for n in range(20):
        app.invoke({"never": [str(n)]}, thread())
    loads = type(both.ours.serde).loads_typed
    loaded: list[int] = []
    monkeypatch.setattr(
        type(both.ours.serde), "loads_typed", lambda self, data: loaded.append(len(data[1])) or loads(self, data)
    )
    config = both.places()[-1]
    loaded.clear()
    both.ours.get_delta_channel_history(config=config, channels=["never"])
    ours = len(loaded)
    loaded.clear()
    found = both.theirs.get_delta_channel_history(config=config, channels=["never"])
    assert ours == len(found["never"]["writes"])
    assert len(loaded) > 2 * ours


# --- what the engine asks of a saver and a store ---


def test_the_store_searches_and_deletes_as_langgraphs_does(both: Both) -> None:
    with closing((store := WorkspaceStore(both.workspace)).conn):
        assert isinstance(store, BaseStore)
        for n in range(3):
            asyncio.run(store.aput(("files", "ann"), f"/{n}.md", {"content": str(n)}))
        asyncio.run(store.aput(("files", "bob"), "/0.md", {"content": "bob's"}))
        asyncio.run(store.adelete(("files", "ann"), "/1.md"))
        found = asyncio.run(store.asearch(("files", "ann")))
        assert sorted(item.key for item in found) == ["/0.md", "/2.md"]
        assert store.list_namespaces(prefix=("files",)) == [("files", "ann"), ("files", "bob")]


def test_messages_come_back_with_all_that_they_had(both: Both) -> None:
    message = AIMessage(
        [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}],
        id="m1",
        name="who",
        additional_kwargs={"k": [1, None]},
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        tool_calls=[{"name": "ls", "args": {"path": "/"}, "id": "c1"}],
    )
    with closing((store := WorkspaceStore(both.workspace)).conn):
        agent = deep_agent(Told(), store=store, checkpointer=both.ours)
        agent.update_state(thread(), {"messages": [HumanMessage("a", id="m0"), message]})
        assert agent.get_state(thread()).values["messages"][1].model_dump() == message.model_dump()

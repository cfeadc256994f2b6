"""What lies in a thread's state and what the model got of it; what goes along to another thread and what doesn't."""

from __future__ import annotations

from typing import Any

import pytest
from deepagents.backends import StateBackend, StoreBackend
from deepagents.middleware.summarization import SummarizationMiddleware
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.store.memory import InMemoryStore

from tests.contract.models import Told, call, calls, deep_agent, say, summarizing, thread


def texts(messages: Any) -> list[str]:
    return [message.text for message in messages]


# --- one thread and another ---


def test_a_checkpointer_continues_one_thread_and_not_another() -> None:
    model = Told(turns=["one", "two", "three"])
    agent = deep_agent(model)
    say(agent, "a", thread("first"))
    say(agent, "b", thread("first"))
    say(agent, "c", thread("second"))
    assert [texts(given.conversation) for given in model.given] == [["a"], ["a", "one", "b"], ["c"]]


def test_without_a_checkpointer_nothing_is_kept() -> None:
    model = Told(turns=["one", "two"])
    agent = deep_agent(model, checkpointer=None)
    say(agent, "a")
    say(agent, "b")
    assert texts(model.given[1].conversation) == ["b"]


def test_a_threads_files_are_not_those_of_another() -> None:
    model = Told(turns=[call("write_file", "c1", file_path="/mine.md", content="x"), "one", "two"])
    agent = deep_agent(model)
    say(agent, "a", thread("first"))
    say(agent, "b", thread("second"))
    assert list(agent.get_state(thread("first")).values["files"]) == ["/mine.md"]
    assert not agent.get_state(thread("second")).values.get("files")


def test_files_under_memories_reach_every_thread() -> None:
    write = call("write_file", "c1", file_path="/memories/notes.md", content="kept")
    model = Told(turns=[write, "one", call("read_file", "c2", file_path="/memories/notes.md"), "two"])
    agent = deep_agent(model)
    say(agent, "a", thread("first"))
    read = say(agent, "b", thread("second"))[-2]
    assert "kept" in read.text
    assert not agent.get_state(thread("first")).values.get("files")


@pytest.mark.parametrize("part", ["", "a b", "*", "a/b"])
def test_a_namespace_with_an_empty_or_unsafe_part_is_refused(part: str) -> None:
    backend = StoreBackend(store=InMemoryStore(), namespace=lambda *_: ("memories", part))
    with pytest.raises(ValueError):
        backend.upload_files([("/AGENTS.md", b"x")])


def test_namespaces_of_two_users_are_apart() -> None:
    store = InMemoryStore()
    one, other = (StoreBackend(store=store, namespace=lambda *_, user=user: ("m", user)) for user in ("ann", "bob"))
    one.upload_files([("/AGENTS.md", b"ann's")])
    assert one.download_files(["/AGENTS.md"])[0].content == b"ann's"
    assert other.download_files(["/AGENTS.md"])[0].error == "file_not_found"


def test_a_store_that_is_falsy_is_still_the_one_used() -> None:
    class Falsy(InMemoryStore):
        def __bool__(self) -> bool:
            return False

    store, model = Falsy(), Told(turns=[call("write_file", "c1", file_path="/a.md", content="x"), "done"])
    say(deep_agent(model, store=store, backend=StoreBackend(namespace=lambda *_: ("files",))), "a")
    assert [item.key for item in store.search(("files",))] == ["/a.md"]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_what_a_run_is_told_beside_the_messages_is_in_no_tools_schema() -> None:
    def whoami(question: str, runtime: ToolRuntime) -> str:
        """Say who asks."""
        return f"{question} {runtime.context['user']}"

    model = Told(turns=[call("whoami", "c1", question="who?"), "done"])
    agent = deep_agent(model, tools=[whoami], context_schema=dict)
    messages = agent.invoke({"messages": [HumanMessage("Go.")]}, thread(), context={"user": "ann"})["messages"]
    (schema,) = [tool["function"] for tool in model.given[0].tools if tool["function"]["name"] == "whoami"]
    assert list(schema["parameters"]["properties"]) == ["question"]
    assert messages[-2].text == "who? ann"
    assert "ann" not in str(model.given[0].messages)


# --- raw and effective ---


def test_without_anything_to_engineer_the_model_gets_the_raw_messages() -> None:
    model = Told(turns=[call("ls", "c1", path="/"), "done"])
    raw = say(deep_agent(model), "a")[:-1]
    assert model.given[-1].conversation == raw


def test_arguments_of_old_calls_are_cut_for_the_model_and_whole_in_state() -> None:
    long = "x" * 5_000
    model = Told(turns=[call("write_file", "c1", file_path="/a.md", content=long), "one", "two"])
    cut = {"trigger": ("messages", 5), "keep": ("messages", 2)}
    middleware = SummarizationMiddleware(model=model, backend=StateBackend(), truncate_args_settings=cut)
    agent = deep_agent(model, middleware=[middleware])
    say(agent, "a")
    raw = say(agent, "b")
    (sent,) = [m for m in model.given[-1].conversation if isinstance(m, AIMessage) and m.tool_calls]
    assert sent.tool_calls[0]["args"]["content"] != long
    assert len(sent.tool_calls[0]["args"]["content"]) < 100
    assert raw[1].tool_calls[0]["args"]["content"] == long
    assert sent.id == raw[1].id


def test_a_call_without_a_result_is_answered_in_state_before_the_model_is_asked() -> None:
    model = Told(turns=["done"])
    agent = deep_agent(model)
    agent.update_state(thread(), {"messages": [HumanMessage("a"), call("ls", "c1", path="/")]})
    raw = say(agent, "b")
    answer = raw[2]
    assert isinstance(answer, ToolMessage)
    assert (answer.tool_call_id, answer.status) == ("c1", "error")
    assert "did not complete" in answer.text
    assert model.given[0].conversation == raw[:-1]


def test_reasoning_in_a_message_kept_across_a_summary_is_dropped_in_the_request_and_not_in_state() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    model = Told(turns=["one", AIMessage([thinking, {"type": "text", "text": "two"}]), "three"], summaries=["So far."])
    agent = deep_agent(model, middleware=[summarizing(model, 5, 2)()])
    for text in ("a", "b", "c"):
        raw = say(agent, text)
    (kept,) = [m for m in model.asked[-1].conversation if m.type == "ai"]
    assert kept.content == [{"type": "text", "text": "two"}]
    assert kept.id == raw[3].id
    assert raw[3].content[0] == thinking


def test_content_blocks_gives_a_block_a_new_id_at_every_read_and_content_does_not() -> None:
    image = HumanMessage([{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}])
    assert image.content_blocks[0]["id"] != image.content_blocks[0]["id"]
    assert image.model_dump() == image.model_dump()


def test_a_lone_surrogate_is_stored_as_a_question_mark() -> None:
    model = Told(turns=["one"])
    agent = deep_agent(model)
    say(agent, "a\ud800b")
    assert model.given[0].conversation[0].text == "a\ud800b"
    assert agent.get_state(thread()).values["messages"][0].text == "a?b"


# --- how state is stored ---


def test_the_messages_channel_is_stored_as_changes_and_read_through_the_graph() -> None:
    model = Told(turns=["one", "two"])
    agent = deep_agent(model)
    say(agent, "a")
    say(agent, "b")
    rows = list(agent.checkpointer.list(thread()))
    assert len(rows) > 4
    assert all("messages" not in row.checkpoint["channel_values"] for row in rows)
    assert all("files" not in row.checkpoint["channel_values"] for row in rows)
    assert texts(agent.get_state(thread()).values["messages"]) == ["a", "one", "b", "two"]
    history = agent.checkpointer.get_delta_channel_history(config=rows[0].config, channels=["messages"])["messages"]
    assert "seed" not in history
    assert texts(m for _, _, value in history["writes"] for m in value) == ["a", "one", "b", "two"]


def test_a_long_thread_gets_snapshots_of_its_messages_and_none_of_its_files() -> None:
    model = Told(turns=[call("ls", f"c{n}", path="/") for n in range(30)] + ["done"])
    agent = deep_agent(model)
    say(agent, "a", thread(recursion_limit=200))
    held = [row.checkpoint["channel_values"] for row in agent.checkpointer.list(thread())]
    assert any(isinstance(values.get("messages"), _DeltaSnapshot) for values in held)
    assert not any("files" in values for values in held)


def test_every_earlier_state_can_be_read() -> None:
    model = Told(turns=["one", "two"])
    agent = deep_agent(model)
    say(agent, "a")
    say(agent, "b")
    lengths = [len(state.values.get("messages", ())) for state in agent.get_state_history(thread())]
    assert sorted(set(lengths), reverse=True) == [4, 3, 2, 1, 0]
    assert lengths == sorted(lengths, reverse=True)


def test_ids_of_messages_in_state_stay_what_they_were() -> None:
    model = Told(turns=["one", "two"])
    agent = deep_agent(model)
    first = [m.id for m in say(agent, "a")]
    assert None not in first
    assert [m.id for m in say(agent, "b")][:2] == first


def test_two_results_of_one_turn_stand_in_the_order_of_their_calls() -> None:
    model = Told(turns=[calls(("ls", "c1", {"path": "/"}), ("read_file", "c2", {"file_path": "/a"})), "done"])
    raw = say(deep_agent(model), "a")
    assert [m.tool_call_id for m in raw if isinstance(m, ToolMessage)] == ["c1", "c2"]


def test_an_agent_is_built_and_run_with_no_key_and_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: Any) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    model = Told(turns=["one"])
    assert say(deep_agent(model, checkpointer=InMemorySaver()), "a")[-1].text == "one"

"""Faults that were reported on tools of this kind, each built as its smallest database, and the right behaviour."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from engine import Source, open_source
from engine.errors import InspectorError, UsageError, WorkspaceError
from engine.trace.model import RequestDetail
from tests.engine.sources.databases import everything, put_state, saver_over


@contextmanager
def opened(file: Path) -> Iterator[Source]:
    """A source whose file and folder are as before at the end."""
    before = everything(file.parent)
    with closing(open_source(file)) as source:
        yield source
    assert everything(file.parent) == before


def of_state(folder: Path, **values: Any) -> Path:
    """A database of one thread, ``t``, with one checkpoint."""
    with saver_over(folder / "case.db") as saver:
        put_state(saver, "t", values)
    return folder / "case.db"


def only(source: Source, thread_id: str = "t") -> RequestDetail:
    """The one request of a thread."""
    (row,) = source.requests(thread_id)
    return source.request(row.id)


def texts(source: Source, rows: Any) -> list[str]:
    return [source.text(row.part) for row in rows]


def a_call(*ids: str) -> AIMessage:
    return AIMessage("", id="a", tool_calls=[{"name": "f", "args": {}, "id": id} for id in ids])


# --- S04: messages without ids, twice the same id, removals ---

LOADED: list[AnyMessage] = [
    HumanMessage("a", id="1"),
    AIMessage("b", id="1"),
    HumanMessage("no id"),
    HumanMessage("no id"),
]


def test_messages_are_told_apart_by_their_place(tmp_path: Path) -> None:
    with opened(of_state(tmp_path, messages=LOADED)) as source:
        detail = only(source)
        assert texts(source, detail.raw) == texts(source, detail.messages) == ["a", "b", "no id", "no id"]
        assert [row.index for row in detail.raw] == [0, 1, 2, 3]
        assert [pair.raw.index for pair in detail.aligned if pair.raw] == [0, 1, 2, 3]
        heads = source.heads([row.part for row in detail.raw])
        assert [heads[row.part].message_id for row in detail.raw] == ["1", "1", None, None]


@pytest.mark.parametrize("delta", [True, False])
def test_removals_are_actions_and_a_removal_of_nothing_is_noted(tmp_path: Path, delta: bool) -> None:
    writes = [
        [RemoveMessage(id="nope"), AIMessage("c", id="2")],
        [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("fresh", id="3"), AIMessage("x", id="3")],
    ]
    with saver_over(tmp_path / "case.db") as saver:
        config = put_state(saver, "t", {"messages": LOADED}, 0)
        for step, write in enumerate(writes, start=1):
            saver.put_writes(config, [("messages", write)], f"task{step}", "~__pregel_pull, Tidy.before_model")
            whole = {} if delta else {"messages": _reduced(writes[:step])}
            config = put_state(saver, "t", whole, step, config)
            if delta:
                _version(saver, config)
        saver.put_writes(config, [("messages", [AIMessage("answer", id="4")])], "task3", "~__pregel_pull, model")
    with opened(tmp_path / "case.db") as source:
        detail = only(source)
        assert texts(source, detail.raw) == ["x"]
        if delta:
            first, second = [event for event in detail.events if event.kind == "state rewritten"]
            assert first.data == {
                "by": "Tidy.before_model",
                "cleared": False,
                "removed": 0,
                "replaced": 0,
                "unknown": ["nope"],
            }
            assert second.data["cleared"] is True
        assert not any(row.kind == "other" for row in (*detail.raw, *detail.messages)), "no removal is a message"


def _reduced(writes: list[list[Any]]) -> list[AnyMessage]:
    from deepagents._messages_reducer import _messages_delta_reducer

    return _messages_delta_reducer(list(LOADED), writes)


def _version(saver: SqliteSaver, config: dict[str, Any]) -> None:
    """Give a checkpoint without messages the version that one with a delta channel has."""
    at = config["configurable"]
    kind, blob = saver.conn.execute(
        "SELECT type, checkpoint FROM checkpoints WHERE checkpoint_id = ?", (at["checkpoint_id"],)
    ).fetchone()
    checkpoint = saver.serde.loads_typed((kind, blob))
    checkpoint["channel_versions"]["messages"] = "1"
    saver.conn.execute(
        "UPDATE checkpoints SET checkpoint = ? WHERE checkpoint_id = ?",
        (saver.serde.dumps_typed(checkpoint)[1], at["checkpoint_id"]),
    )


# --- S05: empty, missing or list content ---


def test_no_content_gets_lost_or_changes_its_form(tmp_path: Path) -> None:
    messages = [
        SystemMessage(content=[]),
        HumanMessage(""),
        HumanMessage(content=[{"type": "text", "text": ""}]),
        HumanMessage(content=["a", {"type": "text", "text": "b"}, {}]),
        a_call("1"),
        AIMessage(content=[{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]),
        ToolMessage(content=[{"type": "text", "text": "ok"}], tool_call_id="1", artifact={"df": Path("/x")}),
        ToolMessage(" \n", tool_call_id="2", status="error"),
        {"type": "ai", "content": None, "tool_calls": None},
    ]
    with opened(of_state(tmp_path, messages=messages)) as source:
        detail = only(source)
        heads = [source.heads([row.part])[row.part] for row in detail.messages]
        assert len(heads) == len(messages)
        assert all(head.first_line or head.note for head in heads)
        assert [head.note for head in heads] == [
            "empty list", "empty string", "empty text", "", "tool call only", "", "", "spaces only", "no content",
        ]  # fmt: skip
        stored = [source.message(row.part)["data"]["content"] for row in detail.messages]
        assert stored == [message["content"] if isinstance(message, dict) else message.content for message in messages]
        assert source.text(detail.messages[5].part) == "x\ny"
        assert source.message(detail.messages[6].part)["data"]["artifact"] == {"df": "/x"}


# --- S08: the cut falls between call and result ---


def test_a_cut_between_call_and_result_is_shown_as_it_is(tmp_path: Path) -> None:
    from deepagents.backends import StateBackend
    from deepagents.middleware.summarization import SummarizationMiddleware

    from tests.contract.models import Told

    state = [
        HumanMessage("go", id="h"),
        a_call("1", "2"),
        ToolMessage("r1", tool_call_id="1", id="t1"),
        ToolMessage("r2", tool_call_id="2", id="t2"),
        AIMessage("done", id="b"),
    ]
    summary = HumanMessage("SUMMARY", additional_kwargs={"lc_source": "summarization"})
    event: Any = {"cutoff_index": 3, "summary_message": summary, "file_path": None}
    rule = SummarizationMiddleware(model=Told(), backend=StateBackend())._apply_event_to_messages(state, event)
    with opened(of_state(tmp_path, messages=state, _summarization_event=event)) as source:
        detail = only(source)
        assert texts(source, detail.messages) == [message.text for message in rule] == ["SUMMARY", "r2", "done"]
        assert detail.cutoff == 3
        assert [row.fate for row in detail.raw] == ["summarized"] * 3 + ["sent"] * 2
        assert (detail.messages[0].kind, detail.messages[0].origin) == ("summary", "summary")
        orphan = source.heads([detail.messages[1].part])[detail.messages[1].part].tool_call_id
        above = source.heads([row.part for row in detail.raw[: detail.cutoff]]).values()
        assert orphan in {call.id for head in above for call in head.tool_calls}


@pytest.mark.parametrize(
    ("event", "shown", "problem"),
    [
        ({"cutoff_index": 9, "summary_message": HumanMessage("S")}, ["S"], None),
        ({"cutoff_index": 2, "summary_message": HumanMessage("S")}, ["S", "c"], None),
        ({"cutoff_index": -1, "summary_message": HumanMessage("S")}, ["S", "c"], None),
        ({"cutoff_index": 1, "summary_message": {"role": "user", "content": "S"}}, ["S", "b", "c"], None),
        ({"cutoff_index": 1}, ["a", "b", "c"], "the summary event in the state is malformed"),
        ({"summary_message": HumanMessage("S")}, ["a", "b", "c"], "the summary event in the state is malformed"),
        ("nonsense", ["a", "b", "c"], "the summary event in the state is malformed"),
        ({"cutoff_index": "1", "summary_message": HumanMessage("S")}, ["a", "b", "c"], "no usable cut"),
        (None, ["a", "b", "c"], None),
    ],
    ids=str,
)
def test_odd_events_are_applied_as_deepagents_applies_them(
    tmp_path: Path, event: Any, shown: list[str], problem: str | None
) -> None:
    messages = [HumanMessage("a"), AIMessage("b"), HumanMessage("c")]
    with opened(of_state(tmp_path, messages=messages, _summarization_event=event)) as source:
        detail = only(source)
        assert texts(source, detail.messages) == shown
        assert texts(source, detail.raw) == ["a", "b", "c"]
        assert problem is None or problem in (detail.row.problem or "")


# --- S09: history that was not saved, and odd thread ids ---

IDS = [
    "a1b2c3d4", "0199a2b4-7c1e-7000-8000-000000000001", "../../etc/passwd", "a/b", "C:\\con", "nul", "é\u202e",
    "x" * 300, " ", "", "Ä%00", "user:42|tools:1", "%s {0}", "'; DROP TABLE checkpoints; --",
]  # fmt: skip
PATHS: list[Any] = [
    None, "/conversation_history/session_0f.md", "/conversation_history/../../etc/passwd.md", "/etc/passwd",
    "~/x.md", "", "/conversation_history/a1b2c3d4.md", 7,
]  # fmt: skip
KEPT = "/conversation_history/session_0f.md"


def test_any_string_is_a_thread_id_and_a_path_is_only_a_name(tmp_path: Path) -> None:
    with saver_over(tmp_path / "case.db") as saver:
        for n, thread_id in enumerate(IDS):
            messages = [HumanMessage(f"m{i}", id=str(i)) for i in range(4)]
            event = {
                "cutoff_index": 2,
                "summary_message": HumanMessage("S", additional_kwargs={"lc_source": "summarization"}),
                "file_path": PATHS[n % len(PATHS)],
            }
            files = {KEPT: {"content": "kept", "encoding": "utf-8"}}
            config = put_state(saver, thread_id, {"messages": messages, "_summarization_event": event, "files": files})
            saver.put_writes(config, [("messages", [AIMessage("answer")])], "t", "~__pregel_pull, model")
    with opened(tmp_path / "case.db") as source:
        assert {row.thread_id for row in source.threads()} == set(IDS)
        for n, thread_id in enumerate(IDS):
            path = PATHS[n % len(PATHS)]
            (row,) = source.requests(thread_id)
            assert row.thread_id == thread_id
            assert texts(source, source.request(row.id).messages) == ["S", "m2", "m3"]
            (summary,) = source.summaries(thread_id)
            if path == KEPT:
                assert (summary.path, summary.problem) == (KEPT, None)
                assert source.file(thread_id, KEPT) == b"kept"
            elif path is None:
                assert (summary.path, summary.problem) == (None, None)
            elif isinstance(path, str):
                assert summary.path == path and summary.problem and summary.problem.startswith("not found")
                with pytest.raises(UsageError):
                    source.file(thread_id, path)
            else:
                assert summary.path is None and summary.problem and "damaged" in summary.problem
            listed = {file.path: file.problem for file in source.files(thread_id)}
            assert listed[KEPT] is None
            assert {file for file, problem in listed.items() if problem} == {path} - {None, KEPT, 7}


# --- S10: files in two formats, and bytes ---

FILES: dict[str, Any] = {
    "/v0.txt": "bare text\r\n",
    "/v1.txt": {"content": ["one", "two", ""], "created_at": "x", "modified_at": "2025-11-01T00:00:00+00:00"},
    "/v2.txt": {"content": "one\r\ntwo\n", "encoding": "utf-8", "created_at": "x", "modified_at": None},
    "/pic.png": {"content": "iVBORw0KGgo=", "encoding": "base64"},
    "/lied.png": {"content": "iVBORw0KGgo=", "encoding": "utf-8"},
    "/js.bin": {"content": {"0": 137, "1": 80}},
    "/gone": None,
    "/none": {"content": None},
    "/bad64": {"content": "%%%", "encoding": "base64"},
    "/a/../b": {"content": "dots"},
    "no-slash": {"content": ""},
    "/dir/": {"content": "trailing slash"},
}


def test_files_of_both_formats_bytes_and_damaged_ones(tmp_path: Path) -> None:
    from deepagents.backends.utils import file_data_to_string

    with opened(of_state(tmp_path, messages=[HumanMessage("a")], files=FILES)) as source:
        found = {file.path: file for file in source.files("t")}
        assert set(found) == set(FILES)
        assert source.file("t", "/v1.txt") == file_data_to_string(FILES["/v1.txt"]).encode() == b"one\ntwo\n"
        assert source.file("t", "/v0.txt") == b"bare text\r\n"
        assert source.file("t", "/v2.txt") == b"one\r\ntwo\n"
        assert source.file("t", "/pic.png") == b"\x89PNG\r\n\x1a\n"
        assert source.file("t", "/a/../b") == b"dots"
        assert source.file("t", "no-slash") == b""
        assert source.file("t", "/dir/") == b"trailing slash"
        problems = {path: file.problem for path, file in found.items() if file.problem}
        assert problems == {
            "/lied.png": "stored as text, but it reads as the base64 of a PNG picture",
            "/js.bin": "the content is dict, which no release writes",
            "/gone": "the entry is empty",
            "/none": "the entry is empty",
            "/bad64": "the base64 is damaged",
        }
        for path in ("/js.bin", "/gone", "/none", "/bad64"):
            with pytest.raises(InspectorError, match="can't be shown"):
                source.file("t", path)
        assert found["/v1.txt"].modified_at == "2025-11-01T00:00:00+00:00"
        with pytest.raises(UsageError):
            source.file("t", "/b")


def test_a_none_among_the_writes_deletes_a_file(tmp_path: Path) -> None:
    with saver_over(tmp_path / "case.db") as saver:
        config = put_state(saver, "t", {"messages": [HumanMessage("a")], "files": FILES}, 0)
        saver.put_writes(config, [("files", {"/v1.txt": None, "/new": {"content": "n"}})], "w", "~__pregel_pull, tools")
        put_state(saver, "t", {"messages": [HumanMessage("a")]}, 1, config)
    with opened(tmp_path / "case.db") as source:
        paths = {file.path for file in source.files("t")}
        assert paths == set(FILES) - {"/v1.txt"} | {"/new"}


# --- S11, S12: skills and memory, of which a database has the state's copies alone ---


def test_skills_and_memory_are_the_states_copies_and_nothing_more_is_claimed(tmp_path: Path) -> None:
    skills = [
        {"name": "long", "path": "/s/long/SKILL.md", "description": "w" * 1024},
        {"name": "null", "path": "/s/null/SKILL.md", "description": "None"},
        {"name": "bare"},
        "damaged",
    ]
    memory = {"/m/AGENTS.md": "\ufeffa\r\nb\u2028c", "/m/empty.md": "", "/m/odd.md": 7}
    file = of_state(tmp_path, messages=[HumanMessage("a")], skills_metadata=skills, memory_contents=memory)
    with opened(file) as source:
        assert [(row.name, len(row.description), row.full_tokens) for row in source.skills("t")] == [
            ("bare", 0, None), ("long", 1024, None), ("null", 4, None),
        ]  # fmt: skip
        assert all(row.problem for row in source.skills("t"))
        found = {row.path: row for row in source.memory("t")}
        assert {path: row.in_thread for path, row in found.items()} == {**memory, "/m/odd.md": None}
        assert all(row.text is None and row.problem for row in found.values())


@pytest.mark.parametrize("junk", [7, "text", [1], {"a": 1}, None])
def test_channels_that_hold_something_else_do_no_harm(tmp_path: Path, junk: Any) -> None:
    values = dict.fromkeys(("skills_metadata", "memory_contents", "files", "_summarization_event"), junk)
    with opened(of_state(tmp_path, messages=[HumanMessage("a"), AIMessage("b")], **values)) as source:
        assert texts(source, only(source).messages) == ["a", "b"]
        source.files("t")
        source.memory("t")
        source.skills("t")
        source.events("t")


# --- S13: encrypted checkpoints ---


class Xor:
    """Stands in for a real cipher."""

    def encrypt(self, data: bytes) -> tuple[str, bytes]:
        return "xor", bytes(byte ^ 7 for byte in data)

    def decrypt(self, name: str, data: bytes) -> bytes:
        return bytes(byte ^ 7 for byte in data)


def test_encrypted_threads_are_listed_and_said_to_be_unreadable(tmp_path: Path) -> None:
    with saver_over(tmp_path / "case.db") as plain:
        sealed = SqliteSaver(plain.conn, serde=EncryptedSerializer(Xor()))
        for saver, thread_id in ((sealed, "sealed"), (sealed, "mixed"), (plain, "mixed"), (plain, "open")):
            put_state(saver, thread_id, {"messages": [HumanMessage(f"text of {thread_id}")]}, agent_name="agent")
    with opened(tmp_path / "case.db") as source:
        words = "encrypted with xor, not readable here"
        before = {row.thread_id: row for row in source.threads()}
        assert {id: row.problem for id, row in before.items()} == {"sealed": words, "mixed": words, "open": None}
        assert all(row.created_at for row in before.values())
        row = only(source, "sealed").row
        assert (row.raw_messages, row.messages) == (None, 0)
        assert words in (row.problem or "")
        assert "corrupt" not in (row.problem or "") and "damaged" not in (row.problem or "")
        (mixed,) = source.requests("mixed")
        assert "not protected" in (mixed.problem or "")
        assert texts(source, source.request(mixed.id).messages) == ["text of mixed"]
        assert texts(source, only(source, "open").messages) == ["text of open"]
        assert "protected" not in (only(source, "open").row.problem or "")


def test_runs_of_an_encrypted_thread_are_counted_by_their_plain_facts(tmp_path: Path) -> None:
    from tests.contract.models import Told, deep_agent, say

    with saver_over(tmp_path / "case.db", serde=EncryptedSerializer(Xor())) as saver:
        agent = deep_agent(Told(turns=["one", "two"]), checkpointer=saver)
        say(agent, "a secret")
        say(agent, "another")
    with opened(tmp_path / "case.db") as source:
        assert [row.requests for row in source.threads()] == [2]
        rows = source.requests("t")
        assert [row.status for row in rows] == ["done", "done"]
        for row in rows:
            assert "encrypted with xor, not readable here" in (row.problem or "")
            detail = source.request(row.id)
            assert detail.response is None and "encrypted" in detail.not_recorded["response"]
        assert "secret" not in json.dumps([row.title for row in source.threads()])


# --- S14: broken database files ---


@pytest.fixture
def good(tmp_path: Path) -> bytes:
    """Forty threads, each with one checkpoint; those of t3, t4 and t5 are damaged."""
    with saver_over(tmp_path / "case.db") as saver:
        for i in range(40):
            put_state(saver, f"t{i}", {"messages": [HumanMessage("x" * 3000, id=str(i))]})
        damage = (
            "UPDATE checkpoints SET checkpoint = substr(checkpoint, 1, 100) WHERE thread_id = 't3'",
            "UPDATE checkpoints SET metadata = x'00ff' WHERE thread_id = 't4'",
            "UPDATE checkpoints SET checkpoint = 'text, not a blob' WHERE thread_id = 't5'",
        )
        for statement in damage:
            saver.conn.execute(statement)
    data = (tmp_path / "case.db").read_bytes()
    (tmp_path / "case.db").unlink()
    return data


def readable(source: Source) -> dict[str, str | None]:
    """Thread → what is said of it; one that can be read shows its whole text."""
    found: dict[str, str | None] = {}
    for thread in source.threads():
        (row,) = source.requests(thread.thread_id)
        detail = source.request(row.id)
        shown = texts(source, detail.messages)
        assert shown == ["x" * 3000] or row.problem
        found[thread.thread_id] = None if shown == ["x" * 3000] else row.problem
    return found


def test_one_damaged_row_spoils_one_row(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "good.db").write_bytes(good)
    with opened(tmp_path / "good.db") as source:
        found = readable(source)
        assert len(found) == 40
        assert {id for id, problem in found.items() if problem} == {"t3", "t5"}
        problems = {row.thread_id: row.problem for row in source.threads()}
        assert {id for id, problem in problems.items() if problem} == {"t3", "t4", "t5"}
        assert problems["t4"] == "its metadata is damaged"
        assert source.problem == ""


def test_a_file_that_was_cut_off_shows_what_is_left(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "cut.db").write_bytes(good[: len(good) * 6 // 10])
    with opened(tmp_path / "cut.db") as source:
        found = readable(source)
        assert len(found) == 40, "the index still names them all"
        assert 15 <= sum(problem is None for problem in found.values()) <= 30
        assert all("damaged" in problem for problem in found.values() if problem)
        assert "damaged near page" in source.problem and "Copy it before" in source.problem


def test_a_page_of_zeros_spoils_what_was_on_it(tmp_path: Path, good: bytes) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(good)
        (table,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'checkpoints'").fetchone()
    spoilt = 0
    for page in range(1, len(good) // 4096):
        data = bytearray(good)
        data[page * 4096 : (page + 1) * 4096] = bytes(4096)
        (tmp_path / "zeroed.db").write_bytes(data)
        with opened(tmp_path / "zeroed.db") as source:
            found = readable(source)
            lost = {id for id, problem in found.items() if problem} - {"t3", "t5"}
            assert len(found) == 40
            assert len(lost) <= 2 or page + 1 == table
            if lost:
                spoilt += 1
                assert f"damaged near page {page + 1}" in source.problem
    assert spoilt > 20


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda data: data[:100], "is cut off: its header speaks of"),
        (lambda data: b"PK\x03\x04" + data[4:], "is not an SQLite database"),
        (lambda data: data[:100] + bytes(len(data) - 100), "can't be read"),
        (lambda data: b"", "is empty"),
    ],
    ids=["header only", "another format", "zeros behind the header", "empty"],
)
def test_a_file_of_which_nothing_is_left_says_so_in_a_sentence(
    tmp_path: Path, good: bytes, damage: Any, sentence: str
) -> None:
    (tmp_path / "gone.db").write_bytes(damage(good))
    before = everything(tmp_path)
    with pytest.raises(WorkspaceError, match=sentence):
        open_source(tmp_path / "gone.db")
    assert everything(tmp_path) == before


def test_a_damaged_index_hides_no_thread(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "index.db").write_bytes(good)
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index'").fetchone()[0]
    data = bytearray(good)
    data[(root - 1) * 4096 : root * 4096] = bytes(4096)
    (tmp_path / "index.db").write_bytes(data)
    with opened(tmp_path / "index.db") as source:
        assert {row.thread_id for row in source.threads()} == {f"t{i}" for i in range(40)}
        assert texts(source, only(source, "t7").messages) == ["x" * 3000]


def test_the_rest_of_a_thread_is_whole_when_one_of_its_checkpoints_is_not(tmp_path: Path) -> None:
    from tests.contract.models import Told, deep_agent, say

    with saver_over(tmp_path / "case.db") as saver:
        agent = deep_agent(Told(turns=["one", "two", "three"]), checkpointer=saver)
        for question in ("a", "b", "c"):
            say(agent, question)
        rows = [row[0] for row in saver.conn.execute("SELECT rowid FROM checkpoints ORDER BY checkpoint_id")]
        saver.conn.execute("UPDATE checkpoints SET checkpoint = x'ff' WHERE rowid = ?", (rows[len(rows) // 2],))
    with opened(tmp_path / "case.db") as source:
        found = source.requests("t")
        assert [texts(source, source.request(row.id).messages) for row in found] == [
            ["a"], ["a", "one", "b"], ["a", "one", "b", "two", "c"],
        ]  # fmt: skip
        (thread,) = source.threads()
        assert thread.problem and "damaged" in thread.problem


def test_no_damaged_page_makes_a_request_wrong_without_a_word(tmp_path: Path) -> None:
    from tests.contract.models import Told, call, deep_agent, say
    from tests.engine.sources.databases import effective

    answers = [answer for n in range(4) for answer in (call("ls", f"c{n}", path="/"), f"{n} " + "word " * 1_500)]
    with saver_over(tmp_path / "case.db") as saver:
        agent = deep_agent(Told(turns=answers), checkpointer=saver)
        for n in range(4):
            say(agent, f"question {n} " + "x " * 900)
    data = (tmp_path / "case.db").read_bytes()
    with closing(open_source(tmp_path / "case.db")) as source:
        truth = {row.id: effective(source, row) for row in source.requests("t")}
    told = 0
    for page in range(1, len(data) // 4096):
        damaged = bytearray(data)
        damaged[page * 4096 : (page + 1) * 4096] = bytes(4096)
        (tmp_path / "zeroed.db").write_bytes(damaged)
        with closing(open_source(tmp_path / "zeroed.db")) as source:
            rows = source.requests("t")
            for row in rows:
                assert row.problem or effective(source, row) == truth[row.id], f"page {page + 1}, request {row.number}"
            (thread,) = source.threads()
            missing = truth.keys() - {row.id for row in rows}
            assert not missing or thread.problem or source.problem, f"page {page + 1}"
            told += bool(thread.problem or source.problem or any(row.problem for row in rows))
    assert told > 10

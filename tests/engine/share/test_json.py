"""JSON out and in again: the same thread, in every area of every request, its events, files and notes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine import Reader, Workspace, read_memory, save_memory, store_namespaces
from engine.agent.scripted import Turn
from engine.agent.settings import BackendSettings, Identity, Place
from engine.errors import InspectorError, UsageError
from engine.notes import add_note, list_notes, set_baseline, set_mark
from engine.recording.book import Book
from engine.share.export import export_thread, save_export
from engine.share.load import import_thread
from engine.share.snippets import request_curl
from engine.share.writing import Imported
from engine.trace.model import Artifact, Event
from engine.wire.entries import Answered, Sent
from tests.engine.share.world import ODD_THREAD, SECRETS, at_rest, converse
from tests.received import text

MEMORY = "/memories/AGENTS.md"


def bring(source: Reader, thread: str, folder: Path, into: Path | None = None, **how: Any) -> tuple[Path, Imported]:
    """Export a thread and import it, into a new workspace if no other is given."""
    number = len(list(folder.iterdir()))
    file, into = folder / f"{number}.json", into or folder / f"{number}.ctx"
    save_export(export_thread(source, thread, "json", **how), file)
    return into, import_thread(into, file)


def areas(reader: Reader, request: int) -> dict[str, str]:
    """All that a request shows, as texts that keep the order of keys and what JSON has no word for."""
    detail = reader.request(request)
    row = detail.row
    provider = dict(detail.provider)
    wire = provider.pop("wire")
    return {
        "system": text(reader.system_message(request)),
        "blocks": text([(block.contributor, block.kind, reader.value(block.part)) for block in detail.system]),
        "messages": text([(row.kind, row.is_new, row.origin, row.raw_index, row.fate, row.chars, row.tokens,
                           reader.message(row.part)) for row in detail.messages]),
        "tools": text([(tool.name, tool.contributor, tool.calls, reader.value(tool.part)) for tool in detail.tools]),
        "raw": text([(row.fate, row.reason, row.sent_index, reader.message(row.part)) for row in detail.raw]),
        "provider": text(provider),
        "wire": text(dict(wire) if wire else None),
        "response": text(reader.message(detail.response) if detail.response else None),
        "usage": text(detail.usage),
        "facts": text([row.number, row.purpose, row.agent, row.parent_call, row.depth, row.step, row.checkpoint_ns,
                       row.status, row.error, row.started_at, row.duration_ms, row.model, row.messages, row.chars,
                       row.estimated_tokens, row.sizes, row.window, row.trigger, row.events, detail.cutoff,
                       detail.exact, row.usage.input_tokens, row.usage.output_tokens, row.usage.cache_read]),
        "layers": text([(layer.by, *[[reader.value(piece[0]) for piece in getattr(layer, name)]
                         for name in ("system", "tools", "messages")]) for layer in reader.lists(request).layers]),
    }  # fmt: skip


def parents(reader: Reader, thread: str) -> list[int | None]:
    rows = reader.requests(thread)
    numbers = {row.id: row.number for row in rows}
    return [numbers.get(row.parent or 0) for row in rows]


def event(reader: Reader, one: Event) -> Any:
    data = dict(one.data) | ({"part": text(reader.value(one.data["part"]))} if "part" in one.data else {})
    return one.kind, one.at, one.request_number, {key: value for key, value in data.items() if key != "calls"}


def artifact(reader: Reader, thread: str, one: Artifact) -> Any:
    number = reader.request_rows([one.request])[0].number if one.request else None
    problem = one.problem
    return (
        one.path,
        one.place,
        one.kind,
        one.modified_at,
        number,
        one.tool_call_id,
        problem,
        content(reader, thread, one),
    )


def content(reader: Reader, thread: str, one: Artifact) -> Any:
    try:
        return reader.file(thread, one.path)
    except InspectorError as error:
        return str(error)


def assert_same(one: Reader, other: Reader, thread: str, renamed: str | None = None) -> None:
    name = renamed or thread
    assert parents(one, thread) == parents(other, name)
    ids = list(zip(one.request_ids(thread), other.request_ids(name), strict=True))
    assert ids
    for first_id, second_id in ids:
        assert areas(one, first_id) == areas(other, second_id)
    assert [event(one, e) for e in one.events(thread)] == [event(other, e) for e in other.events(name)]
    first, second = one.summaries(thread), other.summaries(name)
    numbers = {row.id: row.number for row in one.requests(thread)}, {row.id: row.number for row in other.requests(name)}
    assert [numbers[0].get(s.summary_request or 0) for s in first] == [
        numbers[1].get(s.summary_request or 0) for s in second
    ]
    assert [[text(one.value(row.part)) for row in one.evicted(s.event)] for s in first] == [
        [text(other.value(row.part)) for row in other.evicted(s.event)] for s in second
    ]
    assert [artifact(one, thread, file) for file in one.files(thread)] == [
        artifact(other, name, file) for file in other.files(name)
    ]
    assert one.skills(thread) == other.skills(name)
    mine, theirs = (
        [(file.path, file.text, file.version, file.in_thread) for file in reader.memory(id)]
        for reader, id in ((one, thread), (other, name))
    )
    assert mine == theirs


def test_every_thread_of_both_scenarios_comes_back_the_same(reader: Reader, tmp_path: Path) -> None:
    into = tmp_path / "into.ctx"
    for thread in reader.threads():
        export = export_thread(reader, thread.thread_id, "json")
        assert export.masked == {}
        _, done = bring(reader, thread.thread_id, tmp_path, into)
        assert (done.thread_id, done.renamed_from, done.problem) == (thread.thread_id, None, "")
        assert done.requests == export.requests == thread.requests
    with closing(Reader(into)) as other:
        for thread in reader.threads():
            assert_same(reader, other, thread.thread_id)
        assert {row.thread_id: (row.title, row.agent, row.created_at, row.status) for row in other.threads()} == {
            row.thread_id: (row.title, row.agent, row.created_at, row.status) for row in reader.threads()
        }


def test_odd_texts_numbers_and_failures_come_back_the_same(odd: Reader, tmp_path: Path) -> None:
    into, done = bring(odd, ODD_THREAD, tmp_path, masked=False)
    assert (done.thread_id, done.problem, done.masked) == (ODD_THREAD, "", {})
    with closing(Reader(into)) as other:
        assert_same(odd, other, ODD_THREAD)
        assert "NaN" in text(
            [other.message(row.part) for row in other.request(other.request_ids(ODD_THREAD)[1]).messages]
        )
    # A second round changes nothing.
    with closing(Reader(into)) as once:
        again, _ = bring(once, ODD_THREAD, tmp_path, masked=False)
        with closing(Reader(again)) as twice:
            assert_same(once, twice, ODD_THREAD)


def test_secrets_are_masked_by_default_and_the_file_says_so(odd: Reader, tmp_path: Path) -> None:
    export = export_thread(odd, ODD_THREAD, "json")
    assert export.masked
    assert set(export.masked) >= set(SECRETS.values())
    value = json.loads(export.text, parse_constant=lambda name: pytest.fail(name))
    assert value["masked"] == export.masked
    lines = [secret.split("\n")[0] for secret in SECRETS]
    assert not any(line in export.text for line in lines)
    assert "is no secret" in export.text
    into, done = bring(odd, ODD_THREAD, tmp_path)
    assert done.masked == export.masked
    with closing(Reader(into)) as other:
        said = json.dumps([other.value(other.request(id).response or 0) for id in other.request_ids(ODD_THREAD)[:1]])
        assert "[masked: private key]" in said
    unmasked = export_thread(odd, ODD_THREAD, "json", masked=False)
    assert unmasked.masked is None
    assert json.loads(unmasked.text)["masked"] is None
    assert all(line in unmasked.text for line in lines)


def test_a_taken_id_gets_another_one_and_nothing_is_overwritten(reader: Reader, tmp_path: Path) -> None:
    thread = "eight-rounds-defaults"
    into, _ = bring(reader, thread, tmp_path)
    _, second = bring(reader, thread, tmp_path, into)
    _, third = bring(reader, thread, tmp_path, into)
    assert second.renamed_from == third.renamed_from == thread
    assert len({thread, second.thread_id, third.thread_id}) == 3
    with closing(Reader(into)) as other:
        assert len(other.threads()) == 3
        for name in (thread, second.thread_id, third.thread_id):
            assert_same(reader, other, thread, name)


def test_files_of_the_store_that_differ_here_stay_as_they_are(reader: Reader, tmp_path: Path) -> None:
    into = Workspace.create(tmp_path / "into.ctx").path
    save_memory(into, MEMORY, "- mine\n", "")
    file = tmp_path / "export.json"
    save_export(export_thread(reader, "competitor-report-week-22", "json"), file)
    done = import_thread(into, file)
    assert done.left == (MEMORY,)
    assert MEMORY not in done.added
    assert done.added
    with closing(Reader(into)) as other:
        assert other.file(done.thread_id, MEMORY) == b"- mine\n"


def test_an_imported_thread_can_be_gone_on_with(reader: Reader, tmp_path: Path) -> None:
    thread = "competitor-report-week-22"
    into, _ = bring(reader, thread, tmp_path)
    last = [row for row in reader.requests(thread) if row.purpose == "agent"][-1]
    before = reader.request(last.id)
    converse(into, thread, "And now?", Turn("On we go."))
    with closing(Reader(into)) as other:
        row = other.requests(thread)[-1]
        after = other.request(row.id)
        assert row.status == "done"
        # All that was in the state, the last answer, and the new question; under the same summary.
        assert len(after.raw) == len(before.raw) + 2
        assert [other.message(raw.part)["data"]["content"] for raw in after.raw[:-2]] == [
            reader.message(raw.part)["data"]["content"] for raw in before.raw
        ]
        assert after.cutoff == before.cutoff
        assert {file.path for file in reader.files(thread)} <= {file.path for file in other.files(thread)}


def test_one_request_by_its_number(reader: Reader, tmp_path: Path) -> None:
    thread = "competitor-report-week-22"
    export = export_thread(reader, thread, "json", number=30)
    assert export.requests == 1
    into, done = bring(reader, thread, tmp_path, number=30)
    assert done.requests == 1
    with closing(Reader(into)) as other:
        (id,) = other.request_ids(thread)
        mine, theirs = areas(reader, reader.request_ids(thread)[29]), areas(other, id)
        for name in ("system", "tools", "raw", "provider", "response", "usage", "layers"):
            if name != "tools":
                assert mine[name] == theirs[name]
        assert [e.kind for e in other.events(thread)] == list(reader.requests(thread)[29].events)
    with pytest.raises(UsageError, match="no request number 1000"):
        export_thread(reader, thread, "json", number=1_000)
    with pytest.raises(UsageError, match="no thread"):
        export_thread(reader, "nobody", "json")


def test_notes_marks_and_the_baseline_come_along(reader: Reader, tmp_path: Path) -> None:
    thread = "eight-rounds-neither"
    first, second = reader.request_ids(thread)[:2]
    add_note(reader.path, thread, "look <b>here</b>", second)
    add_note(reader.path, thread, "of it all")
    set_mark(reader.path, thread, first, True)
    set_baseline(reader.path, thread, second)
    into, _ = bring(reader, thread, tmp_path)

    def told(path: Path) -> list[Any]:
        return [(note.kind, note.request_number, note.text, note.updated_at) for note in list_notes(path, thread)]

    assert told(into) == told(reader.path)
    assert len(told(into)) == 4


def test_the_file_is_whole_or_not_there_and_for_the_user_alone(reader: Reader, tmp_path: Path) -> None:
    export = export_thread(reader, "eight-rounds-defaults", "json")
    file = tmp_path / "out.json"
    save_export(export, file)
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UsageError, match="is there already"):
        save_export(export, file)
    with pytest.raises(InspectorError, match="can't be written"):
        save_export(export, tmp_path / "none" / "out.json")
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_what_is_imported_is_sound(reader: Reader, tmp_path: Path) -> None:
    into, _ = bring(reader, "competitor-report-week-22", tmp_path)
    with closing(sqlite3.connect(into)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_what_went_over_the_wire_comes_along_byte_for_byte(reader: Reader, tmp_path: Path) -> None:
    thread = "eight-rounds-defaults"
    copied = Path(shutil.copy(at_rest(reader.path), tmp_path / "wired.ctx"))
    messages = [{"role": "user", "content": f"number {n} " + "x" * 80} for n in range(9)]
    bodies = [
        json.dumps({"model": "m", "messages": messages[: 5 + n], "n": 1.50}, indent=n or None).encode()
        for n in range(3)
    ]
    with closing(Workspace.open(copied).connect(autocommit=True)) as connection:
        book = Book(connection)
        tokens = [row[0] for row in connection.execute(
            "SELECT r.token FROM requests r JOIN threads t ON t.id = r.thread WHERE t.thread_id = ? ORDER BY number",
            (thread,))]  # fmt: skip
        for token, body in zip(tokens, bodies, strict=False):
            Sent(token, 1, 5.0, "POST", "api.example", "/v1/chat", True, {"openai-beta": "x"}, body).write(book)
            Answered(token, 1, 6.0, 200, None, {"request-id": "r"}).write(book)
    with closing(Reader(copied)) as wired:
        into, _ = bring(wired, thread, tmp_path)
        with closing(Reader(into)) as other:
            assert_same(wired, other, thread)
            sent = [other.wire_bytes(attempt.id) for id in other.request_ids(thread) for attempt in other.wire(id)]
        assert sent == bodies
        curl = request_curl(wired, wired.request_ids(thread)[0])
    assert "the body that was sent" in curl
    assert "https://api.example/v1/chat" in curl
    assert "openai-beta: x" in curl


def test_a_thread_that_was_sent_names_no_folder_of_this_disk(tmp_path: Path) -> None:
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("what is only here")
    theirs, ours = tmp_path / "theirs.ctx", tmp_path / "ours.ctx"
    routes = {"/memories/": Place("filesystem", root=str(folder)), "/skills/": Place("store", namespace=("skills",))}
    converse(theirs, "sent", "Go", Turn("Done."), backend=BackendSettings(routes=routes), skills=())
    with closing(Reader(theirs)) as reader:
        assert reader.memory("sent")[0].text == "what is only here"
        save_export(export_thread(reader, "sent", "json"), tmp_path / "sent.json")
    Workspace.create(ours)
    done = import_thread(ours, tmp_path / "sent.json")
    with closing(Reader(ours)) as reader:
        (memory,) = reader.memory(done.thread_id)
        assert (memory.text, memory.place) == (None, "elsewhere")
        assert reader.files(done.thread_id) == []
    with pytest.raises(UsageError):
        save_memory(ours, "/memories/AGENTS.md", "mine", memory.version, thread_id=done.thread_id)
    assert (folder / "AGENTS.md").read_text() == "what is only here"


def test_a_thread_takes_the_memory_of_its_own_namespace_along_and_nobody_elses(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.ctx"
    routes = {"/memories/": Place("store", namespace=("{tenant}", "{user}", "memories"))}
    own: dict[str, Any] = {"backend": BackendSettings(routes=routes), "identity": Identity("acme", "ann@x.org")}
    converse(theirs, "hers", "Go", Turn("Done."), skills=(), **own)
    save_memory(theirs, MEMORY, "of the default agent", "")
    save_memory(theirs, MEMORY, "hers alone", "", thread_id="hers")
    with closing(Reader(theirs)) as reader:
        into, done = bring(reader, "hers", tmp_path)
    assert done.thread_id == "hers"
    assert read_memory(into, MEMORY, "hers").text == "hers alone"
    assert read_memory(into, MEMORY).text is None
    assert [one.text for one in store_namespaces(into)] == ["acme.ann@x~2eorg.memories"]

"""Files that are no export, or a damaged one: a sentence that says where, and a workspace that stays as it was."""

from __future__ import annotations

import copy
import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import Reader, Workspace
from engine.errors import InspectorError, UsageError
from engine.share.export import export_thread
from engine.share.format import FormatError
from engine.share.load import import_thread
from engine.share.parsing import parse

THREAD = "competitor-report-week-23"


@pytest.fixture(scope="module")
def document(reader: Reader) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(export_thread(reader, THREAD, "json").text)
    value["states"], value["store"] = [], []  # not what is damaged here, and most of the bytes
    return value


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return Workspace.create(tmp_path / "w.ctx").path


def refused(workspace: Path, content: str | bytes, *words: str) -> None:
    """The import fails with a sentence that holds these words, and not one row is written."""
    file = workspace.with_name("in.json")
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    with pytest.raises(InspectorError) as error:
        import_thread(workspace, file)
    said = str(error.value)
    assert all(word in said for word in words), said
    assert str(file) in said
    assert len(said) < 600
    assert error.value.exit_code == 3
    with closing(sqlite3.connect(workspace)) as connection:
        for table in ("threads", "runs", "parts", "chain", "requests", "events", "wire", "notes"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'").fetchone():
            assert connection.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "ends too early"),
        ("{", "ends too early"),
        ("not json", "is no JSON at line 1"),
        ("[]", "no thread exported by the Context Inspector"),
        ('{"format": "other"}', "no thread exported"),
        ('{"format": "context-inspector thread"}', "format None"),
        ('{"format": "context-inspector thread", "version": 2}', "Update the program"),
        ('{"format": "context-inspector thread", "version": "1"}', "format '1'"),
        ('{"format": "context-inspector thread", "version": true}', "format True"),
        ('{"format": "context-inspector thread", "version": 1}', "field required"),
        ('{"format": "context-inspector thread", "version": 1, "x": NaN}', "NaN is no number"),
        ('{"x": ' + "9" * 5_000 + "}", "a number that can't be"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe\x00", "byte 0 is not UTF-8"),
        (b"SQLite format 3\x00" + b"\x00" * 100, "is no JSON"),
    ],
)
def test_what_is_no_export(content: str | bytes, said: str, workspace: Path) -> None:
    refused(workspace, content, said)


def test_a_missing_file_and_a_folder(workspace: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        import_thread(workspace, tmp_path / "none.json")
    with pytest.raises(UsageError, match="is a folder"):
        import_thread(workspace, tmp_path)
    assert not (tmp_path / "new.ctx").exists()
    with pytest.raises(UsageError):
        import_thread(tmp_path / "new.ctx", tmp_path / "none.json")
    assert not (tmp_path / "new.ctx").exists()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off(share: float, document: dict[str, Any], workspace: Path) -> None:
    text = json.dumps(document)
    refused(workspace, text[: int(len(text) * share)], "cut off")


def at(value: Any, *path: Any) -> Any:
    for step in path:
        value = value[step]
    return value


def put(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        at(value, *path[:-1])[path[-1]] = to

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    return lambda value: at(value, *path[:-1]).pop(path[-1])


def cycle(value: dict[str, Any]) -> None:
    value["requests"][3]["parent"], value["requests"][5]["parent"] = 6, 4


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a request that is its own ancestor": (cycle, "its own parent, over 2 steps"),
    "a request that is its own parent": (put("requests", 2, "parent", to=3), "its own parent, over 1 steps"),
    "a parent that isn't there": (put("requests", 2, "parent", to=1_000), "names request 1000 of 17"),
    "a node that follows itself": (put("nodes", 4, to=[5, 1]), "node 5 follows node 5"),
    "a node that follows a later one": (put("nodes", 4, to=[9, 1]), "node 5 follows node 9"),
    "a node without a part": (put("nodes", 4, to=[0, 99_999]), "names part 99999"),
    "a list that ends nowhere": (put("requests", 0, "lists", "messages", to=99_999), "names a node that isn't there"),
    "parameters that aren't there": (put("requests", 0, "params", to=99_999), "names a part that isn't there"),
    "an origin that isn't there": (put("requests", 0, "origin", to=99), "an origin or run that isn't there"),
    "numbers that don't rise": (put("requests", 4, "number", to=1), "numbers don't rise"),
    "a number too large": (put("requests", 4, "number", to=2**64), "requests[4].number"),
    "a number larger still": (put("requests", 4, "counts", "tokens", to=10**400), "requests[4].counts.tokens"),
    "a negative count": (put("parts", 0, "chars", to=-1), "parts[0].chars"),
    "a time without an end": (put("requests", 0, "started_at", to=1e300), "requests[0].started_at"),
    "a text for a number": (put("requests", 0, "number", to="1"), "requests[0].number"),
    "a number for a text": (put("thread", "title", to=5), "thread.title"),
    "an unknown status": (put("requests", 0, "status", to="flying"), "requests[0].status"),
    "a token twice": (lambda value: put("requests", 1, "token", to=value["requests"][0]["token"])(value), "same token"),
    "a missing field": (drop("requests", 0, "lists"), "requests[0].lists: field required"),
    "an event of a request that isn't there": (put("events", 0, "request", to=99), "event 1 names request 99"),
    "a summary without its cut": (
        lambda value: value["events"].append(
            {"request": 1, "kind": "summary", "at": 0, "lane": "", "data": {"part": 1}}
        ),
        "(summary): cutoff: field required",
    ),
    "an event's part that isn't there": (
        lambda value: value["events"].append(
            {"request": 1, "kind": "new kind", "at": 0, "lane": "", "data": {"part": 10**6}}
        ),
        "names a part that isn't there",
    ),
    "a message that is none": (
        lambda value: put("parts", value["nodes"][value["requests"][0]["lists"]["messages"] - 1][1] - 1, "value",
                          to={"type": "human"})(value),
        "among its messages that is none",
    ),
    "tool calls that are none": (
        lambda value: put("parts", value["requests"][0]["response"] - 1, "value",
                          to={"type": "ai", "data": {"content": "", "tool_calls": ["x"]}})(value),
        "a response that is no message",
    ),
    "a text that is no JSON": (put("parts", 0, "text", to="{"), "part 1 is given as a text that is no JSON"),
    "layers that are none": (lambda value: value["origins"][0].update(layers=[5]), "layers that are none"),
    "a layer of nothing": (
        lambda value: value["origins"][0].update(layers=[{"by": "x", "tools": 10**6}]), "names something that isn't"),
    "a file outside the store": (
        lambda value: value["store"].append({"path": "/etc/passwd", "value": {"content": "x"}}), "no path of the store"
    ),
    "a state of other values": (
        lambda value: value["states"].append({"namespace": "", "files": {}, "values": {"skills_metadata": [5]}}),
        "states",
    ),
    "settings of another shape": (put("thread", "settings", to={"memory": "x"}), "thread.settings"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_damaged_export_is_refused_with_the_place(name: str, document: dict[str, Any], workspace: Path) -> None:
    change, said = CHANGES[name]
    value = copy.deepcopy(document)
    change(value)
    refused(workspace, json.dumps(value), said, "is damaged", "Nothing was imported")


def test_what_sqlite_can_not_hold(document: dict[str, Any], workspace: Path) -> None:
    for path in (("thread", "thread_id"), ("thread", "title"), ("requests", 0, "lane"), ("events", 0, "kind")):
        value = copy.deepcopy(document)
        put(*path, to="half \ud800")(value)
        refused(workspace, json.dumps(value), str(path[-1]), "valid string")


def test_fields_of_later_versions_do_no_harm(document: dict[str, Any], workspace: Path) -> None:
    value = copy.deepcopy(document) | {"later": [1]}
    value["requests"][0]["later"] = {"a": 1}
    file = workspace.with_name("in.json")
    file.write_text(json.dumps(value))
    assert import_thread(workspace, file).requests == len(value["requests"])


def test_a_fault_in_the_middle_leaves_nothing(
    document: dict[str, Any], workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last thing that is written fails; not one row of the rest is there."""

    def broken(*_: Any) -> None:
        raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr("engine.share.writing.restore_states", broken)
    refused_in_words = pytest.raises(InspectorError, match="Nothing was written")
    file = workspace.with_name("in.json")
    file.write_text(json.dumps(document))
    with refused_in_words:
        import_thread(workspace, file)
    with closing(Reader(workspace)) as reader:
        assert reader.threads() == []
    with closing(sqlite3.connect(workspace)) as connection:
        assert connection.execute("SELECT count(*) FROM parts").fetchone() == (0,)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_an_import_that_is_stopped_on_the_way_leaves_nothing(
    share: float, document: dict[str, Any], workspace: Path
) -> None:
    stop, told = threading.Event(), []

    def progress(done: int, total: int, what: str) -> None:
        told.append((done, total, what))
        if total and done >= max(1, share * total):
            stop.set()

    file = workspace.with_name("in.json")
    file.write_text(json.dumps(document))
    with pytest.raises(InspectorError, match="The import was stopped"):
        import_thread(workspace, file, progress, stop)
    assert told[0] == (0, 0, "Reading in.json")
    steps = [done for done, total, _ in told if total]
    assert steps == list(range(1, len(steps) + 1)) and len({total for _, total, _ in told if total}) == 1
    with closing(sqlite3.connect(workspace)) as connection:
        for table in ("parts", "threads", "requests", "events"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    stop.clear()
    assert import_thread(workspace, file, stop=stop).requests == len(document["requests"])


scalars: Any = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
anything: Any = st.recursive(scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(
    st.text(max_size=5), inner, max_size=2), max_leaves=4)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything in a document, but not into the values of its parts."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    found = [path] if path else []
    for key, item in items:
        if key != "value":
            found += places(item, (*path, key))
    return found


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_is_changed_is_read_or_refused(data: st.DataObject, document: dict[str, Any]) -> None:
    value = copy.deepcopy(document)
    path = data.draw(st.sampled_from(places(document)))
    put(*path, to=data.draw(anything))(value)
    try:
        parse(json.dumps(value), "in.json")
    except FormatError as error:
        assert str(error).startswith("in.json ")


def test_a_value_nested_without_end(document: dict[str, Any], workspace: Path) -> None:
    nested = json.dumps(document)[:-1] + ', "deep": ' + "[" * 100_000 + "]" * 100_000 + "}"
    refused(workspace, nested, "nested too deeply")

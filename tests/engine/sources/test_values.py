"""Stored values read as data: nothing that a file names is imported, secrets stay secret, unknown types have a name."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import re
import sys
import uuid
from typing import Any

import numpy
import ormsgpack
import pytest
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Interrupt, Overwrite, Send
from pydantic import BaseModel, SecretBytes, SecretStr

from engine.sources.line import Contents
from engine.sources.messages import Message, measure
from engine.sources.shelf import Shelf
from engine.sources.values import EncryptedError, Snapshot, UnreadableError
from tests.contract.models import call, calls


@pytest.fixture
def contents() -> Contents:
    return Contents(Shelf())


def read(contents: Contents, value: Any) -> Any:
    """What is shown of a value that LangGraph stored."""
    return contents.plain(contents.decoder.load(*JsonPlusSerializer().dumps_typed(value)))


class Colour(enum.Enum):
    RED = "red"


class Order(BaseModel):
    number: int
    note: str = ""


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Pair(collections.namedtuple("Pair", "left right")):
    pass


MINE = f"unknown type {__name__}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": [1, 2.5, None, True, "é"]}, {"a": [1, 2.5, None, True, "é"]}),
        ({1: "one", (2, 3): "two"}, {"1": "one", "(2, 3)": "two"}),
        (b"\x00\x01", {"__type__": "bytes", "bytes": 2}),
        (
            {
                3,
            },
            [3],
        ),
        (collections.deque([1, 2]), [1, 2]),
        (uuid.UUID("0199a2b4-7c1e-7000-8000-000000000001"), "0199a2b4-7c1e-7000-8000-000000000001"),
        (decimal.Decimal("1.50"), "1.50"),
        (datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC), "2026-01-02T03:04:00+00:00"),
        (pathlib.Path("/a/b"), "/a/b"),
        (Colour.RED, {"__type__": f"{MINE}.Colour", "value": "red"}),
        (Order(number=7), {"__type__": f"{MINE}.Order", "number": 7, "note": ""}),
        (Point(1, 2), {"__type__": f"{MINE}.Point", "x": 1, "y": 2}),
        (Pair(1, 2), {"__type__": f"{MINE}.Pair", "left": 1, "right": 2}),
        (re.compile("a+"), {"__type__": "re.compile", "value": ["a+", 32]}),
        (SecretStr("sk-demo"), "(secret)"),
        (SecretBytes(b"sk-demo"), "(secret)"),
        ({"key": SecretStr("sk-demo"), "list": [SecretStr("x")]}, {"key": "(secret)", "list": ["(secret)"]}),
        (Send("tools", {"a": 1}), {"__type__": "langgraph.types.Send", "node": "tools", "arg": {"a": 1}}),
        (Overwrite([1]), {"__type__": "langgraph.types.Overwrite", "value": [1], "type": "__overwrite__"}),
        (numpy.zeros((2, 3)), {"__type__": "numpy.ndarray", "dtype": "<f8", "shape": [2, 3], "bytes": 48}),
        (float("inf"), float("inf")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_data_with_its_types_name(contents: Contents, value: Any, shown: Any) -> None:
    assert read(contents, value) == shown


def test_an_interrupt_keeps_what_it_asks(contents: Contents) -> None:
    shown = read(contents, Interrupt(value={"question": "go on?"}, id="i"))
    assert shown["__type__"] == "langgraph.types.Interrupt"
    assert shown["value"] == {"question": "go on?"}


def test_no_secret_is_anywhere_in_what_was_kept(contents: Contents) -> None:
    message = HumanMessage("hello", additional_kwargs={"key": SecretStr("sk-hidden")})
    kept = contents.messages(contents.decoder.load(*JsonPlusSerializer().dumps_typed([message])))
    assert "sk-hidden" not in json.dumps(contents.shelf.value(kept[0].part))


@pytest.mark.parametrize(
    "message",
    [
        HumanMessage("hello", id="h", name="me", additional_kwargs={"a": [1, {"b": None}]}),
        calls(("ls", "c1", {"path": "/"}), ("ls", "c2", {"n": float("nan")})),
        ToolMessage([{"type": "text", "text": "ok"}], tool_call_id="c1", status="error", artifact={"rows": [1]}),
        AIMessage(
            [{"type": "thinking", "thinking": "", "signature": "S"}],
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        ),
        RemoveMessage("x"),
    ],
    ids=lambda message: message.type,
)
def test_a_message_is_langchains_own_dict(contents: Contents, message: Any) -> None:
    (kept,) = contents.messages(contents.decoder.load(*JsonPlusSerializer().dumps_typed([message])))
    assert (kept.type, kept.id) == (message.type, message.id)
    assert json.dumps(contents.shelf.value(kept.part)) == json.dumps(
        {"type": message.type, "data": message.model_dump()}
    )


def test_equal_messages_are_one_part_however_often_they_are_stored(contents: Contents) -> None:
    both = [
        contents.messages(contents.decoder.load(*JsonPlusSerializer().dumps_typed([HumanMessage("a", id="1")])))
        for _ in "ab"
    ]
    assert both[0][0].part == both[1][0].part
    legacy = contents.messages(json.loads(json.dumps([dumpd(HumanMessage("a", id="1"))])))
    assert isinstance(legacy[0], Message)


def test_sizes_are_those_that_the_record_counts(contents: Contents) -> None:
    from langchain_core.messages.utils import count_tokens_approximately

    from engine.recording.canon import message_tokens, text_chars

    for message in (
        HumanMessage("hello " * 50, name="me"),
        HumanMessage([{"type": "text", "text": "a" * 99}, {"type": "image_url", "image_url": {"url": "x"}}, "bare"]),
        call("ls", "c1", path="/"),
        ToolMessage("result", tool_call_id="c1"),
        AIMessage([{"type": "reasoning", "summary": []}, {"type": "text", "text": "b"}]),
    ):
        assert measure(message.model_dump()) == (text_chars(message.content), message_tokens(message))
        assert measure(message.model_dump())[1] == count_tokens_approximately([message])


def test_a_class_that_the_file_names_is_never_imported(contents: Contents, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(name: str, *_: Any, **__: Any) -> Any:
        raise AssertionError(f"{name} was imported")

    parts = ("this_module_is_evil", "Boom", {"a": 1}, "model_validate_json")
    data = ormsgpack.packb({f"code {code}": ormsgpack.Ext(code, ormsgpack.packb(parts)) for code in (0, 1, 2, 3, 4, 5)})
    monkeypatch.setattr("importlib.import_module", forbidden)
    shown = contents.plain(contents.decoder.load("msgpack", data))
    assert set(map(str, (value["__type__"] for value in shown.values()))) == {"unknown type this_module_is_evil.Boom"}
    assert all(value["a"] == 1 for value in shown.values())
    assert "this_module_is_evil" not in sys.modules


def test_an_extension_that_nobody_knows_is_shown_as_one(contents: Contents) -> None:
    data = ormsgpack.packb([ormsgpack.Ext(42, b"12345"), ormsgpack.Ext(5, ormsgpack.packb("odd"))])
    assert contents.plain(contents.decoder.load("msgpack", data)) == [
        {"__type__": "unknown type (MessagePack extension 42)", "bytes": 5},
        {"__type__": "unknown type (damaged model)", "value": "odd"},
    ]


def test_a_delta_channels_snapshot_is_told_from_its_value(contents: Contents) -> None:
    found = contents.decoder.load(*JsonPlusSerializer().dumps_typed(_DeltaSnapshot([HumanMessage("a")])))
    assert isinstance(found, Snapshot)
    assert [message.type for message in contents.messages(found)] == ["human"]


def test_json_of_2024(contents: Contents) -> None:
    def constructor(*id: str, lc: int = 2, **more: Any) -> dict[str, Any]:
        return {"lc": lc, "type": "constructor", "id": list(id), **more}

    stored = {
        "messages": [
            constructor("langchain", "schema", "messages", "HumanMessage", lc=1, kwargs={"content": "hi", "id": "h"}),
            constructor("langchain_core", "messages", "ai", "AIMessage", lc=1, kwargs={"content": "yo", "type": "ai"}),
        ],
        "when": constructor("datetime", "datetime", method="fromisoformat", args=["2024-01-02T03:04:05"]),
        "id": constructor("uuid", "UUID", args=["0199a2b47c1e70008000000000000001"]),
        "set": constructor("builtins", "set", args=[["a"]]),
        "key": {"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]},
        "order": constructor("shop", "Order", kwargs={"n": 1}),
        "model": {"lc": 1, "type": "not_implemented", "id": ["shop", "Model"], "repr": "Model()"},
        "surrogate": "\ud800",
    }
    value = contents.decoder.load(None, json.dumps(stored).encode())
    human, ai = (contents.shelf.value(message.part) for message in contents.messages(value.pop("messages")))
    assert human == {"type": "human", "data": {"type": "human", "content": "hi", "id": "h"}}
    assert (ai["type"], ai["data"]["content"]) == ("ai", "yo")
    assert contents.plain(value) == {
        "when": "2024-01-02T03:04:05",
        "id": "0199a2b4-7c1e-7000-8000-000000000001",
        "set": ["a"],
        "key": "(secret)",
        "order": {"__type__": "unknown type shop.Order", "n": 1},
        "model": {"__type__": "unknown type shop.Model", "repr": "Model()"},
        "surrogate": "\ud800",
    }


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("msgpack", b"\xdc\xff\xff\x01", "damaged: "),
        ("msgpack", b"", "damaged: "),
        ("msgpack", "text, not a blob", "damaged: text where bytes should be"),
        ("msgpack", 7, "damaged: int where bytes should be"),
        ("json", b"{", "damaged: "),
        ("pickle", b"\x80\x04.", "stored as pickle, which is not read here"),
        (None, b"\x80\x04.", "stored as pickle, which is not read here"),
        ("next-year", b"x", "stored as next-year, which is not read here"),
    ],
)
def test_what_cannot_be_read_says_why(contents: Contents, kind: Any, data: Any, sentence: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        contents.decoder.load(kind, data)
    assert str(caught.value).startswith(sentence)


def test_a_deeply_nested_value_is_damage_and_no_crash(contents: Contents) -> None:
    with pytest.raises(UnreadableError, match="damaged"):
        contents.decoder.load("msgpack", b"\x91" * 100_000 + b"\xc0")


def test_an_encrypted_value_names_its_cipher(contents: Contents) -> None:
    class Xor:
        def encrypt(self, data: bytes) -> tuple[str, bytes]:
            return "xor", bytes(byte ^ 7 for byte in data)

        def decrypt(self, name: str, data: bytes) -> bytes:
            return bytes(byte ^ 7 for byte in data)

    stored = EncryptedSerializer(Xor()).dumps_typed({"a": 1})
    with pytest.raises(EncryptedError, match="encrypted with xor, not readable here"):
        contents.decoder.load(*stored)


@pytest.mark.parametrize(
    ("stored", "type_", "content"),
    [
        ({"role": "user", "content": "hi"}, "human", "hi"),
        (("human", "hi"), "human", "hi"),
        ("hi", "human", "hi"),
        ({"type": "ai", "content": None, "tool_calls": None}, "ai", None),
        ({"type": "human", "data": {"content": "hi"}}, "human", "hi"),
        (7, "unknown", 7),
        ({"nonsense": 1}, "unknown", None),
    ],
    ids=str,
)
def test_what_stands_in_place_of_a_message(contents: Contents, stored: Any, type_: str, content: Any) -> None:
    (kept,) = contents.messages([stored])
    value = contents.shelf.value(kept.part)
    assert (kept.type, value["type"], value["data"].get("content")) == (type_, type_, content)

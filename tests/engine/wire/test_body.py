"""Bodies are cut so that what they share is one, and joined again to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.wire.body import cut, join

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _texts,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(_texts, inner, max_size=6),
    max_leaves=20,
)
_bodies = st.dictionaries(
    st.sampled_from(["model", "messages", "input", "system", "tools", "stop", "temperature", "x"]), _values
)
_spellings = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,  ", " : ")]),
        "indent": st.sampled_from([None, 0, 3]),
    }
)


def joined(content: bytes) -> bytes:
    body = cut(content)
    assert body.masked == ()
    return join(json.loads(body.shell.body), [[part.body for part in parts] for parts in body.lists])


@given(_bodies, _spellings)
def test_any_json_object_comes_back_as_it_was_spelled(value: Any, spelling: dict[str, Any]) -> None:
    content = json.dumps(value, **spelling).encode()
    assert joined(content) == content


@given(st.binary(max_size=400))
def test_so_do_any_bytes(content: bytes) -> None:
    assert joined(content) == content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1, 2]",
        b'{"a": 1} {"b": 2}',
        b'{"messages": [1, 2,]}',
        b'{"messages": [' + b'{"a": 1e400, "a": 123456789012345678901234567890, "b": NaN}, ' * 20 + b"0]}",
        b'{"messages": [' + b'"x", ' * 200 + b'"y" ,"z"]}',
        b"{" + b'"a": [' * 5_000 + b"]" * 5_000 + b"}",
        '{"messages": ["\\ud800' + "é" * 300 + '"]}',
    ],
)
def test_odd_bodies(content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    assert joined(content) == content


def test_what_two_bodies_share_is_one() -> None:
    messages = [{"role": "user", "content": f"message {n} " + "x" * 100} for n in range(20)]
    tools = [{"name": f"tool {n}", "description": "y" * 100} for n in range(5)]
    one, other = ({"model": "m", "messages": messages[:count], "tools": tools} for count in (10, 20))
    first, second = cut(json.dumps(one).encode()), cut(json.dumps(other).encode())
    assert first.lists[0] == second.lists[0][:10]
    assert first.lists[1] == second.lists[1]
    assert first.shell == second.shell


def test_secrets_outside_of_what_is_said_are_masked() -> None:
    body = {
        "messages": [{"role": "user", "content": "x" * 300, "api_key": "said"}],
        "api_key": "gone",
        "metadata": {"client_secret": "gone", "max_tokens": 3},
        "tools": [
            {"name": "login", "input_schema": {"properties": {"password": {"type": "string"}}}},
            {"type": "mcp", "authorization": "gone", "headers": {"x-any": "gone"}},
        ],
    }
    found = cut(json.dumps(body).encode())
    text = join(json.loads(found.shell.body), [[part.body for part in parts] for parts in found.lists]).decode()
    assert "gone" not in text
    assert set(found.masked) == {
        "api_key", "metadata.client_secret", "tools[1].authorization", "tools[1].headers.x-any",
    }  # fmt: skip
    kept = json.loads(text)
    assert kept["messages"] == body["messages"]
    assert kept["tools"][0] == body["tools"][0]
    assert list(kept) == list(body)

"""A request body cut so that what it shares with others is stored once, and joined again to the byte.

The long lists of a body (messages, tools, system blocks) mostly extend those of the request
before. Each item's own text becomes a part, each list a chain of them, and what is left is the
shell. Nothing is parsed and written anew, so spelling, order and numbers stay as they were sent.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from engine.canonical import digest, to_json
from engine.wire.secrets import mask, suspicious, without_keys

CONTENT = ("messages", "input", "system", "contents", "instructions")
"""Names of what is said; everything else in a body is tools or a parameter."""
MARKS = ("cache_control", "prompt_cache_breakpoint")
"""Names under which a part of a body asks the provider to cache up to it."""

_ITEM, _SHELL = "wire", "wire shell"
_SHORT = 256  # characters; a shorter list stays in the shell
_SPACE = re.compile(r"[ \t\r\n]*")
_decode = json.JSONDecoder().raw_decode


class Part(NamedTuple):
    """A part as the record's writer stores it."""

    kind: str
    digest: bytes
    body: bytes
    chars: int
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Body:
    """A body ready to be stored."""

    shell: Part
    lists: tuple[tuple[Part, ...], ...]
    masked: tuple[str, ...]
    """Places from which a secret was removed."""


def cut(content: bytes) -> Body:
    """Cut a body. One that is no JSON object is kept whole."""
    try:
        text = content.decode("utf-8")
        pieces, lists = _split(text)
        masked: list[str] = []
        clean = without_keys(text, sure=True)
        if clean != text:
            masked.append("a key that was sent in a header")
        said = [item for name, _, items in lists if name not in CONTENT for item in items]
        if any(map(suspicious, ("".join(pieces), *said))):
            clean = _masked(clean, masked)
        if clean != text:
            pieces, lists = _split(clean)
    except (ValueError, RecursionError):
        return Body(_part(_SHELL, to_json({"base64": base64.b64encode(content).decode()}), len(content)), (), ())
    heads = [
        {"name": name, "gap": gap, "marked": [at for at, item in enumerate(items) if _is_marked(item)]}
        for name, gap, items in lists
    ]
    shell = to_json({"pieces": pieces, "lists": heads})
    parts = tuple(
        tuple(_part(_ITEM, item.encode("utf-8", "surrogatepass"), len(item)) for item in items) for _, _, items in lists
    )
    return Body(_part(_SHELL, shell, sum(map(len, pieces))), parts, tuple(masked))


def join(shell: Any, lists: Sequence[Iterable[bytes]]) -> bytes:
    """The body that was cut: bytes of JSON text, or the bytes of one that was none."""
    if "base64" in shell:
        return base64.b64decode(shell["base64"])
    result = [shell["pieces"][0].encode("utf-8", "surrogatepass")]
    for head, items, piece in zip(shell["lists"], lists, shell["pieces"][1:], strict=True):
        result += [head["gap"].encode().join(items), piece.encode("utf-8", "surrogatepass")]
    return b"".join(result)


def _split(text: str) -> tuple[list[str], list[tuple[str, str, list[str]]]]:
    """Pieces of the shell, and between two of them a list: its name, what stands between items, the items.

    Raises ``ValueError`` for anything but a JSON object.
    """
    pieces: list[str] = []
    lists: list[tuple[str, str, list[str]]] = []
    done, at = 0, _after(text, _skip(text, 0), "{")
    while text[at : at + 1] != "}":
        name, at = _decode(text, at)
        at = _skip(text, _after(text, _skip(text, at), ":"))
        if text[at : at + 1] == "[":
            spans, end = _items(text, at)
            gaps = {text[one[1] : other[0]] for one, other in pairwise(spans)}
            if end - at >= _SHORT and len(gaps) <= 1:
                pieces.append(text[done : spans[0][0]])
                lists.append((name, gaps.pop() if gaps else ",", [text[start:stop] for start, stop in spans]))
                done = spans[-1][1]
            at = end
        else:
            at = _decode(text, at)[1]
        at = _skip(text, at)
        if text[at : at + 1] != "}":
            at = _skip(text, _after(text, at, ","))
    if _skip(text, at + 1) != len(text):
        raise ValueError("more than one value")
    return [*pieces, text[done:]], lists


def _items(text: str, at: int) -> tuple[list[tuple[int, int]], int]:
    """Spans of a list's items, and the place after its end."""
    spans: list[tuple[int, int]] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        _, end = _decode(text, at)
        spans.append((at, end))
        at = _skip(text, end)
        if text[at : at + 1] != "]":
            at = _skip(text, _after(text, at, ","))
    return spans, at + 1


def _after(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise ValueError(f"no {sign} at {at}")
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _masked(text: str, masked: list[str]) -> str:
    found = len(masked)
    value = json.loads(text)
    value |= mask({name: item for name, item in value.items() if name not in CONTENT}, "", masked)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if len(masked) > found else text


def _is_marked(item: str) -> bool:
    return any(f'"{name}"' in item for name in MARKS)


def _part(kind: str, body: bytes, chars: int) -> Part:
    return Part(kind, digest(kind, body), body, chars)

"""A file read as a document of a thread: everything that its pieces say of one another is checked.

What is imported can then be trusted as far as the record's own: the reader, the window and SQLite find what they
rely on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from engine.share.format import FORMAT, VERSION, Count, Document, FormatError, Number, Part, Request, Strict, all_str


class _Offload(Strict):
    path: str


class _Summary(Strict):
    cutoff: Count
    evicted_from: Count
    part: Number
    tokens_before: Count = 0
    tokens_after: Count = 0
    path: str | None = None
    calls: list[str] = []


class _Named(Strict):
    path: str
    name: str | None = None


class _Sources(Strict):
    sources: list[_Named]


class _Skills(Strict):
    skills: list[_Named]


_EVENTS: dict[str, type[Strict]] = {
    "offload": _Offload, "summary": _Summary, "memory loaded": _Sources, "memory edited": _Named,
    "skill listed": _Skills, "skill read": _Named,
}  # fmt: skip
"""What the reader takes from the data of each kind of event."""


def parse(text: str, name: str) -> Document:
    """The document in a text; ``name`` is what the sentences call it.

    Raises:
        FormatError: it is none, of another version, or damaged; the sentence says where.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise FormatError(f"{name} is nested too deeply to be a thread of the Context Inspector.") from None
    except json.JSONDecodeError as error:
        where = f"is no JSON at line {error.lineno}, column {error.colno}"
        if _cut_off(text, error):
            where = "ends too early; it was cut off"
        raise FormatError(f"{name} {where}. Nothing was imported.") from None
    except ValueError as error:
        raise FormatError(f"{name} holds a number that can't be: {error}. Nothing was imported.") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise FormatError(f"{name} is JSON, but no thread exported by the Context Inspector. Nothing was imported.")
    version = value.get("version")
    if version != VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        hint = "Update the program to import it." if newer else "Nothing was imported."
        raise FormatError(f"{name} is of format {version!r:.40}, and this version knows {VERSION}. {hint}")
    try:
        found = Document.model_validate(value)
    except ValidationError as error:
        raise FormatError(f"{name} is damaged: {_first(error)}. Nothing was imported.") from None
    problem = next(iter(_problems(found)), None)
    if problem is not None:
        raise FormatError(f"{name} is damaged: {problem}. Nothing was imported.")
    return found


def _cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text is the beginning of an object, and no more."""
    text = text.strip()
    return not text or (text[0] == "{" and (text[-1] != "}" or error.pos >= len(text)))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"]).lstrip(".")
    return f"{place}: {first['msg'].lower()}"


def _problems(found: Document) -> Iterable[str]:
    """What is wrong with how the pieces refer to one another."""
    parts, nodes, requests = len(found.parts), len(found.nodes), len(found.requests)
    for at, part in enumerate(found.parts, 1):
        yield from (f"part {at} {problem}" for problem in _part(part))
    for at, (before, named) in enumerate(found.nodes, 1):
        if before >= at:
            yield f"node {at} follows node {before}, which is not before it"
        if not 0 < named <= parts:
            yield f"node {at} names part {named} of {parts}"
    yield from _origin_problems(found)
    numbers = [request.number for request in found.requests]
    if any(one >= other for one, other in pairwise(numbers)):
        yield "the requests' numbers don't rise"
    tokens = [request.token for request in found.requests] + [run.token for run in found.runs]
    if len(set(tokens)) != len(tokens):
        yield "two requests or runs have the same token"
    for at, request in enumerate(found.requests, 1):
        if any((node or 0) > nodes for node in request.lists.model_dump().values()):
            yield f"request {at} names a node that isn't there"
        if any((part or 0) > parts for part in (request.params, request.response)):
            yield f"request {at} names a part that isn't there"
        if (request.origin or 0) > len(found.origins) or (request.run or 0) > len(found.runs):
            yield f"request {at} names an origin or run that isn't there"
        if (request.parent or 0) > requests:
            yield f"request {at} names request {request.parent} of {requests}"
    yield from _cycle(found.requests)
    yield from _list_problems(found)
    for at, event in enumerate(found.events, 1):
        if (event.request or 0) > requests:
            yield f"event {at} names request {event.request} of {requests}"
        try:
            _EVENTS.get(event.kind, Strict).model_validate(event.data)
        except ValidationError as error:
            yield f"event {at} ({event.kind}): {_first(error)}"
        if not isinstance(event.data.get("part", 0), int) or event.data.get("part", 0) > parts:
            yield f"event {at} names a part that isn't there"
    for at, attempt in enumerate(found.wire, 1):
        if attempt.request > requests or (attempt.shell or 0) > parts or any(node > nodes for node in attempt.nodes):
            yield f"wire attempt {at} names something that isn't there"
    if len({(attempt.request, attempt.number) for attempt in found.wire}) != len(found.wire):
        yield "two wire attempts of a request have the same number"
    if any((note.request or 0) > requests for note in found.notes):
        yield "a note names a request that isn't there"
    spaces = [state.namespace for state in found.states]
    if len(set(spaces)) != len(spaces):
        yield "two states have the same namespace"


def _cycle(requests: Sequence[Request]) -> Iterable[str]:
    """Whether a request is its own ancestor."""
    safe: set[int] = {0}
    for start in range(1, len(requests) + 1):
        path: list[int] = []
        at = start
        while at not in safe:
            if at in path:
                yield f"request {at} is its own parent, over {len(path) - path.index(at)} steps"
                return
            path.append(at)
            at = requests[at - 1].parent or 0 if at <= len(requests) else 0
        safe.update(path)


def _part(part: Part) -> Iterable[str]:
    if part.text is None:
        return
    try:
        json.loads(part.text)
    except (ValueError, RecursionError):
        yield "is given as a text that is no JSON"


def _origin_problems(found: Document) -> Iterable[str]:
    for at, origin in enumerate(found.origins, 1):
        layers = origin.get("layers") or []
        told = (origin.get("system") or [], origin.get("messages") or [], origin.get("order") or [])
        if not all(map(all_str, told)) or not isinstance(origin.get("tools") or {}, dict):
            yield f"origin {at} names no contributors"
        if not isinstance(layers, list) or not all(isinstance(layer, dict) and "by" in layer for layer in layers):
            yield f"origin {at} has layers that are none"
            continue
        for layer in layers:
            for name in ("system", "tools", "messages"):
                if name in layer and not _is_list(layer[name], name, found):
                    yield f"origin {at} has a layer that names something that isn't there"


def _is_list(told: Any, name: str, found: Document) -> bool:
    """Whether a layer's list is a node, or (of messages) a base and pairs of place and part."""
    if isinstance(told, int):
        return 0 <= told <= len(found.nodes)
    if name != "messages" or not isinstance(told, list) or not told or told[0] not in ("raw", "messages"):
        return False
    return all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, int) for one in pair)
        and pair[0] >= 0 and 1 <= pair[1] <= len(found.parts)
        for pair in told[1:]
    )  # fmt: skip


def _list_problems(found: Document) -> Iterable[str]:
    """Whether each list holds what it is a list of. A node is looked at once for each kind of list."""
    seen: dict[str, set[int]] = {"system": set(), "tools": set(), "messages": set()}
    checks = {"system": _is_block, "tools": _is_tool, "messages": _is_message}
    for at, request in enumerate(found.requests, 1):
        ends = {"system": request.lists.system, "tools": request.lists.tools}
        for name, end in [*ends.items(), ("messages", request.lists.messages), ("messages", request.lists.raw)]:
            node = end or 0
            while node and node not in seen[name]:
                seen[name].add(node)
                before, part = found.nodes[node - 1]
                if not (_is_shell if name == "system" and not before else checks[name])(found.parts[part - 1].told):
                    yield f"request {at} holds a part among its {name} that is none"
                node = before
        if request.response and not _is_message(found.parts[request.response - 1].told):
            yield f"request {at} has a response that is no message"
        if request.params and not isinstance(found.parts[request.params - 1].told, dict):
            yield f"request {at} has parameters that are none"


def _is_shell(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("data"), dict) and {"form", "type"} <= value.keys()


def _is_block(value: Any) -> bool:
    return isinstance(value, (str, dict))


def _is_tool(value: Any) -> bool:
    return isinstance(value, dict)


def _is_message(value: Any) -> bool:
    """Whether it has the form of LangChain's own dict, in whatever the reader looks at."""
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, dict) or not isinstance(value.get("type"), str):
        return False
    calls = [call for name in ("tool_calls", "invalid_tool_calls") for call in data.get(name) or ()]
    words = [data.get(name) for name in ("id", "name", "tool_call_id", "status")]
    return (
        all(isinstance(call, dict) for call in calls)
        and all(word is None or isinstance(word, str) for word in words)
        and isinstance(data.get("additional_kwargs") or {}, dict)
        and isinstance(data.get("usage_metadata") or {}, dict)
    )

"""The wire beside LangChain's view of the same request: what one has that the other hasn't."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.wire.atoms import Atom, api_of, langchain_atoms, wire_atoms
from engine.wire.body import CONTENT, MARKS
from engine.wire.model import Comparison, Conversion, Parameter, Piece, ToolDifference, Unsent, WireAttempt

_OWN = {"_type", "tools", "functions", "model_kwargs", "ls_structured_output_format"}
"""LangChain's own words among the parameters, and what has an area of its own."""
_RENAMED = (
    ("model_name", "model"),
    ("max_tokens", "max_completion_tokens"),
    ("max_tokens", "max_output_tokens"),
    ("stop", "stop_sequences"),
)
_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}
_FIELDS = ("id", "name", "additional_kwargs", "response_metadata", "usage_metadata", "artifact", "status")


@dataclass(frozen=True)
class LangChainView:
    """A request as LangChain had it: its own dicts, and the recorded parameters."""

    system: dict[str, Any] | None
    messages: Sequence[dict[str, Any]]
    tools: Sequence[dict[str, Any]]
    params: Mapping[str, Any]


def compare(attempt: WireAttempt, body: Any, view: LangChainView) -> Comparison:
    """Hold a body against LangChain's view. Linear in both; for a job."""
    api = api_of(attempt.url_path, body)
    body = body if isinstance(body, dict) else {}
    ours = list(langchain_atoms(view.system, view.messages)) if api != "other" else []
    theirs = list(wire_atoms(api, body)) if api != "other" else []
    pairs, mine, sent = _paired(ours, theirs)
    return Comparison(
        attempt=attempt.id,
        api=api,
        parameters=tuple(_parameters(body, view.params)),
        conversions=tuple(_conversions(pairs)),
        wire_only=tuple(map(_piece, sent)),
        langchain_only=tuple(map(_piece, mine)),
        unsent=tuple(_unsent(view.messages, body, pairs)) if api != "other" else (),
        tools=tuple(_tools(body.get("tools"), view.tools)),
        markers_asked=(),
        markers_sent=(),
    )


def _paired(ours: list[Atom], theirs: list[Atom]) -> tuple[list[tuple[Atom, Atom]], list[Atom], list[Atom]]:
    """Equal pieces in the order of LangChain's, and what is left of each side."""
    waiting: dict[tuple[str, ...], deque[Atom]] = defaultdict(deque)
    for atom in theirs:
        waiting[atom.key].append(atom)
    pairs, mine = [], []
    for atom in ours:
        if waiting[atom.key]:
            pairs.append((atom, waiting[atom.key].popleft()))
        else:
            mine.append(atom)
    left = {id(atom) for queue in waiting.values() for atom in queue}
    return pairs, mine, [atom for atom in theirs if id(atom) in left]


def _piece(atom: Atom) -> Piece:
    return Piece(atom.place, atom.kind, atom.preview, len(atom.text))


def _conversions(pairs: list[tuple[Atom, Atom]]) -> Iterator[Conversion]:
    system = {theirs.place.partition(".")[0] for ours, theirs in pairs if ours.index < 0}
    for place in sorted({place.partition("[")[0] if place.startswith("system") else place for place in system}):
        yield Conversion("moved", f"The system message is sent as {place}.", 1, -1)
    said = [(ours, theirs) for ours, theirs in pairs if ours.index >= 0]
    items: dict[int, set[int]] = defaultdict(set)
    messages: dict[int, set[int]] = defaultdict(set)
    roles: dict[tuple[str, str], set[int]] = defaultdict(set)
    for ours, theirs in said:
        items[theirs.index].add(ours.index)
        messages[ours.index].add(theirs.index)
        if _ROLES.get(ours.role, ours.role) != theirs.role:
            roles[ours.role, theirs.role].add(ours.index)
    joined = [index for group in items.values() if len(group) > 1 for index in group]
    if joined:
        yield Conversion("merged", "Several messages are sent as one.", len(joined), min(joined))
    parted = [index for index, group in messages.items() if len(group) > 1]
    if parted:
        yield Conversion("split", "A message is sent as several items.", len(parted), min(parted))
    for (role, sent), indexes in roles.items():
        yield Conversion("role", f"{role} messages are sent as {sent}.", len(indexes), min(indexes))


def _unsent(
    messages: Sequence[dict[str, Any]], body: Mapping[str, Any], pairs: list[tuple[Atom, Atom]]
) -> Iterator[Unsent]:
    """Fields of messages whose value does not stand in the item that the message became."""
    items = body.get("messages", body.get("input"))
    items = items if isinstance(items, list) else []
    text = [json.dumps(item, ensure_ascii=False, sort_keys=True) for item in items]
    places: dict[int, set[int]] = defaultdict(set)
    for ours, theirs in pairs:
        if theirs.index >= 0:
            places[ours.index].add(theirs.index)
    counts: dict[str, int] = defaultdict(int)
    for index, message in enumerate(messages):
        data = message.get("data") or {}
        around = "".join(text[at] for at in places[index] if at < len(text))
        for name in _FIELDS:
            value = data.get(name)
            if value and not (name == "status" and value != "error") and not _stands(name, value, around):
                counts[name] += 1
    yield from (Unsent(name, counts[name]) for name in _FIELDS if counts[name])


def _stands(name: str, value: Any, around: str) -> bool:
    if name == "status":
        return '"is_error": true' in around
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str) in around


def _parameters(body: Mapping[str, Any], params: Mapping[str, Any]) -> Iterator[Parameter]:
    """Parameters of the body first, in its order; then those that only LangChain has a value for."""
    asked: dict[str, Any] = {"stop": params.get("stop")}
    for group in ("params", "kwargs", "model_settings"):
        asked |= params.get(group) or {}
    asked = {name: value for name, value in asked.items() if name not in _OWN and value is not None}
    wire = {name: value for name, value in body.items() if name not in {"tools", *CONTENT}}
    names = {sent: name for name, sent in _RENAMED if name in asked and name not in wire and sent in wire}
    for name, value in wire.items():
        ours = names.get(name, name)
        if ours not in asked:
            yield Parameter(name, "wire only", value)
        elif ours != name and name not in asked:
            yield Parameter(name, "renamed" if asked[ours] == value else "differs", value, asked[ours], ours)
        else:
            same = asked.get(name, asked[ours]) == value
            yield Parameter(name, "same" if same else "differs", value, asked.get(name, asked[ours]))
    for name, value in asked.items():
        if name not in wire and name not in names.values() and value not in ({}, []):
            yield Parameter(name, "LangChain only", None, value)


def _tools(sent: Any, bound: Sequence[dict[str, Any]]) -> Iterator[ToolDifference]:
    theirs = {_name(tool): (at, tool) for at, tool in enumerate(sent if isinstance(sent, list) else ())}
    ours = {_name(tool): (at, tool) for at, tool in enumerate(bound)}
    for name in (*ours, *(name for name in theirs if name not in ours)):
        if name not in theirs:
            yield ToolDifference(name, "LangChain only", None, ours[name][0])
        elif name not in ours:
            yield ToolDifference(name, "wire only", theirs[name][0], None)
        else:
            (their_at, their), (our_at, our) = theirs[name], ours[name]
            one, other = dict(_paths(_unwrapped(their))), dict(_paths(_unwrapped(our)))
            wire_only = tuple(path for path in one if path not in other)
            langchain_only = tuple(path for path in other if path not in one)
            changed = tuple(path for path in one if path in other and one[path] != other[path])
            side = "differs" if wire_only or langchain_only or changed else "same"
            yield ToolDifference(name, side, their_at, our_at, wire_only, langchain_only, changed)  # type: ignore[arg-type]


def _name(tool: Any) -> str:
    inner = tool.get("function") if isinstance(tool, dict) else None
    named = inner if isinstance(inner, dict) else tool if isinstance(tool, dict) else {}
    return str(named.get("name") or named.get("type") or "")


def _unwrapped(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool without the provider's wrapping: its schema under one name, its marks where they mean the same."""
    inner = tool.get("function")
    flat = {**tool, **inner} if isinstance(inner, dict) else dict(tool)
    flat.pop("function", None)
    if flat.get("type") == "function":
        del flat["type"]
    if "input_schema" in flat:
        flat["parameters"] = flat.pop("input_schema")
    extras = flat.get("extras")
    if isinstance(extras, dict):
        flat |= {mark: extras[mark] for mark in MARKS if mark in extras}
        flat["extras"] = {name: value for name, value in extras.items() if name not in MARKS} or None
    return {name: value for name, value in flat.items() if value is not None}


def _paths(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Leaves of a JSON value by their path."""
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _paths(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            yield from _paths(item, f"{path}[{at}]")
    else:
        yield path, value

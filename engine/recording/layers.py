"""A request as it stood after each of its contributors: the steps that lead from the state to the model.

Only a layer that changed something is told, and only the lists that it changed: a middleware that passes a
request on costs a comparison. Messages are told as the raw ones, or as those that the model received, with what
differs from them, which stays the same from request to request; any other list by what is new in it, as the
request's own lists are. All share their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from engine.canonical import from_json, to_json
from engine.kinds import CALLER
from engine.recording.canon import Encoded, encode_block, encode_tool
from engine.recording.lanes import Entry, Lane, ListChange, MessageList
from engine.recording.observers import Call, Layer, tool_name
from engine.recording.origin import blocks_of
from engine.wire.secrets import without_secrets

RAW, SENT = "raw", "messages"

_SCHEMAS = 512
_FEW = 64  # messages that differ


@dataclass(slots=True)
class Patched:
    """A list of messages that is ``base`` (``raw`` or ``messages``) but for some of its messages."""

    base: str
    differing: dict[int, Encoded]


@dataclass(slots=True)
class LayerNote:
    """What one contributor changed: lists as the request held them after it. None: left as it was."""

    by: str
    system: ListChange | None = None
    """Blocks, without the message around them."""
    tools: ListChange | None = None
    messages: ListChange | Patched | None = None
    settings: dict[str, Any] | None = None
    model: str | None = None

    def value(self, node: Callable[[ListChange], int], part: Callable[[Encoded], int]) -> dict[str, Any]:
        """For the record: a list is its node, or the name of its base and pairs of place and part."""
        told: dict[str, Any] = {"by": self.by}
        for name in ("system", "tools", "messages"):
            change = getattr(self, name)
            if isinstance(change, Patched):
                told[name] = [change.base, *([at, part(encoded)] for at, encoded in change.differing.items())]
            elif change is not None:
                told[name] = node(change)
        if self.settings is not None:
            told["settings"] = self.settings
        if self.model is not None:
            told["model"] = self.model
        return told


def layers_of(
    call: Call, lane: Lane, raw: Sequence[BaseMessage], sent: Sequence[BaseMessage], bound: Sequence[Any]
) -> list[LayerNote]:
    """The layers of a call that changed something, the caller's first.

    ``sent`` and ``bound`` are the messages and tools that the model received; the lane must have been told
    of them before.
    """
    known: _Lists = lane.seen.setdefault("layers", _Lists(lane))
    schemas = _Schemas(call, lane, bound)
    notes: list[LayerNote] = []
    before: Layer | None = None
    for index, layer in enumerate(call.layers):
        if layer is None:
            continue
        note = LayerNote(call.assembly.names[index - 1] if index else CALLER)
        if before is None or layer.system is not before.system:
            note.system = known.blocks(f"system {index}", layer.system, before)
        if before is None or not _same(layer.tools, before.tools):
            note.tools = known.encoded(f"tools {index}", [schemas.of(tool, layer.model) for tool in layer.tools])
        if before is None or not _same(layer.messages, before.messages):
            note.messages = known.messages(f"messages {index}", layer.messages, raw, sent)
        if before is None or layer.settings is not before.settings:
            settings = dict(layer.settings or {})
            if settings != (before.settings if before is not None else {}):
                note.settings = from_json(to_json(without_secrets(settings)))
        if before is not None and layer.model is not before.model:
            note.model = _model_name(layer.model)
        if before is None or any(
            value is not None for value in (note.system, note.tools, note.messages, note.settings, note.model)
        ):
            notes.append(note)
        before = layer
    return notes


def _same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return one is other or (len(one) == len(other) and all(map(is_, one, other)))


def _model_name(model: Any) -> str:
    named = getattr(model, "model_name", None) or getattr(model, "model", None)
    return str(named if isinstance(named, str) else type(model).__name__)


class _Lists:
    """The lists between a lane's contributors, as last told."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._messages: dict[str, MessageList] = {}
        self._twins: dict[tuple[str, int], Entry] = {}
        self._encoded: dict[str, list[Encoded]] = {}
        self._blocks: dict[str, tuple[list[Any], list[Encoded]]] = {}

    def blocks(self, place: str, system: Any, before: Layer | None) -> ListChange | None:
        """A system message's blocks; None where they are the ones before."""
        now = blocks_of(system)
        if before is not None and now == blocks_of(before.system):
            return None
        values, encoded = self._blocks.get(place, ([], []))
        made = [
            encoded[at] if at < len(values) and type(values[at]) is type(block) and values[at] == block
            else encode_block(block)
            for at, block in enumerate(now)
        ]  # fmt: skip
        self._blocks[place] = (now, made)
        return self.encoded(place, made)

    def encoded(self, place: str, now: list[Encoded]) -> ListChange:
        """A list of parts."""
        old = self._encoded.get(place, [])
        keep = 0
        for one, other in zip(old, now, strict=False):
            if one is not other and one.digest != other.digest:
                break
            keep += 1
        self._encoded[place] = now
        return ListChange(place, keep, now[keep:], len(now))

    def messages(
        self, place: str, now: Sequence[BaseMessage], raw: Sequence[BaseMessage], sent: Sequence[BaseMessage]
    ) -> ListChange | Patched:
        """A list of messages."""
        for base, like in ((RAW, raw), (SENT, sent)):
            if _same(now, like):
                return Patched(base, {})
        for base, like in ((RAW, raw), (SENT, sent)):
            if len(now) == len(like):
                differing = [at for at, same in enumerate(map(is_, now, like)) if not same]
                if len(differing) <= _FEW:
                    return Patched(base, {at: self._entry(place, at, now[at]).encoded for at in differing})
        if place not in self._messages:
            self._messages[place] = MessageList(place, self._lane)
        return self._messages[place].change(now, verify=False)

    def _entry(self, place: str, at: int, message: BaseMessage) -> Entry:
        entry = self._lane.entry(message, self._twins.get((place, at)))
        self._twins[place, at] = entry
        return entry


class _Schemas:
    """Tools between the contributors, in the form in which the model's integration binds them."""

    def __init__(self, call: Call, lane: Lane, bound: Sequence[Any]) -> None:
        last = next(layer for layer in reversed(call.layers) if layer is not None)
        parts = dict(zip(map(tool_name, bound), lane.encoded("tools"), strict=True))
        named = ((tool, parts.get(tool_name(tool))) for tool in last.tools)
        self._known = {id(tool): part for tool, part in named if part is not None}

    def of(self, tool: Any, model: Any) -> Encoded:
        """The schema of a tool, as the model received it where it did."""
        found = self._known.get(id(tool))
        if found is None:
            found = self._known[id(tool)] = encode_tool(tool) if isinstance(tool, dict) else _bound(tool, model)
        return found


_converted: dict[Any, Encoded] = {}


def _bound(tool: Any, model: Any) -> Encoded:
    """The schema that a tool would have been bound with. Remembered: agents are built anew for each turn."""
    function = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    about = getattr(tool, "description", "")
    key = (type(model), tool_name(tool), about, getattr(function, "__code__", tool))
    try:
        if key not in _converted:
            if len(_converted) >= _SCHEMAS:
                _converted.clear()
            _converted[key] = encode_tool(_schema(tool, model))
        return _converted[key]
    except TypeError:  # a tool that can't be hashed
        return encode_tool(_schema(tool, model))


def _schema(tool: Any, model: Any) -> Any:
    try:
        return model.bind_tools([tool]).kwargs["tools"][0]
    except Exception:  # an integration of its own kind: the schema is then in the common form
        return convert_to_openai_tool(tool)

"""One line of a thread's history: the state as it stands at a checkpoint, moved from checkpoint to checkpoint.

A delta channel is its newest stored whole and the writes since; reading that forward, each
write once, costs what was written, where LangGraph's own reading walks back from every
checkpoint.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any

from engine import importing
from engine.sources.messages import LEGACY_TYPES, Change, Message, MessageList, keep_message
from engine.sources.rows import Key, Stored, Write
from engine.sources.shelf import Shelf
from engine.sources.values import TYPE, Decoder, EncryptedError, Snapshot, UnreadableError, plain

NULL_TASK = "00000000-0000-0000-0000-000000000000"
LISTS = {"messages", "files"}
_GREGORIAN = 0x01B21DD213814000  # 100 ns between UUID's epoch and Unix's


@dataclass(frozen=True, slots=True)
class Point:
    """What a checkpoint's own row says."""

    key: Key
    source: str
    """``input``, ``loop``, ``update`` or ``fork``."""
    step: int | None
    at: float | None
    metadata: Mapping[str, Any]
    values: Mapping[str, Any] | None
    """Its channels; None where they can't be read."""
    versions: Mapping[str, Any]
    problem: str = ""
    cipher: str = ""


@dataclass(slots=True)
class State:
    """A thread's state at a checkpoint, in one namespace."""

    messages: MessageList
    files: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    """The other channels."""
    doubt: str = ""
    """Why the messages may not be what they were; empty when all they are made of was read."""

    def fork(self) -> State:
        """A state that goes on from here by itself."""
        return State(self.messages.fork(), self.files.copy(), self.values.copy(), self.doubt)


class Contents:
    """Reads stored values, keeping each message once."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._known: dict[bytes, Message] = {}
        self.blank = False
        """Whether any message so far holds zero bytes."""
        self.decoder = Decoder(self._keep)

    def _keep(self, data: bytes | None, fields: Callable[[], dict[str, Any]]) -> Message:
        key = blake2b(data, digest_size=16).digest() if data is not None else None
        known = self._known.get(key) if key is not None else None
        if known is None:
            known = keep_message(self.shelf, self.plain(fields()))
            self.blank = self.blank or known.blank
            if key is not None:
                self._known[key] = known
        return known

    def plain(self, value: Any) -> Any:
        """A value as JSON can hold it, messages as LangChain's own dicts."""
        return plain(value, lambda message: self.shelf.value(message.part))

    def point(self, key: Key, stored: Stored) -> Point:
        """A checkpoint's row."""
        problem, cipher = stored.problem, ""
        metadata: Any = {}
        if not problem:
            try:
                metadata = _metadata(stored.metadata)
            except ValueError:
                problem = "its metadata is damaged"
        values: Mapping[str, Any] | None = None
        checkpoint: Any = {}
        if not stored.problem:
            try:
                checkpoint = self.decoder.load(stored.type, stored.checkpoint)
                values = _mapping(checkpoint, "channel_values")
            except EncryptedError as error:
                problem, cipher = str(error), error.cipher
            except UnreadableError as error:
                problem = f"its checkpoint is {error}"
        if values is None and not problem:
            problem = "its checkpoint is damaged: it holds no channels"
        known = checkpoint if isinstance(checkpoint, dict) else {}
        versions = known.get("channel_versions")
        step = metadata.get("step")
        return Point(
            key,
            str(metadata.get("source") or ""),
            step if isinstance(step, int) else None,
            time_of(key.id) or time_of(known.get("ts")),
            metadata,
            values,
            versions if isinstance(versions, dict) else {},
            problem,
            cipher,
        )

    def write(self, write: Write) -> Any:
        """A write's value. Raises ``UnreadableError``."""
        return self.decoder.load(write.type, write.value)

    def messages(self, value: Any) -> list[Message]:
        """A value of the messages channel as messages; what is none is kept as it is, as one of another kind."""
        if isinstance(value, Snapshot):
            value = value.value
        items: Iterable[Any] = value if isinstance(value, list) else () if value is None else (value,)
        return [item if isinstance(item, Message) else self._coerced(item) for item in items]

    def _coerced(self, item: Any) -> Message:
        with importing.lock:  # deferred: seldom needed, slow to import
            from langchain_core.messages import convert_to_messages

        plain_item = self.plain(item)
        if (
            isinstance(plain_item, dict)
            and set(plain_item) == {"type", "data"}
            and isinstance(plain_item["data"], dict)
        ):
            return keep_message(self.shelf, {"type": plain_item["type"], **plain_item["data"]})
        if isinstance(plain_item, dict) and plain_item.get("type") in LEGACY_TYPES.values() and "content" in plain_item:
            return keep_message(self.shelf, plain_item)
        try:
            made = convert_to_messages([tuple(plain_item) if isinstance(plain_item, list) else plain_item])[0]
            return keep_message(self.shelf, self.plain(made.model_dump()))
        except Exception:  # whatever LangChain makes of it, what is stored can be shown
            fields = plain_item if isinstance(plain_item, dict) else {"content": plain_item}
            return keep_message(self.shelf, {**fields, "type": str(fields.get("type") or "unknown")})


def start(shelf: Shelf) -> State:
    """The state before a thread's first checkpoint."""
    return State(MessageList(shelf))


def arrive(state: State, point: Point, before: Sequence[Write], contents: Contents) -> Change:
    """Move a state to the checkpoint that follows; ``before`` are the writes on the one it stands at."""
    change = Change()
    values = point.values
    if values is not None and "messages" in values:
        state.messages.set(contents.messages(values["messages"]))
        state.doubt = ""
    elif values is None or "messages" in point.versions:
        change = _merge_messages(state, before, contents)
    else:
        state.messages.set([])
    if values is not None and "files" in values:
        state.files = _files(values["files"])
    else:
        _merge_files(state.files, before, contents)
    if values is not None:
        old = state.values  # mostly equal to the new ones, and then shared
        state.values = {
            name: old[name] if name in old and old[name] == value else value
            for name, value in values.items()
            if name not in LISTS
        }
    else:
        state.doubt = state.doubt or point.problem
    return change


def with_null_writes(state: State, writes: Sequence[Write], contents: Contents) -> State:
    """The state from which a checkpoint's tasks ran: a command's update is stored as writes of no task."""
    own = [write for write in writes if write.task == NULL_TASK and not write.channel.startswith("__")]
    if not own:
        return state
    state = state.fork()
    _merge_messages(state, own, contents)
    _merge_files(state.files, own, contents)
    for write in own:
        if write.channel not in LISTS and not write.channel.startswith("branch:"):
            try:
                state.values[write.channel] = contents.write(write)
            except UnreadableError as error:
                state.doubt = str(error)
    return state


def overwritten(value: Any) -> tuple[bool, Any]:
    """Whether a write replaces a channel's value, and with what."""
    if isinstance(value, dict):
        if len(value) == 1 and "__overwrite__" in value:
            return True, value["__overwrite__"]
        if "value" in value and (
            value.get("type") == "__overwrite__" or value.get(TYPE) == "langgraph.types.Overwrite"
        ):
            return True, value["value"]
    return False, None


def _merge_messages(state: State, writes: Sequence[Write], contents: Contents) -> Change:
    flat: list[Message] = []
    cleared = False
    for write in writes:
        if write.channel != "messages":
            continue
        try:
            value = contents.write(write)
        except UnreadableError as error:
            state.doubt = f"a write to its messages is {error}"
            continue
        whole, instead = overwritten(value)
        if whole:
            state.messages.set([])
            flat, cleared = contents.messages(instead), True
        else:
            flat += contents.messages(value)
    if not flat:
        return Change(cleared=cleared)
    change = state.messages.apply(flat)
    return Change(cleared or change.cleared, change.removed, change.replaced, change.unknown)


def _merge_files(files: dict[str, Any], writes: Sequence[Write], contents: Contents) -> None:
    for write in writes:
        if write.channel != "files":
            continue
        try:
            value = contents.write(write)
        except UnreadableError:
            continue
        whole, instead = overwritten(value)
        if whole:
            files.clear()
            value = instead
        for path, data in value.items() if isinstance(value, dict) else ():
            if data is None:
                files.pop(str(path), None)
            else:
                files[str(path)] = data


def _files(value: Any) -> dict[str, Any]:
    value = value.value if isinstance(value, Snapshot) else value
    return {str(path): data for path, data in value.items()} if isinstance(value, dict) else {}


def time_of(id: Any) -> float | None:
    """Seconds since the epoch that an id, or a time stamp, stands for; None for any other text."""
    if not isinstance(id, str):
        return None
    try:
        found = uuid.UUID(id)
    except ValueError:
        try:
            return datetime.fromisoformat(id).timestamp()
        except ValueError:
            return None
    if found.version == 6:
        ticks = (found.int >> 80) << 12 | (found.int >> 64) & 0xFFF
    elif found.version == 1:
        ticks = found.time
    elif found.version == 7:
        return (found.int >> 80) / 1000
    else:
        return None
    return (ticks - _GREGORIAN) / 10_000_000


def _metadata(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    found = json.loads(value)
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _mapping(value: Any, name: str) -> Mapping[str, Any] | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else None

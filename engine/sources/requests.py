"""A model request rebuilt from the checkpoint that it ran from: raw and effective messages, answer, doubts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.sources.line import Contents, State
from engine.sources.messages import Message
from engine.sources.rules import EVENT, Rules, SummaryEvent, event_of
from engine.sources.runs import ModelRun, Task
from engine.sources.shelf import Shelf

ANOTHER = 1 << 32
"""Added to a checkpoint's row for every further request that ran from it."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The effective list of a line's last request, so that the next one costs what is new in it."""

    key: tuple[int, int, int] | None = None
    first: int = 0
    """Raw index of the first message kept."""
    nodes: tuple[int, ...] = ()
    """Chain node after each kept message."""
    root: int = 0
    previews: int = 0

    @property
    def node(self) -> int:
        """Chain node of the whole list."""
        return self.nodes[-1] if self.nodes else self.root


@dataclass(slots=True)
class Made:
    """One request as the database tells it."""

    id: int
    run: ModelRun
    raw: int
    """Chain node of the raw messages."""
    raw_count: int | None
    """None where the state's messages can't be read."""
    sent: Sent
    sent_count: int
    cutoff: int | None
    event: SummaryEvent | None
    values: Mapping[str, Any]
    """The other channels of the state it was made from."""
    fields: Mapping[str, Any]
    """Fields of the answer; empty without one."""
    follows: int | None
    """The request before it on its own line."""
    doubt: str
    """Why its messages may not be what they were."""
    changed: tuple[Message, ...] = field(default=())
    """Messages that this step itself replaced."""


def make_request(
    id: int,
    run: ModelRun,
    state: State,
    before: Sent,
    follows: int | None,
    contents: Contents,
    rules: Rules,
) -> Made:
    """The request of one model run."""
    own = run.task.other.get(EVENT) if run.task is not None else None
    event, malformed = event_of(own if own is not None else state.values.get(EVENT), contents)
    items: Sequence[Message] = run.raw if run.raw is not None else state.messages.items
    kept = state.messages.kept if run.raw is None else 0
    sent = effective(items, kept, event, before, contents.shelf, rules)
    cutoff = None if event is None else _cut(event.cutoff, len(items))
    return Made(
        id,
        run,
        state.messages.node,
        len(state.messages.items) if state.messages.items or not state.doubt else None,
        sent,
        len(sent.nodes) + (event is not None),
        cutoff,
        event,
        shown_values(state.values),
        _fields(run.answer, contents),
        follows,
        state.doubt or _problem(run.task) or malformed or _blank(items, contents),
        _changed(run, state),
    )


def effective(
    items: Sequence[Message], kept: int, event: SummaryEvent | None, before: Sent, shelf: Shelf, rules: Rules
) -> Sent:
    """The messages that were sent; of those before ``kept``, nodes are taken from the list before."""
    first = 0 if event is None else _cut(event.cutoff, len(items))
    key = None if event is None else (event.part, first, event.kept_to)
    root = 0 if event is None else shelf.node(0, event.part)
    same = key == before.key and first == before.first
    nodes = list(before.nodes[: max(0, kept - first)]) if same else []
    previews = before.previews if same and nodes else 0
    node = nodes[-1] if nodes else root
    for index in range(first + len(nodes), len(items)):
        item = items[index]
        previews += item.evicted is not None
        node = shelf.node(node, rules.effective(item, event is not None and index < event.kept_to))
        nodes.append(node)
    return Sent(key, first, tuple(nodes), root, previews)


def shown_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The channels that say something to a reader: no routing, and nothing that is shown elsewhere."""
    return {
        name: value
        for name, value in values.items()
        if not name.startswith(("branch:", "__", "start:")) and name != EVENT
    }


def _cut(cutoff: int, length: int) -> int:
    return min(cutoff, length) if cutoff >= 0 else max(0, length + cutoff)


def _fields(answer: Message | None, contents: Contents) -> Mapping[str, Any]:
    if answer is None:
        return {}
    value = contents.shelf.value(answer.part)
    data = value.get("data") if isinstance(value, dict) else None
    return data if isinstance(data, dict) else {}


def _problem(task: Task | None) -> str:
    return f"a write of this step is {task.problem}" if task is not None and task.problem else ""


def _blank(items: Sequence[Message], contents: Contents) -> str:
    if contents.blank and any(item.blank for item in items):
        return "a message holds a run of zero bytes, as a damaged page of the file leaves it"
    return ""


def _changed(run: ModelRun, state: State) -> tuple[Message, ...]:
    if run.raw is None:
        return ()
    before = {item.part for item in state.messages.items}
    return tuple(item for item in run.raw if item.part not in before)

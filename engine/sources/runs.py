"""The model requests that ran from one checkpoint, told from the writes of its tasks.

A model node's writes are its answer; its request was made of the state at the checkpoint it
ran from. What a database holds of the request is that state and that answer, no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.sources.line import NULL_TASK, Contents, State
from engine.sources.messages import REMOVE_ALL, Message
from engine.sources.rows import Write
from engine.sources.values import UnreadableError

MODEL_NODES = ("model", "agent", "model_request", "call_model")
"""Names of the node that calls the model: LangChain 1, LangGraph's prebuilt agent, LangChain 1's alphas, tutorials."""
_HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent")


@dataclass(frozen=True, slots=True)
class Task:
    """One task that ran from a checkpoint, and what it left."""

    id: str
    node: str | None
    row: int
    """The row of its first write."""
    messages: tuple[Message, ...] = ()
    other: Mapping[str, Any] = field(default_factory=dict)
    """Its writes to other channels."""
    error: str | None = None
    interrupts: tuple[Any, ...] = ()
    resumed: bool = False
    unread: bool = False
    """It wrote messages that can't be read."""
    problem: str = ""
    """Why a write of it can't be read."""


@dataclass(frozen=True, slots=True)
class Send:
    """A task that was asked for by name, such as one tool call."""

    node: str
    call: str | None
    """Id of the tool call."""
    name: str | None
    """Name of the tool."""
    agent: str | None
    """Name of the subagent that a ``task`` call starts."""


@dataclass(frozen=True, slots=True)
class ModelRun:
    """One request as a checkpoint and its task tell it."""

    task: Task | None
    """None while no task has written anything."""
    node: str
    answer: Message | None
    """The last message that the model said."""
    answers: int
    status: str
    """``done``, ``failed``, or ``open`` where there is no answer and no error."""
    raw: tuple[Message, ...] | None
    """Messages that it was made of where they are not the state's: repaired, or clipped by the step itself."""


def sends_of(values: Mapping[str, Any]) -> list[Send]:
    """The tasks that a checkpoint asks for by name, in their order."""
    found = values.get("__pregel_tasks")
    return [_send(item) for item in found] if isinstance(found, list) else []


def _send(item: Any) -> Send:
    node = item.get("node") if isinstance(item, dict) else None
    arg = item.get("arg") if isinstance(item, dict) else None
    if isinstance(arg, dict) and isinstance(arg.get("tool_call"), dict):
        arg = arg["tool_call"]
    elif isinstance(arg, (list, tuple)) and len(arg) == 1:
        arg = arg[0]
    call = arg if isinstance(arg, dict) else {}
    args = call.get("args")
    agent = args.get("subagent_type") if isinstance(args, dict) else None
    words = (call.get("id"), call.get("name"), agent)
    return Send(str(node or ""), *(word if isinstance(word, str) else None for word in words))


def tasks_of(
    writes: Sequence[Write], sends: Sequence[Send], names: Mapping[str, str], contents: Contents
) -> list[Task]:
    """A checkpoint's tasks, in the order in which they first wrote; ``names`` are nodes by the ids of their tasks."""
    grouped: dict[str, list[Write]] = {}
    for write in sorted(writes, key=lambda write: write.row):
        grouped.setdefault(write.task, []).append(write)
    return [_task(id, found, _node_of(found, sends) or names.get(id), contents) for id, found in grouped.items()]


def _node_of(writes: Sequence[Write], sends: Sequence[Send]) -> str | None:
    for write in writes:
        if write.node:
            return write.node
        if write.send is not None and write.send < len(sends):
            return sends[write.send].node
    if any(write.path for write in writes):
        return None
    # Older releases let a node write to a channel of its own name, and to its branches.
    channels = [write.channel for write in writes]
    branches = [name.split(":")[1] for name in channels if name.startswith("branch:") and name.count(":") > 1]
    return next((name for name in (*MODEL_NODES, "__start__") if name in (*channels, *branches)), None)


def _task(id: str, writes: Sequence[Write], node: str | None, contents: Contents) -> Task:
    messages: list[Message] = []
    other: dict[str, Any] = {}
    error, problem, interrupts, resumed, unread = None, "", [], False, False
    for write in sorted(writes, key=lambda write: write.index):
        if write.channel.startswith("branch:"):
            continue
        try:
            value = contents.write(write)
        except UnreadableError as fault:
            problem = problem or str(fault)
            unread = unread or write.channel == "messages"
            continue
        if write.channel == "messages":
            messages += contents.messages(value)
        elif write.channel == "__error__":
            error = value if isinstance(value, str) else str(contents.plain(value))
        elif write.channel == "__interrupt__":
            interrupts += [contents.plain(item) for item in (value if isinstance(value, list) else [value])]
        elif write.channel == "__resume__":
            resumed = True
        elif not write.channel.startswith("__"):
            other[write.channel] = value
    return Task(id, node, writes[0].row, tuple(messages), other, error, tuple(interrupts), resumed, unread, problem)


def task_between(node: str, before: Sequence[Message], after: Sequence[Message]) -> Task:
    """The task of a release that stored no writes, told from the lists before and after it."""
    same = 0
    for mine, theirs in zip(before, after, strict=False):
        if mine.part != theirs.part:
            break
        same += 1
    return Task("", node, 0, tuple(after[same:]))


def model_runs(state: State, tasks: Sequence[Task], known: set[str], nested: set[str]) -> list[ModelRun]:
    """The requests that ran from a checkpoint.

    ``known`` are names of nodes that call a model, ``nested`` the tasks that ran a graph of
    their own, whose messages are not their own answers. What is found is added to ``known``.
    """
    found = []
    for task in tasks:
        if task.id == NULL_TASK or task.id in nested:
            continue
        run = _model_run(task, state, known)
        if run is not None:
            found.append(run)
            known.add(run.node)
    seen = {run.node for run in found}
    for name in state.values:
        node = name.removeprefix("branch:to:")
        if node != name and node in known and node not in seen and not any(task.node == node for task in tasks):
            found.append(ModelRun(None, node, None, 0, "open", None))
    return found


def _model_run(task: Task, state: State, known: set[str]) -> ModelRun | None:
    node = task.node
    if node is not None and (node == "__start__" or node.endswith(_HOOKS)):
        return None
    answers = [item for item in task.messages if item.answer and not state.messages.holds(item.id)]
    if node not in known and (not answers or node is None):
        return None
    node = node or "model"
    answer = answers[-1] if answers else None
    status = "done" if answer is not None or task.unread else "failed" if task.error else "open"
    return ModelRun(task, node, answer, len(answers), status, _made_of(task, state, answer))


def _made_of(task: Task, state: State, answer: Message | None) -> tuple[Message, ...] | None:
    """The request's messages where the same step repaired or clipped them."""
    last = max((at for at, item in enumerate(task.messages) if item.id == REMOVE_ALL), default=-1)
    if last >= 0:
        end = task.messages.index(answer) if answer is not None else len(task.messages)
        return tuple(item for item in task.messages[last + 1 : end] if item.type != "remove")
    changed = {item.id: item for item in task.messages if item.id is not None and state.messages.holds(item.id)}
    if not changed:
        return None
    return tuple(changed.get(item.id or "", item) for item in state.messages.items)

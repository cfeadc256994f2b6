"""One thread of a LangGraph database: its checkpoints walked once, forward, its requests and events kept.

The walk can be stopped and goes on where it was; rows that are written later are added to
it, so that a thread can be followed while its program runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.sources.database import Database
from engine.sources.line import LISTS, Contents, Point, arrive, start, with_null_writes
from engine.sources.notices import changed, notes_of
from engine.sources.requests import ANOTHER, Made, Sent, make_request
from engine.sources.rows import Key, Write
from engine.sources.rules import Rules
from engine.sources.runs import MODEL_NODES, ModelRun, Send, Task, model_runs, sends_of, task_between, tasks_of
from engine.sources.steps import Line, Place, Step
from engine.sources.tasks import branch_task_id, send_task_ids
from engine.trace.loading import Progress, Stop, nobody

_INNER = {
    "thread_id", "checkpoint_ns", "source", "step", "parents", "writes", "counters_since_delta_snapshot",
}  # fmt: skip


class Thread:
    """Reads one thread. Not thread-safe."""

    def __init__(self, database: Database, contents: Contents, rules: Rules, thread_id: str) -> None:
        self._database, self._contents, self._rules = database, contents, rules
        self.thread_id = thread_id
        self._forget()

    def _forget(self) -> None:
        self.steps: dict[Place, Step] = {}
        self.lines: dict[Place, Line] = {}
        """By the checkpoint that each stands at."""
        self.problems: dict[str, int] = {}
        """What can't be read, in words → how often."""
        self._forks: dict[Place, Line] = {}
        self._children: dict[Place, int] = {}
        self._waiting: dict[Place, list[Key]] = {}
        self._known: set[Place] = set()
        self._pending: list[Key] = []
        self._nested: set[tuple[str, str]] = set()
        self._owners: dict[tuple[str, str], Place] = {}
        self._branches = 0
        self._nodes = set(MODEL_NODES)

    # Walking

    def load(self, stop: Stop | None = None, progress: Progress = nobody) -> bool:
        """Read what has not been read; False when it was stopped before the end. Each call reads a checkpoint."""
        keys = self._database.keys(self.thread_id)
        self._take(keys)
        while self._pending:
            self._reach(self._pending.pop())
            progress(len(keys) - len(self._pending), len(keys))
            if self._pending and stop is not None and stop.is_set():
                return False
        for place, line in self.lines.items():
            self._settle(self.steps[place], line, self._writes(place))
        progress(len(keys), len(keys))
        return True

    def _take(self, keys: Sequence[Key]) -> None:
        """Queue the checkpoints that are new; all of them when the old ones can't be gone on from."""
        known = {(key.namespace, key.id) for key in keys}
        new = [key for key in keys if (key.namespace, key.id) not in self._known]
        if not self._known <= known or any(self._late_fork(key) for key in new):
            self._forget()
            new = list(keys)
        for key in new:
            if key.parent is not None:
                place = (key.namespace, key.parent)
                self._children[place] = self._children.get(place, 0) + 1
        self._pending = [*reversed(new), *self._pending]
        self._known = known

    def _late_fork(self, key: Key) -> bool:
        """Whether a new checkpoint follows one that another has followed already."""
        place = (key.namespace, key.parent or "")
        return place in self.steps and place not in self.lines

    def _reach(self, key: Key) -> None:
        """Move on to a checkpoint, once the one before it has been reached."""
        stack = [key]
        while stack:
            key = stack.pop()
            before = (key.namespace, key.parent) if key.parent is not None else None
            if before is not None and before not in self.steps and before in self._known:
                self._waiting.setdefault(before, []).append(key)
                continue
            self._move(key, before)
            stack += reversed(self._waiting.pop((key.namespace, key.id), []))

    def _move(self, key: Key, before: Place | None) -> None:
        point = self._contents.point(key, self._database.stored(key.row))
        if point.problem:
            self._note_problem(point.problem)
        writes: Sequence[Write] = ()
        above = self._above(point)
        by = point.source
        if before is not None and before in self.steps:
            writes = self._writes(before)
            line = self._line_from(before, writes, point)
            if point.source == "loop":
                self.steps[before].next_at = self.steps[before].next_at or point.at
                by = ", ".join(sorted({task.node or "?" for task in self.steps[before].tasks if task.messages}))
        else:
            line = self._first_line(key.namespace, above)
            line.state.doubt = "the checkpoint before it is missing" if before is not None else ""
        change = arrive(line.state, point, [write for write in writes if write.channel in LISTS], self._contents)
        line.seen = changed(line.seen, change, by)
        shown = {name: value for name, value in point.metadata.items() if name not in _INNER}
        line.metadata = line.metadata if shown == line.metadata else shown
        sends = sends_of(line.state.values)
        self.steps[key.namespace, key.id] = Step(
            key, point.step, point.source, point.at, above, line.metadata, line.branch, line.seen.request,
            line.state.messages.node, point.problem, point.cipher,
            sends, send_task_ids(key.id, key.namespace, point.step, sends),
        )  # fmt: skip
        self.lines[key.namespace, key.id] = line

    def _line_from(self, before: Place, writes: Sequence[Write], point: Point) -> Line:
        """The line that stands at a checkpoint; for every child but the first, a line of its own."""
        self._children[before] -= 1
        more = self._children[before] > 0
        line = self.lines.pop(before, None)
        if line is not None:
            told = self._tasks(self.steps[before], line, writes)
            if not self._database.has_writes and point.source == "loop" and point.values is not None:
                after = self._contents.messages(point.values.get("messages"))
                told = [task_between(_node_written(point.metadata), line.state.messages.items, after)]
            self._settle(self.steps[before], line, writes, told)
            if more:
                self._forks[before] = line.fork(line.branch)
            return line
        kept = self._forks[before] if more else self._forks.pop(before)
        return kept.fork(self._branch(kept.namespace, kept.branch))

    def _first_line(self, namespace: str, above: Place | None) -> Line:
        branch = self.steps[above].branch if above is not None else 0
        if namespace == "" and any(place[0] == "" for place in self.steps):
            branch = self._branch(namespace, branch)
        if namespace:
            outer, _, own = namespace.rpartition("|")
            self._nested.add((outer, own.partition(":")[2]))
        return Line(namespace, branch, start(self._contents.shelf))

    def _branch(self, namespace: str, branch: int) -> int:
        """Number of a new line of history; one inside a subagent belongs to its caller's."""
        if namespace:
            return branch
        self._branches += 1
        return self._branches

    def _above(self, point: Point) -> Place | None:
        namespace = point.key.namespace
        if not namespace:
            return None
        outer = namespace.rpartition("|")[0]
        parents = point.metadata.get("parents")
        id = parents.get(outer) if isinstance(parents, dict) else None
        return (outer, id) if isinstance(id, str) and (outer, id) in self.steps else None

    def _writes(self, place: Place) -> list[Write]:
        return self._database.writes(self.thread_id, *place)

    def _settle(self, step: Step, line: Line, writes: Sequence[Write], tasks: Sequence[Task] | None = None) -> None:
        """Tell the requests that ran from a checkpoint.

        With ``tasks`` the line moves on, and remembers them; without, more may still be written.
        """
        place = (line.namespace, step.key.id)
        state = with_null_writes(line.state, writes, self._contents)
        step.raw = state.messages.node
        step.tasks = self._tasks(step, line, writes) if tasks is None else tasks
        for task in step.tasks:
            self._owners[line.namespace, task.id] = place
            if task.problem and tasks is not None:
                self._note_problem(f"a write is {task.problem}")
        nested = {task.id for task in step.tasks if (line.namespace, task.id) in self._nested}
        step.made = [
            make_request(
                step.key.row + at * ANOTHER, run, state, line.sent, line.seen.request, self._contents, self._rules
            )
            for at, run in enumerate(model_runs(state, step.tasks, self._nodes, nested))
        ]
        step.notes, seen = notes_of(step.made, step.tasks, state, line.seen, self._contents, self._rules)
        if tasks is not None:
            line.seen = seen
            if step.made:
                line.sent = step.made[-1].sent
                line.state.messages.kept = len(line.state.messages.items)

    def _tasks(self, step: Step, line: Line, writes: Sequence[Write]) -> list[Task]:
        names = {id: send.node for id, send in step.calls.items()}
        if any(not write.path for write in writes):
            for channel in line.state.values:
                node = channel.removeprefix("branch:to:")
                id = branch_task_id(step.key.id, line.namespace, step.number, node) if node != channel else None
                names |= {id: node} if id is not None else {}
        return tasks_of(writes, step.sends, names, self._contents)

    def _note_problem(self, words: str) -> None:
        self.problems[words] = self.problems.get(words, 0) + 1

    # What was found

    def newest(self, namespace: str = "") -> tuple[Step, Line] | None:
        """The newest checkpoint of a namespace, and the line that stands at it."""
        places = [place for place in self.lines if place[0] == namespace]
        if not places:
            return None
        place = max(places, key=lambda place: place[1])
        return self.steps[place], self.lines[place]

    @property
    def mixed(self) -> bool:
        """Whether some checkpoints are encrypted and some are not."""
        return len({bool(step.cipher) for step in self.steps.values()}) == 2

    def state_only(self) -> list[tuple[Step, Made]]:
        """The newest state in the place of a request, for a thread in which no model was called."""
        found = self.newest()
        if found is None or not (found[1].state.messages.items or found[0].problem):
            return []
        step, line = found
        run = ModelRun(None, "", None, 0, "open", None)
        return [(step, make_request(step.key.row, run, line.state, Sent(), None, self._contents, self._rules))]

    def caller(self, step: Step) -> tuple[int | None, Send | None]:
        """The request that started the agent which this checkpoint belongs to, and the tool call that did."""
        if not step.key.namespace:
            return None, None
        outer, _, own = step.key.namespace.rpartition("|")
        id = own.partition(":")[2]
        # Older releases don't note the outer checkpoint; its own task tells, once it has written.
        place = step.above or self._owners.get((outer, id))
        above = self.steps.get(place) if place is not None else None
        return (above.request, _call(above, id)) if above is not None else (None, None)


def _call(above: Step, task_id: str) -> Send | None:
    """The call that a task ran for: told by its result, by the task's id, or by being the only one."""
    for task in above.tasks:
        result = next((item.call for item in task.messages if item.call), None) if task.id == task_id else None
        if result is not None:
            same = next((send for send in above.sends if send.call == result), None)
            return same or Send("tools", result, None, None)
    if task_id in above.calls:
        return above.calls[task_id]
    asked = [send for send in above.sends if send.name == "task"]
    return asked[0] if len(asked) == 1 else None


def _node_written(metadata: Mapping[str, Any]) -> str:
    """The node that made a checkpoint, as releases of 2024 noted it."""
    writes = metadata.get("writes")
    return next(iter(writes), "") if isinstance(writes, dict) else ""

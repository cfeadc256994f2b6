"""A thread that has been read, as the values of the read model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.errors import UsageError
from engine.sources.kept_files import KeptFiles
from engine.sources.line import Contents
from engine.sources.listing import is_recent
from engine.sources.notices import Note
from engine.sources.requests import Made, shown_values
from engine.sources.rules import Rules
from engine.sources.tasks import branch_task_id
from engine.sources.thread import Step, Thread, requests_in
from engine.trace.fate import REASONS, align
from engine.trace.model import (
    Branch,
    Event,
    RawRow,
    RequestDetail,
    RequestLists,
    RequestRow,
    Summary,
    Usage,
)

NOT_RECORDED = {
    "system": "The system message is not in a LangGraph database: neither the base prompt nor what middlewares added "
    "to it. Memory and skills are there as the state has cached them.",
    "tools": "The tools' schemas are not in a LangGraph database. Which tools were called is told by the messages.",
    "provider": "The model's parameters are not in a LangGraph database. Shown is what the writing program left in "
    "the state, in its metadata and in the answer.",
    "messages": "Rebuilt from the checkpoint, with the summary in force applied. What a middleware changed only on "
    "the way to the model (cut arguments, inserted messages) left no trace.",
}
_NO_ANSWER = "No answer is in the database: the run was stopped here, or the call had not begun."
_NO_RUN = "No single model call can be told from this thread's checkpoints: shown is its newest state."


class ThreadView(KeptFiles):
    """Rows, details and events of one thread. Not thread-safe."""

    def __init__(self, thread: Thread, contents: Contents, rules: Rules) -> None:
        self.thread, self._contents, self._rules = thread, contents, rules
        self._shelf = contents.shelf
        self.stale = True
        """Whether the file may hold more of it than was read."""
        self.ids: list[int] = []
        self.events: list[Event] = []
        self.event_ids: dict[int, Event] = {}
        self._known_events: dict[tuple[Any, ...], int] = {}
        self._found: dict[int, tuple[Step, Made]] = {}
        self._numbers: dict[int, int] = {}
        self._after: dict[int, int] = {}
        self._kinds: dict[int, tuple[str, ...]] = {}

    @property
    def count(self) -> int:
        """Requests that a model answered, or was to answer."""
        return sum(1 for _, made in self._found.values() if made.run.node)

    @property
    def problem(self) -> str:
        """What can't be read, in words."""
        return "; ".join(
            words if many == 1 else f"{words} ({many} times)" for words, many in self.thread.problems.items()
        )

    def number(self) -> None:
        """Bring requests and events into order, after the thread was read."""
        pairs = requests_in(self.thread.steps.values()) or self.thread.state_only()
        self._found = {made.id: (step, made) for step, made in pairs}
        self.ids = list(self._found)
        self._numbers = {id: number for number, id in enumerate(self.ids, start=1)}
        self._after = {}
        for made in (made for _, made in pairs):
            if made.follows is not None:
                self._after.setdefault(made.follows, made.id)
        notes = [(step, note) for step in self.thread.steps.values() for note in step.notes]
        notes.sort(key=lambda pair: self._numbers.get(pair[1].request or 0, 0))
        self.events = [self._event(step, note) for step, note in notes]
        self.event_ids = {event.id: event for event in self.events}
        kinds: dict[int, dict[str, None]] = {}
        for event in self.events:
            if event.request is not None:
                kinds.setdefault(event.request, {})[event.kind] = None
        self._kinds = {id: tuple(found) for id, found in kinds.items()}

    def _event(self, step: Step, note: Note) -> Event:
        """The event of a note; the same one has the same id however often the thread is read."""
        at = self._found[note.request][0].at if note.request in self._found else step.at
        name = (note.request, note.kind, step.key.row, repr(sorted(note.data.items(), key=lambda item: item[0])))
        id = self._known_events.setdefault(name, len(self._known_events) + 1)
        return Event(id, note.request, self._numbers.get(note.request or 0), note.kind, at or 0.0, note.data)

    # Requests

    def row(self, id: int) -> RequestRow:
        """A request in the list. Raises ``UsageError``."""
        step, made = self._get(id)
        namespace = step.key.namespace
        parent, call = self.thread.caller(step)
        sizes = self._shelf.sizes(made.sent.node)
        status, error = self._status(step, made)
        ended = step.next_at if status == "done" and step.at is not None else None
        task = made.run.task
        own = task.id if task is not None else branch_task_id(step.key.id, namespace, step.number, made.run.node)
        inner = f"{made.run.node}:{own}" if own else made.run.node
        name = step.metadata.get("lc_agent_name")
        return RequestRow(
            id=id,
            thread_id=self.thread.thread_id,
            number=self._numbers[id],
            purpose="other" if not made.run.node else "subagent" if namespace else "agent",
            agent=name if isinstance(name, str) else call.agent if call is not None else None,
            parent=parent,
            parent_call=call.call if call is not None else None,
            depth=namespace.count("|") + 1 if namespace else 0,
            step=None if step.number is None else step.number + 1,
            checkpoint_ns=f"{namespace}|{inner}" if namespace else inner,
            checkpoint_id=step.key.id,
            status=status,
            error=error,
            started_at=step.at or 0.0,
            duration_ms=None if ended is None else max(0.0, (ended - (step.at or 0.0)) * 1000),
            model=self._model(made),
            messages=made.sent_count,
            raw_messages=made.raw_count,
            chars=self._shelf.chars(made.sent.node),
            estimated_tokens=sum(sizes.values()),
            usage=_usage(made.fields.get("usage_metadata")),
            sizes=sizes,  # type: ignore[arg-type]
            window=None,
            trigger=None,
            events=self._kinds.get(id, ()),
            branch=step.branch,
            follows=made.follows,
            problem=self._problem(step, made),
        )

    def detail(self, id: int) -> RequestDetail:
        """A request with its areas."""
        step, made = self._get(id)
        row = self.row(id)
        follows = self._found.get(made.follows or 0)
        before = frozenset(piece[0] for piece in self._shelf.path(follows[1].sent.node)) if follows else frozenset()
        raw, sent, aligned = align(
            self._shelf.path(made.raw), self._shelf.path(made.sent.node), made.cutoff, before, self._shelf.value
        )
        usage = made.fields.get("usage_metadata")
        return RequestDetail(
            row=row,
            system=(),
            messages=sent,
            tools=(),
            raw=raw,
            aligned=aligned,
            cutoff=made.cutoff,
            provider=self._provider(step, made),
            response=made.run.answer.part if made.run.answer is not None else None,
            usage=usage if isinstance(usage, dict) else None,
            events=tuple(event for event in self.events if event.request == id),
            exact=False,
            not_recorded=self._not_recorded(made, row),
        )

    def lists(self, id: int) -> RequestLists:
        """The lists of a request as pieces."""
        made = self._get(id)[1]
        return RequestLists(
            system=(),
            tools=(),
            messages=self._shelf.path(made.sent.node),
            raw=self._shelf.path(made.raw),
            cutoff=made.cutoff,
            response=made.run.answer.part if made.run.answer is not None else None,
            system_by=(),
            tools_by={},
            messages_by=(),
            order=(),
            rules={},
            layers=(),
        )

    def _get(self, id: int) -> tuple[Step, Made]:
        if id not in self._found:
            raise UsageError(f"There is no request {id} in this thread.")
        return self._found[id]

    def _status(self, step: Step, made: Made) -> tuple[Any, str | None]:
        if made.run.status == "done":
            return "done", None
        if made.run.status == "failed":
            return "failed", made.run.task.error if made.run.task is not None else None
        leaf = (step.key.namespace, step.key.id) in self.thread.lines
        waiting = bool(made.run.node) and made.run.task is None and leaf and is_recent(step.at)
        return ("running" if waiting else "stopped"), None

    def _problem(self, step: Step, made: Made) -> str | None:
        found = [step.problem, made.doubt]
        if not made.run.node:
            found.append(_NO_RUN)
        elif self._status(step, made)[0] == "stopped":
            found.append(_NO_ANSWER)
        if self.thread.mixed and not step.cipher:
            found.append("not protected: other checkpoints of this thread are encrypted, this one is not")
        return "; ".join(dict.fromkeys(words for words in found if words)) or None

    def _model(self, made: Made) -> str | None:
        metadata = made.fields.get("response_metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        written = made.run.task.other if made.run.task is not None else {}
        named = (metadata.get("model_name"), metadata.get("model"), written.get("_model_spec"))
        return next((name for name in named if isinstance(name, str)), None)

    def _provider(self, step: Step, made: Made) -> dict[str, Any]:
        """What the writing program left of the call, in the shape of a recorded provider area."""
        metadata = made.fields.get("response_metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        plain = self._contents.plain
        after = self._values_after(made)
        written = {name: value for name, value in after.items() if made.values.get(name, _NOTHING) != value}
        return {
            "provider": metadata.get("model_provider"),
            "model": self._model(made),
            "class": None,
            "params": {},
            "kwargs": {},
            "stop": None,
            "model_settings": {},
            "profile": {},
            "cache_markers": None,
            "wire": None,
            "metadata": plain(step.metadata),
            "state": plain(made.values),
            "written": plain(written),
        }

    def _values_after(self, made: Made) -> Mapping[str, Any]:
        """The state's other channels at the next request, or where the line ends."""
        later = self._found.get(self._after.get(made.id, 0))
        if later is not None:
            return later[1].values
        for line in self.thread.lines.values():
            if line.seen.request == made.id:
                return shown_values(line.state.values)
        return made.values

    def _not_recorded(self, made: Made, row: RequestRow) -> dict[str, str]:
        found = dict(NOT_RECORDED)
        if made.sent.previews:
            found["messages"] += (
                " Previews of long user messages are made by the rule of the deepagents that is installed here."
            )
        if made.run.answers > 1:
            found["messages"] += f" This step wrote {made.run.answers} answers; what each call was sent is not known."
        if made.run.answer is None:
            found["response"] = row.error or row.problem or "No answer is in the database yet."
        return found

    # Summaries and branches

    def summaries(self) -> list[Summary]:
        """Every summary, in order."""
        return [self._summary(event) for event in self.events if event.kind == "summary"]

    def _summary(self, event: Event) -> Summary:
        data = event.data
        path = data["path"]
        problem = data.get("problem")
        if problem is None and path is not None and path not in self.newest_files():
            problem = "not found: the saved history is not in this database"
        return Summary(
            event=event.id,
            request=event.request,
            request_number=event.request_number,
            summary_request=None,
            at=event.at,
            cutoff=data["cutoff"],
            evicted_from=data["evicted_from"],
            tokens_before=data["tokens_before"],
            tokens_after=data["tokens_after"],
            path=path,
            part=data["part"],
            chained=data["chained"],
            problem=problem,
        )

    def evicted(self, event_id: int) -> list[RawRow]:
        """Raw messages that a summary evicted, and none before it had."""
        event = self.event_ids[event_id]
        if event.kind != "summary" or event.request not in self._found:
            return []
        pieces = self._shelf.path(self._found[event.request][1].raw)
        chosen = enumerate(pieces[event.data["evicted_from"] : event.data["cutoff"]], start=event.data["evicted_from"])
        return [
            RawRow(index, part, kind, chars, tokens, "summarized", REASONS["summarized"])  # type: ignore[arg-type]
            for index, (part, kind, chars, tokens) in chosen
        ]

    def branches(self) -> list[Branch]:
        """The thread's lines of checkpoints, the newest last."""
        parents = {step.key.id: step.key.parent for step in self._main()}
        found = []
        for place, line in sorted(self.thread.lines.items(), key=lambda item: item[0][1]):
            if place[0]:
                continue
            at: str | None = place[1]
            ids = set()
            while at is not None and at not in ids:
                ids.add(at)
                at = parents.get(at)
            found.append(Branch(place[1], frozenset(ids), frozenset(line.state.files)))
        return found

    def _main(self) -> Iterable[Step]:
        return (step for step in self.thread.steps.values() if not step.key.namespace)


def _usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    details = value.get("input_token_details")
    details = details if isinstance(details, dict) else {}
    created = [
        details[name]
        for name in ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
        if isinstance(details.get(name), int)
    ]
    return Usage(
        _number(value.get("input_tokens")),
        _number(value.get("output_tokens")),
        _number(details.get("cache_read")),
        sum(created) if created else None,
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


_NOTHING = object()

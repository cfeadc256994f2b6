"""A thread that has been read, as the values of the read model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import UsageError
from engine.sources.kept_files import KeptFiles
from engine.sources.line import Contents
from engine.sources.listing import is_recent
from engine.sources.requests import Made, shown_values
from engine.sources.rules import Rules
from engine.sources.steps import Step, requests_in
from engine.sources.tasks import branch_task_id
from engine.sources.thread import Thread
from engine.trace.fate import align
from engine.trace.model import (
    RequestDetail,
    RequestLists,
    RequestRow,
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
_UNPROTECTED = "not protected: other checkpoints of this thread are encrypted, this one is not"


class ThreadView(KeptFiles):
    """Rows, details and events of one thread. Not thread-safe."""

    def __init__(self, thread: Thread, contents: Contents, rules: Rules) -> None:
        super().__init__(thread, contents.shelf)
        self._contents, self._rules = contents, rules
        self.stale = True
        """Whether the file may hold more of it than was read."""
        self.held = False
        """Whether its reading was stopped: it answers from what was read until somebody goes on."""
        self.ids: list[int] = []
        self._found: dict[int, tuple[Step, Made]] = {}
        self._numbers: dict[int, int] = {}
        self._after: dict[int, int] = {}

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
        pairs = requests_in(self.thread.steps.values()) or ([] if self.stale else self.thread.state_only())
        self._found = {made.id: (step, made) for step, made in pairs}
        self.ids = list(self._found)
        self._numbers = {id: number for number, id in enumerate(self.ids, start=1)}
        self._after = {}
        for made in (made for _, made in pairs):
            if made.follows is not None:
                self._after.setdefault(made.follows, made.id)
        self.tell(self.thread.steps.values(), self._found, self._numbers)

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
        inner = f"{made.run.node}:{own}" if own and made.run.node else made.run.node
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
            events=self.kinds.get(id, ()),
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
        if not made.run.node:  # the newest state, where no call can be told: nothing was stopped
            return "done", None
        if made.run.status == "failed":
            return "failed", made.run.task.error if made.run.task is not None else None
        leaf = (step.key.namespace, step.key.id) in self.thread.lines
        waiting = bool(made.run.node) and made.run.task is None and leaf and is_recent(step.at)
        return ("running" if waiting else "stopped"), None

    def _problem(self, step: Step, made: Made) -> str | None:
        unprotected = self.thread.mixed and not step.cipher
        found = [_UNPROTECTED if unprotected else None, step.problem, made.doubt]
        if not made.run.node:
            if made.raw_count is not None or not step.problem:  # else nothing is shown, and why is said
                found.append(_NO_RUN)
        elif self._status(step, made)[0] == "stopped":
            found.append(_NO_ANSWER)
        told = list(dict.fromkeys(words.rstrip(".") for words in found if words))
        return "; ".join(told[:1] + [words[:1].lower() + words[1:] for words in told[1:]]) or None

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

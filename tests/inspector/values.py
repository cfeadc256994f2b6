"""Values of the read model for tests, and readers that answer with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import UsageError
from engine.running import HandRequest, Update, UpdateKind
from engine.trace.model import RequestDetail, RequestRow, ThreadRow, Usage

HOSTILE = (
    "<b>bold</b>",
    "<img src='/usr/share/pixmaps/debian-logo.png' width=4000>",
    "<a href='https://e.invalid'>Approve</a>",
    "<table><tr><td>x",
    "&lt;b&gt; &amp;",
    "first\n<b>second</b>",
    "[/dim] [bold red]x[/]",
    "<module 'x' from 'y'> failed",
    "list<str>",
    "</pre></body><h1>You are logged out</h1>",
    "<font size=99>big",
    "\x1b[8mhidden\x1b[0m",
    "%s {0} {name} $x \\n",
    "<!-- ",
    "<style>*{color:white}</style>",
    "a & b",
    "curl http://safe.example/\u202e\u2066moc.live\u2069/x | sh",
)


def thread(thread_id: str = "t", **changes: Any) -> ThreadRow:
    """A thread."""
    values: dict[str, Any] = {
        "thread_id": thread_id, "title": f"Title of {thread_id}", "agent": "analyst", "requests": 3,
        "created_at": 1_700_000_000.0, "updated_at": 1_700_000_500.0, "source": "workspace", "status": "idle",
    }  # fmt: skip
    return ThreadRow(**{**values, **changes})


def request(id: int = 1, **changes: Any) -> RequestRow:
    """A request; ``input`` and ``output`` are the reported tokens."""
    usage = Usage(changes.pop("input", None), changes.pop("output", None))
    sizes = changes.pop("sizes", {"system": 100, "tools": 400, "human": 50, "tool": 450})
    values: dict[str, Any] = {
        "id": id, "thread_id": "t", "number": id, "purpose": "agent", "agent": None, "parent": None,
        "parent_call": None, "depth": 0, "step": id, "checkpoint_ns": "", "checkpoint_id": None, "status": "done",
        "error": None, "started_at": 1_700_000_000.0 + id, "duration_ms": 1234.0, "model": "scripted",
        "messages": 3, "raw_messages": 3, "chars": 4000, "estimated_tokens": sum(sizes.values()), "usage": usage,
        "sizes": sizes, "window": None, "trigger": None, "events": (),
    }  # fmt: skip
    return RequestRow(**{**values, **changes})


def detail(row: RequestRow) -> RequestDetail:
    """A request with empty areas."""
    return RequestDetail(row, (), (), (), (), (), None, {}, None, None, (), True)


class FakeReader:
    """Answers from lists that a test may change; ``commit`` tells followers."""

    def __init__(self, threads: Sequence[ThreadRow] = (), rows: dict[str, list[RequestRow]] | None = None) -> None:
        self.version = 1
        self.thread_rows = list(threads)
        self.rows = rows or {}
        self.closed = False
        self.problem = ""

    def commit(self) -> None:
        self.version += 1

    def close(self) -> None:
        self.closed = True

    def data_version(self) -> int:
        return self.version

    def threads(self) -> list[ThreadRow]:
        return list(self.thread_rows)

    def load(self, _thread_id: str, _stop: Any = None, _progress: Any = None) -> bool:
        return True

    def loaded(self, thread_id: str) -> list[int]:
        return [row.id for row in self.rows.get(thread_id, [])]

    def request_ids(self, thread_id: str) -> list[int]:
        return [row.id for row in self.rows.get(thread_id, [])]

    def request_rows(self, ids: Sequence[int]) -> list[RequestRow]:
        known = {row.id: row for rows in self.rows.values() for row in rows}
        return [known[id] for id in ids if id in known]

    def request(self, request_id: int) -> RequestDetail:
        found = self.request_rows([request_id])
        if not found:
            raise UsageError(f"There is no request {request_id}.")
        return detail(found[0])

    def heads(self, _parts: Sequence[int]) -> dict[int, Any]:
        return {}

    def events(self, _thread_id: str) -> list[Any]:
        return []

    summaries = files = memory = skills = events


class FakeRun:
    """A run that tells what the test wants it to tell."""

    def __init__(self) -> None:
        self.updates: list[Update] = []
        self.hands: list[HandRequest] = []
        self.finished = False
        self.stops = 0
        self.lost, self.lost_reason = 0, ""
        self.result: Any = None

    def tell(self, kind: UpdateKind, text: str = "", **more: Any) -> None:
        """Queue an update."""
        if kind == "request":
            more = {"state": "started", "number": 1, "purpose": "agent", **more}
        self.updates.append(Update(kind, text, **more))
        if kind in ("done", "failed", "stopped", "interrupted"):
            self.finished = True

    def ask(self, request: HandRequest) -> None:
        """A request begins to wait for an answer by hand."""
        self.hands.append(request)
        self.tell("hand", hand=request)

    def waiting(self) -> list[HandRequest]:
        return list(self.hands)

    def drain(self) -> list[Update]:
        taken, self.updates = self.updates, []
        return taken

    def stop(self) -> None:
        self.stops += 1


class FakeRunning:
    """The door to running: keeps what it was asked, and gives runs of the test's."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.runs: list[FakeRun] = []
        self.fault: Exception | None = None

    def _begin(self, *asked: Any) -> FakeRun:
        self.asked.append(asked)
        if self.fault is not None:
            raise self.fault
        self.runs.append(FakeRun())
        return self.runs[-1]

    def start(self, thread_id: str, message: str, model: str | None) -> FakeRun:
        return self._begin("start", thread_id, message, model)

    def resume(self, thread_id: str, model: str | None) -> FakeRun:
        return self._begin("resume", thread_id, model)

    def answer(self, thread_id: str, answers: Any, model: str | None) -> FakeRun:
        return self._begin("answer", thread_id, answers, model)

    def compact(self, thread_id: str, model: str | None) -> FakeRun:
        return self._begin("compact", thread_id, model)

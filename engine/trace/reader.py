"""The one door to a record: every question that a window, a script or a test asks of it.

All methods may be called from any thread, and none writes. Lists come without bodies, so
their cost is that of their rows; bodies are read when a row is shown. Unknown threads and
requests raise ``UsageError``, an unreadable file ``WorkspaceError``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from engine.errors import UsageError
from engine.trace.book import Book, Recent
from engine.trace.content import head_of, text_of
from engine.trace.detail import detail_of
from engine.trace.files import Files
from engine.trace.happened import events_of_thread, evicted_by, summaries_of_thread
from engine.trace.layers import COLUMNS as LISTS
from engine.trace.layers import lists_of
from engine.trace.loading import Progress, Stop, nobody
from engine.trace.model import (
    Artifact,
    Branch,
    Event,
    MemoryFile,
    MessageHead,
    RawRow,
    RequestDetail,
    RequestLists,
    RequestRow,
    SkillRow,
    Summary,
    ThreadRow,
)
from engine.trace.rows import REQUEST_COLUMNS, SystemBases, request_row, thread_row
from engine.wire import read as wire
from engine.wire.model import WireAttempt
from engine.workbench import AgentEdit, FileVersion

_CHUNK = 500


class Reader:
    """Reads one workspace file."""

    kind: Literal["workspace", "langgraph"] = "workspace"
    read_only = ""
    problem = ""

    def __init__(self, path: str | Path) -> None:
        self._book = Book(Path(path))
        self._files = Files(self._book)
        self._heads: Recent[int, MessageHead] = Recent(20_000, lambda _: 1)
        self._bases = SystemBases(self._book)

    @property
    def path(self) -> Path:
        """The file."""
        return self._book.path

    def close(self) -> None:
        """Close the file."""
        self._book.close()

    def data_version(self) -> int:
        """A number that changes when anybody else has committed to the file; for this thread's connection."""
        row = self._book.one("PRAGMA data_version")
        return int(row[0]) if row else 0

    # Threads and requests

    def threads(self) -> list[ThreadRow]:
        """All threads, the one last changed first."""
        rows = self._book.rows(
            "SELECT t.thread_id, t.title, t.agent, (SELECT count(*) FROM requests r WHERE r.thread = t.id), "
            "t.created_at, t.updated_at, (SELECT status FROM runs WHERE thread = t.id ORDER BY id DESC LIMIT 1), "
            "(SELECT pid FROM runs WHERE thread = t.id ORDER BY id DESC LIMIT 1) "
            "FROM threads t ORDER BY t.updated_at DESC, t.id DESC"
        )
        return [thread_row(row) for row in rows]

    def load(self, thread_id: str, stop: Stop | None = None, progress: Progress = nobody) -> bool:
        """Nothing to wait for: of a workspace, what is asked for is read when it is asked for."""
        return True

    def loaded(self, thread_id: str) -> list[int]:
        """Ids of a thread's requests, all of them."""
        return self.request_ids(thread_id)

    def request_ids(self, thread_id: str) -> list[int]:
        """Ids of a thread's requests, in the order of their numbers; empty for an unknown thread."""
        rows = self._book.rows(
            "SELECT r.id FROM requests r JOIN threads t ON t.id = r.thread WHERE t.thread_id = ? ORDER BY r.number",
            (thread_id,),
        )
        return [row[0] for row in rows]

    def requests(self, thread_id: str) -> list[RequestRow]:
        """All requests of a thread, in the order of their numbers."""
        return self.request_rows(self.request_ids(thread_id))

    def request_rows(self, ids: Iterable[int]) -> list[RequestRow]:
        """Rows of these requests, in this order; those that are gone are left out."""
        wanted = list(ids)
        found: dict[int, RequestRow] = {}
        for start in range(0, len(wanted), _CHUNK):
            part = wanted[start : start + _CHUNK]
            marks = ",".join("?" * len(part))
            kinds: dict[int, dict[str, None]] = {}
            query = f"SELECT request, kind FROM events WHERE request IN ({marks}) ORDER BY id"
            for request, kind in self._book.rows(query, part):
                kinds.setdefault(request, {})[kind] = None
            query = (
                f"SELECT {REQUEST_COLUMNS} FROM requests r JOIN threads t ON t.id = r.thread "
                f"LEFT JOIN runs u ON u.id = r.run WHERE r.id IN ({marks})"
            )
            for row in self._book.rows(query, part):
                found[row[0]] = request_row(row, tuple(kinds.get(row[0], ())), self._bases.of(*row[29:31]))
        return [found[id] for id in wanted if id in found]

    def request(self, request_id: int) -> RequestDetail:
        """A request with its areas, without bodies."""
        rows = self.request_rows([request_id])
        if not rows:
            raise UsageError(f"There is no request {request_id} in {self.path}.")
        return detail_of(self._book, rows[0])

    def lists(self, request_id: int) -> RequestLists:
        """The lists of a request as pieces, and its layers, without reading the messages."""
        record = self._book.one(f"SELECT {LISTS} FROM requests WHERE id = ?", (request_id,))
        if record is None:
            raise UsageError(f"There is no request {request_id} in {self.path}.")
        return lists_of(self._book, record)

    # Parts

    def heads(self, parts: Sequence[int]) -> dict[int, MessageHead]:
        """What rows show of these messages."""
        return {part: self._heads.get(part, lambda part=part: head_of(part, self.message(part))) for part in parts}  # type: ignore[misc]

    def message(self, part: int) -> dict[str, Any]:
        """A message as LangChain's own dict, ``{"type": …, "data": …}``."""
        value = self._book.value(part)
        return value if isinstance(value, dict) else {"type": "block", "data": {"content": value}}

    def value(self, part: int) -> Any:
        """Any part's JSON value, exactly as recorded."""
        return self._book.value(part)

    def text(self, part: int) -> str:
        """The whole readable text of a part: a message's or a block's text, else its JSON."""
        value = self._book.value(part)
        if isinstance(value, dict) and isinstance(value.get("data"), dict) and "content" in value["data"]:
            return text_of(value["data"]["content"])
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            return str(value["text"])
        return self.json_text(part)

    def json_text(self, part: int) -> str:
        """The recorded JSON, indented; order and values are the record's."""
        return json.dumps(self._book.value(part), ensure_ascii=False, indent=2)

    def system_message(self, request_id: int) -> dict[str, Any] | None:
        """The whole system message as LangChain's own dict; None where the request had none."""
        record = self._book.one("SELECT system_node FROM requests WHERE id = ?", (request_id,))
        pieces = self._book.path_of(record[0]) if record else ()
        if not pieces:
            return None
        shell, *blocks = [self._book.value(piece[0]) for piece in pieces]
        content = blocks if shell["form"] == "list" else blocks[0]
        return {"type": shell["type"], "data": {"content": content, **shell["data"]}}

    # The wire

    def wire(self, request_id: int) -> tuple[WireAttempt, ...]:
        """What was sent to the provider for a request, attempt by attempt, without bodies."""
        return wire.attempts(self._book, request_id)

    def wire_bytes(self, attempt_id: int) -> bytes:
        """The body of an attempt, byte by byte but for secrets; empty where it was not kept."""
        return wire.content(self._book, attempt_id)

    # Events and summaries

    def events(self, thread_id: str) -> list[Event]:
        """Everything that context engineering did in a thread, in order."""
        return events_of_thread(self._book, thread_id)

    def summaries(self, thread_id: str) -> list[Summary]:
        """Every summary of a thread, in order; each one's ``event`` is its id."""
        return summaries_of_thread(self._book, thread_id)

    def evicted(self, event_id: int) -> list[RawRow]:
        """Raw messages that a summary evicted, and none before it had."""
        return evicted_by(self._book, event_id)

    # Files, memory and skills

    def files(self, thread_id: str) -> list[Artifact]:
        """Files that the thread's agent can read, by path."""
        return self._files.all(thread_id, self.events(thread_id))

    def file(self, thread_id: str, path: str) -> bytes:
        """Bytes of a file; raises ``UsageError`` when there is none of this path."""
        return self._files.read(thread_id, path)

    def branches(self, thread_id: str) -> list[Branch]:
        """The thread's lines of checkpoints, with the files at the end of each; several after a fork."""
        return self._files.branches(thread_id)

    def run_files(self, thread_id: str, namespace: str) -> frozenset[str]:
        """Paths of the files in a subagent's state; the thread gets them when the subagent has answered."""
        return frozenset(self._files.state(thread_id, namespace=namespace)[0])

    def memory(self, thread_id: str) -> list[MemoryFile]:
        """Memory sources of the thread's agent, in the order of loading."""
        from engine.memory.sources import memory_of  # deferred, as below: it reads this package

        return memory_of(self._book, self._files, thread_id, self.events(thread_id))

    def versions(self, path: str, thread_id: str | None = None) -> list[FileVersion]:
        """Every text that a memory or skill file of a thread's agent has had, the latest first, with who wrote it."""
        from engine.memory.versions import file_versions

        return file_versions(self._book, path, thread_id)

    def edits(self, thread_id: str | None = None, path: str | None = None) -> list[AgentEdit]:
        """What agents changed in memory and skill files, in order: in a thread or in all, one file or all."""
        from engine.memory.edits import agent_edits

        return agent_edits(self._book, thread_id, path)

    def copied_lines(self, edit: AgentEdit) -> list[tuple[int, str]]:
        """Lines of an edit that stood in a tool's result before: line in its new text, the tool's name."""
        from engine.memory.edits import copied_lines

        return copied_lines(self._book, edit)

    def version(self, id: int) -> bytes:
        """Bytes of one version; raises ``UsageError`` where there is none of this id."""
        from engine.memory.versions import version_bytes

        return version_bytes(self._book, id)

    def skills(self, thread_id: str) -> list[SkillRow]:
        """Skills of the thread's agent, as listed and as they are."""
        from engine.skills.found import skills_of

        return skills_of(self._book, self._files, thread_id, self.events(thread_id))

"""What the tests of running share: a workspace with its runner, and what is said of both."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from engine import Reader, Runner, Workspace
from engine.running import Update
from engine.trace.model import Event, RequestRow


class World:
    """A workspace, its runner, and everything that its runs tell."""

    def __init__(self, file: Path) -> None:
        self.file = Workspace.create(file).path
        self.runner = Runner(self.file)

    def reopen(self) -> None:
        """As a new process has it."""
        self.runner.close()
        self.runner = Runner(self.file)

    def done(self, run: Any) -> list[Update]:
        """Wait for a run's end; what it told."""
        assert run.wait(60)
        assert run.lost == 0, run.lost_reason
        return run.drain()

    def rows(self, thread: str = "t") -> list[RequestRow]:
        """The requests of a thread."""
        with closing(Reader(self.file)) as reader:
            return reader.requests(thread)

    def events(self, kind: str, thread: str = "t") -> list[Event]:
        """Events of one kind."""
        with closing(Reader(self.file)) as reader:
            return [event for event in reader.events(thread) if event.kind == kind]

    def status(self, thread: str = "t") -> str:
        """Of a thread, as the list shows it."""
        with closing(Reader(self.file)) as reader:
            return next(row.status for row in reader.threads() if row.thread_id == thread)

    def sent(self, request: int) -> list[str]:
        """Texts of the messages of a request."""
        with closing(Reader(self.file)) as reader:
            return [reader.text(row.part) for row in reader.request(request).messages]


def until(run: Any, wanted: Callable[[Update], bool]) -> Update:
    """Wait for an update of a run; it must not end before."""
    while True:
        for update in run.drain():
            if wanted(update):
                return update
        assert not run.wait(0.01), run.error

"""Heads of messages, read a page at a time for the rows that are on the screen.

A head belongs to a part, and parts never change, so what was read stays right, and so does the line that is
painted of it, which is made beside the reading. One cache serves the Messages view and Raw ↔ Effective.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from engine.trace.model import MessageHead
from inspector.jobs import Jobs
from inspector.models.cells import Segment, segments
from inspector.models.late import while_alive

PAGE = 128
KEPT = 8_192
WAITING = 512
"""Rows that may wait to be read; older wishes were scrolled past and are dropped."""


class ReadsHeads(Protocol):
    """The part of the reader that this needs."""

    def heads(self, parts: list[int]) -> dict[int, MessageHead]:
        """Heads of these parts."""


class _Known(NamedTuple):
    head: MessageHead
    segments: tuple[Segment, ...]


class Heads(QObject):
    """Asked for a head, gives it or None, and tells when more have come."""

    arrived = Signal(object)
    """A set of parts whose heads are here now (or can't be had: see ``problem``)."""

    def __init__(self, reader: ReadsHeads, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._jobs = reader, jobs
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._problems: dict[int, str] = {}
        self._wanted: OrderedDict[int, None] = OrderedDict()
        self._reading: set[int] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._read)

    def get(self, part: int) -> MessageHead | None:
        """The head, None while it isn't known."""
        known = self._known.get(part)
        if known is None:
            return None
        self._known.move_to_end(part)
        return known.head

    def segments(self, part: int) -> tuple[Segment, ...] | None:
        """The line of a message: first line, calls, and words for what has no text; None while it isn't known."""
        known = self._known.get(part)
        return None if known is None else known.segments

    def problem(self, part: int) -> str | None:
        """Why a head can't be had; None when it can, or nobody knows yet."""
        return self._problems.get(part)

    def want(self, parts: Iterable[int]) -> None:
        """Read these soon, the last ones first."""
        for part in parts:
            if part in self._known or part in self._problems or part in self._reading:
                continue
            self._wanted[part] = None
            self._wanted.move_to_end(part)
        while len(self._wanted) > WAITING:
            self._wanted.popitem(last=False)
        if self._wanted and not self._reading and not self._timer.isActive():
            self._timer.start()

    def _read(self) -> None:
        if self._reading or not self._wanted:
            return
        page = [self._wanted.popitem()[0] for _ in range(min(PAGE, len(self._wanted)))]
        self._reading = set(page)
        self._jobs.run(
            "Reading messages", _heads, self._reader, page,
            done=self._arrive, failed=while_alive(self, lambda sentence: self._fail(page, sentence)), quiet=True,
        )  # fmt: skip

    def _arrive(self, result: tuple[dict[int, _Known], dict[int, str]]) -> None:
        found, problems = result
        self._known.update(found)
        self._problems.update(problems)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        self._next(set(found) | set(problems))

    def _fail(self, page: list[int], sentence: str) -> None:
        self._problems.update(dict.fromkeys(page, sentence))
        self._next(set(page))

    def _next(self, told: set[int]) -> None:
        self._reading = set()
        self.arrived.emit(told)
        if self._wanted:
            self._timer.start()


def _heads(reader: ReadsHeads, page: list[int]) -> tuple[dict[int, _Known], dict[int, str]]:
    """Heads and their lines; where a page fails, one at a time, so that one bad part spoils one row only."""
    problems: dict[int, str] = {}
    try:
        found = reader.heads(page)
    except Exception:
        found = {}
        for part in page:
            try:
                found.update(reader.heads([part]))
            except Exception as error:  # any fault of one damaged part is told in its row
                problems[part] = str(error) or type(error).__name__
    known = {part: _Known(head, segments(head)) for part, head in found.items()}
    return known, problems | _missing(page, found, problems)


def _missing(page: list[int], found: dict[int, MessageHead], problems: dict[int, str]) -> dict[int, str]:
    return {part: "this message is not in the record" for part in page if part not in found and part not in problems}

"""A file that a stranger's models are recorded into, held against what they were given."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine import Reader
from tests.contract.stranger import Native, Plain, Seen, as_text


class Recorded:
    """A file that is recorded into, and what models were given meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path, self.seen = path, Seen()

    def model(self, kind: type[Plain] = Native, *answers: Any, **more: Any) -> Plain:
        return kind(answers=answers or ("yes it is",), seen=self.seen, **more)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Reader]:
        with contextlib.closing(Reader(self.path)) as reader:
            yield reader

    def check(self, requests: int | None = None) -> list[Any]:
        """Hold the record against what the models were given; its requests."""
        with self.reading() as reader:
            rows = [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]
            recorded = Counter(as_text(as_received(reader, row.id)) for row in rows)
            received = Counter(map(as_text, self.seen.calls))
            assert not received - recorded
            assert not recorded - received
            assert all(reader.request(row.id).exact for row in rows)
            assert not [
                event
                for thread in reader.threads()
                for event in reader.events(thread.thread_id)
                if event.kind == "lost"
            ]
        assert requests is None or len(rows) == requests
        return rows


def as_received(reader: Reader, request: int) -> dict[str, Any]:
    """A request of the record in the form of :class:`Seen`."""
    detail, system = reader.request(request), reader.system_message(request)
    messages = [reader.message(row.part) for row in detail.messages]
    return {
        "messages": [as_text(message) for message in ([system] if system else []) + messages],
        "tools": [as_text(reader.value(row.part)) for row in detail.tools],
        "kwargs": as_text(detail.provider["kwargs"]),
        "stop": as_text(detail.provider["stop"]),
    }

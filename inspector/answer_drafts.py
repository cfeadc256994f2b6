"""What was typed into answers and not sent, by thread and question: kept while one looks elsewhere, and on the disk."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.jobs import Jobs
from inspector.prefs import Drafts

WRITE_MS = 700


class AnswerDrafts(QObject):
    """Drafts are small dicts of text, by thread and by a key of the question's."""

    came = Signal(str)
    """The drafts of a thread were read from the disk: its id."""
    lost = Signal(str)
    """The disk refused them: a sentence."""

    def __init__(self, jobs: Jobs, drafts: Drafts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._drafts = jobs, drafts
        self._source = ""
        self._known: dict[str, dict[str, Any]] = {}
        self._read: set[str] = set()
        self._dirty: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WRITE_MS)
        self._timer.timeout.connect(self.flush)

    def use(self, source: str) -> None:
        """Keep the drafts of another source."""
        self.flush()
        self._source, self._known, self._read = source, {}, set()

    def load(self, thread_id: str) -> None:
        """Read a thread's drafts from the disk, once; ``came`` follows."""
        if thread_id in self._read:
            return
        source = self._source
        self._jobs.run(
            "Reading the draft of an answer", self._drafts.read, self._place(), thread_id,
            done=lambda text: self._take(source, thread_id, text), key=(self, thread_id), quiet=True,
        )  # fmt: skip

    def is_read(self, thread_id: str) -> bool:
        """Whether what the disk has is known."""
        return thread_id in self._read

    def get(self, thread_id: str, key: str) -> dict[str, Any]:
        """What was typed; empty for nothing."""
        return dict(self._known.get(thread_id, {}).get(key) or {})

    def put(self, thread_id: str, key: str, typed: dict[str, Any]) -> None:
        """Keep what is typed; an empty dict forgets it."""
        known = self._known.setdefault(thread_id, {})
        if known.get(key, {}) == typed:
            return
        known[key] = typed
        if not typed:
            del known[key]
        self._dirty.add(thread_id)
        self._timer.start()

    def adopt(self, thread_id: str, key: str, agent: str, taken: Collection[str]) -> dict[str, Any]:
        """What was typed under ``key``; else what was typed for the same agent under a key that none has any more."""
        known = self._known.get(thread_id, {})
        if key not in known:
            left = next(
                (other for other, typed in known.items() if other not in taken and typed.get("for") == agent), ""
            )
            if left:
                self.put(thread_id, key, known[left])
                self.put(thread_id, left, {})
        return self.get(thread_id, key)

    def forget(self, thread_id: str) -> None:
        """The thread was deleted: what was typed into its answers goes, on the disk too."""
        self._known.pop(thread_id, None)
        self._read.add(thread_id)
        self._dirty.add(thread_id)
        self.flush()

    def flush(self, now: bool = False) -> None:
        """Write what has changed; ``now`` waits for the disk (the window is closing)."""
        self._timer.stop()
        for thread_id in sorted(self._dirty & self._read):
            text = json.dumps(self._known[thread_id]) if self._known.get(thread_id) else ""
            if now:
                self._drafts.write(self._place(), thread_id, text)
            else:
                self._jobs.run("Keeping the draft", self._drafts.write, self._place(), thread_id, text,
                               done=self._written, quiet=True, lane="answer drafts")  # fmt: skip
        self._dirty -= self._read

    def _place(self) -> str:
        return f"{self._source}\0answer"

    def _written(self, kept: bool) -> None:
        if not kept:
            self.lost.emit(
                "The draft of the answer could not be written to the disk: it is kept while the window is open."
            )

    def _take(self, source: str, thread_id: str, text: str) -> None:
        if source != self._source or thread_id in self._read:
            return
        self._read.add(thread_id)
        try:
            found = json.loads(text) if text else {}
        except ValueError:
            found = {}
        if isinstance(found, dict):
            kept = {key: typed for key, typed in found.items() if isinstance(typed, dict)}
            self._known[thread_id] = kept | self._known.get(thread_id, {})
        self.came.emit(thread_id)

"""Keeps the unsaved text of one buffer on disk while it is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engine.errors import InspectorError
from inspector import memory_files
from inspector.drafts import Slot
from inspector.jobs import Jobs

DRAFT_DELAY_MS = 500
"""Unsaved text is on disk at most this long after the first key that changed it."""


class DraftKeeper(QObject):
    """Writes what ``texts`` gives to a slot, soon after it was edited; without a slot it does nothing."""

    failed = Signal(str)
    """The unsaved text can't be kept; a sentence."""

    def __init__(
        self, jobs: Jobs, slot: Slot | None, texts: Callable[[], tuple[Any, ...] | None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._slot, self._texts = jobs, slot, texts
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DRAFT_DELAY_MS)
        self._timer.timeout.connect(self.keep)

    def edited(self) -> None:
        """It was typed: keep it soon."""
        if self._slot is not None and not self._timer.isActive():
            self._timer.start()

    def keep(self) -> None:
        """Keep it now, in a job."""
        texts = self._texts()
        if texts is None or self._slot is None:
            return
        self._turn += 1
        self._jobs.run(
            "Keeping unsaved text", memory_files.keep_draft, self._slot, self._turn, *texts,
            failed=self.failed.emit, quiet=True,
        )  # fmt: skip

    def flush(self) -> None:
        """Keep it now, before the window goes."""
        self._timer.stop()
        texts = self._texts()
        if texts is None or self._slot is None:
            return
        self._turn += 1
        try:
            memory_files.keep_draft(self._slot, self._turn, *texts)
        except InspectorError as error:
            self.failed.emit(str(error))

    def forget(self) -> None:
        """It was saved, or given up."""
        self._timer.stop()
        if self._slot is not None:
            self._turn += 1
            self._jobs.run(
                "Forgetting saved text", memory_files.discard_draft, self._slot, self._turn,
                failed=self.failed.emit, quiet=True,
            )  # fmt: skip

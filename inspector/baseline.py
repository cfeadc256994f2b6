"""The baseline of Diff as the workspace keeps it: put back when its thread is opened again."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from inspector.annotations import Annotations
from inspector.session import Session


class Baseline(QObject):
    """Between the annotations and Diff; a baseline from another thread stays where a thread has none of its own."""

    def __init__(self, session: Session, annotations: Annotations, diff: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._annotations, self._diff = session, annotations, diff
        self._applied: tuple[str | None, int | None] = (None, None)
        annotations.changed.connect(self._follow)
        session.rows_changed.connect(self._follow)

    def set(self, request: int | None) -> None:
        """Keep another one with the selected thread."""
        self._annotations.set_baseline(request)

    def _follow(self) -> None:
        wanted = (self._session.thread_id, self._annotations.baseline)
        if wanted == self._applied:
            return
        thread, request = wanted
        if request is None:
            gone = self._applied[1] if self._applied[0] == thread else None
            if gone is not None and self._diff.baseline is not None and self._diff.baseline.id == gone:
                self._diff.use_baseline(None)
        elif (row := self._session.rows.row(request)) is None:
            return  # until it has been read
        else:
            self._diff.use_baseline(row)
        self._applied = wanted

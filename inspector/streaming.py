"""Shows the answer of the selected request while it streams, as long as that request is the one that runs."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from inspector.session import Session
from inspector.turns import Turns


class Streaming(QObject):
    """Between the runs, the session of the open source, and the view of the selected request."""

    def __init__(self, turns: Turns, session: Session, live: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._turns, self._session, self._live = turns, session, live
        turns.changed.connect(self._turn_changed)
        session.request_changed.connect(lambda _row: self._show())
        session.rows_changed.connect(self._show)

    def _turn_changed(self, thread_id: str) -> None:
        if thread_id == self._session.thread_id:
            self._show()

    def _show(self) -> None:
        row = self._session.request_row()
        streams = row is not None and row.status == "running" and row.purpose == "agent"
        self._live.follow(self._turns.of(self._session.thread_id) if streams else None)

"""``Memory ≠`` on its tab: whether a memory file is another now than the thread has it, without opening the pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from inspector.jobs import Jobs
from inspector.session import Session
from inspector.surroundings import Surroundings
from inspector.views.flat_tabs import DIFFERS

if TYPE_CHECKING:
    from engine.trace.model import MemoryFile

SOON_MS, LATER_MS = 300, 2000
"""After another thread was selected, when its first request is on the screen; and after somebody committed."""
_SAME = (None, "none", "not-loaded")


class DriftMark(QObject):
    """Looks once for each thread, and again when the file has changed and come to rest."""

    def __init__(self, session: Session, reader: Any, jobs: Jobs, around: Surroundings, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._reader, self._jobs, self._around = session, reader, jobs, around
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._look)
        session.thread_changed.connect(self._thread_changed)
        session.data_changed.connect(lambda: self._timer.start(LATER_MS))

    def close(self) -> None:
        """Look no more."""
        self._timer.stop()
        self._jobs.cancel((self, "drift"))
        self._around.set_mark("memory", "")

    def _thread_changed(self, _thread_id: object) -> None:
        self._jobs.cancel((self, "drift"))
        self._around.set_mark("memory", "")
        self._timer.start(SOON_MS)

    def _look(self) -> None:
        if self._session.thread_id is not None:
            self._jobs.run(
                "Comparing memory", drifts, self._reader, self._session.thread_id,
                done=self._tell, failed=lambda _sentence: None, key=(self, "drift"), quiet=True,
            )  # fmt: skip

    def _tell(self, drift: bool) -> None:
        self._around.set_mark("memory", DIFFERS if drift else "")


def drifts(reader: Any, thread_id: str) -> bool:
    """Whether file, thread and last request differ anywhere in the thread's memory."""
    files: list[MemoryFile] = reader.memory(thread_id)
    return any(file.drift not in _SAME for file in files)

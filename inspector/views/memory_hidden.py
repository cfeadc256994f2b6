"""Says of the text being edited what can't be seen in it: hidden and direction-changing characters."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from inspector import memory_files
from inspector.jobs import Jobs
from inspector.views.memory_editor import MemoryEditor

DELAY_MS = 300


class HiddenWatch(QObject):
    """Looks again, off the GUI thread, when the text has come to rest."""

    found = Signal()
    """``words`` is another."""

    def __init__(self, jobs: Jobs, editor: MemoryEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        """How many there are and where the first stands; empty without any."""
        self._jobs, self._editor = jobs, editor
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._look)
        editor.textChanged.connect(self._timer.start)

    def _look(self) -> None:
        buffer = self._editor.buffer
        if buffer is None or buffer.read_only:
            self._found("")
            return
        self._jobs.run(
            "Looking for hidden characters",
            memory_files.hidden_in,
            buffer.text(),
            done=self._found,
            key=(self, "hidden"),
            quiet=True,
        )

    def _found(self, words: str) -> None:
        if words != self.words:
            self.words = words
            self.found.emit()

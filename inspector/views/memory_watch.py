"""Looks at the text that is edited, off the GUI thread, when it has come to rest: what the model would get of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.views.memory_buffer import MemoryBuffer
from inspector.workbench import Preview

DELAY_MS = 300
_NOUNS = {
    "secret": "likely secret",
    "instructions": "likely injected instruction",
    "hidden": "hidden character",
    "section": "mark of the engine's",
}


class PreviewWatch(QObject):
    """One look serves the count of warnings at the editor and the preview beside it."""

    found = Signal()
    """``preview`` is another one; None while there is none."""
    failed = Signal(str)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.preview: Preview | None = None
        self.window_tokens: int | None = None
        """Of the model of the thread's last request; without it nothing is too long."""
        self.share = 0.05
        """Of that window: a file that costs more is too long."""
        self._jobs = jobs
        self._buffer: MemoryBuffer | None = None
        self._others: tuple[tuple[str, str | None], ...] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self.look)

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Look at another text."""
        if self._buffer is not None:
            self._buffer.document.contentsChanged.disconnect(self._timer.start)
        self._buffer, self.preview = buffer, None
        self._jobs.cancel((self, "preview"))
        if buffer is not None:
            buffer.document.contentsChanged.connect(self._timer.start)
        self.look()

    def set_sources(self, sources: Sequence[tuple[str, str | None]], window_tokens: int | None) -> None:
        """All memory sources in order, with their texts: they stand in the same block."""
        if (tuple(sources), window_tokens) != (self._others, self.window_tokens):
            self._others, self.window_tokens = tuple(sources), window_tokens
            self.look()

    def set_share(self, share: float) -> None:
        """From which share of the window on a file is too long."""
        if share != self.share:
            self.share = share
            self.look()

    def look(self) -> None:
        """Look now."""
        self._timer.stop()
        buffer = self._buffer
        if buffer is None or buffer.read_only or (buffer.missing and not buffer.creating):
            self._take(None)
            return
        self._jobs.run(
            "Looking what the model would get",
            workbench.preview,
            buffer.path,
            buffer.exact_text(),
            self._others,
            self.window_tokens,
            self.share,
            done=self._take,
            failed=self._failed,
            key=(self, "preview"),
            quiet=True,
        )

    def warnings(self) -> int:
        """How many findings are more than a note."""
        return 0 if self.preview is None else sum(one.level != "note" for one in self.preview.findings)

    def words(self) -> str:
        """The warnings by their kinds: ``! 1 likely secret, 2 hidden characters (line 3)``; empty without any."""
        found = [one for one in self.preview.findings if one.level != "note"] if self.preview is not None else []
        if not found:
            return ""
        kinds: dict[str, int] = {}
        for one in found:
            kinds[one.kind] = kinds.get(one.kind, 0) + 1
        told = [format.count(many, _NOUNS[kind]) if kind in _NOUNS else kind for kind, many in kinds.items()]
        first = next((one.line for one in found if one.line is not None), None)
        where = "" if first is None else f" (line {first})" if len(found) == 1 else f" (the first in line {first})"
        return f"! {', '.join(told)}{where}"

    def _take(self, found: Preview | None) -> None:
        self.preview = found
        self.found.emit()

    def _failed(self, sentence: str) -> None:
        self.preview = None
        self.failed.emit(sentence)
        self.found.emit()

"""What the model would get of the text in the editor, live, and what there is to know about it before a save."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from engine.workbench import Finding
from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.models.items import Column, ItemsModel
from inspector.panes import plain_label, tint
from inspector.views.items_table import ItemsTable
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.parts import BESIDE_NEVER, MARGIN, AspectSplitter, Line
from inspector.views.text import TextView
from inspector.workbench import Preview

DELAY_MS = 300
_LEVELS = {"note": "", "warning": "! ", "stops": "!! "}


class FindingsModel(ItemsModel[tuple[int, Finding]]):
    """Findings in the order of the text; keyed by their place in the list and what they say."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column(
                    "Finding",
                    lambda one: _LEVELS[one[1].level] + one[1].sentence,
                    kind=lambda one: None if one[1].level == "note" else "error",
                    cut_end=True,
                ),
                Column(
                    "Line",
                    lambda one: format.UNKNOWN if one[1].line is None else format.exact(one[1].line),
                    lambda one: "Of the whole text." if one[1].line is None else f"Line {one[1].line}",
                    sort=lambda one: one[1].line or 0,
                    right=True,
                ),
            ),
            lambda one: (one[0], one[1].kind, one[1].sentence),
        )


class PreviewPane(QWidget):
    """Looks again, off the GUI thread, when the text has come to rest."""

    go_to_line = Signal(int)

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._buffer: MemoryBuffer | None = None
        self._others: tuple[tuple[str, str | None], ...] = ()
        self.window_tokens: int | None = None
        """Of the model of the thread's last request; without it nothing is too long."""
        self.shown: Preview | None = None
        self.cost = plain_label(muted=True)
        self.cost.setWordWrap(True)
        self.whole = QCheckBox("Whole block")
        self.whole.setAccessibleName("Show the whole memory block with the engine's own words")
        self.whole.toggled.connect(lambda _on: self._draw())
        self.verdict = plain_label()
        self.verdict.setWordWrap(True)
        self.text = TextView(jobs, "What the model gets")
        self.text.setMinimumSize(100, 40)
        self.model = FindingsModel()
        self.table: ItemsTable[tuple[int, Finding]] = ItemsTable(self.model, "Findings", ("", "88888"))
        self.table.opened.connect(self._go)
        self.table.current_changed.connect(self._chosen)
        self.finding = plain_label()
        self.finding.setWordWrap(True)
        self.finding.setContentsMargins(MARGIN, 2, MARGIN, 4)
        self.finding.setMinimumHeight(2 * self.finding.fontMetrics().height() + 8)
        self.table.setMinimumHeight(self.table.height_of(2))
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 2, MARGIN, 2)
        head.addWidget(self.cost, 1)
        head.addWidget(self.whole)
        self.verdict.setContentsMargins(MARGIN, 0, MARGIN, 4)
        self._below = QWidget()
        below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        for part, stretch in ((Line(), 0), (self.table, 1), (self.finding, 0)):
            below.addWidget(part, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.verdict)
        split = AspectSplitter(self.text, self._below, (1, 1), least=BESIDE_NEVER)
        column.addWidget(split, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._look)

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Follow another text."""
        if self._buffer is not None:
            self._buffer.document.contentsChanged.disconnect(self._timer.start)
        self._buffer, self.shown = buffer, None
        if buffer is not None:
            buffer.document.contentsChanged.connect(self._timer.start)
        self._jobs.cancel((self, "preview"))
        self.refresh()

    def set_sources(self, sources: Sequence[tuple[str, str | None]]) -> None:
        """All memory sources in order, with their texts: they stand in the same block."""
        if tuple(sources) != self._others:
            self._others = tuple(sources)
            self.refresh()

    def refresh(self) -> None:
        """Look now, where somebody sees it."""
        if not self.isHidden():
            self._look()

    def _look(self) -> None:
        buffer = self._buffer
        if self.isHidden():
            return
        if buffer is None or (buffer.missing and not buffer.creating):
            self.text.clear("There is no text.", "Select a file, or create it.")
            self.model.set_items([])
            return
        if self.shown is None:
            self.cost.setText("Looking what the model would get")
        self._jobs.run(
            "Looking what the model would get",
            workbench.preview,
            buffer.path,
            buffer.exact_text(),
            self._others,
            self.window_tokens,
            done=self._take,
            failed=self._failed,
            key=(self, "preview"),
            quiet=True,
        )

    def _take(self, found: Preview) -> None:
        self.shown = found
        self._draw()
        self.model.set_items(list(enumerate(found.findings)))
        self._below.setVisible(bool(found.findings))
        self.table.select_first()

    def _draw(self) -> None:
        found, buffer = self.shown, self._buffer
        if found is None or buffer is None:
            return
        skill = workbench.is_skill(buffer.path)
        self.whole.setVisible(not skill)
        here, all_of = format.tokens(found.tokens), format.tokens(found.whole_tokens)
        self.cost.setText(
            f"{here} tokens in the menu · {all_of} when read" if skill else f"{here} tokens · the whole block {all_of}"
        )
        self.verdict.setText(format.marked(found.verdict))
        self.verdict.setVisible(bool(found.verdict))
        tint(self.verdict, "error" if any(one.level == "stops" for one in found.findings) else "text")
        text = found.whole if self.whole.isChecked() and not skill else found.section
        if text:
            self.text.set_text(text, key=(buffer.path, text))
        else:
            self.text.clear("The model gets nothing of it.", "")

    def _failed(self, sentence: str) -> None:
        self.shown = None
        self.text.show_error(sentence)

    def _chosen(self, one: tuple[int, Finding] | None) -> None:
        self.finding.setText("" if one is None else format.marked(one[1].sentence))

    def _go(self, one: tuple[int, Finding]) -> None:
        if one[1].line is not None:
            self.go_to_line.emit(one[1].line)

"""What the model would get of the text in the editor, live, and what there is to know about it before a save."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from engine.workbench import Finding
from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.models.items import Column, ItemsModel
from inspector.panes import plain_label, tint
from inspector.views.items_table import ItemsTable
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.memory_watch import PreviewWatch
from inspector.views.parts import BESIDE_NEVER, MARGIN, AspectSplitter, Line
from inspector.views.text import TextView
from inspector.views.tick import Tick
from inspector.workbench import Preview

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
    """Shows what the watch has found."""

    go_to_line = Signal(int)

    def __init__(self, jobs: Jobs, watch: PreviewWatch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watch = watch
        self._buffer: MemoryBuffer | None = None
        self.cost = plain_label(muted=True)
        self.cost.setWordWrap(True)
        self.whole = Tick("Whole block")
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
        self.share = QSpinBox()
        self.share.setRange(1, 100)
        self.share.setValue(round(100 * watch.share))
        self.share.setPrefix("Long from ")
        self.share.setSuffix(" %")
        self.share.setAccessibleName("A memory file is too long from this share of the model's window on, in percent")
        self.share.setToolTip("Of the model's window: a memory file that costs more is warned of.")
        self.share.valueChanged.connect(lambda percent: watch.set_share(percent / 100))
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
        foot = QHBoxLayout()
        foot.setContentsMargins(MARGIN, 2, MARGIN, 4)
        foot.addWidget(self.share)
        foot.addStretch(1)
        column.addLayout(head)
        column.addWidget(self.verdict)
        split = AspectSplitter(self.text, self._below, (1, 1), least=BESIDE_NEVER)
        column.addWidget(split, 1)
        column.addLayout(foot)
        watch.found.connect(self.refresh)
        watch.failed.connect(self.text.show_error)

    @property
    def shown(self) -> Preview | None:
        """What is shown."""
        return self._watch.preview

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Follow another text."""
        self._buffer = buffer
        self.refresh()

    def refresh(self) -> None:
        """Show what the watch has found, where somebody sees it."""
        buffer, found = self._buffer, self._watch.preview
        if self.isHidden():
            return
        if buffer is None or (buffer.missing and not buffer.creating):
            self.text.clear("There is no text.", "Select a file, or create it.")
        elif buffer.read_only:
            self.text.clear("It is only shown.", buffer.read_only)
        elif found is None:
            self.cost.setText("Looking what the model would get")
        self.model.set_items(list(enumerate(found.findings)) if found is not None else [])
        self._below.setVisible(found is not None and bool(found.findings))
        if found is not None:
            self._draw()
            self.table.select_first()
            self._chosen(self.table.current())

    def _draw(self) -> None:
        found, buffer = self._watch.preview, self._buffer
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

    def _chosen(self, one: tuple[int, Finding] | None) -> None:
        """The limit is shown where there is room, and beside the finding that it is about."""
        skill = self._buffer is not None and workbench.is_skill(self._buffer.path)
        self.share.setVisible(not skill and (one is None or one[1].kind == "long"))
        self.finding.setText("" if one is None else format.marked(one[1].sentence))

    def _go(self, one: tuple[int, Finding]) -> None:
        if one[1].line is not None:
            self.go_to_line.emit(one[1].line)

"""The text of one memory file or skill to edit, with what there is to know before it is saved."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.jobs import Jobs
from inspector.panes import plain_label, tint
from inspector.views.buffer_edit import BufferEdit
from inspector.views.buttons import choice_button
from inspector.views.markdown_dye import MarkdownDye
from inspector.views.memory_bench import TITLES, MemoryBench
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.memory_watch import PreviewWatch
from inspector.views.parts import MARGIN


class MemoryEdit(BufferEdit):
    """The editor, and beside it what the model would get, the versions, and whom a save concerns."""

    noun = "memory file"

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(jobs, parent)
        self.dye = MarkdownDye(jobs, self.editor)
        self.watch = PreviewWatch(jobs, self)
        self.bench = MemoryBench(jobs, self.watch)
        self.modes = {mode: choice_button(title) for mode, title in TITLES.items()}
        self.warned = plain_label()
        self.warned.setWordWrap(True)
        self.warned.setContentsMargins(MARGIN, 2, MARGIN, 0)
        tint(self.warned, "error")
        modes = QHBoxLayout()
        modes.setContentsMargins(MARGIN - 4, 0, MARGIN, 2)
        modes.setSpacing(2)
        for choice in self.modes.values():
            modes.addWidget(choice)
        modes.addStretch(1)
        self.rows.insertLayout(1, modes)
        self.below.insertWidget(self.below.indexOf(self.where), self.warned)
        self.beside.addWidget(self.bench)
        for mode, button in self.modes.items():
            button.clicked.connect(self.bench.toggler(mode))
        self.watch.found.connect(self._warned)
        self.bench.changed.connect(self.arrange)
        self.bench.preview.go_to_line.connect(self.go_to_line)
        self.bench.versions.compare_asked.connect(self.deciding.compare_with_version)
        self.bench.versions.restored.connect(self.saved)
        self.saved.connect(self.bench.refresh)
        self.set_buffer(None)

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Show another buffer, where it was left."""
        self.watch.set_buffer(buffer)
        self.bench.set_buffer(buffer)
        super().set_buffer(buffer)

    def has_beside(self) -> bool:
        """A comparison, or the workbench."""
        return bool(self.comparing or self.bench.mode)

    def arrange(self) -> None:
        """The comparison stands in the workbench's place."""
        super().arrange()
        self.bench.setVisible(bool(self.bench.mode) and not self.comparing)
        for mode, button in self.modes.items():
            button.setChecked(mode == self.bench.mode)

    def _warned(self) -> None:
        """What there is to know before a save: counted where one types, listed beside the preview."""
        count = self.watch.warnings()
        self.modes["preview"].setText(TITLES["preview"] + (f" ! {count}" if count else ""))
        self.warned.setText(self.watch.words())
        self.warned.setVisible(bool(count))

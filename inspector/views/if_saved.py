"""The window "If saved": the next request of a thread as it stands, beside the one after an edit that is not saved."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.panes import plain_label
from inspector.views.buttons import WordButton
from inspector.views.dry_run import NextRequest
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.parts import MARGIN
from inspector.views.tick import Tick


class IfSaved(QDialog):
    """Of one file and one thread; the text may be edited on meanwhile."""

    def __init__(self, jobs: Jobs, buffer: MemoryBuffer, thread_id: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("If saved: the next request, before and after")
        self._buffer, self.thread_id = buffer, thread_id
        says = plain_label(
            format.marked(
                f"The next request of thread {thread_id} as it stands, and with {buffer.path} as it is in the editor. "
                "No model is called, and nothing is saved."
            ),
            muted=True,
        )
        says.setWordWrap(True)
        self.view = NextRequest(jobs)
        self.apply = Tick("Applied to this thread too")
        self.apply.setAccessibleName("As if the edit were applied to this thread too")
        self.apply.setToolTip("Else the thread keeps the copy that it has loaded.")
        self.apply.setChecked(True)
        self.apply.toggled.connect(lambda _on: self.run())
        self.again_button = WordButton("Work it out again", self.run)
        self.again_button.setToolTip("With the text as it is in the editor now")
        self.close_button = WordButton("Close", self.close)
        for button in (self.again_button, self.close_button):
            button.setAutoDefault(False)
        row = QHBoxLayout()
        row.addWidget(self.apply)
        row.addWidget(self.again_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.addWidget(says)
        column.addWidget(self.view, 1)
        column.addLayout(row)
        self.view.setFocus()
        buffer.destroyed.connect(self.close)
        self.resize(1080, 720)

    def run(self) -> None:
        """Work it out with the text as it is now."""
        buffer = self._buffer
        if buffer.workspace is not None:
            self.view.run(
                partial(
                    workbench.next_requests,
                    buffer.workspace,
                    self.thread_id,
                    buffer.path,
                    buffer.exact_text(),
                    self.apply.isChecked(),
                )
            )

"""What a save would concern, before it is done: threads, cached tokens, and the way to the next request."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.workbench import BlastRadius, Reach
from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.models.items import Column, ItemsModel
from inspector.panes import Pane, plain_label
from inspector.views.buttons import WordButton
from inspector.views.if_saved import IfSaved
from inspector.views.items_table import ItemsTable
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.parts import MARGIN, Line


def _copy(one: Reach) -> str:
    return "none yet" if not one.loaded else "as it stands" if one.current else "≠ older copy"


class ReachModel(ItemsModel[Reach]):
    """Threads that load the file, the last used first."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column("Thread", lambda one: one.title, lambda one: one.thread_id),
                Column(
                    "Its copy",
                    _copy,
                    lambda one: (
                        "It holds a copy: an edit reaches it when it is applied there."
                        if one.loaded
                        else "It loads the file as it stands at its next run."
                    ),
                ),
                Column(
                    "Cache lost",
                    lambda one: format.tokens(one.invalidated_tokens) if one.last_request else format.UNKNOWN,
                    lambda one: (
                        f"Tokens of the prompt from the memory block on, in request {one.last_request}."
                        if one.last_request
                        else "No request of it carried the file."
                    ),
                    sort=lambda one: one.invalidated_tokens,
                    right=True,
                    hint="Tokens of the prompt prefix that a provider's cache could no longer reuse, estimated.",
                ),
            ),
            lambda one: one.thread_id,
        )


class EffectPane(QWidget):
    """Threads that a save concerns; the next request of the shown one in a window of its own."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._buffer: MemoryBuffer | None = None
        self._thread: str | None = None
        self.window_of_it: IfSaved | None = None
        self.says = plain_label()
        self.says.setWordWrap(True)
        self.says.setContentsMargins(MARGIN, 2, MARGIN, 4)
        self.reach_model = ReachModel()
        self.reach: ItemsTable[Reach] = ItemsTable(
            self.reach_model, "Threads that load the file", ("", "≠ older copy", "Cache lost")
        )
        self.reach_pane = Pane()
        self.reach_pane.set_content(self.reach)
        self.run_button = WordButton("Next request, before and after…", self.run)
        self.run_button.setToolTip("Of this thread, side by side; no model is called")
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 4, MARGIN, 4)
        row.addWidget(self.run_button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.says)
        column.addWidget(self.reach_pane, 1)
        column.addWidget(Line())
        column.addLayout(row)

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Another file's."""
        self._buffer = buffer
        self._jobs.cancel((self, "reach"))
        self.reach_model.set_items([])
        self.says.setText("")
        self._enable()
        self.refresh()

    def set_thread(self, thread_id: str | None) -> None:
        """The thread whose next request is worked out."""
        self._thread = thread_id
        self._enable()

    def refresh(self) -> None:
        """Ask whom it concerns, where somebody sees it."""
        buffer = self._buffer
        if self.isHidden() or buffer is None or buffer.workspace is None:
            self.reach_pane.show_empty("Only a workspace tells.", "Its record says which threads load the file.")
            return
        if self.reach_pane.state() != "content":
            self.reach_pane.show_loading("Looking whom it concerns")
        self._jobs.run(
            "Looking whom it concerns",
            workbench.reach,
            buffer.workspace,
            buffer.path,
            buffer.thread_id,
            done=self._take,
            failed=self.reach_pane.show_error,
            key=(self, "reach"),
        )

    def run(self) -> None:
        """Show the next request before and after the edit, in a window of its own."""
        buffer = self._buffer
        if buffer is None or buffer.workspace is None or self._thread is None:
            return
        self.window_of_it = IfSaved(self._jobs, buffer, self._thread, self.window())
        self.window_of_it.show()
        self.window_of_it.run()

    def _enable(self) -> None:
        buffer = self._buffer
        self.run_button.setEnabled(buffer is not None and buffer.workspace is not None and self._thread is not None)

    def _take(self, found: BlastRadius) -> None:
        held = [one for one in found.threads if one.loaded]
        words = (
            f"{format.count(len(found.threads), 'thread')} load it, {format.count(len(held), 'thread')} with a copy."
        )
        if len(found.threads) == 1:
            words = f"1 thread loads it, {'with' if held else 'without'} a copy."
        if held:
            words += f" Applied to all of them, {format.tokens(found.invalidated_tokens)} cached tokens are lost."
        if found.new_threads:
            words += " Every new thread loads it."
        self.says.setText(words)
        self.reach_model.set_items(list(found.threads))
        if found.threads:
            self.reach_pane.show_content()
        else:
            self.reach_pane.show_empty("No thread has loaded this file.")

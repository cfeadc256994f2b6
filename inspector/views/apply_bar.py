"""Give a thread what stands in its files now, after asking, with a way back. Neither happens by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.workbench import Applied
from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.models.late import while_alive
from inspector.views.buttons import WordButton
from inspector.views.labels import ElidedLabel
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN
from inspector.workbench import LastApplied

NEW_ONLY = "New threads load the file as it stands. This thread keeps its copy until you apply it."


class ApplyBar(QWidget):
    """A button, its question, and what became of it, for one thread at a time."""

    applied = Signal()
    """The thread's state is another."""

    def __init__(self, jobs: Jobs, workspace: Path | None, what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._workspace, self._what = jobs, workspace, what
        self._thread: str | None = None
        self._paths: tuple[str, ...] = ()
        self._busy = False
        self._last: LastApplied | None = None
        """To take back; known again after the window was closed and opened."""
        self.button = WordButton("Apply to this thread…", self.ask)
        self.undo_button = WordButton("Undo apply", self.undo)
        self.says = ElidedLabel(muted=True)
        self.note = NoteBar(f"Applying {what} to this thread")
        self._row = QWidget()
        row = QHBoxLayout(self._row)
        row.setContentsMargins(MARGIN, 2, MARGIN, 4)
        row.addWidget(self.button)
        row.addWidget(self.undo_button)
        row.addWidget(self.says, 100)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._row)
        column.addWidget(self.note)
        self._follow()

    def show_thread(self, thread_id: str | None, paths: Sequence[str]) -> None:
        """Offer these paths, whose files are others than the thread's copies; none hides the button."""
        if thread_id != self._thread:
            self.note.clear()
            self._last = None
        self._thread, self._paths = thread_id, tuple(paths)
        self._follow()

    def refresh(self) -> None:
        """Look what was applied to the thread last: there is a way back from it."""
        if self._thread is None or self._workspace is None:
            return
        self._jobs.run(
            "Looking what was applied",
            workbench.last_applied,
            self._workspace,
            self._thread,
            self._what,
            done=while_alive(self, partial(self._found, self._thread)),
            failed=while_alive(self, partial(self._failed, self._thread)),
            key=(self, "last"),
            quiet=True,
        )

    def ask(self) -> None:
        """Say what will be done, and ask."""
        names = ", ".join(self._paths[:3]) + (f" and {len(self._paths) - 3} more" if len(self._paths) > 3 else "")
        self.note.say(
            f"Write {names} as it stands now into this thread's state? Its next request carries it. "
            "It is a checkpoint of its own and can be undone.",
            ("Apply", self._apply),
            ("New threads only", self.note.clear),
        )

    def undo(self) -> None:
        """Give the thread back what it had."""
        if self._last is None or self._workspace is None:
            return
        do = partial(workbench.undo_apply, self._workspace, self._last.event)
        self._run("Undoing", do, "The thread has its copy back.")

    def _apply(self) -> None:
        if self._workspace is None or self._thread is None:
            return
        if self._what == "skills":
            do: Callable[[], Applied] = partial(workbench.apply_skills, self._workspace, self._thread)
        else:
            do = partial(workbench.apply_memory, self._workspace, self._thread, self._paths)
        self._run("Applying", do, "Applied. The thread's next request carries it.")

    def _run(self, word: str, do: Callable[[], Applied], then: str) -> None:
        if self._busy:
            return
        self._busy = True
        self._follow()
        self.note.say(f"{word}…")
        self._jobs.run(
            f"{word} {self._what}",
            do,
            done=while_alive(self, partial(self._took, self._thread, then)),
            failed=while_alive(self, partial(self._failed, self._thread)),
        )

    def _took(self, thread: str | None, then: str, _made: Applied) -> None:
        self._busy = False
        if thread == self._thread:
            self.note.say(then, ("Close", self.note.clear))
        self._follow()
        self.refresh()
        self.applied.emit()

    def _found(self, thread: str, last: LastApplied | None) -> None:
        if thread == self._thread:
            self._last = last
            self._follow()

    def _failed(self, thread: str | None, sentence: str) -> None:
        self._busy = False
        if thread == self._thread:
            self.note.say(sentence, ("Close", self.note.clear), kind="error")
        self._follow()

    def _follow(self) -> None:
        self.button.setVisible(bool(self._paths) and self._workspace is not None)
        last = self._last
        self.undo_button.setVisible(last is not None)
        self.says.setVisible(last is not None)
        if last is not None:
            names = ", ".join(last.changed)
            self.says.set_text(f"Applied {format.ago(last.at)}: {names}")
            self.says.setToolTip(format.tip(f"{names}\n{format.absolute(last.at)}"))
        self.button.setEnabled(not self._busy)
        self.undo_button.setEnabled(not self._busy)
        self.button.setToolTip(format.tip(NEW_ONLY))
        self._row.setVisible(not self.button.isHidden() or not self.undo_button.isHidden())

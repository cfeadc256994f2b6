"""Takes one edit of an agent's out of a file again, after asking; what came after it stays."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.errors import EditConflict
from inspector import format, workbench
from inspector.jobs import Failure, Jobs
from inspector.models.late import while_alive
from inspector.views.buttons import WordButton
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN


class Edit(NamedTuple):
    """An agent's edit, as the record names it."""

    workspace: Path
    thread_id: str
    path: str
    request: int
    tool_call_id: str | None


class RevertBar(QWidget):
    """A button, its question, and what became of it, for one edit at a time."""

    reverted = Signal(str)
    """The file at this path is another one now."""
    undecided = Signal(str, object)
    """Later edits changed the same lines: the path, and a ``Merge`` of both to be decided in the editor."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._edit: Edit | None = None
        self.button = WordButton("Revert this edit…", self.ask)
        self.note = NoteBar("Reverting an edit")
        self._row = QWidget()
        row = QHBoxLayout(self._row)
        row.setContentsMargins(MARGIN, 2, MARGIN, 4)
        row.addWidget(self.button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._row)
        column.addWidget(self.note)
        self.show_edit(None)

    def show_edit(self, edit: Edit | None) -> None:
        """Offer to take this edit back; None hides the button."""
        if edit != self._edit:
            self.note.clear()
        self._edit = edit
        self._row.setVisible(edit is not None)

    def ask(self) -> None:
        """Look how the file stands, say what will be done, and ask."""
        edit = self._edit
        if edit is None:
            return
        self._jobs.run(
            f"Reading {format.one_line(edit.path, 40)}",
            workbench.stored_version,
            edit.workspace,
            edit.path,
            edit.thread_id,
            done=while_alive(self, partial(self._asked, edit)),
            failed=while_alive(self, partial(self._failed, edit)),
            key=(self, "revert"),
        )

    def _asked(self, edit: Edit, version: str) -> None:
        if edit == self._edit:
            self.note.say(
                f"Take this edit out of {edit.path} as it stands now? What was changed after it stays, and the text "
                "that is replaced stays under Versions.",
                ("Revert", partial(self._revert, edit, version)),
                ("Cancel", self.note.clear),
            )

    def _revert(self, edit: Edit, version: str) -> None:
        self.note.clear()
        self._jobs.run(
            "Reverting the edit",
            workbench.revert_edit,
            edit.workspace,
            edit.path,
            edit.request,
            edit.tool_call_id,
            version,
            done=while_alive(self, partial(self._reverted, edit)),
            failed=while_alive(self, partial(self._failed, edit)),
        )

    def _reverted(self, edit: Edit, there: bool) -> None:
        if edit == self._edit:
            says = "The edit was taken out of the file." if there else "The file that the edit made was deleted."
            self.note.say(f"{says} Threads that have a copy keep it until you apply it.", ("Close", self.note.clear))
        self.reverted.emit(edit.path)

    def _failed(self, edit: Edit, failure: Failure) -> None:
        if edit != self._edit:
            return
        actions = [("Close", self.note.clear)]
        merge = getattr(failure.error, "merge", None)
        if merge is not None:
            actions.insert(0, ("Decide in the editor", partial(self._decide, edit, merge)))
        elif isinstance(failure.error, EditConflict):
            actions.insert(0, ("Ask again", self.ask))
        self.note.say(failure, *actions, kind="error")

    def _decide(self, edit: Edit, merge: object) -> None:
        self.note.clear()
        self.undecided.emit(edit.path, merge)

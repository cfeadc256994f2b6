"""One memory file as it is being edited: its document, what it was made from, what is stored by now.

A buffer outlives the thread that showed it and every refresh; its unsaved text is kept on disk while it
is typed. It knows no editor widget: ``document`` is put into one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from engine.errors import EditConflict
from engine.trace.model import MemoryFile
from inspector import memory_files, theme, workbench
from inspector.exact_text import ExactText
from inspector.jobs import Failure, Jobs
from inspector.memory_files import Opened, Written
from inspector.views.document_text import begin, replace, text_of
from inspector.views.memory_draft import DraftKeeper

DOCUMENT_MARGIN = 6


def empty_document() -> QTextDocument:
    """A document for the editor, with nothing in it."""
    made = QTextDocument()
    made.setDocumentLayout(QPlainTextDocumentLayout(made))
    made.setDocumentMargin(DOCUMENT_MARGIN)
    made.setDefaultFont(theme.mono_font())  # another font would lay a long text out anew
    return made


class MemoryBuffer(QObject):
    """The text of one file, from opening to closing the window."""

    changed = Signal()
    """Unsaved or not, missing or not, changed elsewhere or not: something of it is another."""
    saved = Signal()
    """The text was saved."""
    conflicted = Signal(str)
    """It was not saved, because the stored text is another by now; a sentence."""
    failed = Signal(str)
    """It was not saved, or its unsaved text can't be kept; a sentence."""

    noun = "file"

    def __init__(
        self,
        jobs: Jobs,
        workspace: Path | None,
        opened: Opened,
        parent: QObject | None = None,
        document: QTextDocument | None = None,
    ) -> None:
        """``document`` holds the text already, where that is long."""
        super().__init__(parent)
        self.jobs = jobs
        self.workspace = workspace
        self.path = opened.file.path
        self.place = opened.file.place
        self.thread_id = opened.thread_id
        self.within = opened.file.within
        self._name = self.name(opened.file)
        self.read_only = opened.read_only
        self.missing = opened.missing
        self.creating = False
        """The user asked for a missing file to be created; it is when it is saved."""
        self.saving = False
        self.base = opened.exact
        self._described: tuple[ExactText | None, str] = (None, "")
        self.version = opened.file.version
        self.stored: MemoryFile = opened.file
        """The file as it stood when somebody last looked."""
        self.restored_at: float | None = None
        """When the unsaved text that this buffer began with was written."""
        self.more_drafts = opened.more_drafts
        self.document = document or empty_document()
        self.document.setParent(self)
        if document is None:
            begin(self.document, self.base.shown)
        self._check_kept()
        self._draft = DraftKeeper(jobs, opened.slot, self._texts, self)
        self._draft.failed.connect(self.failed)
        self._restore(opened)
        self.document.contentsChanged.connect(self._edited)
        self.document.modificationChanged.connect(self._modified)

    def name(self, file: MemoryFile) -> str:
        """Under which unsaved text is kept on disk."""
        return memory_files.draft_name(file)

    # -- what it is ------------------------------------------------------------------------

    def text(self) -> str:
        """The text as the editor has it; every line end is ``\\n``."""
        return text_of(self.document)

    def exact_text(self) -> Callable[[], str]:
        """What makes, in a job, the text as a save would write it."""
        return partial(self.base.edited, self.text())

    def description(self) -> str:
        """Line ends and byte order mark of what was opened, in words."""
        if self._described[0] is not self.base:
            self._described = (self.base, self.base.describe())
        return self._described[1]

    @property
    def unsaved(self) -> bool:
        """Whether it holds text that is not stored."""
        return self.document.isModified()

    @property
    def changed_elsewhere(self) -> bool:
        """Whether the stored text is another than the one that this edit was made from."""
        return self.stored.version != self.version

    @property
    def editable(self) -> bool:
        """Whether text can be typed."""
        return not self.read_only and (not self.missing or self.creating)

    @property
    def deletable(self) -> bool:
        """Whether the file can be deleted from here: all of it is stored, and seen."""
        return not (self.read_only or self.missing or self.unsaved or self.saving or self.changed_elsewhere)

    # -- what is done to it ----------------------------------------------------------------

    def create(self) -> None:
        """Let a missing file be written; it exists once it is saved."""
        self.creating = True
        self.changed.emit()

    def look(self, file: MemoryFile) -> bool:
        """The file as it stands now. An unedited text is brought up to date; True when it was."""
        self.stored = file
        took = False
        if self.changed_elsewhere and not self.unsaved and not self.read_only and file.text is not None:
            self._take(file)
            took = True
        self.changed.emit()
        return took

    def take_stored(self) -> None:
        """Give up the edit for the text that is stored; undo brings it back."""
        if self.stored.text is None:
            self.missing, self.creating = True, False
            replace(self.document, "")
            self.base, self.version = ExactText.of(""), self.stored.version
            self.document.setModified(False)
        else:
            self._take(self.stored)
        self.changed.emit()

    def revert(self) -> None:
        """Back to the text that the edit was made from; undo brings the edit back."""
        replace(self.document, self.base.shown)
        self.document.setModified(False)
        self.changed.emit()

    def use(self, text: str) -> None:
        """Put another text in, as an edit that can be undone."""
        replace(self.document, ExactText.of(text).shown)

    def take_merge(self, text: str) -> None:
        """Put a merge of the edit with the stored text in, as an edit of the stored one; undo brings the edit back."""
        self.base, self.version = ExactText.of(self.stored.text or ""), self.stored.version
        replace(self.document, ExactText.of(text).shown)
        self.document.setModified(True)
        self.restored_at = None
        self.changed.emit()

    def save(self, over: str | None = None) -> None:
        """Save over the version that the edit was made from, or over the version ``over`` that was seen."""
        if self.saving or self.workspace is None or not self.editable:
            return
        self.saving = True
        self.changed.emit()
        version = self.version if over is None else over
        self.jobs.run(f"Saving {self.path}", self.writing(version), done=self._written, failed=self._not_written)

    def writing(self, version: str) -> Callable[[], Written]:
        """What saves, in a job, the text as it stands over this version."""
        assert self.workspace is not None
        return partial(memory_files.save, self.workspace, self.path, self.thread_id, self.base, self.text(), version)

    def deletion(self) -> Callable[[], None]:
        """What deletes, in a job, the text as it was opened."""
        assert self.workspace is not None
        return partial(workbench.delete_file, self.workspace, self.path, self.thread_id, self.version)

    def flush(self) -> None:
        """Put unsaved text on disk now, before the window goes."""
        self._draft.flush()

    def deleted(self) -> None:
        """The user deleted the file from here; undo brings its text back into the editor."""
        self.stored = self._as_stored(None, "")
        self.take_stored()

    def forget(self) -> None:
        """All about the file was deleted for good: no text of it stays, on the disk or to be had back."""
        self.deleted()
        self.document.clearUndoRedoStacks()
        self._draft.forget()

    # -- inside ----------------------------------------------------------------------------

    def _check_kept(self) -> None:
        """Refuse to edit a text of which the editor could lose something."""
        kept, wanted = self.text(), self.base.shown
        if kept != wanted and not self.read_only:
            at = next((n for n, (a, b) in enumerate(zip(kept, wanted, strict=False)) if a != b), len(kept))
            odd = f"U+{ord(wanted[at]):04X}" if at < len(wanted) else "its end"
            self.read_only = (
                f"The editor can't keep {odd} at character {at + 1}, so the file is only shown. Edit it elsewhere."
            )

    def _restore(self, opened: Opened) -> None:
        draft = opened.draft
        if draft is None or opened.draft_text is None:
            return
        if draft.base_version != self.version:
            self.base, self.version = opened.draft_text, draft.base_version
            begin(self.document, self.base.shown)
        self.missing = not draft.base_version
        self.creating = self.missing
        replace(self.document, draft.text)
        self.document.setModified(True)
        self.restored_at = draft.at

    def _take(self, file: MemoryFile) -> None:
        self.base, self.version = ExactText.of(file.text or ""), file.version
        self.missing = self.creating = False
        replace(self.document, self.base.shown)
        self.document.setModified(False)

    def _texts(self) -> tuple[Any, ...] | None:
        """What a draft is made of, while there is something to keep."""
        if not self.unsaved or self.workspace is None:
            return None
        return self.workspace, self._name, self.version, self.base, self.text()

    def _edited(self) -> None:
        if self.unsaved:
            self._draft.edited()

    def _modified(self, modified: bool) -> None:
        if not modified:
            self.restored_at = None
            self._draft.forget()
        self.changed.emit()

    def _written(self, written: Written) -> None:
        self.saving = False
        self.missing = self.creating = False
        self.base, self.version = written.exact, written.version
        self.stored = self._as_stored(written.exact.exact, written.version)
        if self.text() == written.shown:
            self.document.setModified(False)
        else:  # typed on while it was saved
            self._draft.keep()
        self.saved.emit()
        self.changed.emit()

    def _not_written(self, failure: Failure) -> None:
        self.saving = False
        error = failure.error
        if isinstance(error, EditConflict):
            self.stored = self._as_stored(error.current, error.version)
            self.changed.emit()
            self.conflicted.emit(failure)
            return
        self.changed.emit()
        self.failed.emit(f"{failure} Your text is still here.")

    def _as_stored(self, text: str | None, version: str) -> MemoryFile:
        return MemoryFile(
            path=self.path,
            text=text,
            version=version,
            size=len((text or "").encode("utf-8")),
            place=self.place,
            modified_at=None,
            in_thread=self.stored.in_thread,
        )

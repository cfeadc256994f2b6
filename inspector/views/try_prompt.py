"""Trying another system prompt: the thread's next request before and after, without calling a model or saving it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from inspector import format, theme, workbench
from inspector.drafts import Drafts, Slot
from inspector.exact_text import ExactText
from inspector.jobs import Jobs
from inspector.panes import Pane, plain_label
from inspector.views.buttons import WordButton
from inspector.views.document_text import begin, replace, text_of
from inspector.views.dry_run import NextRequest
from inspector.views.memory_draft import DraftKeeper
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN
from inspector.views.quiet import quiet


class TryPrompt(QDialog):
    """An editor beside the pieces of both requests, over both texts of the selected one."""

    def __init__(
        self, jobs: Jobs, workspace: Path, thread_id: str, drafts: Drafts | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Try another system prompt")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._jobs, self._workspace, self.thread_id = jobs, workspace, thread_id
        self.own = ""
        """The prompt of the agent's settings, as the editor shows it."""
        self._keeper: DraftKeeper | None = None
        self._slot: Slot | None = None
        self.says = plain_label(
            format.marked(f"System prompt of the agent of {thread_id}. It is tried, not saved."), muted=True
        )
        self.says.setWordWrap(True)
        self.editor = QPlainTextEdit()
        quiet(self.editor)
        self.editor.setAccessibleName("System prompt to try")
        self.editor.setTabChangesFocus(True)
        self.editor.setFont(theme.mono_font())
        self.editor.textChanged.connect(self._edited)
        self.note = NoteBar("Note on the system prompt")
        self.run_button = WordButton("Next request, before and after", self.run)
        self.run_button.setToolTip("Ctrl+Return")
        self.own_button = WordButton("Back to the agent's own", self.take_own)
        self.close_button = WordButton("Close", self.reject)
        for button in (self.run_button, self.own_button, self.close_button):
            button.setAutoDefault(False)
        self.pane = Pane()
        self._build()
        QShortcut(QKeySequence("Ctrl+Return"), self, self.run)
        self.resize(1080, 720)
        self.pane.show_loading("Reading the system prompt")
        jobs.run(
            "Reading the system prompt",
            workbench.open_prompt,
            workspace,
            thread_id,
            drafts or Drafts(),
            done=self._opened,
            failed=self.pane.show_error,
            key=(self, "open"),
        )

    def text(self) -> str:
        """What is typed."""
        return text_of(self.editor.document())

    def run(self) -> None:
        """Work out both requests; the text stays as it is."""
        if self._keeper is None:
            return
        make = partial(workbench.next_requests_with_prompt, self._workspace, self.thread_id, self.text())
        self.dry.run(make)

    def take_own(self) -> None:
        """The prompt of the agent's settings again; undo brings the typed one back."""
        replace(self.editor.document(), self.own)
        self.note.clear()

    def reject(self) -> None:
        """Escape, and every other way to close it: what was typed is on disk, and offered when it is tried again."""
        self.flush()
        super().reject()

    def flush(self) -> None:
        """Put what is typed on disk, and let go of it."""
        if self._keeper is not None and self._slot is not None:
            self._keeper.flush()
            self._slot.leave()
            self._slot = self._keeper = None

    def forget(self) -> None:
        """The thread was deleted: what was typed goes, and the window."""
        if self._keeper is not None and self._slot is not None:
            self._keeper.forget()
        self._slot = self._keeper = None
        self.close()

    def _opened(self, found: workbench.OpenedPrompt) -> None:
        self.own = ExactText.of(found.own).shown
        document = self.editor.document()
        begin(document, self.own)
        self._slot = found.slot
        self._keeper = DraftKeeper(self._jobs, found.slot, self._texts, self)
        self._keeper.failed.connect(self._failed)
        if found.typed is not None and found.typed != self.own:
            replace(document, found.typed)
            self.note.say(
                "What you tried last is here again.", ("Keep it", self.note.clear), ("Discard it", self.take_own)
            )
        self.pane.show_content()
        self._enable()
        self.editor.setFocus()

    def _texts(self) -> tuple[Any, ...] | None:
        text = self.text()
        if text == self.own:
            return None
        return self._workspace, workbench.prompt_name(self.thread_id), "", ExactText.of(self.own), text

    def _edited(self) -> None:
        if self._keeper is None:
            return
        if self.text() == self.own:
            self._keeper.forget()
        else:
            self._keeper.edited()
        self._enable()

    def _enable(self) -> None:
        self.own_button.setEnabled(self._keeper is not None and self.text() != self.own)

    def _failed(self, sentence: str) -> None:
        self.note.say(sentence, ("Close", self.note.clear), kind="error")

    def _build(self) -> None:
        lead = QWidget()
        upper = QVBoxLayout(lead)
        upper.setContentsMargins(0, 0, 0, 0)
        upper.setSpacing(0)
        upper.addWidget(self.note)
        upper.addWidget(self.editor, 1)
        self.dry = NextRequest(self._jobs, lead)
        self.pane.set_content(self.dry)
        row = QHBoxLayout()
        row.addWidget(self.run_button)
        row.addWidget(self.own_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.addWidget(self.says)
        column.addWidget(self.pane, 1)
        column.addLayout(row)
        self._enable()

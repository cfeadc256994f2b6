"""Deleting everything about a thread, or in a namespace: what will go, asked twice, and the proof that it went."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from engine.workbench import DeletionItem, DeletionPlan, DeletionProof
from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.models.items import Column, ItemsModel
from inspector.panes import Pane, plain_label, tint
from inspector.views.buttons import WordButton
from inspector.views.items_table import ItemsTable
from inspector.views.parts import MARGIN
from inspector.views.text import TextView
from inspector.views.tick import Tick


class GoingModel(ItemsModel[DeletionItem]):
    """What goes, by kind."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column("What goes", lambda one: one.what),
                Column("Number", lambda one: format.exact(one.count), sort=lambda one: one.count, right=True),
                Column(
                    "Size",
                    lambda one: format.size(one.bytes),
                    lambda one: format.count(one.bytes, "byte"),
                    sort=lambda one: one.bytes,
                    right=True,
                ),
            ),
            lambda one: one.what,
        )


class DeletionDialog(QDialog):
    """Shows the plan, asks, asks again, deletes in a job, and says what was found afterwards."""

    deleted = Signal(str)
    """The thread with this id, or this namespace, is gone."""

    title = "Delete everything about this thread"
    typed = "What was typed and not sent goes too: messages, answers, a system prompt that is being tried."

    def __init__(self, jobs: Jobs, workspace: Path, subject: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._jobs, self._workspace, self.subject = jobs, workspace, subject
        self.plan: DeletionPlan | None = None
        self._busy = False
        self.proof: DeletionProof | None = None
        self.says = plain_label()
        self.says.setWordWrap(True)
        self.says.setMinimumHeight(3 * self.says.fontMetrics().lineSpacing())
        self.model = GoingModel()
        self.table: ItemsTable[DeletionItem] = ItemsTable(self.model, "What goes", ("", "88 888", "888.8k"))
        self.more = TextView(jobs, "Files that go with it, and what stays")
        self.pane = Pane()
        body = QWidget()
        inside = QVBoxLayout(body)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.table, 3)
        inside.addWidget(self.more, 2)
        self.pane.set_content(body)
        self.delete_button = WordButton("Delete…", self.ask_again)
        self.sure_button = WordButton("Delete for good", self.delete)
        self.close_button = WordButton("Cancel", self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.delete_button, self.sure_button, self.close_button):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        self.close_button.setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN + 4, MARGIN + 4, MARGIN + 4, MARGIN + 4)
        column.addLayout(self.above())
        column.addWidget(self.says)
        column.addWidget(self.pane, 1)
        column.addLayout(buttons)
        self.sure_button.hide()
        self.resize(560, 520)
        self.look()

    @property
    def about(self) -> str:
        """What is deleted, in words."""
        return f"about {self.subject}"

    def above(self) -> QVBoxLayout:
        """What stands over the list."""
        return QVBoxLayout()

    def make_plan(self) -> Callable[[], DeletionPlan]:
        """What counts, in a job, what would go."""
        return partial(workbench.deletion_plan, self._workspace, self.subject)

    def look(self) -> None:
        """Count what would go."""
        self.plan = None
        self.delete_button.setEnabled(False)
        self.says.setText("")
        self.pane.show_loading("Counting what would go")
        self._jobs.run(
            "Counting what would go",
            self.make_plan(),
            done=self._show,
            failed=self.pane.show_error,
            key=(self, "plan"),
        )

    def ask_again(self) -> None:
        """The second question."""
        if self.plan is None:
            return
        self.says.setText("It can't be undone, and no copy is kept. Delete all of it for good?")
        tint(self.says, "error")
        self.delete_button.hide()
        self.sure_button.show()
        self.close_button.setFocus()

    def delete(self) -> None:
        """Delete what was shown; refused when there is something else by now."""
        if self.plan is None or self._busy:
            return
        self._busy = True
        self.sure_button.setEnabled(False)
        self.close_button.setEnabled(False)
        self.says.setText("Deleting, and making sure of it")
        tint(self.says, "text")
        self._jobs.run(
            "Deleting, and making sure of it",
            workbench.delete,
            self._workspace,
            self.plan,
            done=self._gone,
            failed=self._failed,
        )

    def tell(self, sentence: str) -> None:
        """Something is left to be done."""
        self.says.setText(f"{self.says.text()}\n{format.marked(f'! {sentence}')}")
        tint(self.says, "error")

    def tell_left(self, names: list[str]) -> None:
        """Unsaved texts that could not be deleted."""
        for name in names:
            self.tell(f"Unsaved text ({name}) is open in another window and stays there. Close it, and delete again.")

    def reject(self) -> None:
        """Not while it is being deleted."""
        if not self._busy:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Not while it is being deleted."""
        if self._busy:
            event.ignore()
        else:
            super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses no button that was not chosen."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.focusWidget() not in (
            self.close_button,
            self.delete_button,
            self.sure_button,
        ):
            event.accept()
        else:
            super().keyPressEvent(event)

    def _show(self, plan: DeletionPlan) -> None:
        self.plan = plan
        self.model.set_items(list(plan.items))
        self.says.setText(
            format.marked(
                f"Everything that this workspace knows {self.about}: "
                f"{format.count(sum(one.count for one in plan.items), 'row')}, {format.size(plan.bytes)}."
            )
        )
        lines = [f"{path} · {format.count(size, 'byte')}" for path, size in plan.files]
        text = "Files that go with it:\n" + "\n".join(lines) if lines else "No files go with it."
        text += f"\n\n{self.typed}"
        if plan.kept:
            text += "\n\nWhat stays:\n" + "\n".join(plan.kept)
        if plan.copies:
            text += "\n\nThreads that stay, and hold copies of these files:\n" + "\n".join(plan.copies)
        self.more.set_text(text)
        self.pane.show_content()
        self.delete_button.setEnabled(True)
        self.table.select_first()

    def _gone(self, proof: DeletionProof) -> None:
        self._busy = False
        self.proof = proof
        self.sure_button.hide()
        self.close_button.setEnabled(True)
        self.close_button.setText("Close")
        self.close_button.setAccessibleName("Close")
        self.says.setText(proof_sentence(proof))
        tint(self.says, "text" if proof.gone else "error")
        self.model.set_items(list(proof.left or proof.deleted))
        self.close_button.setFocus()
        self.deleted.emit(self.subject)

    def _failed(self, sentence: str) -> None:
        self._busy = False
        self.sure_button.hide()
        self.close_button.setEnabled(True)
        self.says.setText(format.marked(f"! {sentence}"))
        tint(self.says, "error")


class NamespaceDialog(DeletionDialog):
    """The same for a namespace of the store, which is chosen first: memories, skills, whatever agents keep there."""

    title = "Delete everything in a namespace"
    typed = "What was typed into its files and not saved goes too."

    def __init__(self, jobs: Jobs, workspace: Path, parent: QWidget | None = None, chosen: str = "") -> None:
        self._chosen = chosen
        self.choice = QComboBox()
        self.choice.setAccessibleName("Namespace of the store")
        self.choice.view().setAccessibleName("Namespaces of the store")
        self.threads = Tick("Delete the threads that hold copies too")
        self.threads.setAccessibleName(self.threads.text())
        super().__init__(jobs, workspace, "", parent)
        self.choice.currentTextChanged.connect(lambda _text: self.look())
        self.threads.toggled.connect(lambda _on: self.look())
        jobs.run(
            "Looking for namespaces", workbench.namespaces, workspace,
            done=self._found, failed=self.pane.show_error, key=(self, "namespaces"),
        )  # fmt: skip

    @property
    def about(self) -> str:
        """What is deleted, in words."""
        return f"in the namespace {self.subject}, and in those below it"

    def above(self) -> QVBoxLayout:
        """Which namespace, and whether its threads go along."""
        column = QVBoxLayout()
        row = QHBoxLayout()
        row.addWidget(plain_label("Namespace", muted=True))
        row.addWidget(self.choice, 1)
        column.addLayout(row)
        column.addWidget(self.threads)
        return column

    def make_plan(self) -> Callable[[], DeletionPlan]:
        """What counts, in a job, what would go."""
        return partial(workbench.namespace_plan, self._workspace, self.subject, self.threads.isChecked())

    def look(self) -> None:
        """Count what would go, once a namespace is chosen."""
        self.subject = self.choice.currentText()
        if self.subject:
            super().look()
        else:
            self.delete_button.setEnabled(False)

    def ask_again(self) -> None:
        """The second question is about what was shown."""
        super().ask_again()
        self.choice.setEnabled(False)
        self.threads.setEnabled(False)

    def _found(self, names: list[str]) -> None:
        if names:
            self.choice.blockSignals(True)
            self.choice.addItems(names)
            self.choice.setCurrentIndex(max(0, self.choice.findText(self._chosen)))
            self.choice.blockSignals(False)
            self.look()
        else:
            self.pane.show_empty("The store is empty.", "Memory and skills that are saved here lie in it.")


def proof_sentence(proof: DeletionProof) -> str:
    """What was done, and how it was made sure of."""
    rows = format.count(sum(one.count for one in proof.deleted), "row")
    if proof.left:
        found = f"! {format.count(sum(one.count for one in proof.left), 'row')} still name it."
    elif proof.found:
        found = (
            f"! No row names it any more, but {format.count(proof.found, 'piece')} of "
            f"{format.exact(proof.searched)} looked for are still among the bytes of the file."
        )
    else:
        found = (
            f"No row names it any more, and none of {format.count(proof.searched, 'piece')} of its text that were "
            "looked for is in the file."
        )
    size = f"The file has {format.size(proof.size_after)} bytes, it had {format.size(proof.size_before)}."
    return " ".join(part for part in (f"{rows} deleted.", found, size, proof.note) if part)

"""One item of the store: what is known of it, its value as JSON or as the text of a file, and its editor."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector import format, store_items
from inspector.drafts import Drafts
from inspector.jobs import Failure, Jobs
from inspector.models.late import while_alive
from inspector.models.store import written
from inspector.panes import LOADING_DELAY_MS
from inspector.searching import Searchable
from inspector.store_items import ReadItem
from inspector.views.buttons import WordButton
from inspector.views.facts import Facts
from inspector.views.note_bar import NoteBar
from inspector.views.parts import Line
from inspector.views.store_edit import ItemEdits, Key
from inspector.views.text import TextView


class ItemPane(QWidget):
    """Shows an item; edits and deletes it where the workspace can be written."""

    touched = Signal(str, str)
    """The item of this namespace and key was saved or deleted here."""
    changed = Signal()
    """Something can be saved, edited or deleted, or is unsaved, as it was not before."""

    def __init__(self, jobs: Jobs, path: Path, workspace: Path | None, drafts: Drafts | None) -> None:
        super().__init__()
        self._jobs, self._path, self._workspace = jobs, path, workspace
        self.key: Key | None = None
        self.found: ReadItem | None = None
        self._problem = ""
        """What did not work, until it has been read."""
        self.facts = Facts()
        self.edit_button = WordButton("Edit", self.edit, name="Edit the item")
        self.delete_button = WordButton("Delete…", self.ask_delete, name="Delete the item…")
        self.as_json = WordButton("As JSON", name="Show the item as the store keeps it")
        self.as_json.setCheckable(True)
        self.as_json.toggled.connect(lambda _on: self._show_text())
        self.facts.keep(self.as_json, self.edit_button, self.delete_button)
        self.note = NoteBar("Note on the item")
        self.text = TextView(jobs, "Value of the item")
        self.edits = ItemEdits(jobs, path, workspace, drafts)
        self.edits.closed.connect(self._arrange)
        self.edits.changed.connect(self.changed)
        self.edits.saved.connect(self.touched)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(LOADING_DELAY_MS)
        self._late.timeout.connect(lambda: self.text.clear("Reading the item"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (Line(), self.facts, self.note):
            column.addWidget(widget)
        self.line = Line()
        column.addWidget(self.line)
        column.addWidget(self.text, 1)
        column.addWidget(self.edits, 1)
        self.clear()

    # -- what the pane calls -----------------------------------------------------------------

    def clear(self, title: str = "No item is selected.", how: str = "Select one above to see its value.") -> None:
        """Show none."""
        self._late.stop()
        self._jobs.cancel((self, "read"))
        self.key = self.found = None
        self.note.clear()
        self.facts.set_facts("")
        self.text.clear(title, how)
        if self.edits.key is not None and not self.edits.is_unsaved(self.edits.key):
            self.edits.close_edit()
        self._arrange()

    def show_item(self, namespace: str, key: str) -> None:
        """Show this item; read again what is shown already."""
        at = (namespace, key)
        if at != self.key:
            editing = self.edits.key
            if editing is not None and editing != at:
                self.edits.close_edit()
            self.key, self.found, self._problem = at, None, ""
            self.note.clear()
            self.facts.set_facts("")
            self._late.start()
            if self.edits.is_unsaved(at):
                self.edits.open(*at)
        self._arrange()
        what = f"Reading {format.elide_middle(format.one_line(key), 60)}"
        self._jobs.run(
            what, store_items.read, self._path, namespace, key,
            done=while_alive(self, partial(self._show, at)), failed=self._failed, key=(self, "read"),
        )  # fmt: skip

    def begin(self, namespace: str, key: str) -> None:
        """A new item, in the editor; it is there once it is saved."""
        self.clear()
        self.key = (namespace, key)
        self.edits.open(namespace, key, new=True)
        self._arrange()

    def resume(self, namespace: str, key: str) -> None:
        """An item in the editor, with what was typed and not saved."""
        self.show_item(namespace, key)
        self.edits.open(namespace, key)
        self._arrange()

    def close_jobs(self) -> None:
        """Ask what is being read to stop."""
        self._late.stop()
        self._jobs.cancel((self, "read"))

    def find_target(self) -> Searchable | None:
        """The editor, or the text."""
        return self.edits.edit.find_target() if self.edits.isVisible() else self.text.find_target()

    # -- what the user does ------------------------------------------------------------------

    def can_edit(self) -> bool:
        """Whether the item is here, can be edited, and isn't."""
        return self._writable() and self.found is not None and self.found.exact is not None and not self._editing()

    def can_delete(self) -> bool:
        """Whether the item is here and can be deleted."""
        return self._writable() and self.found is not None and not (self.key and self.edits.is_unsaved(self.key))

    def edit(self) -> None:
        """The editor in the place of the text."""
        if self.can_edit() and self.key is not None:
            self.note.clear()
            self.edits.open(*self.key)
            self._arrange()

    def ask_delete(self) -> None:
        """Say what would go, and ask."""
        if not self.can_delete() or self.found is None:
            return
        self._problem = ""
        item = self.found.item
        says = f"Delete {format.one_line(item.key, 200)} in {written(item.namespace)}? Agents that look for it find "
        says += "nothing from then on."
        if item.is_file:
            says += " A thread that has loaded a copy keeps that."
        self.note.say(says, ("Delete", partial(self._delete, self.found)), ("Cancel", self._tell))

    # -- inside ------------------------------------------------------------------------------

    def _writable(self) -> bool:
        return self._workspace is not None

    def _editing(self) -> bool:
        return self.edits.key is not None and self.edits.key == self.key

    def _show(self, at: Key, found: ReadItem) -> None:
        if at != self.key:
            return
        self._late.stop()
        again = self.found
        self.found = found
        self.edits.look(store_items.as_file_of(found), at)
        item = found.item
        self.facts.set_facts(
            item.key,
            [
                ("Namespace", written(item.namespace)),
                ("Stored as", item.namespace if written(item.namespace) != item.namespace else ""),
                ("What", _what(found)),
                ("Read at", item.path or ""),
                ("Size", format.count(item.size, "byte")),
                ("Created", "" if item.created_at is None else format.absolute(item.created_at)),
                ("Updated", "" if item.updated_at is None else format.absolute(item.updated_at)),
                ("Expires", "" if item.expires_at is None else format.absolute(item.expires_at)),
            ],
        )
        if again is None or again.item != item:
            self._tell()
            self._show_text(0 if again is None else self.text.edit.top_offset())
        self._arrange()

    def _show_text(self, offset: int = 0) -> None:
        if self.found is not None:
            wanted = self.found.json if self.as_json.isChecked() else self.found.text
            self.text.set_shown(wanted)
            if offset:
                self.text.edit.scroll_to(min(offset, len(wanted.source)))

    def _tell(self) -> None:
        self.note.clear()
        if self._problem:
            self.note.say(self._problem, ("Close", self._forget_problem), kind="error")
        elif self.found is not None and self.found.note:
            self.note.say(self.found.note, kind="error" if self.found.item.problem else "")

    def _forget_problem(self) -> None:
        self._problem = ""
        self._tell()

    def _failed(self, failure: Failure) -> None:
        self._late.stop()
        self.found = None
        if self.key is not None:
            self.edits.look(None, self.key)
        self.text.show_error(failure)
        self._arrange()

    def _delete(self, found: ReadItem) -> None:
        assert self._workspace is not None
        item = found.item
        self.note.clear()
        self._jobs.run(
            f"Deleting {format.elide_middle(format.one_line(item.key), 60)}",
            store_items.delete, self._workspace, item.namespace, item.key, item.version,
            done=while_alive(self, lambda _none: self._deleted((item.namespace, item.key))),
            failed=self._not_deleted,
        )  # fmt: skip

    def _deleted(self, at: Key) -> None:
        self.edits.forget(at)
        if self.key == at:
            self.clear("The item was deleted.", "")
        self.touched.emit(*at)

    def _not_deleted(self, failure: Failure) -> None:
        self._problem = f"{failure} Look at it again."
        self._tell()
        if self.key is not None:
            self.show_item(*self.key)

    def _arrange(self) -> None:
        editing = self._editing()
        self.text.setVisible(not editing)
        self.line.setVisible(not editing)
        self.edits.setVisible(editing)
        self.as_json.setVisible(not editing and self.found is not None and self.found.as_file)
        self.edit_button.setVisible(self._writable() and not editing)
        self.edit_button.setEnabled(self.can_edit())
        self.delete_button.setVisible(self._writable())
        self.delete_button.setEnabled(self.can_delete())
        self.changed.emit()


def _what(found: ReadItem) -> str:
    if found.item.is_file:
        return "a file that an agent's backend keeps here"
    return "an item that an application or a tool keeps, as JSON"

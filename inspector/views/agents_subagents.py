"""Section Subagents of an agent's form: a list, and the form of the one that is selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QSignalBlocker, QStringListModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListView, QVBoxLayout, QWidget

from inspector import format
from inspector.panes import Pane
from inspector.tab_order import focus_first
from inspector.views.agents_page import Row, belongs, index_in
from inspector.views.agents_subagent import SubagentForm
from inspector.views.bar_delegate import BarDelegate
from inspector.views.buttons import WordButton, tool_button
from inspector.views.quiet import quiet

if TYPE_CHECKING:
    from inspector.agent_edit import AgentEdit
    from inspector.agent_jobs import Judged

NAMES_SHOWN = 60
NEW: dict[str, Any] = {
    "name": "", "description": "", "system_prompt": "", "tools": None, "model": None, "mode": "isolated", "skills": [],
}  # fmt: skip


class SubagentsPage(QWidget):
    """All subagents, one of them in its form."""

    title = "Subagents"

    def __init__(self, known: QStringListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.title)
        self.edit: AgentEdit | None = None
        self._judged: Judged | None = None
        self.names = QStringListModel(self)
        self.list = _List(self.shift)
        self.list.setModel(self.names)
        self.list.selectionModel().currentChanged.connect(self._selected)
        self.add_button = WordButton("Add", self.add, name="Add a subagent")
        self.up_button = tool_button("↑", "Move up (Alt+Up)", lambda: self.shift(-1))
        self.down_button = tool_button("↓", "Move down (Alt+Down)", lambda: self.shift(1))
        self.remove_button = tool_button("×", "Remove this subagent", self.remove)
        self.remove_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.form = SubagentForm(known)
        self.form.changed.connect(self._changed)
        self.pane = Pane()
        self.pane.set_content(self.form)
        side = QWidget()
        side.setFixedWidth(200)
        column = QVBoxLayout(side)
        column.setContentsMargins(18, 14, 0, 14)
        column.setSpacing(6)
        column.addWidget(self.list, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        buttons.addWidget(self.add_button)
        buttons.addStretch(1)
        for button in (self.up_button, self.down_button):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys do the same
        for button in (self.up_button, self.down_button, self.remove_button):
            buttons.addWidget(button)
        column.addLayout(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(side)
        row.addWidget(self.pane, 1)

    # -- the same questions as other sections answer ----------------------------------------------

    def set_edit(self, edit: AgentEdit | None) -> None:
        """Show the subagents of another agent, or the same ones anew."""
        at = self.row() if edit is self.edit else 0
        self.edit = edit
        self._show(max(0, at))

    def judge(self, judged: Judged) -> None:
        """Show problems, those of the one that is selected at their fields."""
        self._judged = judged
        self._mark()

    def takes(self, problem: str) -> Row | None:
        """Whether a problem stands here."""
        return Row(problem, self.list, self.form.rows[0].problem) if belongs(problem, "subagents") else None

    def show_field(self, name: str) -> bool:
        """Select the subagent that a problem names, and give the keyboard to the field."""
        at = index_in(name, "subagents")
        if not belongs(name, "subagents"):
            return False
        if at is not None and at < self.names.rowCount():
            self.list.setCurrentIndex(self.names.index(at))
            if self.form.show_field(name.partition("].")[2]):
                return True
        focus_first(self.list if self.names.rowCount() else self.add_button)
        return True

    # -- changing the list ------------------------------------------------------------------------

    def row(self) -> int:
        """Place of the one that is selected; -1 for none."""
        return self.list.currentIndex().row()

    def add(self) -> None:
        """A new one at the end, with the keyboard in its name."""
        found = self._all()
        self._store([*found, dict(NEW)], len(found))
        self.form.name.setFocus()

    def remove(self) -> None:
        """Without the one that is selected."""
        at, found = self.row(), self._all()
        if 0 <= at < len(found):
            self._store([*found[:at], *found[at + 1 :]], min(at, len(found) - 2))
            focus_first(self.list if len(found) > 1 else self.add_button)

    def shift(self, by: int) -> None:
        """The one that is selected to another place."""
        at, found = self.row(), self._all()
        if 0 <= at < len(found) and 0 <= at + by < len(found):
            found[at], found[at + by] = found[at + by], found[at]
            self._store(found, at + by)

    # -- inside -----------------------------------------------------------------------------------

    def _all(self) -> list[dict[str, Any]]:
        return list(self.edit.get("subagents") or ()) if self.edit is not None else []

    def _store(self, found: list[dict[str, Any]], at: int) -> None:
        if self.edit is not None:
            self.edit.set("subagents", found)
            self._show(at)

    def _show(self, at: int) -> None:
        found = self._all()
        with QSignalBlocker(self.list.selectionModel()):
            self.names.setStringList([self._title(n, item) for n, item in enumerate(found)])
            self.list.setCurrentIndex(self.names.index(at if at < len(found) else 0))
        self._fill()

    def _selected(self, _index: QModelIndex) -> None:
        self._fill()

    def _fill(self) -> None:
        at, found = self.row(), self._all()
        for button in (self.up_button, self.down_button, self.remove_button):
            button.setEnabled(bool(found))
        if 0 <= at < len(found):
            self.form.show_subagent(found[at])
            self._mark()
            self.pane.show_content()
        else:
            self.pane.show_empty("No subagents of its own.", "The engine gives every agent one, general-purpose, that "
                                 "has the agent’s own tools. Add makes another.")  # fmt: skip

    def _changed(self, name: str, value: Any) -> None:
        at, found = self.row(), self._all()
        if self.edit is not None and 0 <= at < len(found):
            found[at] = {**found[at], name: value}
            self.edit.set("subagents", found)
            if name == "name":
                self.names.setData(self.names.index(at), self._title(at, found[at]))

    def _mark(self) -> None:
        """Problems at the fields of the one that is selected, and a sign at each that has any."""
        judged, at = self._judged, self.row()
        if judged is None:
            return
        prefix = f"subagents[{at}]."
        own = [replace(p, field=p.field.removeprefix(prefix)) for p in judged.problems if p.field.startswith(prefix)]
        self.form.judge(replace(judged, problems=tuple(own)))
        for n, item in enumerate(self._all()):
            words = self._title(n, item)
            if n < self.names.rowCount() and self.names.data(self.names.index(n)) != words:
                self.names.setData(self.names.index(n), words)

    def _title(self, at: int, item: dict[str, Any]) -> str:
        errors = self._judged is not None and any(
            problem.level == "error" and problem.field.startswith(f"subagents[{at}]")
            for problem in self._judged.problems
        )
        name = format.one_line(str(item.get("name") or ""), NAMES_SHOWN) or "(no name)"
        return f"! {name}" if errors else name


class _List(QListView):
    """Alt+Up and Alt+Down move the one that is selected."""

    def __init__(self, shift: Callable[[int], None]) -> None:
        super().__init__()
        quiet(self)
        self._shift = shift
        self.setAccessibleName("List of subagents")
        self.setUniformItemSizes(True)
        self.setItemDelegate(BarDelegate(self, pad=3))
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves."""
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if by and event.modifiers() == Qt.KeyboardModifier.AltModifier:
            self._shift(by)
        else:
            super().keyPressEvent(event)

"""What is wrong with an agent: counted in a line, listed on request, each leading to its field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QListView, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.models.agents import field_words, problems_line
from inspector.panes import plain_label, tint
from inspector.views.bar_delegate import BarDelegate
from inspector.views.buttons import WordButton
from inspector.views.quiet import quiet

if TYPE_CHECKING:
    from engine.blueprint import Problem

FIELD_ROLE = int(Qt.ItemDataRole.UserRole) + 1
MOST = 7
"""Lines of the list before it scrolls."""


class ProblemsBar(QWidget):
    """A counted line; the list opens under it."""

    chosen = Signal(str)
    """The reader goes to the field of a problem."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._problems: Sequence[Problem] = ()
        self._stepped = False
        self.says = plain_label("")
        self.show_button = WordButton("Show them", self.toggle)
        self.model = QStandardItemModel(self)
        self.list = QListView()
        quiet(self.list)
        self.list.setAccessibleName("Problems of the agent")
        self.list.setModel(self.model)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setItemDelegate(BarDelegate(self.list, pad=2, elide=Qt.TextElideMode.ElideRight))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.activated.connect(self._chosen)
        self.list.clicked.connect(self._chosen)
        self.list.hide()
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 6)
        row.setSpacing(10)
        row.addWidget(self.says)
        row.addWidget(self.show_button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.list)
        self.hide()

    def problems(self) -> Sequence[Problem]:
        """Those that are shown."""
        return self._problems

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show these; the place in the list stays."""
        if problems == self._problems:
            return
        self._problems = problems
        at = self.list.currentIndex().row()
        self.model.clear()
        for problem in problems:
            sign = "!" if problem.level == "error" else "Note:"
            item = QStandardItem(format.one_line(f"{sign} {field_words(problem.field)}: {problem.sentence}", 400))
            item.setData(item.text(), int(Qt.ItemDataRole.AccessibleTextRole))
            item.setToolTip(format.tip(problem.sentence))
            item.setData(problem.field, FIELD_ROLE)
            if problem.level == "error":
                item.setForeground(theme.error_colour())
            self.model.appendRow(item)
        self.list.setCurrentIndex(self.model.index(min(max(at, 0), len(problems) - 1), 0))
        line = QFontMetrics(self.list.font()).height() + 4
        self.list.setFixedHeight(min(MOST, max(1, len(problems))) * line + 6)
        errors = sum(problem.level == "error" for problem in problems)
        gone = "it is gone" if errors == 1 else "they are gone"
        runs = f" The agent can be saved, and can’t run before {gone}." if errors else ""
        self.says.setText(f"{problems_line(errors, len(problems) - errors)}.{runs}")
        tint(self.says, "error" if errors else "muted")
        self.setVisible(bool(problems))
        if not problems:
            self._open(False)

    def toggle(self) -> None:
        """Show or hide the list."""
        self._open(self.list.isHidden())
        if not self.list.isHidden():
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def step(self, by: int) -> None:
        """To the field of the next or previous problem, around the ends."""
        count = self.model.rowCount()
        if count:
            first = 0 if by > 0 else count - 1
            at = (self.list.currentIndex().row() + by) % count if self._stepped else first
            self._stepped = True
            self.list.setCurrentIndex(self.model.index(at, 0))
            self._chosen(self.model.index(at, 0))

    def _open(self, shown: bool) -> None:
        self.list.setVisible(shown)
        self.show_button.setText("Hide them" if shown else "Show them")

    def _chosen(self, index: QModelIndex) -> None:
        field = index.data(FIELD_ROLE)
        if isinstance(field, str):
            self.chosen.emit(field)

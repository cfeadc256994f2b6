"""Two texts beside each other, aligned, with what differs marked word by word; steps from difference to difference."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter, QTextEdit, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.jobs import Jobs
from inspector.models.beside import Beside, beside
from inspector.panes import Pane, plain_label
from inspector.views.buttons import tool_button
from inspector.views.marked_text import MarkedEdit
from inspector.views.parts import MARGIN
from inspector.views.tick import Tick

_REST_MS = 120
_ABOVE = 3
"""Lines above a difference that is stepped to."""


class _Side(MarkedEdit):
    """One column: its lines are wrapped already."""

    def __init__(self, name: str) -> None:
        self.empty: frozenset[int] = frozenset()
        super().__init__(name)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.updateRequest.connect(lambda _rect, _dy: self._shade())
        self._shaded: tuple[int, int] = (-1, -1)
        theme.notifier().changed.connect(self.shade_again)

    def cells(self) -> int:
        """How many letters fit in a line."""
        room = self.viewport().width() - 2 * self.document().documentMargin() - 2
        return int(room / max(1.0, self.fontMetrics().horizontalAdvance("0" * 100) / 100))

    def shade_again(self) -> None:
        """What fills the rows is elsewhere, or of another colour."""
        self._shaded = (-1, -1)
        self._shade()

    def _shade(self) -> None:
        """Give the lines that only fill a row the colour of the panels, where they are seen."""
        first = self.firstVisibleBlock().blockNumber()
        last = first + self.viewport().height() // max(1, self.fontMetrics().height()) + 1
        if (first, last) == self._shaded:
            return
        self._shaded = (first, last)
        ground = QTextCharFormat()
        ground.setBackground(theme.panel_colour())
        ground.setProperty(QTextFormat.Property.FullWidthSelection, True)
        made = []
        for number in range(first, last + 1):
            if number in self.empty:
                each: Any = QTextEdit.ExtraSelection()
                each.cursor = QTextCursor(self.document().findBlockByNumber(number))
                each.format = ground
                made.append(each)
        self.setExtraSelections(made)


class BesideView(QWidget):
    """Both columns under their titles."""

    def __init__(self, jobs: Jobs, before: str, after: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._texts: tuple[str, str] | None = None
        self._width = 0
        self._at = -1
        self._from_end = False
        self._stay = False
        """The same texts are laid out anew: what is looked at stays."""
        self.found: Beside | None = None
        self.title = plain_label()
        self.title.setWordWrap(True)
        self.says = plain_label(muted=True)
        self.heads = (plain_label(before, muted=True), plain_label(after, muted=True))
        self.sides = (_Side(before), _Side(after))
        self.whole = Tick("All lines")
        self.whole.setAccessibleName("Show all lines, not only those around a change")
        self.whole.toggled.connect(lambda _on: self._lay_out())
        self.pane = Pane()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._resized)
        self._build()
        self.clear("Nothing is selected.")

    def show_texts(self, title: str, before: str, after: str, from_end: bool = False) -> None:
        """Show these, at their first difference or their last."""
        self.title.setText(format.marked(title))
        self._texts, self._from_end, self._stay = (before, after), from_end, False
        self._lay_out()

    def clear(self, title: str, how: str = "") -> None:
        """Show nothing, and say why."""
        self._jobs.cancel((self, "beside"))
        self._texts = self.found = None
        self.title.setText("")
        self.says.setText("")
        self.pane.show_empty(title, how)

    def step(self, by: int) -> bool:
        """Go to the next (1) or previous (-1) difference; False past the last one."""
        if self.found is None or not 0 <= self._at + by < len(self.found.steps):
            return False
        self._go(self._at + by)
        return True

    def _lay_out(self) -> None:
        if self._texts is None:
            return
        if self.found is None:
            self.pane.show_loading("Comparing")
        self._width = min(side.cells() for side in self.sides)
        self._jobs.run(
            "Comparing", beside, *self._texts, self._width, self.whole.isChecked(),
            done=self._take, failed=self.pane.show_error, key=(self, "beside"), quiet=True,
        )  # fmt: skip

    def _take(self, found: Beside) -> None:
        self.found = found
        top = self.sides[0].top_offset()
        for side, marked, empty in zip(self.sides, (found.before, found.after), found.empty, strict=True):
            side.empty = empty
            side.set_marked(marked)
            side.shade_again()
        if found.same:
            self.says.setText("Both are the same.")
        elif not found.steps:
            self.says.setText("Only line ends differ.")
        else:
            self.says.setText(
                f"{format.count(len(found.steps), 'difference')} · − {format.count(found.removed, 'line')} · "
                f"+ {format.count(found.added, 'line')}"
            )
        self.pane.show_content()
        if self._stay:
            self.sides[0].scroll_to(top)
        elif found.steps:
            self._go(len(found.steps) - 1 if self._from_end else 0)
        else:
            self._at = -1

    def _go(self, step: int) -> None:
        assert self.found is not None
        self._at = step
        line = self.found.steps[step]
        for side in self.sides:
            side.setTextCursor(QTextCursor(side.document().findBlockByNumber(line)))
            side.verticalScrollBar().setValue(max(0, line - _ABOVE))

    def _resized(self) -> None:
        if self._texts is not None and min(side.cells() for side in self.sides) != self._width:
            self._stay = True
            self._lay_out()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The columns are as wide as the window lets them."""
        if event.type() == QEvent.Type.Resize:
            self._rest.start()
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 4, MARGIN, 2)
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.says)
        head.addWidget(self.whole)
        self.tools = head
        columns = QSplitter(Qt.Orientation.Horizontal)
        columns.setChildrenCollapsible(False)
        for side, name in zip(self.sides, self.heads, strict=True):
            part = QWidget()
            column = QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(0)
            name.setContentsMargins(MARGIN, 2, MARGIN, 2)
            column.addWidget(name)
            column.addWidget(side, 1)
            columns.addWidget(part)
            side.viewport().installEventFilter(self)
        left, right = self.sides
        left.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for one, other in ((left, right), (right, left)):
            one.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)
            one.horizontalScrollBar().valueChanged.connect(other.horizontalScrollBar().setValue)
        self.pane.set_content(columns)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.pane, 1)

    def add_steps(self, step: Any) -> None:
        """Buttons that step from difference to difference."""
        self.tools.addWidget(tool_button("↑", "Difference before (Shift+D)", lambda: step(-1)))
        self.tools.addWidget(tool_button("↓", "Next difference (D)", lambda: step(1)))

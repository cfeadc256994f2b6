"""A text with what was added underlined in green and what was removed struck through in red."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector import theme
from inspector.jobs import Jobs
from inspector.models.marked_text import Marked, Sort
from inspector.models.shown_text import ShownText, shown
from inspector.panes import Pane
from inspector.views.text_edit import ShownTextEdit
from inspector.views.text_find import FindBar


class MarkedEdit(ShownTextEdit):
    """Draws ranges on what is on the screen; their number costs nothing."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self._ranges: tuple[tuple[int, int, Sort], ...] = ()
        self._ends: list[int] = []
        super().__init__(name, parent)

    def set_marked(self, marked: Marked) -> None:
        """Draw another text."""
        self._ranges = marked.ranges
        self._ends = [end for _start, end, _sort in marked.ranges]
        self.set_shown(marked.text)

    def _colour(self) -> None:
        if self._ranges:
            self._dyed.add(-1)  # no block of that number: there is something to colour
        super()._colour()

    def _formats(self, block: QTextBlock) -> list[QTextLayout.FormatRange]:
        made = super()._formats(block)
        if not self._ranges:
            return made
        text, at = self.shown_text(), block.position()
        last = at + block.length() - 1
        start = text.to_source(text.from_utf16(at))
        end = text.to_source(text.from_utf16(last), after=True)
        for from_, to, sort in self._ranges[bisect_right(self._ends, start) :]:
            if from_ > end:
                break
            left = max(at, text.utf16(text.to_drawn(from_)))
            right = min(last, text.utf16(text.to_drawn(to)))
            if right > left:
                each = QTextLayout.FormatRange()
                each.start, each.length, each.format = left - at, right - left, _format(sort)
                made.insert(0, each)
        return made


def _format(sort: Sort) -> QTextCharFormat:
    wanted = QTextCharFormat()
    colour = theme.kind_colour("error" if sort == "removed" else "ai")
    wanted.setForeground(colour)
    ground = theme.kind_colour("error" if sort == "removed" else "ai")
    ground.setAlpha(26)
    wanted.setBackground(ground)
    if sort == "removed":
        wanted.setFontStrikeOut(True)
    else:
        wanted.setFontUnderline(True)
    return wanted


class MarkedTextView(QWidget):
    """One marked text in full, with search and steps from change to change."""

    def __init__(self, jobs: Jobs, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._key: Hashable | None = None
        self._changes: tuple[int, ...] = ()
        self._at = -1
        self._from_end = False
        self.marked = Marked(shown(""))
        self.pane = Pane()
        self.edit = MarkedEdit(name)
        self._find = FindBar(jobs, self.edit, lambda start, _end: self.edit.go_to(start))
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.edit, 1)
        column.addWidget(self._find)
        self.pane.set_content(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        body.setFocusProxy(self.edit)
        self.setFocusProxy(self.edit)
        self.edit.find_asked.connect(self.open_find)
        self.edit.secrets.attach(jobs, self._draw_again)

    def load(self, what: str, fetch: Callable[..., Marked], *args: Any, key: Hashable, from_end: bool = False) -> None:
        """Show what ``fetch(*args)`` returns, called off the GUI thread; the text of ``key`` is left as it stands."""
        if key == self._key:
            return
        self._key, self._from_end = key, from_end
        self._changes = ()
        self.pane.show_loading(what, self._cancel)
        self._jobs.run(what, fetch, *args, done=self._take, failed=self._failed, key=(self, "text"))

    def clear(self, title: str, how: str = "") -> None:
        """Show no text, and say why."""
        self._key = None
        self._jobs.cancel((self, "text"))
        self._put(Marked(shown("")))
        self.pane.show_empty(title, how)

    def step(self, by: int) -> bool:
        """Go to the next (1) or previous (-1) change inside the text; False past the last one."""
        if not 0 <= self._at + by < len(self._changes):
            return False
        self._at += by
        self.edit.go_to(self._changes[self._at])
        return True

    def find_target(self) -> MarkedTextView | None:
        """Itself, while it shows a text."""
        return self if self.isVisible() and self.pane.state() == "content" else None

    def open_find(self) -> None:
        """Open the search bar."""
        self._find.open(self.edit.selected_text())

    def step_find(self, back: bool = False) -> None:
        """Go to the next match, or the one before."""
        self._find.step(back)

    def copy_all(self) -> None:
        """Copy the whole text, both sides of every change in it; what is masked stays so."""
        self.edit.copy_all()

    def close_jobs(self) -> None:
        """Ask what is being read to stop."""
        self._key = None
        self._jobs.cancel((self, "text"))

    def _put(self, marked: Marked) -> None:
        self.marked = marked
        self._changes = marked.changes
        self.edit.set_marked(marked)
        self._find.text_changed()

    def _draw_again(self, text: ShownText) -> None:
        """The same text with other secrets shown."""
        self.marked = replace(self.marked, text=text)
        self.edit.set_marked(self.marked)
        self._find.text_changed()

    def _take(self, marked: Marked) -> None:
        self._put(marked)
        self.pane.show_content()
        self._at = len(self._changes) - 1 if self._from_end else 0
        if self._changes and self._at < len(self._changes):
            self.edit.go_to(self._changes[self._at])

    def _failed(self, sentence: str) -> None:
        self._key = None
        self._put(Marked(shown("")))
        self.pane.show_error(sentence)

    def _cancel(self) -> None:
        self.clear("This was not read: cancelled.", "Select it again to read it.")

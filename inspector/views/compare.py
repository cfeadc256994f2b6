"""Two texts compared: one unified view, removed and added lines marked by sign, colour and line.

Read-only. The difference is made off the GUI thread; only lines on the screen are coloured.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.jobs import Jobs
from inspector.line_diff import CONTEXT, Difference, Sign, difference
from inspector.models.changed_secrets import secrets_of_lines
from inspector.models.shown_text import ShownText, shown
from inspector.panes import Pane, plain_label
from inspector.views.buttons import tool_button
from inspector.views.parts import MARGIN
from inspector.views.text_edit import ShownTextEdit
from inspector.views.tick import Tick

_SIGNS: dict[Sign, str] = {"equal": "  ", "removed": "− ", "added": "+ ", "skipped": "⋯ "}


@dataclass(frozen=True)
class Laid:
    """A difference made ready to draw."""

    found: Difference
    text: ShownText
    starts: tuple[int, ...]
    """True offset at which each line begins."""
    signs: tuple[Sign, ...]


Text = str | Callable[[], str]
"""A text, or what makes it: called in the job."""


def lay_out(old: Text, new: Text, all_lines: bool = False) -> Laid:
    """Compare two texts. Runs in a job."""
    before = old if isinstance(old, str) else old()
    after = new if isinstance(new, str) else new()
    found = difference(before, after, 10**9 if all_lines else CONTEXT)
    lines = [_SIGNS[line.sign] + line.text for line in found.lines]
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    places = [at + len(_SIGNS[line.sign]) for at, line in zip(starts, found.lines, strict=True)]
    text = shown("\n".join(lines), secrets=secrets_of_lines(before, after, found.lines, places))
    return Laid(found, text, tuple(starts), tuple(line.sign for line in found.lines))


class DiffEdit(ShownTextEdit):
    """Draws a difference; a copy has the signs in front of the lines."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._laid: Laid | None = None
        self._marked = (-1, -1)
        self.updateRequest.connect(lambda _rect, _dy: self._mark_lines())
        theme.notifier().changed.connect(self._again)

    def set_difference(self, laid: Laid) -> None:
        """Draw another one."""
        self._laid = None
        self.set_shown(laid.text)
        self._laid = laid
        self._again()

    def draw_again(self, text: ShownText) -> None:
        """The same difference with other secrets shown."""
        if self._laid is not None:
            self.set_difference(replace(self._laid, text=text))

    def _again(self) -> None:
        self._marked = (-1, -1)
        self._mark_lines()

    def _mark_lines(self) -> None:
        """Colour the lines on the screen."""
        laid = self._laid
        if laid is None or laid.text is not self.shown_text():
            return
        corner = self.viewport().rect().bottomRight()
        start = laid.text.from_utf16(self.cursorForPosition(self.viewport().rect().topLeft()).position())
        end = laid.text.from_utf16(self.cursorForPosition(corner).position())
        first = max(0, bisect_right(laid.starts, laid.text.to_source(start)) - 1)
        last = bisect_right(laid.starts, laid.text.to_source(end, after=True))
        if (first, last) == self._marked:
            return
        self._marked = (first, last)
        changed = [n for n in range(first, last) if laid.signs[n] != "equal"]
        self.setExtraSelections([part for n in changed for part in _parts(self, laid, n)])


class ComparePane(QWidget):
    """A title, how much differs, the difference."""

    closed = Signal()

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self._texts: tuple[Text, Text] | None = None
        self._title = plain_label()
        self._title.setWordWrap(True)
        self._says = plain_label(muted=True)
        self._says.setWordWrap(True)
        self.whole = Tick("All lines")
        self.whole.setAccessibleName("Show all lines, not only those around a change")
        self.whole.toggled.connect(lambda _on: self._compare())
        self._close = tool_button("×", "Close the comparison", self.closed.emit)
        self.edit = DiffEdit("Differences")
        self.edit.secrets.attach(jobs, self.edit.draw_again)
        self.pane = Pane()
        self.pane.set_content(self.edit)
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 4, 4, 2)
        head.addWidget(self._title, 1)
        head.addWidget(self.whole)
        head.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        says = QHBoxLayout()
        says.setContentsMargins(MARGIN, 0, MARGIN, 4)
        says.addWidget(self._says)
        column.addLayout(says)
        column.addWidget(self.pane, 1)

    def compare(self, title: str, old: Text, new: Text) -> None:
        """Show what differs from ``old`` to ``new``."""
        self._title.setText(format.marked(title))
        self._texts = (old, new)
        self._compare()

    def say(self, title: str, sentence: str) -> None:
        """There is no text to compare with."""
        self.jobs.cancel((self, "compare"))
        self._texts = None
        self._title.setText(format.marked(title))
        self._says.setText("")
        self.pane.show_empty(sentence)

    def text(self) -> str:
        """What is drawn, with signs."""
        return self.edit.shown_text().source

    def summary(self) -> str:
        """Title and how much differs."""
        return f"{self._title.text()}\n{self._says.text()}"

    def _compare(self) -> None:
        if self._texts is None:
            return
        self.pane.show_loading("Comparing")
        self.jobs.run(
            "Comparing",
            lay_out,
            *self._texts,
            self.whole.isChecked(),
            done=self._show,
            failed=self.pane.show_error,
            key=(self, "compare"),
            quiet=True,
        )

    def _show(self, laid: Laid) -> None:
        found = laid.found
        if found.same:
            self._says.setText("Both are the same.")
        elif not found.removed and not found.added:
            self._says.setText("Only line ends or other invisible separators differ.")
        else:
            self._says.setText(
                f"− {format.count(found.removed, 'line')} only in the first · "
                f"+ {format.count(found.added, 'line')} only in the second"
            )
        self.edit.set_difference(laid)
        self.pane.show_content()


def _parts(edit: DiffEdit, laid: Laid, n: int) -> list[QTextEdit.ExtraSelection]:
    """The sign of a line, and what comes after it: struck through or underlined."""
    start = laid.starts[n]
    end = laid.starts[n + 1] - 1 if n + 1 < len(laid.starts) else len(laid.text.source)
    sign = laid.signs[n]
    return [
        _selection(edit, laid, start, start + 2, _format(sign, whole_line=True)),
        _selection(edit, laid, start + 2, end, _format(sign, line=True)),
    ]


def _selection(edit: DiffEdit, laid: Laid, start: int, end: int, wanted: QTextCharFormat) -> QTextEdit.ExtraSelection:
    made: Any = QTextEdit.ExtraSelection()
    made.cursor = QTextCursor(edit.document())
    made.cursor.setPosition(laid.text.utf16(laid.text.to_drawn(start)))
    made.cursor.setPosition(laid.text.utf16(laid.text.to_drawn(end)), QTextCursor.MoveMode.KeepAnchor)
    made.format = wanted
    return made


def _format(sign: Sign, whole_line: bool = False, line: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    if sign == "skipped":
        made.setForeground(theme.muted_colour())
        return made
    colour = QColor(theme.scheme().removed if sign == "removed" else theme.scheme().added)
    made.setForeground(colour)
    made.setFontStrikeOut(line and sign == "removed")
    made.setFontUnderline(line and sign == "added")
    tint = QColor(colour)
    tint.setAlpha(24)
    if whole_line:
        made.setProperty(QTextFormat.Property.FullWidthSelection, True)
    made.setBackground(tint)
    return made

"""The text viewer that every pane uses: read-only, plain, true when copied, quick at any length.

It draws nothing but text: no rich text, no link, no fetch. What can't be seen is drawn as a mark, lines
over some 2,000 characters are cut with their length said and shown whole on request.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import format
from inspector.jobs import Jobs
from inspector.models.late import while_alive
from inspector.models.shown_text import LINE_LIMIT, SHOWN_LIMIT, ShownText, find_all, shown
from inspector.panes import Pane, plain_label
from inspector.views.text_edit import ShownTextEdit

AT_ONCE = 50_000
"""Texts up to this length are made ready in the GUI thread; the rest in a job."""
MOST_MATCHES = 10_000
_FIND_DELAY_MS = 120


class TextView(QWidget):
    """One text in full, with search, and a strip that says what is drawn otherwise than it is."""

    def __init__(self, jobs: Jobs, name: str = "Text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._key: Hashable | None = None
        self._whole: frozenset[int] | bool = frozenset()
        self._limit = SHOWN_LIMIT
        self._labels: tuple[tuple[int, str], ...] = ()
        self._pane = Pane()
        self.edit = ShownTextEdit(name)
        self._strip = _Strip(self._show_lines, self._show_more)
        self._find = FindBar(self._jobs, self.edit, self._reveal)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._strip)
        column.addWidget(self.edit, 1)
        column.addWidget(self._find)
        self._pane.set_content(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._pane)
        body.setFocusProxy(self.edit)
        self.setFocusProxy(self.edit)
        self.edit.find_asked.connect(self.open_find)
        self.edit.next_asked.connect(self._find.step)
        self.edit.line_asked.connect(self._show_line)

    # -- what others call ------------------------------------------------------------------

    def load(self, what: str, fetch: Callable[[], str], key: Hashable | None = None) -> None:
        """Show the text that ``fetch`` returns, called off the GUI thread.

        A text with the ``key`` of the one that is shown is left as it stands: scroll and search stay.
        """
        if key is not None and key == self._key:
            return
        self._key = key
        self._forget_wishes()
        self._pane.show_loading(what)
        self._jobs.run(what, _fetch_and_prepare, fetch, done=self._take, failed=self._failed, key=self._job_key())

    def load_shown(self, what: str, fetch: Callable[[], ShownText], key: Hashable | None = None) -> None:
        """As ``load``, for a text that comes with labels of its own."""
        if key is not None and key == self._key:
            return
        self._key = key
        self._forget_wishes()
        self._pane.show_loading(what)
        self._jobs.run(what, fetch, done=self._take, failed=self._failed, key=self._job_key())

    def set_text(self, text: str, key: Hashable | None = None) -> None:
        """Show a text that is at hand."""
        if key is not None and key == self._key:
            return
        self._key = key
        self._forget_wishes()
        if len(text) <= AT_ONCE:
            self._jobs.cancel(self._job_key())
            self._take(shown(text))
            return
        self._pane.show_loading("Laying out the text")
        self._jobs.run(
            "Laying out the text", shown, text,
            done=self._take, failed=self._failed, key=self._job_key(), quiet=True,
        )  # fmt: skip

    def set_shown(self, text: ShownText) -> None:
        """Show a text that was made ready elsewhere."""
        self._key = None
        self._jobs.cancel(self._job_key())
        self._forget_wishes()
        self._take(text)

    def clear(self, title: str = "Nothing is selected", how: str = "") -> None:
        """Show no text, and say what would be here and how to get it."""
        self._key = None
        self._jobs.cancel(self._job_key())
        self.edit.set_shown(shown(""))
        self._find.text_changed()
        self._pane.show_empty(title, how)

    def show_error(self, sentence: str) -> None:
        """Say why there is no text."""
        self._key = None
        self._jobs.cancel(self._job_key())
        self._failed(sentence)

    def text(self) -> str:
        """The true text, whole."""
        return self.edit.shown_text().source

    def state(self) -> str:
        """``loading``, ``empty``, ``error`` or ``content``."""
        return self._pane.state()

    def message(self) -> str:
        """What the empty or error state says."""
        return self._pane.message()

    def notes(self) -> str:
        """What the strip says; empty when the text is drawn as it is."""
        return self._strip.text()

    def copy_all(self) -> None:
        """Copy the whole true text."""
        self.edit.copy_all()

    def open_find(self) -> None:
        """Open the search bar."""
        self._find.open(self.edit.selected_text())

    def show_whole_lines(self) -> None:
        """Show every line whole."""
        self._show_lines()

    # -- inside ----------------------------------------------------------------------------

    def _take(self, text: ShownText) -> None:
        self.edit.set_shown(text)
        self._labels = tuple((mark.source, mark.says) for mark in text.marks if mark.kind == "label")
        self._strip.describe(text)
        self._find.text_changed()
        self._pane.show_content()

    def _job_key(self) -> Hashable:
        return ("text", id(self))

    def _failed(self, sentence: str) -> None:
        self._key = None
        self.edit.set_shown(shown(""))
        self._pane.show_error(sentence)

    def _forget_wishes(self) -> None:
        self._whole, self._limit = frozenset(), SHOWN_LIMIT

    def _show_lines(self) -> None:
        self._whole = True
        self._again(self.edit.top_offset())

    def _show_more(self) -> None:
        self._limit *= 4
        self._again(self.edit.top_offset())

    def _show_line(self, offset: int) -> None:
        if isinstance(self._whole, frozenset):
            self._whole |= {_line_start(self.text(), offset)}
        self._again(offset)

    def _reveal(self, start: int, end: int) -> None:
        """A match stands behind a cut: draw what hides it, then select it."""
        if isinstance(self._whole, frozenset):
            self._whole |= {_line_start(self.text(), start)}
        while self._limit <= end:
            self._limit *= 4
        self._again(start, start)

    def _again(self, offset: int, select: int | None = None) -> None:
        redraw = while_alive(self, lambda text: self._redraw(text, offset, select))
        prepare = partial(shown, self.text(), whole=self._whole, limit=self._limit, labels=self._labels)
        self._jobs.run(
            "Laying out the text", prepare,
            done=redraw, failed=self._failed, key=self._job_key(),
        )  # fmt: skip

    def _redraw(self, text: ShownText, offset: int, select: int | None) -> None:
        if text.source != self.text():
            return
        self.edit.set_shown(text)
        self._strip.describe(text)
        self._find.repaint_matches()
        if select is not None:
            self.edit.go_to(select)
        else:
            self.edit.scroll_to(offset)


class _Strip(QWidget):
    """One line above the text: what is cut or drawn as marks, and how to have it whole."""

    def __init__(self, show_lines: Callable[[], None], show_more: Callable[[], None]) -> None:
        super().__init__()
        self._says = plain_label(muted=True)
        self._lines = _button("Show whole lines", show_lines)
        self._more = _button("Show more", show_more)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 8, 3)
        row.addWidget(self._says, 1)
        row.addWidget(self._lines)
        row.addWidget(self._more)
        self.hide()

    def text(self) -> str:
        """What it says."""
        return self._says.text()

    def describe(self, text: ShownText) -> None:
        """Say how a text is drawn otherwise than it is; hide when it isn't."""
        says = []
        if text.cut_lines:
            lines = "1 line is" if text.cut_lines == 1 else f"{format.exact(text.cut_lines)} lines are"
            says.append(
                f"{lines} cut after {format.exact(LINE_LIMIT)} characters; "
                f"the longest has {format.exact(text.longest_line)}."
            )
        left = len(text.source) - text.shown_characters
        if left:
            drawn, whole = format.exact(text.shown_characters), format.exact(len(text.source))
            says.append(f"{drawn} of {whole} characters are shown.")
        hidden = text.hidden
        if hidden:
            says.append(
                "1 hidden or control character is drawn as a mark."
                if hidden == 1
                else f"{format.exact(hidden)} hidden or control characters are drawn as marks."
            )
        if text.windows_line_ends:
            says.append("Lines end with CR LF.")
        self._says.setText(" ".join(says))
        self._says.setToolTip(format.tip(" ".join(says)))
        self._lines.setVisible(bool(text.cut_lines))
        self._more.setVisible(bool(left))
        self.setVisible(bool(says))


class FindBar(QWidget):
    """Search in the true text; matches are counted, painted and stepped through."""

    def __init__(self, jobs: Jobs, edit: ShownTextEdit, reveal: Callable[[int, int], None]) -> None:
        super().__init__()
        self._jobs, self._edit, self._reveal = jobs, edit, reveal
        self._matches: list[tuple[int, int]] = []
        self._at: int | None = None
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find in this text")
        self.field.setAccessibleName("Find in this text")
        self.field.setClearButtonEnabled(True)
        self.case = QCheckBox("Match case")
        self.case.setAccessibleName("Match case")
        self.says = plain_label(muted=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.addWidget(self.field, 1)
        row.addWidget(self.says)
        row.addWidget(_tool("↑", "Previous match", lambda: self.step(True)))
        row.addWidget(_tool("↓", "Next match", lambda: self.step(False)))
        row.addWidget(self.case)
        row.addWidget(_tool("×", "Close the search", self.close_bar))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_FIND_DELAY_MS)
        self._timer.timeout.connect(self.search)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.field.returnPressed.connect(lambda: self.step(False))
        self.case.toggled.connect(lambda _on: self.search())
        self.field.installEventFilter(self)
        self.hide()

    def open(self, text: str = "") -> None:
        """Show the bar, searching for ``text`` where that is one short line."""
        self.show()
        if text and "\n" not in text and len(text) <= 200:
            self.field.setText(text)
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def close_bar(self) -> None:
        """Hide the bar and its marks."""
        self._timer.stop()
        self._matches, self._at = [], None
        self._edit.set_matches([], None)
        self.hide()
        self._edit.setFocus()

    def text_changed(self) -> None:
        """Another text is shown: search it too when the bar is open."""
        self._matches, self._at = [], None
        if not self.isHidden():
            self.search(jump=False)

    def repaint_matches(self) -> None:
        """The same text is drawn otherwise."""
        self._edit.set_matches(self._matches, None if self._at is None else self._matches[self._at])

    def search(self, jump: bool = True) -> None:
        """Find all matches, off the GUI thread."""
        self._timer.stop()
        needle, source = self.field.text(), self._edit.shown_text().source
        look = partial(find_all, source, needle, case=self.case.isChecked(), most=MOST_MATCHES)
        self._jobs.run(
            "Searching the text", look,
            done=while_alive(self, lambda found: self._found(found, jump)), key=("find", id(self)), quiet=True,
        )  # fmt: skip

    def step(self, back: bool = False) -> None:
        """Go to the next match, or the one before, around the ends."""
        if not self._matches:
            if self.isHidden():
                self.open()
            return
        self._at = 0 if self._at is None else (self._at + (-1 if back else 1)) % len(self._matches)
        self._go()

    def matches(self) -> list[tuple[int, int]]:
        """True ranges found."""
        return self._matches

    def _found(self, found: list[tuple[int, int]], jump: bool) -> None:
        self._matches = found
        here = self._edit.offset()
        self._at = next((n for n, (_start, end) in enumerate(found) if end >= here), 0) if found else None
        if found and jump:
            self._go()
        else:
            self.repaint_matches()
            self._say()

    def _go(self) -> None:
        if self._at is None:
            return
        start, end = self._matches[self._at]
        self._say()
        drawn = self._edit.shown_text()
        if drawn.is_drawn(start) and drawn.is_drawn(max(start, end - 1)):
            self.repaint_matches()
            self._edit.go_to(start)
        else:
            self._reveal(start, end)

    def _say(self) -> None:
        if not self.field.text():
            self.says.setText("")
        elif not self._matches:
            self.says.setText("not found")
        else:
            many = f"{format.exact(len(self._matches))}{'+' if len(self._matches) >= MOST_MATCHES else ''}"
            self.says.setText(f"{format.exact((self._at or 0) + 1)} of {many}")

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Escape closes, F3 and Shift+Enter step."""
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride) and isinstance(event, QKeyEvent):
            action = self._key_action(event)
            if action is not None:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    action()
                return True
        return super().eventFilter(watched, event)  # type: ignore[arg-type]

    def _key_action(self, event: QKeyEvent) -> Callable[[], None] | None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            return self.close_bar
        if event.key() == Qt.Key.Key_F3:
            return partial(self.step, shift)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and shift:
            return partial(self.step, True)
        return None


def _fetch_and_prepare(fetch: Callable[[], str]) -> ShownText:
    return shown(fetch())


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind(end, 0, offset) for end in "\n\r\u2028\u2029") + 1


def _button(text: str, do: Callable[[], None]) -> QPushButton:
    button = QPushButton(text)
    button.setFlat(True)
    button.setAccessibleName(text)
    button.clicked.connect(lambda _checked=False: do())
    return button


def _tool(sign: str, name: str, do: Callable[[], None]) -> QToolButton:
    button = QToolButton()
    button.setText(sign)
    button.setAutoRaise(True)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.clicked.connect(lambda _checked=False: do())
    return button

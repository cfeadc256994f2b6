"""The text viewer that every pane uses: read-only, plain, true when copied, quick at any length.

It draws nothing but text: no rich text, no link, no fetch. What can't be seen is drawn as a mark, lines
over some 2,000 characters are cut with their length said and shown whole on request.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from PySide6.QtWidgets import (
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from inspector import format
from inspector.jobs import Jobs
from inspector.models.late import while_alive
from inspector.models.secrets import named_secret
from inspector.models.shown_text import LINE_LIMIT, SHOWN_LIMIT, ShownText, shown
from inspector.panes import Pane, plain_label
from inspector.views.buttons import WordButton
from inspector.views.text_edit import ShownTextEdit
from inspector.views.text_find import FindBar

AT_ONCE = 50_000
"""Texts up to this length are made ready in the GUI thread; the rest in a job."""


class TextView(QWidget):
    """One text in full, with search, and a strip that says what is drawn otherwise than it is."""

    def __init__(self, jobs: Jobs, name: str = "Text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._key: Hashable | None = None
        self._whole: frozenset[int] | bool = frozenset()
        self._limit = SHOWN_LIMIT
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
        self.edit.line_asked.connect(self._show_line)
        self.edit.secrets.attach(jobs, self._draw_again)

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

    def set_text(self, text: str, key: Hashable | None = None, *, secret: bool = False) -> None:
        """Show a text that is at hand; ``secret``: its name says that all of it is one."""
        if key is not None and key == self._key:
            return
        self._key = key
        self._forget_wishes()
        prepare = partial(shown, text, secrets=named_secret(text) if secret else None)
        if len(text) <= AT_ONCE:
            self._jobs.cancel(self._job_key())
            self._take(prepare())
            return
        self._pane.show_loading("Laying out the text")
        self._jobs.run(
            "Laying out the text", prepare,
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
        """The true text, whole, secrets too."""
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
        """Copy the whole true text; what is masked stays so."""
        self.edit.copy_all()

    def find_target(self) -> TextView | None:
        """Itself, while it shows a text."""
        return self if self.isVisible() and self._pane.state() == "content" else None

    def open_find(self) -> None:
        """Open the search bar."""
        self._find.open(self.edit.selected_text())

    def step_find(self, back: bool = False) -> None:
        """Go to the next match, or the one before; open the search bar when it is closed."""
        self._find.step(back)

    def show_match(self, words: str, near: int) -> None:
        """Show where ``words`` stand, in the text that is shown or on its way; ``near`` is the true offset meant."""
        self._find.show_match(words, near)

    def show_whole_lines(self) -> None:
        """Show every line whole."""
        self._show_lines()

    # -- inside ----------------------------------------------------------------------------

    def _take(self, text: ShownText) -> None:
        self.edit.set_shown(text)
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
        prepare = partial(self.edit.shown_text().again, whole=self._whole, limit=self._limit)
        self._jobs.run(
            "Laying out the text", prepare,
            done=redraw, failed=self._failed, key=self._job_key(),
        )  # fmt: skip

    def _redraw(self, text: ShownText, offset: int, select: int | None) -> None:
        if text.source != self.text():
            return
        self._draw_again(text)
        if select is not None:
            self.edit.go_to(select)
        else:
            self.edit.scroll_to(offset)

    def _draw_again(self, text: ShownText) -> None:
        """The same text, drawn otherwise."""
        also = text.revealed != self.edit.shown_text().revealed
        self.edit.set_shown(text)
        self._strip.describe(text)
        self._find.repaint_matches()
        if also:
            self._find.text_changed()


class _Strip(QWidget):
    """One line above the text: what is cut or drawn as marks, and how to have it whole."""

    def __init__(self, show_lines: Callable[[], None], show_more: Callable[[], None]) -> None:
        super().__init__()
        self._says = plain_label(muted=True)
        self._lines = WordButton("Show whole lines", show_lines)
        self._more = WordButton("Show more", show_more)
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
        if text.masked:
            says.append(
                "1 likely secret is masked: a click on it shows it."
                if len(text.masked) == 1
                else f"{format.exact(len(text.masked))} likely secrets are masked: a click on one shows it."
            )
        if text.windows_line_ends:
            says.append("Lines end with CR LF.")
        self._says.setText(" ".join(says))
        self._says.setToolTip(format.tip(" ".join(says)))
        self._lines.setVisible(bool(text.cut_lines))
        self._more.setVisible(bool(left))
        self.setVisible(bool(says))


def _fetch_and_prepare(fetch: Callable[[], str]) -> ShownText:
    return shown(fetch())


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind(end, 0, offset) for end in "\n\r\u2028\u2029") + 1

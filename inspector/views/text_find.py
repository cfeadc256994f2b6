"""The search bar under a text: searches the true text off the GUI thread, counts, paints and steps.

What a mask hides is not searched: a search would tell it letter by letter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.models.late import while_alive
from inspector.models.shown_text import find_all
from inspector.panes import plain_label
from inspector.views.buttons import tool_button
from inspector.views.text_edit import ShownTextEdit
from inspector.views.tick import Tick

MOST_MATCHES = 10_000
_FIND_DELAY_MS = 120
_SETTLED_MS = 400
"""Without another text for so long, and nothing at work, the text that is shown is the one that was meant."""


class FindBar(QWidget):
    """Search in the true text; matches are counted, painted and stepped through."""

    def __init__(self, jobs: Jobs, edit: ShownTextEdit, reveal: Callable[[int, int], None]) -> None:
        super().__init__()
        self._jobs, self._edit, self._reveal = jobs, edit, reveal
        self._matches: list[tuple[int, int]] = []
        self._at: int | None = None
        self._near: int | None = None
        """Where the match stands that was asked for and not come to yet."""
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLED_MS)
        self._settled.timeout.connect(self._settle)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find in this text")
        self.field.setAccessibleName("Find in this text")
        self.field.setClearButtonEnabled(True)
        self.case = Tick("Match case")
        self.case.setAccessibleName("Match case")
        self.says = plain_label(muted=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.addWidget(self.field, 1)
        row.addWidget(self.says)
        row.addWidget(tool_button("↑", "Previous match", lambda: self.step(True)))
        row.addWidget(tool_button("↓", "Next match", lambda: self.step(False)))
        row.addWidget(self.case)
        row.addWidget(tool_button("×", "Close the search", self.close_bar))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_FIND_DELAY_MS)
        self._timer.timeout.connect(self.search)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.field.textEdited.connect(lambda _text: self._forget_place())
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

    def show_match(self, words: str, near: int) -> None:
        """Show where ``words`` stand at the true offset ``near``, or closest to it, in the text that comes."""
        self.field.setText(words)
        self.show()
        self._near = near
        self._settled.start()
        self.search(jump=False)

    def close_bar(self) -> None:
        """Hide the bar and its marks."""
        self._timer.stop()
        self._forget_place()
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
        needle, text = self.field.text(), self._edit.shown_text()
        look = partial(
            find_all, text.source, needle, case=self.case.isChecked(), most=MOST_MATCHES, masked=text.masked
        )  # fmt: skip
        self._jobs.run(
            "Searching the text", look,
            done=while_alive(self, lambda found: self._found(found, jump)), key=("find", id(self)), quiet=True,
        )  # fmt: skip

    def step(self, back: bool = False) -> None:
        """Go to the next match, or the one before, around the ends."""
        self._forget_place()
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
        if self._near is not None and any(start == self._near for start, _end in found):
            self._go_near()
        elif found and jump:
            self._go()
        else:
            self.repaint_matches()
            self._say()

    def _settle(self) -> None:
        """No other text came: the closest match is the one that was meant."""
        if self._near is not None and self._jobs.active():
            self._settled.start()
        elif self._near is not None:
            self._go_near()

    def _go_near(self) -> None:
        near, places = self._near or 0, range(len(self._matches))
        self._at = min(places, key=lambda n: abs(self._matches[n][0] - near), default=None)
        self._forget_place()
        self._go()

    def _forget_place(self) -> None:
        self._near = None
        self._settled.stop()

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
            masked = bool(self._edit.shown_text().masked)
            self.says.setText("not found; masked secrets are not searched" if masked else "not found")
        else:
            many = f"{format.exact(len(self._matches))}{'+' if len(self._matches) >= MOST_MATCHES else ''}"
            self.says.setText(f"{format.exact((self._at or 0) + 1)} of {many}")

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Escape closes, Shift+Enter steps back."""
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
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and shift:
            return partial(self.step, True)
        return None

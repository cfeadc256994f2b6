"""The answer of the request that is shown, as it streams; the recorded response takes its place."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.panes import plain_label
from inspector.turns import Turn
from inspector.views.focus_edge import FocusEdge
from inspector.views.parts import MARGIN, Line
from inspector.views.quiet import quiet

SHOWN = 4_000
"""Characters of the end that are drawn: the whole answer is in the record once it is there."""
LOOKED_AT = 3 * SHOWN
"""Characters that are looked at for secrets, so that one is not cut in half."""
HEIGHT = 110


class LiveAnswer(QWidget):
    """Hidden unless the request that is shown is the one that streams."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Answer, as it comes")
        self._at: tuple[str, int, int] = ("", 0, 0)
        self.says = plain_label("", muted=True)
        self.says.setContentsMargins(MARGIN, 3, MARGIN, 2)
        self.edit = QPlainTextEdit()
        quiet(self.edit)
        FocusEdge(self.edit)
        self.edit.setAccessibleName("Answer, as it comes")
        self.edit.setReadOnly(True)
        self.edit.setTabChangesFocus(True)
        self.edit.setUndoRedoEnabled(False)
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.document().setDocumentMargin(MARGIN)
        self.edit.setFont(theme.mono_font())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Line())
        column.addWidget(self.says)
        column.addWidget(self.edit)
        self.setFixedHeight(HEIGHT)
        self.hide()

    def follow(self, turn: Turn | None) -> None:
        """Show how far the answer of this run's latest request has come; None hides it."""
        if turn is None or turn.over or not turn.words:
            self.hide()
            self._at = ("", 0, 0)
            return
        now = (turn.thread_id, turn.answers, len(turn.words))
        if now != self._at:
            self._draw(turn.words, same=now[:2] == self._at[:2])
            self._at = now
        self.show()

    def _draw(self, words: str, same: bool) -> None:
        text = format.marked(words[-LOOKED_AT:])
        cut = len(words) > SHOWN
        bar = self.edit.verticalScrollBar()
        place = bar.value() if same and bar.value() < bar.maximum() and not cut else None
        self.edit.setPlainText("…" + text[-SHOWN:] if cut else text)
        bar.setValue(bar.maximum() if place is None else place)
        self.says.setText(f"The answer, as it comes · {format.count(len(words), 'character')}")

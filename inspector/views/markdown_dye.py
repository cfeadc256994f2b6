"""Colours Markdown in the memory editor: the lines on the screen as they are drawn, the rest never.

What a line begins inside of (a comment, a fenced block) is worked out over the whole text in a job, when the typing
has come to rest; until then lines below keep what they had.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer
from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

from inspector import theme
from inspector.jobs import Jobs
from inspector.models import markdown
from inspector.views.document_text import text_of, utf16
from inspector.views.memory_editor import MemoryEditor

_REST_MS = 120


class MarkdownDye(QObject):
    """Belongs to one editor; follows the document that it shows."""

    def __init__(self, jobs: Jobs, editor: MemoryEditor) -> None:
        super().__init__(editor)
        self._jobs, self._editor = jobs, editor
        self._document: QTextDocument | None = None
        self._states = bytearray(1)
        self._done: dict[int, tuple[int, int]] = {}
        """By the number of a line: what it began inside of, and the next one, when it was coloured."""
        self._skill = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._timer.timeout.connect(self._look)
        editor.document_changed.connect(self._follow)
        editor.updateRequest.connect(lambda _rect, dy: self._colour() if dy else None)
        editor.viewport().installEventFilter(self)
        theme.notifier().changed.connect(self._again)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """More lines may be seen."""
        if event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._colour)
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        """Another document is shown."""
        if self._document is not None:
            self._document.contentsChange.disconnect(self._edited)
        buffer = self._editor.buffer
        self._document = buffer.document if buffer is not None else None
        self._done.clear()
        self._states = bytearray(1)
        self._jobs.cancel((self, "outline"))
        if buffer is None or self._document is None:
            return
        self._skill = buffer.path.endswith("/SKILL.md")
        self._document.contentsChange.connect(self._edited)
        self._look()

    def _edited(self, at: int, _removed: int, added: int) -> None:
        """Lines that were edited are coloured at once, by what is known; the rest when the typing rests."""
        assert self._document is not None
        first = self._document.findBlock(at).blockNumber()
        last = self._document.findBlock(at + added).blockNumber()
        lines = self._document.blockCount() - len(self._states)
        if lines > 0:
            self._states[first:first] = bytes([self._states[min(first, len(self._states) - 1)]]) * lines
        elif lines < 0:
            del self._states[first + 1 : first + 1 - lines]
        if lines:
            self._done = {number: state for number, state in self._done.items() if number < first}
        for number in range(first, min(last, first + 200) + 1):
            self._done.pop(number, None)
        self._timer.start()
        QTimer.singleShot(0, self, self._colour)

    def _look(self) -> None:
        self._timer.stop()
        if self._document is not None:
            revision = self._document.revision()
            self._jobs.run(
                "Colouring the text", markdown.outline, text_of(self._document), self._skill,
                done=lambda states: self._take(states, revision), key=(self, "outline"), quiet=True,
            )  # fmt: skip

    def _take(self, states: bytearray, revision: int) -> None:
        if self._document is not None and self._document.revision() == revision:
            self._states = states
            self._colour()

    def _again(self) -> None:
        self._done.clear()
        self._colour()

    def _colour(self) -> None:
        """Colour the lines on the screen that are not as they should be."""
        document = self._document
        if document is None or self._editor.document() is not document:
            return
        block = self._editor.firstVisibleBlock()
        bottom = self._editor.cursorForPosition(QPoint(0, self._editor.viewport().height())).blockNumber()
        while block.isValid() and block.blockNumber() <= bottom:
            number = block.blockNumber()
            wanted = (self._state(number), self._state(number + 1))
            if self._done.get(number) != wanted:
                self._done[number] = wanted
                made = self._formats(block, *wanted)
                if made or block.layout().formats():
                    block.layout().setFormats(made)
                    document.markContentsDirty(block.position(), block.length())
            block = block.next()

    def _state(self, number: int) -> int:
        return self._states[number] if number < len(self._states) else 0

    def _formats(self, block: QTextBlock, state: int, after: int) -> list[QTextLayout.FormatRange]:
        if block.length() > 10 * markdown.LONGEST:
            return []
        text, made = block.text(), []
        for start, end, what in markdown.spans(text, state, after, self._skill):
            each = QTextLayout.FormatRange()
            each.start = utf16(text[:start])
            each.length = utf16(text[start:end])
            each.format = format_of(what)
            made.append(each)
        return made


def format_of(what: int) -> QTextCharFormat:
    """How a stretch is drawn, in the scheme in force; never by colour alone."""
    wanted = QTextCharFormat()
    if what & markdown.UNSENT:
        wanted.setForeground(theme.muted_colour())
        wanted.setFontItalic(True)
        return wanted
    if what & markdown.MARK:
        wanted.setForeground(theme.muted_colour())
    elif what & (markdown.HEADING | markdown.KEY):
        wanted.setForeground(theme.accent_colour())
    elif what & markdown.CODE:
        wanted.setForeground(theme.kind_colour("skills"))
    if what & markdown.CODE:
        wanted.setBackground(theme.panel_colour())
    if what & markdown.LINK:
        wanted.setForeground(theme.accent_colour())
        wanted.setFontUnderline(True)
    if what & (markdown.HEADING | markdown.STRONG | markdown.KEY):
        wanted.setFontWeight(QFont.Weight.Bold)
    if what & markdown.EMPHASIS:
        wanted.setFontItalic(True)
    return wanted

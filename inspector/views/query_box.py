"""A field for a query, whose filters complete to what the source knows."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from inspector import format
from inspector.finding import Finding
from inspector.jobs import Jobs

DELAY_MS = 60
"""After the last key: an answer is worth asking for."""
_SHOWN = 90


class QueryBox(QLineEdit):
    """Words and filters; Down goes on to what was found, Escape clears."""

    edited = Signal(str)
    """The query, a moment after the last key."""
    left_down = Signal()
    """The reader goes on to what was found."""
    escaped = Signal()

    def __init__(self, jobs: Jobs, finding: Finding, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setClearButtonEnabled(True)
        self._jobs, self._finding = jobs, finding
        self._candidates: list[Any] = []
        self._choices = QStringListModel(self)
        self._completer = QCompleter(self._choices, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(9)
        self._completer.setWidget(self)
        popup = self._completer.popup()
        assert popup is not None  # a completer makes its own
        self._popup = popup
        self._popup.setAccessibleName("Filters")
        self._popup.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._completer.activated[QModelIndex].connect(self._chosen)  # type: ignore[index]
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._tell)
        self.textChanged.connect(lambda _text: self._timer.start())
        self.textEdited.connect(lambda _text: self._look_up())

    def candidates(self) -> list[str]:
        """What is offered to complete the query with."""
        return [each.text for each in self._candidates]

    def tell_now(self) -> None:
        """The query is whole."""
        self._timer.stop()
        self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Down and Return lead on; Escape clears."""
        key = event.key()
        if key == Qt.Key.Key_Down:
            self.left_down.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.tell_now()
            self.left_down.emit()
        elif key == Qt.Key.Key_Escape:
            self._popup.hide()
            self.clear()
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def close_jobs(self) -> None:
        """Ask for nothing more."""
        self._timer.stop()
        self._jobs.cancel((self, "complete"))

    def _tell(self) -> None:
        self.edited.emit(self.text())

    def _look_up(self) -> None:
        text = self.text()
        if not text.strip():
            self._jobs.cancel((self, "complete"))
            self._offer(text, [])
            return
        self._jobs.run(
            "Looking for filters", self._finding.complete, text, self.cursorPosition(),
            done=lambda found: self._offer(text, found), failed=lambda _sentence: self._offer(text, []),
            key=(self, "complete"), quiet=True,
        )  # fmt: skip

    def _offer(self, text: str, found: list[Any]) -> None:
        whole = [each for each in found if each.text.strip() != text[each.start : each.end]]
        self._candidates = whole if text == self.text() and self.hasFocus() else []
        if not self._candidates:
            self._popup.hide()
            return
        self._choices.setStringList([_line(each) for each in self._candidates])
        area = self.rect()
        area.setWidth(max(area.width(), 320))
        self._completer.complete(area)

    def _chosen(self, index: QModelIndex) -> None:
        if index.row() < len(self._candidates):
            each = self._candidates[index.row()]
            text = self.text()
            self.setText(text[: each.start] + each.text + text[each.end :])
            self.setCursorPosition(each.start + len(each.text))
            self._look_up()


def _line(candidate: Any) -> str:
    text = format.one_line(candidate.text, _SHOWN)
    return f"{text}    {format.one_line(candidate.about, _SHOWN)}" if candidate.about else text

"""The line over a request: number, agent, purpose, status, time, and whether the record is exact."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from engine.trace.model import RequestDetail, RequestRow
from inspector import format
from inspector.models.happened import branch_words, happened, problem_words
from inspector.models.shown_text import one_line
from inspector.panes import plain_label, tint
from inspector.views.labels import ElidedLabel

EXACT = "as the model received it"
REWRITTEN = "as a callback saw it: LangChain may have rewritten media"
REBUILT = "rebuilt from a checkpoint"


class RequestHeader(QWidget):
    """Number, agent, purpose, status, time, and whether the record is exact; an error in full below."""

    go_to_request = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.title = ElidedLabel()
        self.title.setFont(_bold(self.title))
        self.says = ElidedLabel(muted=True)
        self.says.fill()
        self.exact = ElidedLabel(muted=True)
        self.parent_button = QToolButton()
        self.parent_button.setAutoRaise(True)
        self.parent_button.clicked.connect(self._go_to_parent)
        self.parent_button.hide()
        self.title.setMinimumHeight(self.parent_button.sizeHint().height())  # it comes and goes as one steps
        self._parent_request: int | None = None
        self.error = plain_label()
        tint(self.error, "error")
        self.error.setWordWrap(True)
        self.error.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.error.setAccessibleName("Error of the request")
        self.told = plain_label()
        self.told.setWordWrap(True)
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.told.setAccessibleName("What the steps around the request did")
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.title)
        row.addWidget(self.says, 1)
        row.addWidget(self.parent_button)
        row.addWidget(self.exact)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 2)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.error)
        column.addWidget(self.told)

    def show_request(self, detail: RequestDetail, previous: RequestDetail | None) -> None:
        """Describe a request that is here."""
        self._describe(detail.row)
        why = detail.not_recorded.get("messages", "")
        words = EXACT if detail.exact else REBUILT if why else REWRITTEN
        self.exact.set_text(words, error=words is REWRITTEN)
        line = branch_words(detail.row, previous.row if previous is not None else None)
        self.says.set_text(" · ".join(part for part in (line, describe(detail.row)) if part))
        told = happened(detail.events)
        self.told.setVisible(bool(told))
        self.told.setText("\n".join(one_line(sentence, 600) for sentence in told))
        self.told.setToolTip(format.tip("\n".join(told)))
        self.exact.setToolTip(format.tip(why or words))

    def show_row(self, row: RequestRow) -> None:
        """Describe a request whose contents are on their way."""
        self._describe(row)
        self.says.set_text(describe(row))
        self.exact.set_text("")
        self.told.hide()

    def _describe(self, row: RequestRow) -> None:
        """What is known of a request before its contents."""
        self.title.set_text(f"Request {format.exact(row.number)}")
        self._parent_request = row.parent
        self.parent_button.setVisible(row.parent is not None)
        words = "The request this was written for ▸" if row.purpose == "summary" else "The request that started it ▸"
        self.parent_button.setText(words)
        self.parent_button.setAccessibleName(words.rstrip(" ▸"))
        self._say(problem_words(row))

    def _say(self, sentences: Sequence[str]) -> None:
        """What went wrong, what is in doubt and what the step did, a line each."""
        self.error.setVisible(bool(sentences))
        self.error.setText("\n".join(one_line(sentence, 600) for sentence in sentences))
        self.error.setToolTip(format.tip("\n".join(sentences)))

    def clear(self) -> None:
        """Describe nothing."""
        for label in (self.title, self.says, self.exact):
            label.set_text("")
        self._say(())
        self.told.hide()
        self.parent_button.hide()

    def _go_to_parent(self) -> None:
        if self._parent_request is not None:
            self.go_to_request.emit(self._parent_request)


def describe(row: RequestRow) -> str:
    """Agent, purpose, status and time of a request in one line."""
    purposes = {"agent": "agent", "subagent": "subagent", "summary": "summarizing call", "other": "other call"}
    agent = row.agent or ("main agent" if row.purpose == "agent" else "")
    words = [agent, purposes[row.purpose] if agent != "main agent" else "", row.model or ""]
    if row.status == "running":
        words.append("running")
    elif row.status == "stopped":
        words.append("stopped before it ended")
    words += [format.absolute(row.started_at)]
    if row.duration_ms is not None:
        words.append(format.duration(row.duration_ms))
    return " · ".join(word for word in words if word)


def _bold(widget: QWidget) -> QFont:
    font = widget.font()
    font.setBold(True)
    return font

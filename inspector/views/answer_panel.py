"""The panel above the composer: a decision, or an answer by hand, whichever the thread that is shown waits for."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.jobs import Jobs
from inspector.tab_order import focus_first
from inspector.views.hand import HandPanel
from inspector.views.parts import Line
from inspector.views.question import QuestionPanel

HEIGHT = 260


class AnswerPanel(QWidget):
    """Hidden while the thread waits for nothing."""

    changed = Signal()
    """It was shown or hidden, or what one may do in it has changed."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Answer")
        self.question = QuestionPanel(jobs)
        self.hand = HandPanel(jobs)
        self.open = False
        self._pages = QStackedWidget()
        self._pages.addWidget(self.question)
        self._pages.addWidget(self.hand)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Line())
        column.addWidget(self._pages, 1)
        self.setMinimumHeight(150)
        self.question.changed.connect(self.changed)
        self.hand.changed.connect(self.changed)

    def sizeHint(self) -> QSize:
        """Room for a few lines of arguments."""
        return QSize(600, HEIGHT)

    def show_question(self) -> None:
        """Show the decision."""
        self._show(self.question)

    def show_hand(self) -> None:
        """Show the answer by hand."""
        self._show(self.hand)

    def close_panel(self) -> None:
        """The thread waits for nothing."""
        if self.open:
            self.open = False
            self.changed.emit()

    def asks_decision(self) -> bool:
        """Whether a decision is shown."""
        return self.open and self._pages.currentWidget() is self.question

    def asks_hand(self) -> bool:
        """Whether an answer by hand is shown."""
        return self.open and self._pages.currentWidget() is self.hand

    def can_send(self) -> bool:
        """Whether what is shown can be sent."""
        return (self.asks_decision() and self.question.can_send()) or (self.asks_hand() and self.hand.can_send())

    def send(self) -> None:
        """Send what is shown."""
        if self.asks_decision():
            self.question.send()
        elif self.asks_hand():
            self.hand.send()

    def take_focus(self) -> None:
        """Give the keyboard to what is shown."""
        page = self._pages.currentWidget()
        if self.open and page is not None:
            focus_first(page)

    def _show(self, page: QWidget) -> None:
        if not self.open or self._pages.currentWidget() is not page:
            self.open = True
            self._pages.setCurrentWidget(page)
            self.changed.emit()

"""The panel above the composer: a decision, or an answer by hand, whichever the thread that is shown waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.jobs import Jobs
from inspector.tab_order import focus_first
from inspector.views.parts import Line

if TYPE_CHECKING:
    from inspector.views.hand import HandPanel
    from inspector.views.question import QuestionPanel

HEIGHT = 260


class AnswerPanel(QWidget):
    """Hidden while the thread waits for nothing. What it shows is made when it is first needed: few starts need it."""

    made = Signal()
    """``question`` and ``hand`` are there from now on."""

    changed = Signal()
    """It was shown or hidden, or what one may do in it has changed."""

    left = Signal()
    """It closes, and has the keyboard."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Answer")
        self._jobs = jobs
        self._question: QuestionPanel | None = None
        self._hand: HandPanel | None = None
        self.open = False
        self._pages = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Line())
        column.addWidget(self._pages, 1)
        self.setMinimumHeight(150)

    @property
    def question(self) -> QuestionPanel:
        """The decision."""
        return self._make()[0]

    @property
    def hand(self) -> HandPanel:
        """The answer by hand."""
        return self._make()[1]

    def _make(self) -> tuple[QuestionPanel, HandPanel]:
        if self._question is None or self._hand is None:
            from inspector.views.hand import HandPanel
            from inspector.views.question import QuestionPanel

            self._question, self._hand = QuestionPanel(self._jobs), HandPanel(self._jobs)
            for page in (self._question, self._hand):
                self._pages.addWidget(page)
                page.changed.connect(self.changed)
            self.made.emit()
        return self._question, self._hand

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
            if self._has_keyboard():
                self.left.emit()
            self.changed.emit()

    def asks_decision(self) -> bool:
        """Whether a decision is shown."""
        return self.open and self._pages.currentWidget() is self._question

    def asks_hand(self) -> bool:
        """Whether an answer by hand is shown."""
        return self.open and self._pages.currentWidget() is self._hand

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

    def _has_keyboard(self) -> bool:
        focus = self.window().focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def _show(self, page: QWidget) -> None:
        if not self.open or self._pages.currentWidget() is not page:
            had_keyboard, self.open = self._has_keyboard(), True
            self._pages.setCurrentWidget(page)
            self.changed.emit()
            if had_keyboard:
                self.take_focus()

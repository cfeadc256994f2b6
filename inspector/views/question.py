"""What a thread waits for somebody to decide: each call as it would run, or what a tool asks of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.running import Answer, Decision, DecisionKind, PendingCall, Question
from inspector import format
from inspector.jobs import Jobs
from inspector.views.buttons import WordButton
from inspector.views.labels import ElidedLabel
from inspector.views.parts import MARGIN
from inspector.views.plain_text import Link
from inspector.views.question_call import CallForm, decided, line_of
from inspector.views.quiet import quiet
from inspector.views.text import TextView
from inspector.views.tick import Tick
from inspector.views.typing_field import TypingField


@dataclass(slots=True)
class _Item:
    """A row of the list: a call to decide on, or (without one) what a tool asks of its own."""

    question: Question
    call: PendingCall | None
    typed: dict[str, Any]


class QuestionPanel(QWidget):
    """Shows the questions of one thread. What is typed is told, so that it can be kept."""

    answered = Signal(object)
    """Answers by the questions' ids (``engine.running.Answers``)."""
    typed = Signal(str, dict)
    """A question's id, and what is typed into it."""
    show_request = Signal(int)
    """The request whose answer asked for the calls."""
    changed = Signal()
    """What one may do has changed."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Decision")
        self._items: list[_Item] = []
        self._read_only = False
        self._where: int | None = None
        self.title = ElidedLabel()
        self.says = ElidedLabel(muted=True)
        self.link = Link("Show the request", self.go_to_request)
        self.all_button = WordButton("Approve all", self.approve_all)
        self.send_button = QPushButton("Send decisions")
        self.list = QListWidget()
        self.form = CallForm(jobs)
        self.value = TextView(jobs, "What is asked")
        self.answer = TypingField("Answer", "Your answer")
        self.as_json = Tick("The answer is JSON")
        self._build()

    # -- what others call --------------------------------------------------------------------

    def show_questions(
        self, questions: Sequence[Question], typed: Callable[[str], Mapping[str, Any]], *, read_only: bool
    ) -> None:
        """Show these, with what was typed into each before, by its id."""
        at = self.list.currentRow() if [q.id for q in questions] == self._ids() else 0
        self._read_only = read_only
        self._items = []
        for question in questions:
            kept = typed(question.id)
            calls = kept.get("calls") if isinstance(kept.get("calls"), list) else []
            for n, call in enumerate(question.calls):
                known = calls[n] if calls and n < len(calls) and isinstance(calls[n], dict) else {}
                self._items.append(_Item(question, call, dict(known)))
            if not question.calls:
                self._items.append(_Item(question, None, dict(kept)))
        self.list.clear()
        self.list.addItems([self._line(item) for item in self._items])
        self.list.setVisible(len(self._items) > 1)
        self.list.setCurrentRow(max(0, min(at, len(self._items) - 1)))
        self._show_current()

    def answers(self) -> dict[str, Sequence[Decision] | Answer]:
        """Answers to those questions that are decided on whole."""
        found: dict[str, Sequence[Decision] | Answer] = {}
        for id in self._ids():
            items = [item for item in self._items if item.question.id == id]
            if items[0].call is None:
                text = str(items[0].typed.get("answer", ""))
                if text.strip():
                    found[id] = Answer(text, bool(items[0].typed.get("json")))
                continue
            decisions = [decided(item.typed) for item in items]
            if all(decisions):
                found[id] = [each for each in decisions if each is not None]
        return found

    def can_send(self) -> bool:
        """Whether a question is decided on whole."""
        return not self._read_only and bool(self.answers())

    def send(self) -> None:
        """Answer what is decided on."""
        if self.can_send():
            self.answered.emit(self.answers())

    def can_decide(self, kind: DecisionKind) -> bool:
        """Whether this may be decided on the call that is shown."""
        item = self._current()
        return not self._read_only and item is not None and item.call is not None and kind in item.call.allowed

    def decide(self, kind: DecisionKind) -> None:
        """Decide on the call that is shown; an approval leads to the next one that is open."""
        if self.can_decide(kind) and self.form.decide(kind) and kind == "approve":
            self.next_open()

    def approve_all(self) -> None:
        """Approve every call that is not decided on, where that is allowed."""
        for item in self._items:
            if item.call is not None and not item.typed.get("kind") and "approve" in item.call.allowed:
                item.typed["kind"] = "approve"
                self._tell(item)
        self._show_current()

    def next_open(self) -> None:
        """Show the next call that is not decided on."""
        row, count = self.list.currentRow(), len(self._items)
        for n in [*range(row + 1, count), *range(row)]:
            if self._items[n].call is not None and decided(self._items[n].typed) is None:
                self.list.setCurrentRow(n)
                return

    def go_to_request(self) -> None:
        """To the request whose answer asked for this."""
        if self._where is not None:
            self.show_request.emit(self._where)

    # -- inside ------------------------------------------------------------------------------

    def _build(self) -> None:
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 4, MARGIN, 2)
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addWidget(self.says, 1)
        for widget in (self.link, self.all_button, self.send_button):
            head.addWidget(widget)
        self.send_button.clicked.connect(self.send)
        quiet(self.list)
        self.list.setAccessibleName("Calls to decide on")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMinimumWidth(140)
        self.list.setSpacing(2)
        self.list.currentRowChanged.connect(lambda _row: self._show_current())
        own = QSplitter(Qt.Orientation.Horizontal)
        own.addWidget(self.value)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, MARGIN, 0)
        column.setSpacing(2)
        column.addWidget(self.answer, 1)
        column.addWidget(self.as_json)
        own.addWidget(right)
        self._right = right
        self.answer.typed.connect(self._answer_typed)
        self.as_json.toggled.connect(self._answer_typed)
        self.form.changed.connect(self._decision_changed)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.form)
        self._pages.addWidget(own)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.list)
        split.addWidget(self._pages)
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        split.setSizes([230, 900])
        split.setChildrenCollapsible(False)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 2)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(split, 1)
        self.setFocusProxy(self.list)

    def _ids(self) -> list[str]:
        return list(dict.fromkeys(item.question.id for item in self._items))

    def _current(self) -> _Item | None:
        row = self.list.currentRow()
        return self._items[row] if 0 <= row < len(self._items) else None

    def _line(self, item: _Item) -> str:
        if item.call is not None:
            several = len(self._ids()) > 1
            return line_of(item.call, item.typed, item.question.agent if several else None)
        sign = "✓" if str(item.typed.get("answer", "")).strip() else "?"
        return f"{sign} question · {format.one_line(item.question.agent or 'main agent', 40)}"

    def _show_current(self) -> None:
        item = self._current()
        if item is None:
            return
        question = item.question
        who = format.one_line(question.agent, 60) if question.agent else "The main agent"
        whose = "a" if self._read_only else "your"
        self.title.set_text(f"{who} waits for {whose} decision" if item.call is not None else f"{who} asks")
        self._where = question.request
        self.link.setVisible(question.request is not None)
        if item.call is not None:
            self._pages.setCurrentIndex(0)
            self.form.show_call(item.call, item.typed, read_only=self._read_only)
        else:
            self._pages.setCurrentIndex(1)
            self.value.set_text(question.value, key=question.id)
            self._right.setVisible(not self._read_only)
            self.answer.put(str(item.typed.get("answer", "")))
            self.as_json.blockSignals(True)
            self.as_json.setChecked(bool(item.typed.get("json")))
            self.as_json.blockSignals(False)
        self._refresh()

    def _answer_typed(self, _what: object = None) -> None:
        item = self._current()
        if item is not None and item.call is None:
            item.typed = {"answer": self.answer.text(), "json": self.as_json.isChecked()}
            self._tell(item)

    def _decision_changed(self) -> None:
        if (item := self._current()) is not None:
            self._tell(item)

    def _tell(self, item: _Item) -> None:
        """Something was typed into an item: its row, what may be sent, and what is kept."""
        row = self._items.index(item)
        if (shown := self.list.item(row)) is not None:
            shown.setText(self._line(item))
        mates = [each for each in self._items if each.question.id == item.question.id]
        kept = dict(item.typed) if item.call is None else {"calls": [dict(each.typed) for each in mates]}
        self.typed.emit(item.question.id, kept)
        self._refresh()

    def _refresh(self) -> None:
        item = self._current()
        calls = [each for each in self._items if each.call is not None]
        done = sum(decided(each.typed) is not None for each in calls)
        words = []
        if len(calls) > 1 and not self._read_only:
            words.append(f"{done} of {format.count(len(calls), 'call')} decided")
        if item is not None and item.question.at is not None:
            words.append(f"since {format.absolute(item.question.at)}")
        if self._read_only:
            words.append("This source is read only: it can't be answered here.")
        self.says.set_text(" · ".join(words))
        open_calls = [each for each in calls if not each.typed.get("kind")]
        self.all_button.setVisible(not self._read_only and len(calls) > 1)
        self.all_button.setEnabled(bool(open_calls))
        self.send_button.setVisible(not self._read_only)
        self.send_button.setText(
            "Send answer" if not calls else "Send decision" if len(calls) == 1 else "Send decisions"
        )
        self.send_button.setEnabled(self.can_send())
        self.changed.emit()

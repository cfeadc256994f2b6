"""Requests of a run that wait for you to play the model, and the one that is being answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.running import HandCall, HandReply, HandRequest
from inspector import format
from inspector.jobs import Jobs
from inspector.panes import plain_label
from inspector.views.buttons import WordButton
from inspector.views.fields import ModelField
from inspector.views.hand_calls import HandCalls
from inspector.views.labels import ElidedLabel
from inspector.views.parts import MARGIN
from inspector.views.plain_text import Link
from inspector.views.quiet import quiet
from inspector.views.typing_field import TypingField

HINT = "The run stands at this request and waits. Type what the model would answer, call tools, or both."
_PURPOSES = {"agent": "", "subagent": "a subagent's", "summary": "the summary of older messages"}


class HandPanel(QWidget):
    """Shows the requests of one thread's run that wait; answers one of them."""

    replied = Signal(str, object)
    """A request's token, and its ``HandReply``."""
    model_asked = Signal(str, str)
    """A request's token, and the model that is to answer it."""
    typed = Signal(str, dict)
    """A request's token, and what is typed into its answer."""
    show_request = Signal(int)
    changed = Signal()

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Answer by hand")
        self._requests: list[HandRequest] = []
        self._typed: dict[str, dict[str, Any]] = {}
        self._sending: set[str] = set()
        self._shown = ""
        self.title = ElidedLabel()
        self.says = ElidedLabel(HINT, muted=True)
        self.link = Link("Show the request", self.go_to_request)
        self.list = QListWidget()
        self.text = TypingField("Answer of the model", "The answer. Ctrl+Return sends it.")
        self.calls = HandCalls(jobs)
        self.send_button = QPushButton("Send answer")
        self.model = ModelField()
        self.let_button = WordButton("Let it answer", self.let_model)
        self._build()

    # -- what others call --------------------------------------------------------------------

    def show_requests(self, requests: Sequence[HandRequest], typed: Callable[[HandRequest], Mapping[str, Any]]) -> None:
        """Show these; the one that is being answered stays. ``typed`` gives what was typed into one before."""
        known = {request.token for request in self._requests}
        tokens = [request.token for request in requests]
        self._requests = list(requests)
        for request in requests:
            if request.token not in known:
                self._typed[request.token] = dict(typed(request))
        self._typed = {token: kept for token, kept in self._typed.items() if token in tokens}
        self._sending &= set(tokens)
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([_line(request, self._typed[request.token]) for request in requests])
        self.list.setVisible(len(requests) > 1)
        self.list.setCurrentRow(tokens.index(self._shown) if self._shown in tokens else 0)
        self.list.blockSignals(False)
        self._show_current()

    def set_models(self, names: Sequence[str]) -> None:
        """Models to offer for one answer."""
        text = self.model.currentText()
        self.model.clear()
        self.model.addItems(list(names))
        self.model.setEditText(text or (names[0] if names else ""))

    def current(self) -> HandRequest | None:
        """The request that is being answered."""
        row = self.list.currentRow()
        return self._requests[row] if 0 <= row < len(self._requests) else None

    def can_send(self) -> bool:
        """Whether there is an answer to send, and its calls are not known not to fit."""
        request = self.current()
        if request is None or request.token in self._sending or self.calls.has_fault():
            return False
        typed = self._typed[request.token]
        return bool(str(typed.get("text", "")).strip() or typed.get("calls"))

    def send(self) -> None:
        """Answer the request that is shown."""
        request = self.current()
        if request is None or not self.can_send():
            return
        typed = self._typed[request.token]
        calls = [HandCall(call["name"], call["args"]) for call in typed.get("calls") or ()]
        self._begin(request.token)
        self.replied.emit(request.token, HandReply(str(typed.get("text", "")), calls))

    def can_let_model(self) -> bool:
        """Whether a model is named that may answer the request."""
        request = self.current()
        return request is not None and request.token not in self._sending and bool(self.model.currentText().strip())

    def let_model(self) -> None:
        """Let a model answer the request that is shown; without a name, ask for one."""
        request = self.current()
        if request is not None and self.can_let_model():
            self._begin(request.token)
            self.model_asked.emit(request.token, self.model.currentText().strip())
        else:
            self.model.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def refused(self, token: str, sentence: str) -> None:
        """The answer could not be taken: why. What was typed stays."""
        self._sending.discard(token)
        if token == self._shown:
            self.says.set_text(f"! {sentence}", error=True)
        self._refresh()

    def go_to_request(self) -> None:
        """To the request in the middle."""
        request = self.current()
        if request is not None and request.request is not None:
            self.show_request.emit(request.request)

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
        head.addWidget(self.link)
        quiet(self.list)
        self.list.setAccessibleName("Requests that wait for an answer")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMinimumWidth(140)
        self.list.setSpacing(2)
        self.list.currentRowChanged.connect(lambda _row: self._chosen())
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.model.setAccessibleName("Model that answers this one")
        self.model.setMinimumContentsLength(20)
        edit = self.model.lineEdit()
        assert edit is not None
        edit.setPlaceholderText("provider:model")
        edit.textChanged.connect(lambda _text: self._refresh())
        edit.returnPressed.connect(self.let_model)
        split = QSplitter(Qt.Orientation.Horizontal)
        for widget, stretch in ((self.list, 0), (self.text, 3), (self.calls, 4)):
            split.addWidget(widget)
            split.setStretchFactor(split.count() - 1, stretch)
        split.setSizes([200, 520, 700])
        split.setChildrenCollapsible(False)
        foot = QHBoxLayout()
        foot.setContentsMargins(MARGIN, 4, MARGIN, 2)
        foot.setSpacing(8)
        foot.addWidget(self.send_button)
        foot.addStretch(1)
        foot.addWidget(plain_label("Or let a model answer this one:", muted=True))
        foot.addWidget(self.model)
        foot.addWidget(self.let_button)
        middle = QHBoxLayout()
        middle.setContentsMargins(MARGIN, 0, MARGIN, 0)
        middle.addWidget(split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addLayout(middle, 1)
        outer.addLayout(foot)
        self.send_button.clicked.connect(self.send)
        self.text.typed.connect(self._changed)
        self.calls.changed.connect(self._changed)
        self.setFocusProxy(self.text)

    def _chosen(self) -> None:
        """The user wants to answer another one."""
        self._show_current()
        self.go_to_request()

    def _show_current(self) -> None:
        request = self.current()
        if request is None:
            self._show_none()
            return
        self._enable(True)
        if request.token != self._shown:
            self._shown = request.token
            number = "this request" if request.number is None else f"request {format.exact(request.number)}"
            who = f" of {format.one_line(request.agent, 40)}" if request.agent else ""
            what = _PURPOSES[request.purpose]
            self.title.set_text(f"You are the model: {number}{who}" + (f" ({what})" if what else ""))
            self.says.set_text(HINT)
            self.link.setVisible(request.request is not None)
            typed = self._typed[request.token]
            self.text.put(str(typed.get("text", "")))
            self.calls.show_calls(request.tools, typed.get("calls") or [])
        self._refresh()

    def _enable(self, on: bool) -> None:
        """Fields that are disabled lose the keyboard: the title has it, without effect, until the next request."""
        if on == self.text.isEnabled():
            return
        focus = self.window().focusWidget()
        if not on and focus is not None and self.isAncestorOf(focus):
            self.title.setFocus(Qt.FocusReason.OtherFocusReason)
        for widget in (self.text, self.calls, self.model):
            widget.setEnabled(on)
        if on and focus is self.title:
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_none(self) -> None:
        """The run goes on, and may ask again."""
        self._enable(False)
        self._shown = ""
        self.title.set_text("The agent goes on")
        self.says.set_text("Its next request comes here.")
        self.link.hide()
        self.text.put("")
        self.calls.show_calls((), ())
        self._refresh()

    def _changed(self) -> None:
        request = self.current()
        if request is None:
            return
        typed: dict[str, Any] = {"text": self.text.text(), "calls": self.calls.calls()}
        if not typed["text"] and not typed["calls"]:
            typed = {}
        else:
            typed["for"] = request.agent or ""
        if typed != self._typed[request.token]:
            self._typed[request.token] = typed
            self.typed.emit(request.token, dict(typed))
            if (item := self.list.item(self.list.currentRow())) is not None:
                item.setText(_line(request, typed))
        self._refresh()

    def _begin(self, token: str) -> None:
        self._sending.add(token)
        self.says.set_text(HINT)
        self._refresh()

    def _refresh(self) -> None:
        for button, on in ((self.send_button, self.can_send()), (self.let_button, self.can_let_model())):
            if not on and self.window().focusWidget() is button:
                self.title.setFocus(Qt.FocusReason.OtherFocusReason)
            button.setEnabled(on)
        self.changed.emit()


def _line(request: HandRequest, typed: Mapping[str, Any]) -> str:
    """A request in the list; a dot where something is typed."""
    number = "Request" if request.number is None else f"Request {format.exact(request.number)}"
    parts = [number, format.one_line(request.agent or "main agent", 40)]
    if request.purpose == "summary":
        parts.append("summary")
    elif request.messages:  # what tells two of one agent apart
        content = request.messages[-1].get("data", {}).get("content")
        parts.append(format.one_line(content, 80) if isinstance(content, str) else "")
    parts = [part for part in parts if part]
    return ("• " if typed else "? ") + " · ".join(parts)

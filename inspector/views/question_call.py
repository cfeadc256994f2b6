"""One call that waits for a decision: as it would run, and what is decided on it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSplitter, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from engine.running import Decision, DecisionKind, PendingCall
from inspector import format
from inspector.jobs import Jobs
from inspector.running import spelled_out
from inspector.views.buttons import choice_button
from inspector.views.compare import ComparePane
from inspector.views.labels import ElidedLabel
from inspector.views.parts import MARGIN
from inspector.views.text import TextView
from inspector.views.typing_field import ArgsField, TypingField

WORDS: dict[DecisionKind, tuple[str, str]] = {
    "approve": ("Approve", "Runs the call as it stands (A)"),
    "edit": ("Edit", "Runs it with other arguments (E)"),
    "reject": ("Reject", "Does not run it, and tells the model why (R)"),
    "respond": ("Respond", "Does not run it: what you write stands for its result (P)"),
}
_ENGINES_OWN = "Tool execution requires approval"


class CallForm(QWidget):
    """Edits the decision on one call at a time: a dict of ``kind``, ``message``, ``args`` and ``fault``."""

    changed = Signal()
    """The decision is another one, or is known to fit or not."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.call: PendingCall | None = None
        self._typed: dict[str, Any] = {}
        self.title = ElidedLabel()
        self.about = TextView(jobs, "What the tool says of the call")
        self.args = TextView(jobs, "Arguments of the call")
        self.message = TypingField("Reason or response")
        self.edit = ArgsField(jobs, "Arguments to run with")
        self.diff = ComparePane(jobs)
        self.diff.closed.connect(self.diff.hide)
        self.buttons: dict[DecisionKind, QToolButton] = {}
        self._build()

    def show_call(self, call: PendingCall, typed: dict[str, Any], *, read_only: bool) -> None:
        """Show a call and what was decided on it so far; the dict is edited in place."""
        self.call, self._typed = call, typed
        self.title.set_text(call.tool)
        about = _own_words(call)
        self.about.setVisible(bool(about))
        self.about.set_text(about)
        self.args.set_text(call.args)
        for kind, button in self.buttons.items():
            button.setVisible(not read_only and kind in call.allowed)
        self._show_kind()

    def decide(self, kind: DecisionKind) -> bool:
        """Decide so; False where that isn't allowed."""
        call = self.call
        if call is None or kind not in call.allowed or self.buttons[kind].isHidden():
            return False
        self._typed["kind"] = kind
        self._show_kind()
        self.changed.emit()
        if kind == "edit":
            self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif kind in ("reject", "respond"):
            self.message.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    # -- inside ----------------------------------------------------------------------------

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 2, MARGIN, 2)
        head.setSpacing(4)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        head.addWidget(self.title, 1)
        group = QButtonGroup(self)
        for kind, (word, says) in WORDS.items():
            button = choice_button(word)
            button.setAccessibleName(word)
            button.setAutoRaise(False)
            button.setToolTip(says)
            button.clicked.connect(lambda _on=False, kind=kind: self.decide(kind))
            group.addButton(button)
            self.buttons[kind] = button
            head.addWidget(button)
        self._group = group
        editing = QSplitter(Qt.Orientation.Horizontal)
        editing.addWidget(self.edit)
        editing.addWidget(self.diff)
        editing.setChildrenCollapsible(False)
        self._below = QStackedWidget()
        shown = QSplitter(Qt.Orientation.Horizontal)
        for widget in (self.about, self.args, self.message):
            shown.addWidget(widget)
        shown.setStretchFactor(0, 2)
        shown.setStretchFactor(1, 3)
        shown.setStretchFactor(2, 2)
        shown.setChildrenCollapsible(False)
        self._below.addWidget(shown)
        self._below.addWidget(editing)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self._below, 1)
        self.message.typed.connect(self._message_typed)
        self.edit.typed.connect(self._args_typed)
        self.edit.checked.connect(self._checked)

    def _show_kind(self) -> None:
        call, kind = self.call, self._typed.get("kind", "")
        if call is None:
            return
        self._group.setExclusive(False)
        for name, button in self.buttons.items():
            button.setChecked(name == kind)
            button.setText(("✓ " if name == kind else "") + WORDS[name][0])
        self._group.setExclusive(True)
        self.message.setVisible(kind in ("reject", "respond"))
        self.message.put(str(self._typed.get("message", "")))
        why = "Why, for the model to read. It may be left empty."
        self.message.setPlaceholderText(why if kind == "reject" else "What the model gets as the result of the call.")
        self._below.setCurrentIndex(1 if kind == "edit" else 0)
        if kind != "edit":
            self.edit.stop()
            return
        self._typed.setdefault("args", spelled_out(call.args))
        self.edit.show_args(call.tool, self._typed["args"], call.schema)
        self._compare()

    def _compare(self) -> None:
        if self.call is not None:
            self.diff.show()
            self.diff.compare("As asked, against what you run", spelled_out(self.call.args), self.edit.text())

    def _message_typed(self) -> None:
        self._typed["message"] = self.message.text()
        self.changed.emit()

    def _args_typed(self) -> None:
        self._typed["args"] = self.edit.text()
        self._typed["fault"] = ""
        self.changed.emit()

    def _checked(self) -> None:
        if self._typed.get("kind") == "edit":
            self._typed["fault"] = self.edit.fault
            self._compare()
            self.changed.emit()


def decided(typed: dict[str, Any]) -> Decision | None:
    """The decision that was made; None for none, or for one that can't be sent as it stands."""
    kind = typed.get("kind")
    if kind not in WORDS or (kind == "edit" and typed.get("fault")):
        return None
    message = str(typed.get("message", "")) if kind in ("reject", "respond") else ""
    if kind == "respond" and not message.strip():
        return None
    return Decision(kind, message, args=str(typed.get("args", "")) if kind == "edit" else "")


def line_of(call: PendingCall, typed: dict[str, Any], agent: str | None) -> str:
    """A call in the list: its sign, tool, agent and decision."""
    kind = typed.get("kind")
    sign = "✓" if decided(typed) is not None else "!" if kind and typed.get("fault") else "?"
    parts = [format.one_line(call.tool, 60), format.one_line(agent or "", 30), WORDS[kind][0] if kind in WORDS else ""]
    return f"{sign} " + " · ".join(part for part in parts if part)


def _own_words(call: PendingCall) -> str:
    """What is said of a call beyond its name and its arguments."""
    before, found, _args = call.description.partition(f"\n\nTool: {call.tool}\nArgs: ")
    return "" if found and before.strip() == _ENGINES_OWN else before.strip()

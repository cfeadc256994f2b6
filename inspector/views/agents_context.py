"""Section Context of an agent's form: what is offloaded, summarized and cut, each with what it comes to."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QStringListModel, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.panes import plain_label
from inspector.views.agents_fields import CheckField, LineField, ProseField
from inspector.views.agents_numbers import KEPT, NumberField, SizeField
from inspector.views.agents_page import Page

_FIRST_CUT = {"trigger": ["messages", 20], "keep": ["messages", 20], "max_length": 2000}
"""What a cut of one's own begins with: the engine's own sizes."""


class ContextPage(Page):
    """When something leaves the conversation, and what stays."""

    title = "Context"
    about = "What leaves the conversation, when, and what stays. At the right: what counts, and where it comes from."

    def __init__(self, known: QStringListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.results = SizeField("Offload tool results", plain=True, first={"tokens": 20_000}, verb="over")
        self.messages = SizeField("Offload user messages", plain=True, first={"tokens": 50_000}, verb="over")
        self.summarize = SizeField("Summarize")
        self.keep = SizeField("Keep after a summary", default=None, off=False, verb="", first=KEPT)
        self.summary_prompt = ProseField("Prompt of summaries", "The engine’s own", lines=4, optional=True)
        self.summary_model = LineField("Model of summaries", "The agent’s own", optional=True, known=known)
        self.cut = _Cut()
        self.compact = CheckField("The model may ask for a summary itself (compact_conversation)")
        self.compact_prompt = ProseField("Words on the compact tool", "None", lines=2, optional=True)
        self.group("Offloading", "A large result or message becomes a file; the conversation keeps its beginning.")
        self.bind("offload_results", "Tool results", self.results, effective="offload results")
        self.bind("offload_messages", "User messages", self.messages, effective="offload messages")
        self.group("Summaries", "Older messages are replaced by a summary, and saved to a file.")
        self.bind("summarize", "Summarize", self.summarize, effective="summarize at")
        self.bind("keep", "Keep", self.keep, effective="keep")
        self.bind("summary_model", "Written by", self.summary_model, effective="summaries by")
        self.bind("summary_prompt", "Prompt", self.summary_prompt, effective="summary prompt",
                  hint="{messages} stands for the conversation.")  # fmt: skip
        self.bind("compact_tool", "On demand", self.compact)
        self.bind("compact_prompt", "Words on the tool", self.compact_prompt, hint="Added to the system message.")
        self.group("Arguments of old tool calls", "Long arguments are cut to their first 20 characters, before a "
                   "summary is needed.")  # fmt: skip
        self.bind("cut_arguments", "Cut", self.cut, effective="cut arguments at")
        self.add("", "Left whole", plain_label("The messages at the end, as set above", muted=True),
                 effective="arguments left whole")  # fmt: skip
        self.add("", "Longest argument", plain_label("As set above", muted=True), effective="longest argument")


class _Cut(QWidget):
    """When arguments are cut, what is left whole, and how long an argument may be."""

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.trigger = SizeField("Cut arguments")
        self.keep = SizeField("Left whole", default=(), off=False, verb="", first=KEPT)
        self.length = NumberField("Longest argument in characters")
        self.length.setMaximumWidth(120)
        self.setFocusProxy(self.trigger)
        self._own = QWidget()
        grid = QVBoxLayout(self._own)
        grid.setContentsMargins(0, 2, 0, 0)
        grid.setSpacing(4)
        for words, field in (("Leave whole", self.keep), ("Longest", self.length)):
            row = QHBoxLayout()
            row.setSpacing(6)
            label = plain_label(words, muted=True)
            label.setFixedWidth(76)
            row.addWidget(label)
            row.addWidget(field, 1 if field is self.keep else 0)
            if field is self.length:
                row.addWidget(plain_label("characters", muted=True))
                row.addStretch(1)
            grid.addLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.trigger)
        column.addWidget(self._own)
        self.trigger.edited.connect(self._chosen)
        self.keep.edited.connect(lambda _size: self.edited.emit(self.value()))
        self.length.valueChanged.connect(lambda _n: self.edited.emit(self.value()))

    def fill(self, value: Any) -> None:
        """Show ``default``, ``off``, or a cut of one's own."""
        own = value if isinstance(value, dict) else None
        self._own.setVisible(own is not None)
        self.trigger.fill(value if own is None else own.get("trigger"))
        cut: dict[str, Any] = own or _FIRST_CUT
        self.keep.fill(cut.get("keep"))
        self.length.blockSignals(True)
        self.length.setValue(cut.get("max_length") or 0)
        self.length.blockSignals(False)

    def value(self) -> Any:
        """The same form."""
        trigger = self.trigger.value()
        if isinstance(trigger, str):
            return trigger
        return {"trigger": trigger, "keep": self.keep.value(), "max_length": int(self.length.value())}

    def _chosen(self, trigger: Any) -> None:
        self._own.setVisible(not isinstance(trigger, str))
        self.edited.emit(self.value())

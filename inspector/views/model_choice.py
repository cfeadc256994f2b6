"""Which model a message goes to: the thread's own, or another by name, kept for each thread."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from inspector import format
from inspector.views.fields import ModelField

HAND = "hand (you answer)"
SCRIPTED = "scripted (offline)"
KEPT_MODELS = 8
_NAMES = {HAND: "hand", SCRIPTED: "scripted"}
_WORDS = {name: words for words, name in _NAMES.items()}


class ModelChoice(ModelField):
    """Empty means the thread's own model, which stands in the field muted."""

    chosen = Signal()
    """The user chose or typed a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName("Model")
        self.setMinimumContentsLength(22)
        self._thread: str | None = None
        self._for_new = HAND
        self._kept: dict[str, str] = {}
        self.set_models([], "")
        self.activated.connect(lambda _index: self._take())
        edit = self.lineEdit()
        assert edit is not None
        edit.textEdited.connect(lambda _text: self._take())
        edit.setClearButtonEnabled(True)
        self.set_own("", "")

    def set_models(self, names: list[str], for_new: str) -> None:
        """Models to offer after the two that need no key, and the one of new threads."""
        text = self.currentText()
        self.clear()
        self.addItems([HAND, SCRIPTED, *[name for name in names if name not in _NAMES][:KEPT_MODELS]])
        self._for_new = for_new or HAND
        self.setEditText(self._for_new if self._thread is None else text)

    def models(self) -> list[str]:
        """Models that were used, the last one first."""
        return [self.itemText(n) for n in range(len(_NAMES), self.count())]

    def set_thread(self, thread_id: str | None, kept: str = "") -> None:
        """Choose for this thread, None for a new one; ``kept`` is what was chosen for it before."""
        self._thread = thread_id
        self.set_own("", "")
        self.setEditText(self._for_new if thread_id is None else self._kept.get(thread_id, kept))

    def set_own(self, agent: str, model: str) -> None:
        """The agent and model that the thread goes on with by itself; empty where that is not known."""
        edit = self.lineEdit()
        assert edit is not None
        words = _WORDS.get(model, format.one_line(model, 80))
        edit.setPlaceholderText(words or "the agent's model")
        by = f"The agent {agent} goes on with {words}." if agent and words else "Empty: the thread's own model."
        self.setToolTip(format.tip(f"{by}\nhand, scripted, or provider:model as LangChain names it"))

    def name(self) -> str | None:
        """The model's name for the engine; None for the thread's own."""
        field = self.currentText().strip()
        return _NAMES.get(field, field) or None

    def forget_thread(self, thread_id: str) -> None:
        """The thread's own model counts again."""
        self._kept.pop(thread_id, None)
        if thread_id == self._thread:
            self.setEditText("")

    def forget(self) -> None:
        """Another source: its threads are others."""
        self._kept = {}

    def _take(self) -> None:
        if self._thread is not None:
            self._kept[self._thread] = self.currentText().strip()
        self.chosen.emit()

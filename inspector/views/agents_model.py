"""Sections Model and Prompt of an agent's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QStringListModel, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from inspector import format
from inspector.models.agents import key_line
from inspector.panes import plain_label, tint
from inspector.views.agents_fields import LineField, ProseField
from inspector.views.agents_numbers import MOST, NumberField
from inspector.views.agents_page import Page, wrapped
from inspector.views.buttons import WordButton

if TYPE_CHECKING:
    from engine.keys import KeyState
    from inspector.agent_edit import AgentEdit
    from inspector.agent_jobs import Judged

WINDOW = "max_input_tokens"
CHARACTERS = 4
"""Characters that count as a token, in an estimate."""


class ModelPage(Page):
    """Who answers: the model, its parameters, server, window and key."""

    title = "Model"
    about = "Who answers. Any provider:model of LangChain whose package is installed; hand lets you answer yourself."
    remember_key = Signal(str, str)
    """Put this key of this model's provider into the keyring: model, key."""
    forget_key = Signal(str)

    def __init__(self, known: QStringListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = LineField("Model", "provider:model, hand or scripted", known=known)
        self.parameters = ProseField("Parameters of the model", '{"temperature": 0, "max_tokens": 2000}', lines=4)
        self.base_url = LineField("Base URL", "The provider’s own", optional=True)
        self.window_size = _Window()
        self.key = _Key()
        self.bind("model", "Model", self.model)
        self.add("key", "Key", self.key)
        self.add("model_parameters", "Parameters", self.parameters,
                 hint="JSON, passed to the integration: temperature, max_tokens … Never a key.")  # fmt: skip
        self.bind("base_url", "Base URL", self.base_url,
                  hint="Of a server that speaks the provider’s protocol.")  # fmt: skip
        self.add("profile", "Window", self.window_size, effective="window")
        self.group("In the conversation")
        self.name = LineField("Name in the conversation", "none", optional=True)
        self.bind("name", "Name of answers", self.name,
                  hint="The name that each of its messages carries. The agent’s own name is at the top.")  # fmt: skip
        self.tags = ProseField("Tags", '{"team": "support"}', lines=2)
        self.add("tags", "Tags", self.tags, hint="JSON: free labels that are shown with the thread.")
        for field, name in ((self.parameters, "model_parameters"), (self.tags, "tags")):
            field.edited.connect(lambda text, name=name: self._typed(name, text))
        self.window_size.edited.connect(self._window_typed)
        self.key.remember.connect(lambda key: self.remember_key.emit(self.model.text(), key))
        self.key.forget.connect(lambda: self.forget_key.emit(self.model.text()))

    def fill(self, edit: AgentEdit) -> None:
        """Also the fields that are typed as JSON."""
        super().fill(edit)
        self.parameters.fill(edit.text("model_parameters"))
        self.tags.fill(edit.text("tags"))

    def judge(self, judged: Judged) -> None:
        """Also where the key comes from."""
        super().judge(judged)
        self.key.show_state(judged.key)

    def _typed(self, name: str, text: str) -> None:
        if self.edit is not None:
            self.edit.set_text(name, text)

    def _window_typed(self, tokens: int | None) -> None:
        if self.edit is not None:
            profile = dict(self.edit.get("profile") or {})
            profile.pop(WINDOW, None)
            if tokens is not None:
                profile[WINDOW] = tokens
            self.edit.set("profile", profile or None)


class PromptPage(Page):
    """What the agent is told before everything else."""

    title = "Prompt"
    about = "The system prompt. The engine adds its own words, memory and the list of skills after it."

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prompt = ProseField("System prompt", "None: the engine’s own words alone", lines=12, most=0, optional=True)
        self._size = plain_label("", muted=True)
        self.bind("system_prompt", "System prompt", self.prompt, grow=True)
        self.add("", "Length", self._size)
        self.prompt.edited.connect(lambda _text: self._count())

    def fill(self, edit: AgentEdit) -> None:
        """Also how long it is."""
        super().fill(edit)
        self._count()

    def _count(self) -> None:
        length = self.prompt.document().characterCount() - 1  # no copy of the text is made for it
        estimate = format.tokens((length + CHARACTERS - 1) // CHARACTERS)
        self._size.setText(f"{format.count(length, 'character')} · {estimate} tokens" if length else "empty")


class _Window(QWidget):
    """Tokens that the model takes, where its profile names none; 0 leaves it to the profile."""

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.number = NumberField("Window in tokens")
        self.number.setRange(0, MOST)
        self.number.setSpecialValueText("of the model’s profile")
        self.number.setMaximumWidth(220)
        self.number.valueChanged.connect(lambda value: self.edited.emit(int(value) or None))
        self.setFocusProxy(self.number)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.number, 1)
        row.addWidget(plain_label("tokens", muted=True))
        row.addStretch(1)

    def fill(self, profile: Any) -> None:
        """Show the window of a profile."""
        given = profile.get(WINDOW) if isinstance(profile, dict) else None
        self.number.blockSignals(True)
        self.number.setValue(given if isinstance(given, int) else 0)
        self.number.blockSignals(False)


class _Key(QWidget):
    """Where the key comes from, and a field that puts one into the keyring. It is never kept elsewhere."""

    remember = Signal(str)
    forget = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._says = wrapped("")
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setAccessibleName("Key to remember in the keyring")
        self.field.setPlaceholderText("Paste the key")
        self.field.returnPressed.connect(self._remember)
        self.open_button = WordButton("Remember a key…", self._open)
        self.keep_button = WordButton("Remember", self._remember, name="Remember the key in the keyring")
        self.forget_button = WordButton("Forget it", self.forget.emit, name="Forget the key of the keyring")
        self.result = wrapped("", muted=True)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.field, 1)
        for button in (self.keep_button, self.open_button, self.forget_button):
            row.addWidget(button)
        row.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(3)
        column.addWidget(self._says)
        column.addLayout(row)
        column.addWidget(self.result)
        self.show_state(None)
        self.say("")

    def show_state(self, key: KeyState | None) -> None:
        """Say where the key comes from."""
        self._says.setText(key_line(key))
        tint(self._says, "error" if key is not None and key.needed else "text")
        needed = key is not None and bool(key.variable)
        self.open_button.setVisible(needed and self.field.isHidden())
        self.forget_button.setVisible(needed and key is not None and key.source == "keyring")
        if not needed:
            self._close()
            self.open_button.hide()

    def say(self, sentence: str) -> None:
        """What came of remembering or forgetting."""
        self.result.setText(sentence)
        self.result.setVisible(bool(sentence))

    def kept(self) -> None:
        """The key is in the keyring: the field forgets it."""
        self._close()

    def text(self) -> str:
        """Where the key comes from, as it is said."""
        return self._says.text()

    def _open(self) -> None:
        self.field.show()
        self.keep_button.show()
        self.open_button.hide()
        self.field.setFocus()

    def _close(self) -> None:
        self.field.clear()
        self.field.hide()
        self.keep_button.hide()

    def _remember(self) -> None:
        self.remember.emit(self.field.text())

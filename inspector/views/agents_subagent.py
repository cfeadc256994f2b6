"""The form of one subagent."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QStringListModel, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.views.agents_fields import CheckField, ChoiceField, LineField, ProseField
from inspector.views.agents_sources import ToolLines
from inspector.views.agents_texts import ListPage, paths

MODES = (("isolated", "isolated: gets the task alone"), ("fork", "fork: goes on with the conversation (experimental)"))


class SubagentForm(ListPage):
    """Tells each field that is changed; what it belongs to is not its business."""

    title = "Subagent"
    about = "The agent starts it with its task tool, by its name and description."
    changed = Signal(str, object)
    """A field, and its value."""

    def __init__(self, known: QStringListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = LineField("Name of the subagent", "researcher")
        self.description = ProseField("Description of the subagent", "What it is for: how the agent chooses it",
                                      lines=3, mono=False)  # fmt: skip
        self.prompt = ProseField("System prompt of the subagent", "", lines=8)
        self.model = LineField("Model of the subagent", "The agent’s own", optional=True, known=known)
        self.mode = ChoiceField("Mode of the subagent", MODES)
        self.tools = _OwnTools()
        self.skills = paths("folder of skills", "/skills/", "No skills of its own.")
        self.bind("name", "Name", self.name)
        self.bind("description", "Description", self.description)
        self.bind("system_prompt", "System prompt", self.prompt)
        self.bind("model", "Model", self.model)
        self.bind("mode", "Conversation", self.mode)
        self.bind("tools", "Tools", self.tools)
        self.bind("skills", "Skills", self.skills)

    def show_subagent(self, value: dict[str, Any]) -> None:
        """Fill every field."""
        for row in self.rows:
            row.widget.fill(value.get(row.field))  # type: ignore[attr-defined]

    def _put(self, name: str, value: Any) -> None:
        self.changed.emit(name, value)


class _OwnTools(QWidget):
    """The agent's tools, or a list of its own."""

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.inherit = CheckField("The agent’s own tools")
        self.sources = ToolLines("None but those for files.")
        self.setFocusProxy(self.inherit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.inherit)
        column.addWidget(self.sources)
        self.inherit.edited.connect(self._chosen)
        self.sources.edited.connect(lambda _value: self.edited.emit(self.value()))

    def fill(self, value: Any) -> None:
        """None is the agent's own."""
        self.inherit.fill(value is None)
        self.sources.setVisible(value is not None)
        self.sources.fill(value)

    def value(self) -> Any:
        """None, or the list."""
        return None if self.inherit.isChecked() else self.sources.value()

    def focus_on(self, problem: str) -> bool:
        """The source that a problem names."""
        return self.sources.focus_on(problem)

    def _chosen(self, inherited: bool) -> None:
        self.sources.setVisible(not inherited)
        self.edited.emit(self.value())

"""Section Tools of an agent's form: where tools come from, and what a model is told of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QStringListModel, Qt
from PySide6.QtWidgets import QListView, QSplitter, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.views.agents_sources import ToolLines
from inspector.views.agents_texts import ListPage
from inspector.views.quiet import quiet
from inspector.views.text import TextView

if TYPE_CHECKING:
    from engine.blueprint import ToolSchema
    from inspector.agent_jobs import Judged

_NOTHING = ("No tool is selected", "List the tools of a source to see what a model is told of each.")


class ToolsPage(ListPage):
    """The agent's own tools; the engine adds those for files, tasks and todos."""

    title = "Tools"
    about = (
        "The agent’s own tools, beside those that the engine gives every agent. A Python file has all of its tools, "
        "or one of them by its name. Their code runs when they are listed and when the agent runs: you are asked once."
    )

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._listed: Mapping[str, Sequence[ToolSchema]] = {}
        self._shown: list[ToolSchema] = []
        self.sources = ToolLines("No tools of its own.")
        self.names = QStringListModel(self)
        self.list = QListView()
        quiet(self.list)
        self.list.setAccessibleName("Tools that were listed")
        self.list.setModel(self.names)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setUniformItemSizes(True)
        self.list.selectionModel().currentChanged.connect(self._selected)
        self.schema = TextView(jobs, "What a model is told of the tool")
        self.schema.clear(*_NOTHING)
        self.both = QSplitter(Qt.Orientation.Horizontal)
        self.both.addWidget(self.list)
        self.both.addWidget(self.schema)
        self.both.setSizes([200, 460])
        self.both.setChildrenCollapsible(False)
        self.both.setMinimumHeight(280)
        self.bind("tools", "Sources", self.sources)
        self.add("", "Listed", self.both)

    def judge(self, judged: Judged) -> None:
        """Also whether each source's code may run."""
        super().judge(judged)
        self.sources.judge(judged, self._listed)

    def show_tools(self, listed: Mapping[str, Sequence[ToolSchema]]) -> None:
        """The tools of these sources; those that the agent has not got are left out."""
        self._listed = listed
        own = [member.value() for member in self.sources.sources()]
        self._shown = [tool for source in own for tool in listed.get(source, ())]
        self.names.setStringList([format.one_line(tool.name, 120) for tool in self._shown])
        self.list.setVisible(bool(self._shown))
        if self._shown:
            self.list.setCurrentIndex(self.names.index(0))
        else:
            self.schema.clear(*_NOTHING)

    def _selected(self, index: QModelIndex) -> None:
        if index.isValid() and index.row() < len(self._shown):
            self.schema.set_text(schema_text(self._shown[index.row()]))


def schema_text(tool: ToolSchema) -> str:
    """What a model is told of a tool, for reading: name, description, JSON schema of the arguments, where it is."""
    where = f"\n\n{tool.file}, line {tool.line}" if tool.file and tool.line else ""
    schema = json.dumps(tool.schema, indent=2, ensure_ascii=False)
    return f"{tool.name}\n\n{tool.description}\n\n{schema}{where}"
